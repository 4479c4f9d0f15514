"""What the console hears, as plain values: messages without ROS."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Level = Literal["ok", "warn", "error"]


@dataclass(frozen=True)
class Health:
    """One status of /diagnostics.

    Attributes:
        name: Of the component, e.g. `arm/left`.
        level: How it does.
        sentence: For people.
        values: Further facts by name.
    """

    name: str
    level: Level
    sentence: str
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Trial:
    """Where a real trial stands (TrialState.msg).

    Attributes:
        phase: As in the message.
        episode_id: "" where none is set up.
        trial: Of the session, from 1.
        trials: Of the session, 0 where nobody knows.
        policy_label: What the operator may know of the policy.
        instruction: Canonical text.
        message: One sentence for the operator.
        match: Share of the objects that lie where they should, 0 to 1.
        layout: Objects to lay out, one mapping each, as `layout_json` has them.
        commands: That are taken now.
    """

    phase: str
    episode_id: str = ""
    trial: int = 0
    trials: int = 0
    policy_label: str = ""
    instruction: str = ""
    message: str = ""
    match: float = 0.0
    layout: tuple[Mapping[str, Any], ...] = ()
    commands: tuple[str, ...] = ()


@dataclass(frozen=True)
class Leader:
    """One arm of TeleopState.msg: difference of its worst joint (rad), and age of the leader's last state (s)."""

    arm: str
    misalignment: float
    age_s: float


@dataclass(frozen=True)
class Teleop:
    """What teleoperation does (TeleopState.msg); times in s."""

    phase: str
    enabled: bool = False
    leaders: tuple[Leader, ...] = ()
    episode_id: str = ""
    episodes_kept: int = 0
    episodes_discarded: int = 0
    loop_rate_hz: float = 0.0
    loop_jitter_p99_s: float = 0.0
    lag_p99_s: float = 0.0
    message: str = ""
    commands: tuple[str, ...] = ()


@dataclass(frozen=True)
class Tracked:
    """One object of TrackerStatus.msg."""

    id: str
    confidence: float
    basis: str


@dataclass(frozen=True)
class Tracker:
    """How sure the object tracker is (TrackerStatus.msg)."""

    episode_id: str
    objects: tuple[Tracked, ...]
    image_age_s: float
    question: str


@dataclass(frozen=True)
class Recorder:
    """What the recorder does (RecorderStatus.msg), its topics summed up."""

    state: str
    episode_id: str = ""
    seconds: float = 0.0
    free_bytes: int = 0
    queue_bytes: int = 0
    message: str = ""
    received: int = 0
    written: int = 0
    dropped: int = 0
    dropping_topics: tuple[str, ...] = ()


@dataclass(frozen=True)
class Episode:
    """The episode that is set up (Episode.msg).

    Attributes:
        id: Unique within a run.
        condition: Of the instruction.
        phrases: How each object is called, by its id.
        target: Id of the instructed object, "" where nobody knows.
        start_ns: Stamp of the first observation.
    """

    id: str
    condition: str
    phrases: Mapping[str, str] = field(default_factory=dict)
    target: str = ""
    start_ns: int = 0


@dataclass(frozen=True)
class Stage:
    """A stage that an object reached (StageEvent.msg)."""

    episode_id: str
    rubric: str
    stage: str
    object_id: str
    destination_id: str
    is_target: bool
    elapsed_s: float
