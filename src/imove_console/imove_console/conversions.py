"""Messages to the plain values that the console keeps."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from imove_interfaces.msg import Episode as EpisodeMsg
from imove_interfaces.msg import EpisodeResult, RecorderStatus, StageEvent, TeleopState, TrackerStatus, TrialState

from imove_console.facts import Episode, Health, Leader, Level, Recorder, Stage, Teleop, Tracked, Tracker, Trial
from imove_core.errors import ImoveError
from imove_core.spec import EpisodeSpec
from imove_ros.conversions import ns_from_time

_LEVELS: dict[bytes, Level] = {DiagnosticStatus.OK: "ok", DiagnosticStatus.WARN: "warn"}
MOST_OBJECTS = 64
MOST_VALUES = 40


def health_from(message: DiagnosticArray) -> Iterator[Health]:
    """Statuses of a message; one that is neither ok nor a warning is an error."""
    for status in message.status:
        values = {item.key: item.value for item in status.values[:MOST_VALUES]}
        yield Health(status.name, _LEVELS.get(status.level, "error"), status.message, values)


def trial_from(message: TrialState) -> Trial:
    """Where a trial stands."""
    return Trial(
        phase=message.phase,
        episode_id=message.episode_id,
        trial=message.trial,
        trials=message.trials,
        policy_label=message.policy_label,
        instruction=message.instruction,
        message=message.message,
        match=message.match,
        layout=_layout(message.layout_json),
        commands=tuple(message.commands),
    )


def _layout(text: str) -> tuple[Mapping[str, Any], ...]:
    """The objects of a layout; those that are no objects are left out."""
    try:
        listed = json.loads(text or "[]")
    except (ValueError, RecursionError):
        return ()
    if not isinstance(listed, list):
        return ()
    return tuple(item for item in listed[:MOST_OBJECTS] if isinstance(item, dict))


def teleop_from(message: TeleopState) -> Teleop:
    """What teleoperation does."""
    return Teleop(
        phase=message.phase,
        enabled=message.enabled,
        leaders=tuple(
            Leader(*row) for row in zip(message.arms, message.misalignment, message.leader_age_s, strict=False)
        ),
        episode_id=message.episode_id,
        episodes_kept=message.episodes_kept,
        episodes_discarded=message.episodes_discarded,
        loop_rate_hz=message.loop_rate_hz,
        loop_jitter_p99_s=message.loop_jitter_p99_s,
        lag_p99_s=message.lag_p99_s,
        message=message.message,
        commands=tuple(message.commands),
    )


def tracker_from(message: TrackerStatus) -> Tracker:
    """How sure the tracker is."""
    rows = zip(message.object_ids, message.confidence, message.basis, strict=False)
    return Tracker(
        episode_id=message.episode_id,
        objects=tuple(Tracked(name, float(confidence), basis) for name, confidence, basis in rows),
        image_age_s=message.image_age_s,
        question=message.question,
    )


def recorder_from(message: RecorderStatus) -> Recorder:
    """What the recorder does, its topics summed up."""
    return Recorder(
        state=message.state,
        episode_id=message.episode_id,
        seconds=message.seconds,
        free_bytes=message.free_bytes,
        queue_bytes=message.queue_bytes,
        message=message.message,
        received=sum(message.received),
        written=sum(message.written),
        dropped=sum(message.dropped),
        dropping_topics=tuple(topic for topic, count in zip(message.topics, message.dropped, strict=False) if count),
    )


def episode_from(message: EpisodeMsg) -> Episode:
    """The episode that is set up; without phrases where its spec cannot be read."""
    start_ns = ns_from_time(message.header.stamp)
    try:
        spec = EpisodeSpec.from_json(message.spec_json)
        target = spec.instruction(message.condition).target
    except ImoveError:
        return Episode(message.episode_id, message.condition, start_ns=start_ns)
    phrases = {item.id: item.phrase for item in spec.objects}
    return Episode(message.episode_id, message.condition, phrases, target or "", start_ns)


def stage_from(message: StageEvent) -> Stage:
    """A stage that an object reached."""
    return Stage(
        episode_id=message.episode_id,
        rubric=message.rubric,
        stage=message.stage,
        object_id=message.object_id,
        destination_id=message.destination_id,
        is_target=message.is_target,
        elapsed_s=message.elapsed_s,
    )


def result_line(message: EpisodeResult) -> tuple[Level, str]:
    """What the log says of the end of an episode."""
    return ("ok" if message.outcome == "completed" else "warn"), f"episode {message.episode_id}: {message.outcome}"
