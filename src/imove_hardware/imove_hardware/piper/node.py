"""The node of one PiPER arm: joints out, commands in, stops and a person's word; or of a leader that is only read."""

from collections.abc import Callable
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory

from imove_core import contract
from imove_core.errors import ImoveError
from imove_core.hardware import ArmDevice
from imove_core.rig import load_rig
from imove_core.safety_event import SafetyEvent
from imove_hardware.piper.driver import PiperDriver
from imove_hardware.piper.listening import PiperListener
from imove_hardware.piper.reading import Reading
from imove_hardware.piper.rounds import DriverOptions
from imove_motion.safety.settings import DEFAULT, load_safety
from imove_ros.by_hand import ByHand, taken
from imove_ros.conversions import joint_command, joint_state
from imove_ros.diagnostics import diagnostic_array
from imove_ros.node_main import run_node
from imove_ros.parameters import declare, declare_choice, declare_count
from imove_ros.promptness import go_first
from imove_ros.qos import ContractTopics
from imove_ros.safety import SafetyReporter

FOLLOWER, LEADER = "follower", "leader"
MOST_HZ = 500
GONE_CHECK_S = 0.2
LOG_PERIOD_S = 1.0


class PiperNode(Node):
    """Publishes what the arm says as it comes, and hands on what is commanded."""

    def __init__(self) -> None:
        """Reads the parameters and starts to look for the arm."""
        super().__init__("piper_driver")
        rig = load_rig(declare(self, "rig", "piperx_dual"))
        self._arm = rig.arm(declare(self, "arm", rig.arms[0].name))
        device = rig.arm_device(self._arm.name)
        role = declare_choice(self, "role", (FOLLOWER, LEADER))
        options = DriverOptions(
            safety=load_safety(declare(self, "safety", DEFAULT), rig),
            auto_enable=declare(self, "auto_enable", True),
            rate_hz=float(declare_count(self, "command_rate_hz", 200, MOST_HZ)),
            silence_s=declare(self, "bus_silence_s", 0.1),
            gripper_effort_nm=declare(self, "gripper_effort_nm", 1.0),
        )
        self._topics = ContractTopics(self, rig)
        self._reporter = SafetyReporter(self, self._topics)
        self._diagnostics = self._topics.publisher(DiagnosticArray, contract.DIAGNOSTICS_TOPIC)
        self._component = f"arm/{self._arm.name}" + ("_leader" if role == LEADER else "")
        if role == FOLLOWER:
            self._states = self._topics.publisher(JointState, contract.joint_states_topic(self._arm.name))
            self._targets = self._topics.publisher(JointState, contract.joint_target_topic(self._arm.name))
            self.create_timer(1.0 / rig.control_rate_hz, self._publish_target)
        if role == LEADER or device.leader_bus == device.bus:
            self._driver = self._listen(device, role == FOLLOWER, options.silence_s)
            if role == FOLLOWER:
                self._subscribe_commands()
        else:
            self._driver = PiperDriver(
                self._arm,
                device,
                options,
                self._publish_reading,
                self._report,
                self._publish_health,
                # They come at 200 Hz, and its rounds are the first to need them.
                self._subscribe_commands(callback_group=ByHand()),
            )
            self.create_timer(GONE_CHECK_S, self._check_sender)
        if role == FOLLOWER:
            self._take_orders()
        self.create_timer(1.0, self._look_after)
        self._driver.start()

    def destroy_node(self) -> None:
        """Leaves the arm where it is, at rest and with its power on."""
        self._driver.close()
        super().destroy_node()

    def _subscribe_commands(self, **options: Any) -> Callable[[], None]:
        """Subscribes to commands; what is returned hands over those that have come."""
        topic = contract.joint_trajectory_topic(self._arm.name)
        subscription = self._topics.subscribe(JointTrajectory, topic, self._on_command, **options)

        def take() -> None:
            for message, _ in taken(subscription):
                self._on_command(message)

        return take

    def _take_orders(self) -> None:
        name, driver = self._arm.name, self._driver
        self._topics.subscribe(Bool, contract.EMERGENCY_STOP_TOPIC, lambda message: driver.stop(message.data))
        self.create_service(Trigger, contract.arm_resume_service(name), self._on_resume)
        self.create_service(SetBool, contract.arm_enable_service(name), self._on_enable)

    def _listen(self, device: ArmDevice, drives: bool, silence_s: float) -> PiperListener:
        if not device.leader_bus:
            raise ImoveError(f"the rig file gives arm '{self._arm.name}' no leader_bus; a leader needs one")
        self._leader_states = self._topics.publisher(JointState, contract.leader_states_topic(self._arm.name))
        return PiperListener(
            self._arm,
            device.leader_bus,
            drives,
            silence_s,
            self._publish_reading,
            self._publish_leader,
            self._publish_health,
        )

    def _publish_reading(self, reading: Reading) -> None:
        self._states.publish(self._message(reading))

    def _publish_leader(self, reading: Reading) -> None:
        self._leader_states.publish(self._message(reading))

    def _message(self, reading: Reading) -> JointState:
        names = self._arm.joint_names
        return joint_state(reading.stamp_ns, names, reading.positions, reading.velocities, reading.efforts)

    def _publish_target(self) -> None:
        target = self._driver.target
        if target is not None:
            empty = np.zeros(0)
            now_ns = self.get_clock().now().nanoseconds
            self._targets.publish(joint_state(now_ns, self._arm.joint_names, target, empty, empty))

    def _look_after(self) -> None:
        # A node without its loop must not look as if it had one: it ends, and whoever started it sees that.
        self._driver.check_alive()
        self._publish_health()

    def _publish_health(self) -> None:
        report = self._driver.report()
        message = diagnostic_array(self._component, report.bus, report.level, report.sentence, report.values)
        message.header.stamp = self.get_clock().now().to_msg()
        self._diagnostics.publish(message)

    def _report(self, event: SafetyEvent) -> None:
        self._reporter.report("", event)

    def _on_command(self, message: JointTrajectory) -> None:
        try:
            self._driver.command(joint_command(self._arm, message))
        except ImoveError as error:
            self.get_logger().warning(str(error), throttle_duration_sec=LOG_PERIOD_S)

    def _check_sender(self) -> None:
        if not self.count_publishers(contract.joint_trajectory_topic(self._arm.name)):
            self._driver.hold("whoever sent commands is gone")

    def _on_resume(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        try:
            response.message, response.success = self._driver.resume(), True
        except ImoveError as error:
            response.message = str(error)
        return response

    def _on_enable(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        try:
            response.message, response.success = self._driver.enable(request.data), True
        except ImoveError as error:
            response.message = str(error)
        return response


def main() -> None:
    """Runs the node until it is interrupted."""
    go_first()
    run_node(PiperNode)
