"""What franka_ros2 shows of one arm, emulated: topics and actions of controller, broadcasters, hand and manager."""

from array import array
from collections.abc import Callable
from typing import Any

import numpy as np
from control_msgs.msg import JointTrajectoryControllerState
from controller_manager_msgs.srv import SetHardwareComponentState, SwitchController
from franka_msgs.action import ErrorRecovery, Grasp, Homing, Move
from franka_msgs.msg import FrankaRobotState
from lifecycle_msgs.msg import State
from rcl_interfaces.msg import SetParametersResult
from rclpy.action import ActionServer, CancelResponse
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from imove_core.rig import load_rig
from imove_core.transforms import Array
from imove_hardware.emulation.franka.arm import RECOVERY_NS, EmulatedFranka
from imove_hardware.emulation.franka.controller import Trajectory
from imove_hardware.emulation.franka.hand import EmulatedHand, Outcome
from imove_hardware.franka import conversions
from imove_hardware.franka.names import SCHEME, franka_names
from imove_hardware.franka.returning import until
from imove_hardware.franka.watching import RobotMode
from imove_ros.conversions import joint_state, ns_from_time, time_from_ns
from imove_ros.node_main import run_node
from imove_ros.parameters import declare, declare_choice, declare_count

USER_STOP = "user_stop"
FAULTS = ("", "joint_reflex", "joint_velocity_violation", "communication_constraints_violation", USER_STOP)
MOST_HZ = 1000
HAND_HZ = 15.0
ACTION_TIMEOUT_S = 30.0


