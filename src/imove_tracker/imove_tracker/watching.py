"""What the tracker watches, and when it has to tell: the parts of the node that need no ROS."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from imove_core.rig import Rig
from imove_core.spec import EpisodeSpec
from imove_core.transforms import Array
from imove_tracker.ticks import Ticks
from imove_tracker.tracker import Tracked, Tracker

LAYOUT_PHASES = ("laying_out", "checking")
"""Phases of a trial in which objects come and go by hand."""
JOINT_PERIOD_NS = 8_000_000
"""Joints are taken in no more often: 125 times a second tells when fingers stop."""


@dataclass(frozen=True, eq=False)
class Told:
    """What there is to publish for one tick.

    Attributes:
        episode_id: "" outside an episode.
        step: Control steps since the first observation.
        stamp_ns: Of the tick.
        tracked: None where nothing is watched.
        shown: Ids of the objects that are known to be there: all during an episode, else those that are seen.
        positions: (D,) of the joints.
    """

    episode_id: str
    step: int
    stamp_ns: int
    tracked: Tracked | None
    shown: tuple[str, ...]
    positions: Array


class Joints:
    """Puts the joints of all arms together, whose messages come one by one."""

    def __init__(self, rig: Rig) -> None:
        """Begins with no arm heard of."""
        self._rig = rig
        self._stamps_ns: dict[str, int] = {}
        self._positions: dict[str, Array] = {}
        self._targets: dict[str, Array] = {}

    def measured(self, arm: str, stamp_ns: int, positions: Array) -> None:
        """Takes positions (size,) of an arm."""
        self._stamps_ns[arm], self._positions[arm] = stamp_ns, positions

    def wanted(self, arm: str, targets: Array) -> None:
        """Takes the targets (size,) in force of an arm."""
        self._targets[arm] = targets

    @property
    def reached_ns(self) -> int | None:
        """Time up to which all arms have been heard, None before each was."""
        return min(self._stamps_ns.values()) if len(self._stamps_ns) == len(self._rig.arms) else None

    @property
    def positions(self) -> Array:
        """(D,) of all arms; they must have been heard."""
        return np.concatenate([self._positions[arm.name] for arm in self._rig.arms])

    @property
    def targets(self) -> Array | None:
        """(D,) of all arms, None before each was heard of."""
        if len(self._targets) < len(self._rig.arms):
            return None
        return np.concatenate([self._targets[arm.name] for arm in self._rig.arms])


class Watching:
    """One tracker between layouts and episodes."""

    def __init__(self, rig: Rig, tracker: Tracker) -> None:
        """Watches nothing yet."""
        self._rig = rig
        self.tracker = tracker
        self.joints = Joints(rig)
        self._episode_id = ""
        self._layout = ""
        self._ticks: Ticks | None = None
        self._last_step: int | None = None
        self._taken_ns = 0

    @property
    def episode_id(self) -> str:
        """Of the episode that runs, "" for none."""
        return self._episode_id

    def trial(self, phase: str, spec_json: str) -> None:
        """Follows a trial: while objects are laid out, they are measured.

        Raises:
            ImoveError: The spec cannot be read, or is not for this rig.
        """
        if self._last_step is not None and phase in LAYOUT_PHASES:
            # Objects are laid out for the next one: the rest of this one is of no use.
            self._end()
        if self._episode_id:
            return
        layout = spec_json if phase in LAYOUT_PHASES else ""
        if layout and layout != self._layout:
            self.tracker.begin(EpisodeSpec.from_json(layout), laying_out=True)
        self._layout = layout

    def episode(self, episode_id: str, stamp_ns: int, spec_json: str) -> None:
        """An episode begins; one without a spec has no objects to watch.

        Raises:
            ImoveError: The spec cannot be read, or is not for this rig.
        """
        self._end()
        self._layout = ""
        if spec_json:
            self.tracker.begin(EpisodeSpec.from_json(spec_json))
        else:
            self.tracker.end()
        self._episode_id, self._ticks = episode_id, Ticks(self._rig.control_rate_hz, stamp_ns)

    def result(self, episode_id: str, last_step: int | None = None) -> None:
        """An episode is over, or will be; its objects are still watched.

        Args:
            episode_id: Of the episode.
            last_step: Its last control step, which may be still to come; None ends it at once.
        """
        if not episode_id or episode_id != self._episode_id:
            return
        if last_step is None or self._ticks is None or last_step < self._ticks.next_step:
            self._end()
        else:
            self._last_step = last_step

    def _end(self) -> None:
        self._episode_id, self._ticks, self._last_step = "", None, None

    def due(self) -> Iterator[Told]:
        """What is to be published, now that joints have come."""
        reached_ns = self.joints.reached_ns
        if reached_ns is None:
            return
        if reached_ns >= self._taken_ns + JOINT_PERIOD_NS or reached_ns < self._taken_ns:
            self.tracker.joints(reached_ns, self.joints.positions, self.joints.targets)
            self._taken_ns = reached_ns
        if self._ticks is None:
            self._ticks = Ticks(self._rig.control_rate_hz, reached_ns)
        for step, stamp_ns in self._ticks.due(reached_ns):
            tracked = self.tracker.state(stamp_ns) if self.tracker.watches else None
            yield Told(self._episode_id, step, stamp_ns, tracked, self._shown(tracked), self.joints.positions)
            if self._last_step is not None and step >= self._last_step:
                self._end()
                return

    def _shown(self, tracked: Tracked | None) -> tuple[str, ...]:
        if tracked is None:
            return ()
        pairs = zip(tracked.objects, tracked.basis, strict=True)
        return tuple(item.id for item, basis in pairs if self._episode_id or basis == "seen")
