"""What the joints say of each hand: where its tool is, and whether something keeps its fingers apart."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from dataclasses import dataclass

import numpy as np

from imove_core.kinematics import tool_pose
from imove_core.rig import Arm, Rig
from imove_core.transforms import Array
from imove_motion.holding import holds

KEPT_NS = 2_000_000_000
"""Images come later than joints, but not by this much."""
STILL_M = 0.0008
STILL_NS = 80_000_000
"""Fingers that have moved less than the one in the other do not move."""
CLOSED_BY_M = 0.003
"""Fingers that stand still hold something only where they came from farther apart than this."""
SHUT_M = 0.0015
"""Fingers that are this close have nothing between them."""
OPENED_M = 0.004
SLIPPED_M = 0.003
"""Fingers that part by the one let go; that close by the other have lost what was between them."""


class JointHistory:
    """Joint positions of the recent past, to look up by time."""

    def __init__(self) -> None:
        """Begins empty."""
        self._stamps_ns: deque[int] = deque()
        self._positions: deque[Array] = deque()

    def add(self, stamp_ns: int, positions: Array) -> None:
        """Notes positions (D,); time that goes back is a new beginning."""
        if self._stamps_ns and stamp_ns <= self._stamps_ns[-1]:
            if stamp_ns == self._stamps_ns[-1]:
                self._positions[-1] = positions
                return
            self._stamps_ns.clear()
            self._positions.clear()
        self._stamps_ns.append(stamp_ns)
        self._positions.append(positions)
        while self._stamps_ns[0] < stamp_ns - KEPT_NS:
            self._stamps_ns.popleft()
            self._positions.popleft()

    def at(self, stamp_ns: int) -> Array | None:
        """Positions (D,) at a time, linear between those known and the nearest beyond them; None without any."""
        if not self._stamps_ns:
            return None
        index = bisect_left(self._stamps_ns, stamp_ns)
        if index == 0 or index == len(self._stamps_ns):
            return self._positions[min(index, len(self._stamps_ns) - 1)]
        before, after = self._stamps_ns[index - 1], self._stamps_ns[index]
        share = (stamp_ns - before) / (after - before)
        found: Array = (1.0 - share) * self._positions[index - 1] + share * self._positions[index]
        return found

    def span(self, stamp_ns: int, column: int) -> float:
        """Largest less smallest value of a column since a time; infinite where that is not known."""
        if not self._stamps_ns or self._stamps_ns[0] > stamp_ns:
            return float("inf")
        values = [row[column] for at, row in zip(self._stamps_ns, self._positions, strict=True) if at >= stamp_ns]
        return float(max(values) - min(values)) if values else float("inf")


@dataclass(frozen=True, eq=False)
class HandState:
    """One hand at one time.

    Attributes:
        world_from_tool: (4, 4) pose.
        opening_m: Between the fingers.
        gripped: Something keeps the fingers apart since they closed on it.
    """

    world_from_tool: Array
    opening_m: float
    gripped: bool


class HandWatch:
    """Watches the fingers of one arm."""

    def __init__(self, arm: Arm, column: int) -> None:
        """Watches one arm.

        Args:
            arm: The arm.
            column: Of its opening among the joints of the rig.
        """
        self._arm = arm
        self._column = column
        self._widest_m = 0.0
        self._grip_m: float | None = None

    def update(self, stamp_ns: int, history: JointHistory, opening_m: float, target_m: float | None) -> None:
        """Takes the opening of now.

        Args:
            stamp_ns: Time.
            history: Of the joints up to now.
            opening_m: Measured.
            target_m: What the fingers are told, None where nobody knows.
        """
        still = history.span(stamp_ns - STILL_NS, self._column) <= STILL_M
        kept_apart = opening_m >= SHUT_M and (target_m is None or holds(opening_m, target_m))
        if self._grip_m is None:
            self._widest_m = max(self._widest_m, opening_m)
            if still and kept_apart and self._widest_m - opening_m >= CLOSED_BY_M:
                self._grip_m = opening_m
        elif opening_m > self._grip_m + OPENED_M or opening_m < SHUT_M:
            self._grip_m, self._widest_m = None, opening_m
        elif opening_m < self._grip_m - SLIPPED_M and still:
            # What turns or yields between the fingers lets them come closer; only where it is gone do they get there.
            self._grip_m = opening_m if kept_apart else None
            self._widest_m = opening_m

    @property
    def gripped(self) -> bool:
        """Whether something keeps the fingers apart since they closed on it."""
        return self._grip_m is not None

    def state(self, positions: Array) -> HandState:
        """The hand at joint positions (size,) of its arm."""
        tool = self._arm.world_from_base.matrix @ tool_pose(self._arm.arm_model, positions[:-1])
        return HandState(tool, float(positions[-1]), self.gripped)


class Hands:
    """All hands of a rig."""

    def __init__(self, rig: Rig) -> None:
        """Begins with no joints known."""
        self._rig = rig
        self._history = JointHistory()
        ends = np.cumsum([arm.size for arm in rig.arms])
        self._columns = {arm.name: int(end) - 1 for arm, end in zip(rig.arms, ends, strict=True)}
        self._watches = {arm.name: HandWatch(arm, self._columns[arm.name]) for arm in rig.arms}

    def update(self, stamp_ns: int, positions: Array, targets: Array | None) -> list[str]:
        """Takes joint positions (D,) and, where known, the targets (D,) in force.

        Returns:
            Names of the arms that took hold of something, or let it go, since the last call.
        """
        self._history.add(stamp_ns, np.asarray(positions, float))
        changed = []
        for name, watch in self._watches.items():
            column, gripped = self._columns[name], watch.gripped
            target = None if targets is None else float(targets[column])
            watch.update(stamp_ns, self._history, float(positions[column]), target)
            if watch.gripped != gripped:
                changed.append(name)
        return changed

    def positions(self, stamp_ns: int) -> Array | None:
        """Joint positions (D,) at a time, None before any came."""
        return self._history.at(stamp_ns)

    def states(self, stamp_ns: int) -> dict[str, HandState]:
        """The hands by arm name: tools as they were at a time, grips as they are now; empty before any joints came."""
        positions = self._history.at(stamp_ns)
        if positions is None:
            return {}
        parts = self._rig.split(positions)
        return {name: watch.state(parts[name]) for name, watch in self._watches.items()}
