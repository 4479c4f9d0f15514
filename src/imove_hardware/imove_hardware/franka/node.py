"""The node between the topic contract and franka_ros2: joints out, commands in, stops and a person's word."""

import time

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory

from imove_core import contract
from imove_core.errors import ImoveError
from imove_core.rig import load_rig
from imove_hardware.franka import conversions
from imove_hardware.franka.adapter import AdapterOptions, FrankaAdapter
from imove_hardware.franka.course import PERIOD_NS
from imove_hardware.franka.hand_client import HandClient
from imove_hardware.franka.hearing import Reading
from imove_hardware.franka.listening import Listening
from imove_hardware.franka.names import franka_names
from imove_hardware.franka.resuming import Resuming
from imove_hardware.franka.returning import Returning
from imove_hardware.franka.spline import NS, Way
from imove_motion.safety.settings import DEFAULT, load_safety
from imove_ros.conversions import joint_command, joint_state
from imove_ros.diagnostics import diagnostic_array
from imove_ros.node_main import run_node
from imove_ros.parameters import declare
from imove_ros.qos import ContractTopics
from imove_ros.safety import SafetyReporter

GONE_CHECK_S = 0.2
LOG_PERIOD_S = 1.0
COMMAND_DEPTH = 10


class FrankaNode(Node):
    """Hands on what the arm says, and what is commanded."""

    def __init__(self) -> None:
        """Reads the parameters and waits for the arm."""
        super().__init__("franka_adapter")
        rig = load_rig(declare(self, "rig", "fr3_single"))
        self._arm = rig.arm(declare(self, "arm", rig.arms[0].name))
        device = rig.arm_device(self._arm.name)
        self._names = franka_names(self._arm, device.bus, declare(self, "robot_type", ""))
        options = AdapterOptions(
            safety=load_safety(declare(self, "safety", DEFAULT), rig),
            speed_share=device.speed_percent / 100.0,
            silence_s=declare(self, "state_silence_s", 0.1),
            hand_silence_s=declare(self, "hand_silence_s", 1.0),
            force_n=declare(self, "grasp_force_n", 20.0),
        )
        self._home_hand = declare(self, "home_hand", False)
        self._topics = ContractTopics(self, rig)
        reporter = SafetyReporter(self, self._topics)
        hand = HandClient(self, self._names, self._hand_finished)
        self._adapter = FrankaAdapter(
            self._arm, device.bus, options, self._send, hand, lambda event: reporter.report("", event)
        )
        returning = Returning(self, self._names, declare(self, "hardware_component", "FrankaHardwareInterface"))
        self._resuming = Resuming(self._adapter, returning)
        self._told = ("", "")
        self._way = self.create_publisher(JointTrajectory, self._names.trajectories, COMMAND_DEPTH)
        self._listening = Listening(self, self._names, self._adapter.hearing, self._publish_reading)
        self._serve(rig.control_rate_hz)

    def _serve(self, target_hz: float) -> None:
        """Takes part in the contract."""
        name, topics = self._arm.name, self._topics
        self._states = topics.publisher(JointState, contract.joint_states_topic(name))
        self._targets = topics.publisher(JointState, contract.joint_target_topic(name))
        self._diagnostics = topics.publisher(DiagnosticArray, contract.DIAGNOSTICS_TOPIC)
        self._commands = contract.joint_trajectory_topic(name)
        topics.subscribe(JointTrajectory, self._commands, self._on_command)
        topics.subscribe(Bool, contract.EMERGENCY_STOP_TOPIC, lambda m: self._adapter.stop(m.data, self._now_ns))
        # In a group of its own: while it waits for the arm, everything else goes on.
        apart = ReentrantCallbackGroup()
        self.create_service(Trigger, contract.arm_resume_service(name), self._on_resume, callback_group=apart)
        self.create_service(SetBool, contract.arm_enable_service(name), self._on_enable)
        self.create_timer(PERIOD_NS / NS, self._round)
        self.create_timer(1.0 / target_hz, self._publish_target)
        self.create_timer(1.0, self._publish_health)
        self.create_timer(GONE_CHECK_S, self._check_sender)

    def destroy_node(self) -> None:
        """Brings the arm to rest and leaves it to its controller."""
        self._adapter.hold("the adapter ends", self._now_ns)
        super().destroy_node()

    @property
    def _now_ns(self) -> int:
        return self.get_clock().now().nanoseconds

    def _publish_reading(self, found: Reading) -> None:
        names = self._arm.joint_names
        self._states.publish(joint_state(found.stamp_ns, names, found.positions, found.velocities, found.efforts))

    def _on_command(self, message: JointTrajectory) -> None:
        try:
            self._adapter.command(joint_command(self._arm, message), self._now_ns)
        except ImoveError as error:
            self.get_logger().warning(str(error), throttle_duration_sec=LOG_PERIOD_S)

    def _round(self) -> None:
        self._listening.read()
        self._adapter.round(self._now_ns, time.monotonic())
        state = self._adapter.state
        if self._home_hand and state.may_follow:
            self._home_hand = False
            self._adapter.home_hand()
        if self._told != (state.mode.value, state.reason):
            self._told = (state.mode.value, state.reason)
            self._publish_health()

    def _send(self, way: Way) -> None:
        self._way.publish(conversions.trajectory(self._names.joints, way))

    def _hand_finished(self, failure: str) -> None:
        self._adapter.hand_finished(failure, time.monotonic())

    def _check_sender(self) -> None:
        if not self.count_publishers(self._commands):
            self._adapter.hold("whoever sent commands is gone", self._now_ns)

    def _publish_target(self) -> None:
        target = self._adapter.target(self._now_ns)
        if target is not None:
            empty = np.zeros(0)
            self._targets.publish(joint_state(self._now_ns, self._arm.joint_names, target, empty, empty))

    def _publish_health(self) -> None:
        report = self._adapter.report()
        name = f"arm/{self._arm.name}"
        message = diagnostic_array(name, report.bus, report.level, report.sentence, report.values)
        message.header.stamp = self.get_clock().now().to_msg()
        self._diagnostics.publish(message)

    async def _on_resume(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        try:
            response.message, response.success = await self._resuming.resume(), True
        except ImoveError as error:
            response.message = str(error)
        return response

    def _on_enable(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        try:
            response.message, response.success = self._adapter.enable(request.data), True
        except ImoveError as error:
            response.message = str(error)
        return response


def main() -> None:
    """Runs the node until it is interrupted."""
    run_node(FrankaNode)
