"""Subscriptions to what franka_ros2 says of an arm."""

from collections.abc import Callable
from functools import partial
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


class Listening:
    """Takes the joints as they come, and keeps the newest of what is not handed on until somebody looks at it.

    State and controller speak a thousand times a second; to read all of it would cost a third of a processor.
    """

    def __init__(self, node: Node, names: FrankaNames, hearing: Hearing, on_reading: Callable[[Reading], None]) -> None:
        """Subscribes.

        Args:
            node: Whose subscriptions they are.
            names: Of the topics.
            hearing: Takes what comes.
            on_reading: Takes the joints (8,) that are to be handed on.
        """
        self._node, self._names, self._hearing, self._on_reading = node, names, hearing, on_reading
        self._newest: dict[type, bytes] = {}
        for kind, topic, callback in (
            (JointState, names.joint_states, self._on_joints),
            (JointState, names.hand("joint_states"), self._on_hand),
        ):
            node.create_subscription(kind, topic, partial(self._take, callback), qos_profile_sensor_data)
        self._readers: dict[type, Callable[[Any], None]] = {
            FrankaRobotState: self._on_robot,
            JointTrajectoryControllerState: self._on_controller,
        }
        for kind, topic in (
            (FrankaRobotState, names.robot_state),
            (JointTrajectoryControllerState, names.controller_state),
        ):
            keep = partial(self._newest.__setitem__, kind)
            node.create_subscription(kind, topic, keep, qos_profile_sensor_data, raw=True)

    def read(self) -> None:
        """Reads the newest of everything that has come since the last call."""
        newest = dict(self._newest)
        self._newest.clear()
        for kind, message in newest.items():
            self._take(self._readers[kind], deserialize_message(message, kind))

    def _take(self, callback: Callable[[Any], None], message: Any) -> None:
        """Hands on a message; what is wrong with it is logged."""
        try:
            callback(message)
        except ImoveError as error:
            self._node.get_logger().warning(str(error), throttle_duration_sec=LOG_PERIOD_S)

    def _on_joints(self, message: JointState) -> None:
        now_ns = self._node.get_clock().now().nanoseconds
        found = self._hearing.hear_arm(conversions.reading(message, self._names.joints), now_ns)
        if found is not None:
            self._on_reading(found)

    def _on_hand(self, message: JointState) -> None:
        self._hearing.hear_hand(ns_from_time(message.header.stamp), conversions.opening_m(message))

    def _on_robot(self, message: FrankaRobotState) -> None:
        self._hearing.hear_robot(conversions.robot_health(message))

    def _on_controller(self, message: JointTrajectoryControllerState) -> None:
        self._hearing.hear_controller(*conversions.reference(message, self._names.joints))
