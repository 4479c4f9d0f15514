"""Messages of the tracker, pure functions."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from imove_interfaces.msg import ObjectStates, TrackerStatus
from sensor_msgs.msg import CameraInfo
from tf2_msgs.msg import TFMessage

from imove_core.errors import ImoveError
from imove_core.rig import WORLD_FRAME, Intrinsics
from imove_core.state import RobotState, StepState
from imove_core.transforms import Array
from imove_ros.conversions import object_states, time_from_ns, transform_message
from imove_tracker.rectifying import Rectifier
from imove_tracker.tracker import Tracked

NEVER_S = 3600.0
"""Age of an image where there was none: a number that any reader of the message can compare."""


def rectifier_from(message: CameraInfo) -> Rectifier:
    """What takes the distortion out of images with that camera_info.

    Raises:
        ImoveError: The message has no focal length, or a model of distortion that is not known.
    """
    k = message.k
    if not (message.width and message.height and k[0] > 0.0 and k[4] > 0.0):
        raise ImoveError(f"camera_info of {message.header.frame_id} has no size or no focal length")
    intrinsics = Intrinsics(
        width=message.width, height=message.height, fx=float(k[0]), fy=float(k[4]), cx=float(k[2]), cy=float(k[5])
    )
    return Rectifier(intrinsics, message.distortion_model, message.d.tolist())


def states_message(
    tracked: Tracked, episode_id: str, step: int, positions: Array, among: Collection[str]
) -> ObjectStates:
    """Objects at a control step.

    Args:
        tracked: What the tracker says.
        episode_id: "" outside an episode.
        step: Control steps since the first observation.
        positions: (D,) of the joints, which the message does not carry.
        among: Ids of the objects to tell of.
    """
    robot = RobotState(positions, positions * 0.0, positions * 0.0)
    objects = tuple(item for item in tracked.objects if item.id in among)
    return object_states(StepState(tracked.stamp_ns, step, robot, objects), episode_id, WORLD_FRAME)


def status_message(tracked: Tracked, episode_id: str, step: int) -> TrackerStatus:
    """How sure the tracker is of each object."""
    message = TrackerStatus(
        episode_id=episode_id,
        step=step,
        object_ids=[item.id for item in tracked.objects],
        confidence=list(tracked.confidence),
        basis=list(tracked.basis),
        image_age_s=min(tracked.image_age_s, NEVER_S),
        question=tracked.question,
    )
    message.header.stamp, message.header.frame_id = time_from_ns(tracked.stamp_ns), WORLD_FRAME
    return message


def frames_message(tracked: Tracked, among: Sequence[str]) -> TFMessage:
    """Frames of objects, called by their ids."""
    return TFMessage(
        transforms=[
            transform_message(tracked.stamp_ns, WORLD_FRAME, item.id, item.world_from_object)
            for item in tracked.objects
            if item.id in among
        ]
    )
