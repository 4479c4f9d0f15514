"""What is true of robot and objects at one control step, free of ROS types."""

from dataclasses import dataclass

from imove_core.canonical import canonical_json, sha256_of_text
from imove_core.transforms import Array


@dataclass(frozen=True)
class ObjectState:
    """One object at one control step.

    Attributes:
        id: As in the episode spec.
        world_from_object: (4, 4) float64 pose.
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
    world_from_object: Array
    box_min: Array
    box_max: Array
    linear_velocity: Array
    angular_velocity: Array
    moved: bool = False
    held_by: str = ""
    touched_by: tuple[str, ...] = ()
    supported_by: tuple[str, ...] = ()
    contacts_known: bool = True


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
    poses = {item.id: [float(value) for value in item.world_from_object[:3].ravel()] for item in objects}
    return sha256_of_text(canonical_json(poses))
