"""What things are called in franka_ros2, from the address in the rig file."""

from __future__ import annotations

from dataclasses import dataclass

from imove_core.errors import ImoveError
from imove_core.rig import Arm

SCHEME = "ros2_control:"
_ROBOT_TYPES = {"fr3": "fr3", "panda": "panda"}


@dataclass(frozen=True)
class FrankaNames:
    """Names of topics, actions and joints.

    Attributes:
        namespace: Of all nodes of the arm, "" or `/name`.
        controller: Of the trajectory controller, without the namespace.
        robot_type: Before the joints' names.
        joint_count: Of the arm.
    """

    namespace: str
    controller: str
    robot_type: str
    joint_count: int

    @property
    def joints(self) -> tuple[str, ...]:
        """Joints as the controller calls them."""
        return tuple(f"{self.robot_type}_joint{number}" for number in range(1, self.joint_count + 1))

    @property
    def fingers(self) -> tuple[str, str]:
        """Joints of the hand."""
        return f"{self.robot_type}_finger_joint1", f"{self.robot_type}_finger_joint2"

    @property
    def trajectories(self) -> str:
        """Topic of the controller's commands."""
        return f"{self.namespace}/{self.controller}/joint_trajectory"

    @property
    def controller_state(self) -> str:
        """Topic of the controller's state."""
        return f"{self.namespace}/{self.controller}/controller_state"

    @property
    def joint_states(self) -> str:
        """Topic of the arm's joints."""
        return f"{self.namespace}/franka/joint_states"

    @property
    def robot_state(self) -> str:
        """Topic of what the arm says of itself."""
        return f"{self.namespace}/franka_robot_state_broadcaster/robot_state"

    @property
    def error_recovery(self) -> str:
        """Action that leaves a reflex."""
        return f"{self.namespace}/action_server/error_recovery"

    def hand(self, name: str) -> str:
        """A topic or action of the hand."""
        return f"{self.namespace}/franka_gripper/{name}"


def franka_names(arm: Arm, bus: str, robot_type: str) -> FrankaNames:
    """The names of an arm.

    Args:
        arm: Of the rig.
        bus: Its address, `ros2_control:[NAMESPACE/]CONTROLLER`.
        robot_type: Before the joints' names, "" for that of the arm's model.

    Raises:
        ImoveError: The address or the model is another one.
    """
    if not bus.startswith(SCHEME):
        raise ImoveError(f"bus of arm '{arm.name}' is '{bus}'; a Franka's is {SCHEME}CONTROLLER")
    if not robot_type and arm.model not in _ROBOT_TYPES:
        raise ImoveError(f"arm '{arm.name}' is a {arm.model}; this adapter is for {' and '.join(_ROBOT_TYPES)}")
    namespace, _, controller = bus.removeprefix(SCHEME).rpartition("/")
    namespace = "/" + namespace.strip("/") if namespace else ""
    return FrankaNames(namespace, controller, robot_type or _ROBOT_TYPES[arm.model], len(arm.joint_names) - 1)
