"""Messages of the topic contract without ROS: values in, messages out, and messages back to values.

A message made here has the bytes of the one that a node publishes for the same values; alignment bytes between fields,
which ROS leaves undefined, are zero. All stamps are in ns, frames and
units are those of the contract.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from imove_core.bag import message_parts as parts
from imove_core.bag.errors import BagError
from imove_core.bag.types import MessageTypes
from imove_core.rig import Arm, Intrinsics, Rig
from imove_core.state import ObjectState, RobotState, StepState
from imove_core.trajectory import JointCommand, make_command
from imove_core.transforms import Array, quaternion_from_rotation

NS = parts.NS
IMAGE = "sensor_msgs/msg/Image"
CAMERA_INFO = "sensor_msgs/msg/CameraInfo"
JOINT_STATE = "sensor_msgs/msg/JointState"
JOINT_TRAJECTORY = "trajectory_msgs/msg/JointTrajectory"
TF = "tf2_msgs/msg/TFMessage"
CLOCK = "rosgraph_msgs/msg/Clock"
STRING = "std_msgs/msg/String"
OBJECT_STATES = "imove_interfaces/msg/ObjectStates"
TRACKER_STATUS = "imove_interfaces/msg/TrackerStatus"
EPISODE = "imove_interfaces/msg/Episode"
STAGE_EVENT = "imove_interfaces/msg/StageEvent"
PHASE = "imove_interfaces/msg/Phase"
EPISODE_RESULT = "imove_interfaces/msg/EpisodeResult"


class TypedMessage(NamedTuple):
    """A message with the name of its type.

    Attributes:
        type: `package/msg/Type`.
        message: As `MessageTypes.serialize` takes it.
    """

    type: str
    message: Any


def joint_state(
    types: MessageTypes, stamp_ns: int, names: Sequence[str], positions: Array, velocities: Array, efforts: Array
) -> TypedMessage:
    """A joint state; arrays (size,) or empty, rad and N m, a gripper's position is its opening in m."""
    arrays = {
        "position": np.ascontiguousarray(positions, dtype=np.float64),
        "velocity": np.ascontiguousarray(velocities, dtype=np.float64),
        "effort": np.ascontiguousarray(efforts, dtype=np.float64),
    }
    return TypedMessage(
        JOINT_STATE, types.make(JOINT_STATE, header=parts.header(types, stamp_ns), name=list(names), **arrays)
    )


