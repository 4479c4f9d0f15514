"""Messages to values and back, pure functions."""

from array import array
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from builtin_interfaces.msg import Duration, Time
from geometry_msgs.msg import Point, Pose, Transform, TransformStamped, Vector3
from imove_interfaces.msg import ObjectState as ObjectStateMsg
from imove_interfaces.msg import ObjectStates, Phase, StageEvent
from numpy.typing import NDArray
from sensor_msgs.msg import CameraInfo, Image, JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from imove_core.errors import ImoveError
from imove_core.rig import Arm, Intrinsics
from imove_core.state import ObjectState, StepState
from imove_core.trajectory import JointCommand, make_command
from imove_core.transforms import Array, quaternion_from_rotation

NS = 1_000_000_000


def time_from_ns(stamp_ns: int) -> Time:
    """A time message of a stamp in ns."""
    return Time(sec=stamp_ns // NS, nanosec=stamp_ns % NS)


def ns_from_time(stamp: Time | Duration) -> int:
    """The stamp, or duration, of a message in ns."""
    return stamp.sec * NS + stamp.nanosec


def joint_state(stamp_ns: int, names: Sequence[str], positions: Array, velocities: Array, efforts: Array) -> JointState:
    """A joint state with the full joint set; a gripper's position is its opening in m."""
    message = JointState(name=list(names))
    message.header.stamp = time_from_ns(stamp_ns)
    message.position = array("d", np.ascontiguousarray(positions, dtype=float).tobytes())
    message.velocity = array("d", np.ascontiguousarray(velocities, dtype=float).tobytes())
    message.effort = array("d", np.ascontiguousarray(efforts, dtype=float).tobytes())
    return message


def positions_of(message: JointState, arm: Arm) -> Array:
    """Positions (size,) in the arm's joint order; raises ImoveError when a joint is missing."""
    return _by_name(message.name, message.position, arm, "position")


def velocities_of(message: JointState, arm: Arm) -> Array:
    """Velocities (size,) in the arm's joint order; raises ImoveError when a joint is missing."""
    return _by_name(message.name, message.velocity, arm, "velocity")


def efforts_of(message: JointState, arm: Arm) -> Array:
    """Efforts (size,) in the arm's joint order; raises ImoveError when a joint is missing."""
    return _by_name(message.name, message.effort, arm, "effort")


def _by_name(names: Sequence[str], values: Sequence[float], arm: Arm, what: str) -> Array:
    found = dict(zip(names, values, strict=False))
    missing = [name for name in arm.joint_names if name not in found]
    if missing:
        raise ImoveError(f"joint state of arm '{arm.name}' lacks the {what} of joint '{missing[0]}'")
    return np.array([found[name] for name in arm.joint_names])


def joint_trajectory(arm: Arm, stamp_ns: int, offsets_ns: Sequence[int], positions: Array) -> JointTrajectory:
    """Commands for an arm: `positions` (H, size) due at `stamp_ns` plus offsets."""
    message = JointTrajectory(joint_names=list(arm.joint_names))
    message.header.stamp = time_from_ns(stamp_ns)
    message.points = [
        JointTrajectoryPoint(
            positions=array("d", row.tobytes()),
            time_from_start=Duration(sec=offset // NS, nanosec=offset % NS),
        )
        for offset, row in zip(offsets_ns, np.ascontiguousarray(positions, dtype=float), strict=True)
    ]
    return message


def joint_command(arm: Arm, message: JointTrajectory) -> JointCommand:
    """The checked command of a message; raises ImoveError naming the joint that is missing or not finite."""
    return make_command(
        arm,
        message.joint_names,
        ns_from_time(message.header.stamp),
        [ns_from_time(point.time_from_start) for point in message.points],
        [point.positions for point in message.points],
    )


def pose_message(parent_from_child: Array) -> Pose:
    """A pose message of a 4x4 transform."""
    pose = Pose()
    pose.position.x, pose.position.y, pose.position.z = parent_from_child[:3, 3].tolist()
    q = quaternion_from_rotation(parent_from_child[:3, :3]).tolist()
    pose.orientation.x, pose.orientation.y, pose.orientation.z, pose.orientation.w = q
    return pose


def transform_message(stamp_ns: int, parent: str, child: str, parent_from_child: Array) -> TransformStamped:
    """A TF transform of a 4x4 matrix."""
    message = TransformStamped(child_frame_id=child, transform=Transform())
    message.header.frame_id, message.header.stamp = parent, time_from_ns(stamp_ns)
    pose = pose_message(parent_from_child)
    target = message.transform
    target.translation.x, target.translation.y, target.translation.z = parent_from_child[:3, 3].tolist()
    target.rotation = pose.orientation
    return message


def object_states(state: StepState, episode_id: str, frame: str) -> ObjectStates:
    """All objects of a control step as one message."""
    message = ObjectStates(episode_id=episode_id, step=state.step)
    message.header.stamp, message.header.frame_id = time_from_ns(state.stamp_ns), frame
    message.objects = [_object_message(item) for item in state.objects]
    return message


def _object_message(item: ObjectState) -> ObjectStateMsg:
    message = ObjectStateMsg(
        id=item.id,
        pose=_stored_pose(item),
        box_min=_vector(item.box_min),
        box_max=_vector(item.box_max),
        moved=item.moved,
        held_by=item.held_by,
        touched_by=list(item.touched_by),
        supported_by=list(item.supported_by),
        contacts_known=item.contacts_known,
    )
    message.twist.linear, message.twist.angular = (
        _vector(item.linear_velocity),
        _vector(item.angular_velocity),
    )
    return message


def objects_from(message: ObjectStates) -> tuple[ObjectState, ...]:
    """Object values of a message."""
    return tuple(
        ObjectState(
            id=item.id,
            position=_array(item.pose.position),
            quaternion_xyzw=np.array([getattr(item.pose.orientation, axis) for axis in "xyzw"]),
            box_min=_array(item.box_min),
            box_max=_array(item.box_max),
            linear_velocity=_array(item.twist.linear),
            angular_velocity=_array(item.twist.angular),
            moved=item.moved,
            held_by=item.held_by,
            touched_by=tuple(item.touched_by),
            supported_by=tuple(item.supported_by),
            contacts_known=item.contacts_known,
        )
        for item in message.objects
    )


def _vector(values: Array) -> Vector3:
    x, y, z = values.tolist()
    return Vector3(x=x, y=y, z=z)


def _array(vector: Vector3 | Point) -> Array:
    return np.array([vector.x, vector.y, vector.z])


def _stored_pose(item: ObjectState) -> Pose:
    """The pose with its numbers untouched, so that both sides of a topic hold the same bits."""
    pose = Pose()
    pose.position.x, pose.position.y, pose.position.z = item.position.tolist()
    q = item.quaternion_xyzw.tolist()
    pose.orientation.x, pose.orientation.y, pose.orientation.z, pose.orientation.w = q
    return pose


def phase_message(episode_id: str, state: StepState, phase: str) -> Phase:
    """The phase of the motion at a control step."""
    message = Phase(episode_id=episode_id, step=state.step, phase=phase)
    message.header.stamp = time_from_ns(state.stamp_ns)
    return message


def stage_event_message(episode_id: str, stamp_ns: int, event: Mapping[str, Any]) -> StageEvent:
    """A stage that an object reached.

    Args:
        episode_id: Of the episode.
        stamp_ns: Of the control step at which it became true.
        event: The fields of an `imove_tasks.stages.StageEvent` by name; the step is not part of the message.
    """
    message = StageEvent(episode_id=episode_id, **{key: value for key, value in event.items() if key != "step"})
    message.header.stamp = time_from_ns(stamp_ns)
    return message


def image_message(stamp_ns: int, frame: str, pixels: NDArray[np.uint8] | NDArray[np.uint16]) -> Image:
    """An image message: rgb8 of (H, W, 3) uint8, 16UC1 of (H, W) uint16."""
    colour = pixels.ndim == 3
    message = Image(height=pixels.shape[0], width=pixels.shape[1], encoding="rgb8" if colour else "16UC1")
    message.header.stamp, message.header.frame_id = time_from_ns(stamp_ns), frame
    message.step = pixels.shape[1] * (3 if colour else 2)
    data = array("B")
    # A list or an ndarray would be copied element by element, 60 times slower.
    data.frombytes(pixels.tobytes())
    message.data = data
    return message


def rgb_from(message: Image) -> NDArray[np.uint8]:
    """Pixels (H, W, 3) uint8 RGB of an rgb8 or bgr8 image; raises ImoveError for another encoding."""
    if message.encoding not in ("rgb8", "bgr8"):
        raise ImoveError(f"image of {message.header.frame_id} is encoded {message.encoding}; allowed: rgb8, bgr8")
    rows = np.frombuffer(message.data, np.uint8).reshape(message.height, message.step)
    pixels = rows[:, : message.width * 3].reshape(message.height, message.width, 3)
    return pixels if message.encoding == "rgb8" else np.ascontiguousarray(pixels[..., ::-1])


def depth_mm_from(message: Image) -> NDArray[np.uint16]:
    """Distances (H, W) uint16 mm of a 16UC1 image, 0 for none; raises ImoveError for another encoding."""
    if message.encoding != "16UC1":
        raise ImoveError(f"depth image of {message.header.frame_id} is encoded {message.encoding}; allowed: 16UC1")
    rows = np.frombuffer(message.data, ">u2" if message.is_bigendian else "<u2").reshape(message.height, -1)
    return np.ascontiguousarray(rows[:, : message.width], dtype=np.uint16)


def camera_info(stamp_ns: int, frame: str, intrinsics: Intrinsics) -> CameraInfo:
    """Intrinsics of an undistorted pinhole image."""
    message = CameraInfo(height=intrinsics.height, width=intrinsics.width, distortion_model="plumb_bob", d=[0.0] * 5)
    message.header.stamp, message.header.frame_id = time_from_ns(stamp_ns), frame
    message.k = intrinsics.matrix.ravel()
    message.r = np.eye(3).ravel()
    message.p = np.column_stack([intrinsics.matrix, np.zeros(3)]).ravel()
    return message


def by_arm(
    arms: Sequence[Arm], names: Sequence[str], messages: Sequence[JointTrajectory]
) -> Mapping[str, JointCommand]:
    """Checked commands by arm name; raises ImoveError for an unknown arm or an unequal number of both."""
    known = {arm.name: arm for arm in arms}
    if len(names) != len(messages):
        raise ImoveError(f"{len(messages)} commands came for {len(names)} arms; one for each is needed")
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ImoveError(f"command is for arm '{unknown[0]}'; allowed: {', '.join(known)}")
    return {name: joint_command(known[name], message) for name, message in zip(names, messages, strict=True)}
