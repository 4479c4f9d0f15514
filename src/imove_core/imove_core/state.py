"""What is true of robot and objects at one control step, free of ROS types."""

from dataclasses import dataclass
from functools import cached_property

from imove_core.canonical import canonical_json, sha256_of_text
from imove_core.transforms import Array, transform_from_position_quaternion


@dataclass(frozen=True)
class ObjectState:
    """One object at one control step.

    Position and quaternion are what is stored, since they are what a message carries: a state that went through ROS is
    bit for bit the state that did not.

    Attributes:
        id: As in the episode spec.
        position: (3,) float64 of the object's origin in the world, m.
        quaternion_xyzw: (4,) float64 orientation, world_from_object.
        box_min: (3,) lower corner of the axis-aligned box in the object's frame, m.
        box_max: (3,) upper corner, m.
        linear_velocity: (3,) world frame, m/s.
        angular_velocity: (3,) world frame, rad/s.
        moved: Has left its first pose by more than 1 cm.
        held_by: Arm whose fingers oppose each other on it, "" for none.
        touched_by: Arms that touch it with hand or fingers.
        supported_by: `table` or ids of objects that carry it.
        contacts_known: False where the domain has no contact sensing.
    """

    id: str
    position: Array
    quaternion_xyzw: Array
    box_min: Array
    box_max: Array
    linear_velocity: Array
    angular_velocity: Array
    moved: bool = False
    held_by: str = ""
    touched_by: tuple[str, ...] = ()
    supported_by: tuple[str, ...] = ()
    contacts_known: bool = True

    @cached_property
    def world_from_object(self) -> Array:
        """The pose as a (4, 4) float64 matrix."""
        return transform_from_position_quaternion(self.position, self.quaternion_xyzw)


@dataclass(frozen=True)
class RobotState:
    """All joints of a rig at one control step, in rig order.

    Attributes:
        positions: (D,) float64; rad, gripper opening in m.
        velocities: (D,) float64; rad/s, m/s.
        efforts: (D,) float64; N m, N.
    """

    positions: Array
    velocities: Array
    efforts: Array


@dataclass(frozen=True)
class StepState:
    """Robot and objects at one control step.

    Attributes:
        stamp_ns: Time of the step in ns since the clock's start.
        step: Control steps since the first observation of the episode.
        robot: Joint state.
        objects: In spec order.
    """

    stamp_ns: int
    step: int
    robot: RobotState
    objects: tuple[ObjectState, ...]


def pose_hash(objects: tuple[ObjectState, ...]) -> str:
    """Returns a SHA-256 over all object poses at full precision, to compare settled scenes."""
    poses = {item.id: [*item.position.tolist(), *item.quaternion_xyzw.tolist()] for item in objects}
    return sha256_of_text(canonical_json(poses))
