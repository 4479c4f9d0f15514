"""What the page shows, as one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from imove_console.commands import Button
from imove_console.disk import Disk
from imove_console.facts import Episode, Health, Recorder, Stage, Teleop, Tracker, Trial
from imove_console.heard import Heard, Presence


@dataclass(frozen=True)
class Part:
    """An arm, a camera or a node as its diagnostics say.

    Attributes:
        name: Without the group: `left` of `arm/left`.
        level: ok, warn or error; `absent` where nothing was ever heard, `lost` where nothing is heard any more.
        sentence: For people.
        values: Further facts; none where the part is lost, since old ones are not true any more.
        silent_s: Since it was heard last, None where it never was.
    """

    name: str
    level: str
    sentence: str
    values: Mapping[str, str] = field(default_factory=dict)
    silent_s: float | None = None


@dataclass(frozen=True)
class Source:
    """Whether a node whose state the page shows is there."""

    presence: Presence
    silent_s: float | None


@dataclass(frozen=True)
class Stop:
    """The emergency stop.

    Attributes:
        on: Whether it is on, as the topic says.
        held_here: Whether nodes that start later hear a stop from this console.
    """

    on: bool
    held_here: bool


@dataclass(frozen=True)
class LogLine:
    """One line of the log.

    Attributes:
        number: Counts from 0.
        at: Seconds since the epoch.
        level: ok, warn or error.
        text: One sentence.
    """

    number: int
    at: float
    level: str
    text: str


@dataclass(frozen=True)
class ConsoleState:
    """What the page shows; what is lost or was never heard is None.

    Attributes:
        rig: Name of the rig.
        simulated: Whether time is simulated.
        stop: The emergency stop.
        instruction: Of the episode, None where nobody says one.
        episode: That is set up.
        stages: That objects of the episode have reached.
        trial: Where the real trial stands.
        teleop: What teleoperation does.
        tracker: How sure the tracker is.
        recorder: What the recorder does.
        sources: Whether `trial`, `teleop`, `tracker`, `recorder` and `episode` are there.
        arms: In the order of the rig.
        cameras: In the order of the rig.
        nodes: Other components that report.
        buttons: The big ones.
        disk: Room for recordings.
        log: Newest last.
    """

    rig: str
    simulated: bool
    stop: Stop
    instruction: str | None
    episode: Episode | None
    stages: tuple[Stage, ...]
    trial: Trial | None
    teleop: Teleop | None
    tracker: Tracker | None
    recorder: Recorder | None
    sources: Mapping[str, Source]
    arms: tuple[Part, ...]
    cameras: tuple[Part, ...]
    nodes: tuple[Part, ...]
    buttons: tuple[Button, ...]
    disk: Disk | None
    log: tuple[LogLine, ...]

    def plain(self) -> dict[str, Any]:
        """The state as JSON takes it."""
        return asdict(self)


def part_of(name: str, heard: Heard[Health], now_s: float, unheard: str) -> Part:
    """A component as it is now.

    Args:
        name: As the page calls it.
        heard: Its diagnostics.
        now_s: Time by the clock of `heard`.
        unheard: Sentence where it never was.
    """
    silent_s, presence = heard.silent_s(now_s), heard.presence(now_s)
    if heard.value is None or silent_s is None:
        return Part(name, "absent", unheard)
    if presence == "lost":
        return Part(name, "lost", f"nothing heard for {silent_s:.0f} s", {}, silent_s)
    return Part(name, heard.value.level, heard.value.sentence, heard.value.values, silent_s)
