"""What the conductor knows as messages, and back."""

from __future__ import annotations

import json

from builtin_interfaces.msg import Time
from imove_interfaces.msg import Episode, EpisodeResult, TrialState
from sensor_msgs.msg import CameraInfo, CompressedImage

from imove_core.rig import Intrinsics, Rig
from imove_ros.conversions import time_from_ns
from imove_trials.session import View
from imove_trials.silhouettes import Lens
from imove_trials.trial import Start, Trial, Verdict


def trial_state(view: View, stamp: Time) -> TrialState:
    """Where a trial stands."""
    message = TrialState(
        phase=view.phase,
        episode_id=view.key,
        trial=view.number,
        trials=view.trials,
        policy_label=view.label,
        instruction=view.instruction,
        message=view.message,
        match=view.match,
        layout_json=json.dumps(list(view.layout)),
        spec_json=view.spec_json,
        commands=list(view.commands),
    )
    message.header.stamp = stamp
    return message


def episode_message(trial: Trial, rig: Rig, stamp: Time, settled_pose_hash: str) -> Episode:
    """The announcement of a trial's episode."""
    message = Episode(
        episode_id=trial.key,
        suite=f"{trial.spec.family}/{trial.spec.split}",
        condition=trial.condition,
        rig=rig.name,
        spec_json=trial.spec_json,
        settled_pose_hash=settled_pose_hash,
    )
    message.header.stamp = stamp
    return message


def verdict_message(trial: Trial, start: Start, verdict: Verdict) -> EpisodeResult:
    """The verdict on a trial; its stamp is that of the trial's start, which tells attempts apart."""
    message = EpisodeResult(episode_id=trial.key, outcome=verdict.decision, record_json=verdict.to_json())
    message.header.stamp = time_from_ns(start.stamp_ns)
    return message


def lens_from(message: CameraInfo) -> Lens:
    """How a camera maps directions to pixels."""
    intrinsics = Intrinsics(
        width=message.width,
        height=message.height,
        fx=message.k[0],
        fy=message.k[4],
        cx=message.k[2],
        cy=message.k[5],
    )
    return Lens(intrinsics, tuple(message.d))


def jpeg_message(data: bytes, stamp: Time, frame: str) -> CompressedImage:
    """A JPEG picture."""
    message = CompressedImage(format="jpeg", data=data)
    message.header.stamp, message.header.frame_id = stamp, frame
    return message
