"""Subscriptions to what franka_ros2 says of an arm."""

from collections.abc import Callable
from typing import Any

from control_msgs.msg import JointTrajectoryControllerState
from franka_msgs.msg import FrankaRobotState
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

from imove_core.errors import ImoveError
from imove_hardware.franka import conversions
from imove_hardware.franka.hearing import Hearing, Reading
from imove_hardware.franka.names import FrankaNames
from imove_ros.conversions import ns_from_time

LOG_PERIOD_S = 1.0
SKIP_NS = 10_000_000
"""Of what comes a thousand times a second, and is not handed on, only so often is anything read."""


def listen(node: Node, names: FrankaNames, hearing: Hearing, on_reading: Callable[[Reading], None]) -> None:
    """Subscribes.

    Args:
        node: Whose subscriptions they are.
        names: Of the topics.
        hearing: Takes what comes.
        on_reading: Takes the joints (8,) that are to be handed on.
    """

    def now_ns() -> int:
        return int(node.get_clock().now().nanoseconds)

    def on_joints(message: JointState) -> None:
        found = hearing.hear_arm(conversions.reading(message, names.joints), now_ns())
        if found is not None:
            on_reading(found)

    def on_hand(message: JointState) -> None:
        hearing.hear_hand(ns_from_time(message.header.stamp), conversions.opening_m(message))

    def on_robot(message: FrankaRobotState) -> None:
        hearing.hear_robot(conversions.robot_health(message))

    def on_controller(message: JointTrajectoryControllerState) -> None:
        hearing.hear_controller(*conversions.reference(message, names.joints))

    def told(callback: Callable[[Any], None]) -> Callable[[Any], None]:
        """The callback, whose refusals are logged."""

        def call(message: Any) -> None:
            try:
                callback(message)
            except ImoveError as error:
                node.get_logger().warning(str(error), throttle_duration_sec=LOG_PERIOD_S)

        return call

    def now_and_then(kind: type, callback: Callable[[Any], None]) -> Callable[[bytes], None]:
        """A callback for serialised messages that reads one of them every `SKIP_NS`."""
        next_ns = 0

        def read(message: bytes) -> None:
            nonlocal next_ns
            if now_ns() >= next_ns:
                next_ns = now_ns() + SKIP_NS
                callback(deserialize_message(message, kind))

        return read

    qos = qos_profile_sensor_data
    node.create_subscription(JointState, names.joint_states, told(on_joints), qos)
    node.create_subscription(JointState, names.hand("joint_states"), told(on_hand), qos)
    read = now_and_then(FrankaRobotState, told(on_robot))
    node.create_subscription(FrankaRobotState, names.robot_state, read, qos, raw=True)
    read = now_and_then(JointTrajectoryControllerState, told(on_controller))
    node.create_subscription(JointTrajectoryControllerState, names.controller_state, read, qos, raw=True)