def joint_trajectory(
    types: MessageTypes, arm: Arm, stamp_ns: int, offsets_ns: Sequence[int], positions: Array
) -> TypedMessage:
    """Commands for an arm: `positions` (H, size) float64 due at `stamp_ns` plus offsets."""
    points = [
        types.make(
            "trajectory_msgs/msg/JointTrajectoryPoint",
            positions=row,
            time_from_start=types.make("builtin_interfaces/msg/Duration", sec=offset // NS, nanosec=offset % NS),
        )
        for offset, row in zip(offsets_ns, np.ascontiguousarray(positions, dtype=np.float64), strict=True)
    ]
    header = parts.header(types, stamp_ns)
    return TypedMessage(
        JOINT_TRAJECTORY, types.make(JOINT_TRAJECTORY, header=header, joint_names=list(arm.joint_names), points=points)
    )


def object_states(types: MessageTypes, state: StepState, episode_id: str, frame: str) -> TypedMessage:
    """All objects of a control step; numbers keep every bit."""
    message = types.make(
        OBJECT_STATES,
        header=parts.header(types, state.stamp_ns, frame),
        episode_id=episode_id,
        step=state.step,
        objects=[parts.object_state(types, item) for item in state.objects],
    )
    return TypedMessage(OBJECT_STATES, message)


def image(
    types: MessageTypes, stamp_ns: int, frame: str, pixels: NDArray[np.uint8] | NDArray[np.uint16]
) -> TypedMessage:
    """An image: rgb8 of (H, W, 3) uint8, 16UC1 in mm of (H, W) uint16."""
    colour = pixels.ndim == 3
    message = types.make(
        IMAGE,
        header=parts.header(types, stamp_ns, frame),
        height=pixels.shape[0],
        width=pixels.shape[1],
        encoding="rgb8" if colour else "16UC1",
        step=pixels.shape[1] * (3 if colour else 2),
        data=np.ascontiguousarray(pixels).view(np.uint8).reshape(-1),
    )
    return TypedMessage(IMAGE, message)


def camera_info(types: MessageTypes, stamp_ns: int, frame: str, intrinsics: Intrinsics) -> TypedMessage:
    """Intrinsics of an undistorted pinhole image."""
    message = types.make(
        CAMERA_INFO,
        header=parts.header(types, stamp_ns, frame),
        height=intrinsics.height,
        width=intrinsics.width,
        distortion_model="plumb_bob",
        d=np.zeros(5),
        k=intrinsics.matrix.ravel(),
        r=np.eye(3).ravel(),
        p=np.column_stack([intrinsics.matrix, np.zeros(3)]).ravel(),
    )
    return TypedMessage(CAMERA_INFO, message)


def tf(types: MessageTypes, stamp_ns: int, frames: Iterable[tuple[str, str, Array]]) -> TypedMessage:
    """Transforms of one stamp.

    Args:
        types: Message types.
        stamp_ns: 0 for static frames.
        frames: Parent, child and the (4, 4) matrix `parent_from_child` of each.
    """
    transforms = [
        types.make(
            "geometry_msgs/msg/TransformStamped",
            header=parts.header(types, stamp_ns, parent),
            child_frame_id=child,
            transform=types.make(
                "geometry_msgs/msg/Transform",
                translation=parts.vector(types, matrix[:3, 3]),
                rotation=parts.quaternion(types, quaternion_from_rotation(matrix[:3, :3])),
            ),
        )
        for parent, child, matrix in frames
    ]
    return TypedMessage(TF, types.make(TF, transforms=transforms))


def clock(types: MessageTypes, stamp_ns: int) -> TypedMessage:
    """Simulated time."""
    return TypedMessage(CLOCK, types.make(CLOCK, clock=parts.time(types, stamp_ns)))


def string(types: MessageTypes, text: str) -> TypedMessage:
    """A text, e.g. the instruction or the robot description."""
    return TypedMessage(STRING, types.make(STRING, data=text))


def episode(
    types: MessageTypes,
    stamp_ns: int,
    *,
    episode_id: str,
    suite: str,
    condition: str,
    rig: str,
    spec_json: str,
    settled_pose_hash: str,
) -> TypedMessage:
    """The episode that is set up."""
    fields = {
        "episode_id": episode_id,
        "suite": suite,
        "condition": condition,
        "rig": rig,
        "spec_json": spec_json,
        "settled_pose_hash": settled_pose_hash,
    }
    return TypedMessage(EPISODE, types.make(EPISODE, header=parts.header(types, stamp_ns), **fields))


def stage_event(
    types: MessageTypes,
    stamp_ns: int,
    *,
    episode_id: str,
    rubric: str,
    stage: str,
    object_id: str,
    destination_id: str,
    is_target: bool,
    elapsed_s: float,
) -> TypedMessage:
    """A stage that an object reached."""
    fields = {
        "episode_id": episode_id,
        "rubric": rubric,
        "stage": stage,
        "object_id": object_id,
        "destination_id": destination_id,
        "is_target": is_target,
        "elapsed_s": elapsed_s,
    }
    return TypedMessage(STAGE_EVENT, types.make(STAGE_EVENT, header=parts.header(types, stamp_ns), **fields))


def phase(types: MessageTypes, stamp_ns: int, *, episode_id: str, step: int, phase: str) -> TypedMessage:
    """The phase of the motion at a control step."""
    return TypedMessage(
        PHASE, types.make(PHASE, header=parts.header(types, stamp_ns), episode_id=episode_id, step=step, phase=phase)
    )


def episode_result(
    types: MessageTypes, stamp_ns: int, *, episode_id: str, outcome: str, record_json: str
) -> TypedMessage:
    """The end of an episode."""
    fields = {"episode_id": episode_id, "outcome": outcome, "record_json": record_json}
    return TypedMessage(EPISODE_RESULT, types.make(EPISODE_RESULT, header=parts.header(types, stamp_ns), **fields))


def stamp_ns_of(message: Any) -> int:
    """`header.stamp` of a message in ns."""
    return ns_of(message.header.stamp)


def ns_of(stamp: Any) -> int:
    """A time, or a duration, in ns."""
    return int(stamp.sec) * NS + int(stamp.nanosec)


def joint_positions_from(message: Any, arm: Arm) -> Array:
    """Positions (size,) float64 of a joint state in the arm's order; raises BagError when a joint is missing."""
    return _by_name(message, arm, "position")


def step_state_from(rig: Rig, joint_states: Mapping[str, Any], objects: Any) -> StepState:
    """The control step of its messages, bit for bit.

    Args:
        rig: Whose joints.
        joint_states: The JointState of every arm by its name.
        objects: The ObjectStates; its stamp and step count.

    Raises:
        BagError: An arm, or a joint of one, is missing.
    """
    for arm in rig.arms:
        if arm.name not in joint_states:
            raise BagError(f"control step {objects.step} has no joint state of arm '{arm.name}'")
    rows = [
        np.concatenate([_by_name(joint_states[arm.name], arm, what) for arm in rig.arms])
        for what in ("position", "velocity", "effort")
    ]
    return StepState(stamp_ns_of(objects), int(objects.step), RobotState(*rows), objects_from(objects))


def objects_from(message: Any) -> tuple[ObjectState, ...]:
    """Object values of an ObjectStates message."""
    return tuple(
        ObjectState(
            id=item.id,
            position=_numbers(item.pose.position, "xyz"),
            quaternion_xyzw=_numbers(item.pose.orientation, "xyzw"),
            box_min=_numbers(item.box_min, "xyz"),
            box_max=_numbers(item.box_max, "xyz"),
            linear_velocity=_numbers(item.twist.linear, "xyz"),
            angular_velocity=_numbers(item.twist.angular, "xyz"),
            moved=bool(item.moved),
            held_by=item.held_by,
            touched_by=tuple(item.touched_by),
            supported_by=tuple(item.supported_by),
            contacts_known=bool(item.contacts_known),
        )
        for item in message.objects
    )


def joint_command_from(message: Any, arm: Arm) -> JointCommand:
    """The checked command of a JointTrajectory; raises ImoveError naming a joint that is missing or not finite."""
    return make_command(
        arm,
        message.joint_names,
        stamp_ns_of(message),
        [ns_of(point.time_from_start) for point in message.points],
        [point.positions for point in message.points],
    )


def rgb_from(message: Any) -> NDArray[np.uint8]:
    """Pixels (H, W, 3) uint8 RGB of an rgb8 or bgr8 image.

    Raises:
        BagError: Another encoding, or too few bytes.
    """
    if message.encoding not in ("rgb8", "bgr8"):
        raise BagError(f"image of {message.header.frame_id} is encoded {message.encoding}; allowed: rgb8, bgr8")
    pixels = _rows(message, message.width * 3).reshape(message.height, message.width, 3)
    return pixels if message.encoding == "rgb8" else np.ascontiguousarray(pixels[..., ::-1])


def depth_mm_from(message: Any) -> NDArray[np.uint16]:
    """Depth (H, W) uint16 in mm, 0 for none, of a 16UC1 image.

    Raises:
        BagError: Another encoding or byte order, or too few bytes.
    """
    if message.encoding != "16UC1" or message.is_bigendian:
        raise BagError(
            f"depth of {message.header.frame_id} is encoded {message.encoding}; allowed: 16UC1, little-endian"
        )
    rows = np.ascontiguousarray(_rows(message, message.width * 2))
    return rows.view("<u2").reshape(message.height, message.width)


def _rows(message: Any, row_bytes: int) -> NDArray[np.uint8]:
    if message.step < row_bytes or len(message.data) < message.height * message.step:
        raise BagError(
            f"image of {message.header.frame_id} has {len(message.data)} bytes in rows of {message.step}; "
            f"{message.height} rows of {row_bytes} are needed"
        )
    data = np.frombuffer(message.data, np.uint8, message.height * message.step)
    return data.reshape(message.height, message.step)[:, :row_bytes]


def _numbers(value: Any, axes: str) -> Array:
    return np.array([getattr(value, axis) for axis in axes])


def _by_name(message: Any, arm: Arm, what: str) -> Array:
    found = dict(zip(message.name, getattr(message, what), strict=False))
    missing = [name for name in arm.joint_names if name not in found]
    if missing:
        raise BagError(f"joint state of arm '{arm.name}' lacks the {what} of joint '{missing[0]}'")
    return np.array([found[name] for name in arm.joint_names])