class FrankaEmulatorNode(Node):
    """One emulated arm with its hand; parameters `fault` and `object_m` may change while it runs."""

    def __init__(self) -> None:
        """Reads the parameters and stands at home."""
        super().__init__("franka_emulator")
        rig = load_rig(declare(self, "rig", "fr3_single"))
        arm = rig.arm(declare(self, "arm", rig.arms[0].name))
        device = rig.hardware.arms.get(arm.name)
        bus = device.bus if device else f"{SCHEME}{arm.model}_arm_controller"
        self._names = names = franka_names(arm, bus, declare(self, "robot_type", ""))
        self._emulated = EmulatedFranka(arm, names.joints, self._now_ns, declare(self, "reflexes", True))
        self._hand = EmulatedHand(float(arm.limits[-1, 1]), declare(self, "object_m", 0.0), self._now_ns)
        declare_choice(self, "fault", FAULTS)
        self.add_on_set_parameters_callback(self._on_parameters)
        sensor = qos_profile_sensor_data
        self._joints = self.create_publisher(JointState, names.joint_states, 10)
        self._fingers = self.create_publisher(JointState, names.hand("joint_states"), 1)
        self._states = self.create_publisher(FrankaRobotState, names.robot_state, 10)
        self._control = self.create_publisher(JointTrajectoryControllerState, names.controller_state, sensor)
        self.create_subscription(JointTrajectory, names.trajectories, self._on_trajectory, 10)
        self._serve()
        self.create_timer(1.0 / declare_count(self, "rate_hz", 200, MOST_HZ), self._publish)
        self.create_timer(1.0 / HAND_HZ, self._publish_hand)

    def _serve(self) -> None:
        names, hand = self._names, self._hand
        self._goals = 0
        starts: dict[str, tuple[type, Callable[[Any], None]]] = {
            "move": (Move, lambda g: hand.move(g.width, g.speed)),
            "grasp": (Grasp, lambda g: hand.grasp(g.width, g.speed, g.force, g.epsilon.inner, g.epsilon.outer)),
            "homing": (Homing, lambda g: hand.home()),
        }
        self._servers = [
            ActionServer(self, kind, names.hand(name), self._acting(kind, start), cancel_callback=_cancels)
            for name, (kind, start) in starts.items()
        ]
        self._servers.append(ActionServer(self, ErrorRecovery, names.error_recovery, self._recover))
        manager = f"{names.namespace}/controller_manager"
        self.create_service(SetHardwareComponentState, f"{manager}/set_hardware_component_state", self._on_hardware)
        self.create_service(SwitchController, f"{manager}/switch_controller", self._on_switch)

    @property
    def _now_ns(self) -> int:
        return self.get_clock().now().nanoseconds

    def _acting(self, kind: Any, start: Callable[[Any], None]) -> Callable[[Any], Any]:
        """Carries out a goal of the hand; a newer one ends it."""

        async def act(handle: Any) -> Any:
            self._goals += 1
            goal = self._goals
            self._hand.advance(self._now_ns)
            start(handle.request)

            def ended() -> bool:
                self._hand.advance(self._now_ns)
                over = self._goals != goal or self._hand.outcome is not Outcome.RUNNING
                return over or handle.is_cancel_requested

            await until(ended, ACTION_TIMEOUT_S)
            if handle.is_cancel_requested:
                self._hand.stop()
                handle.canceled()
                return kind.Result(success=False)
            success = self._goals == goal and self._hand.outcome is Outcome.SUCCEEDED
            handle.succeed() if success else handle.abort()
            return kind.Result(success=success)

        return act

    async def _recover(self, handle: Any) -> ErrorRecovery.Result:
        if self._emulated.recover():
            handle.abort()
            return ErrorRecovery.Result()
        recovered = await until(lambda: self._emulated.mode is RobotMode.IDLE, 10.0 * RECOVERY_NS / 1e9)
        handle.succeed() if recovered else handle.abort()
        return ErrorRecovery.Result()

    def _on_hardware(
        self, request: SetHardwareComponentState.Request, response: SetHardwareComponentState.Response
    ) -> SetHardwareComponentState.Response:
        response.ok = request.target_state.id == State.PRIMARY_STATE_ACTIVE and self._emulated.ready
        return response

    def _on_switch(
        self, request: SwitchController.Request, response: SwitchController.Response
    ) -> SwitchController.Response:
        if self._names.controller in request.activate_controllers:
            response.message = self._emulated.activate()
        response.ok = not response.message
        return response

    def _on_parameters(self, parameters: list[Parameter]) -> SetParametersResult:
        for parameter in parameters:
            if parameter.name == "object_m":
                self._hand.object_m = float(parameter.value)
            elif parameter.name == "fault" and parameter.value not in FAULTS:
                return SetParametersResult(successful=False, reason=f"allowed: {', '.join(FAULTS)}")
            elif parameter.name == "fault" and parameter.value in ("", USER_STOP):
                self._emulated.press_stop(parameter.value == USER_STOP)
            elif parameter.name == "fault":
                self._emulated.trip(parameter.value)
        # Its last words, however long the next round takes to come.
        self._states.publish(conversions.robot_state(self._now_ns, self._emulated.health))
        return SetParametersResult(successful=True)

    def _on_trajectory(self, message: JointTrajectory) -> None:
        points = message.points
        has_velocities = bool(points) and all(point.velocities for point in points)
        trajectory = Trajectory(
            list(message.joint_names),
            ns_from_time(message.header.stamp),
            [ns_from_time(point.time_from_start) for point in points],
            np.array([point.positions for point in points]),
            np.array([point.velocities for point in points]) if has_velocities else None,
        )
        self._emulated.accept(trajectory, self._now_ns)
        if self._emulated.refusals:
            self.get_logger().warning(f"trajectory refused: {self._emulated.refusals.pop()}")

    def _publish(self) -> None:
        arm, now_ns = self._emulated, self._now_ns
        arm.advance(now_ns)
        self._hand.advance(now_ns)
        if not arm.heard:
            return
        self._joints.publish(joint_state(now_ns, self._names.joints, arm.positions, arm.velocities, arm.efforts))
        self._states.publish(conversions.robot_state(now_ns, arm.health))
        if arm.controlled:
            self._control.publish(self._controller_state(now_ns))

    def _controller_state(self, now_ns: int) -> JointTrajectoryControllerState:
        message = JointTrajectoryControllerState(joint_names=list(self._names.joints))
        message.header.stamp = time_from_ns(now_ns)
        message.reference.positions, message.reference.velocities = map(_doubles, self._emulated.reference)
        message.feedback.positions = _doubles(self._emulated.positions)
        return message

    def _publish_hand(self) -> None:
        fingers = np.full(2, self._hand.opening_m / 2.0)
        self._fingers.publish(joint_state(self._now_ns, self._names.fingers, fingers, np.zeros(2), np.zeros(2)))


def _cancels(_: Any) -> CancelResponse:
    return CancelResponse.ACCEPT


def _doubles(values: Array) -> array:
    return array("d", values.tobytes())


def main() -> None:
    """Runs the node until it is interrupted."""
    run_node(FrankaEmulatorNode)
