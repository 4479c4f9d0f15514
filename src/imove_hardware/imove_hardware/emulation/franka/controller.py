"""A joint trajectory controller as ros2_control's: takes whole trajectories, follows cubics, holds at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from imove_core.transforms import Array
from imove_hardware.franka.spline import NS, State, cubic


@dataclass(frozen=True, eq=False)
class Trajectory:
    """What the controller is sent.

    Attributes:
        joint_names: Of the columns.
        stamp_ns: When it begins, 0 for when it comes.
        offsets_ns: (T,) time of each point after the beginning.
        positions: (T, n) rad.
        velocities: (T, n) rad/s, None for straight lines between the points.
    """

    joint_names: Sequence[str]
    stamp_ns: int
    offsets_ns: Sequence[int]
    positions: Array
    velocities: Array | None


class EmulatedController:
    """Says at any time where the arm is to be; a new trajectory replaces the one before at once.

    Before its first point a trajectory is reached from where the arm is measured to be, not from where it was to be:
    whoever wants no jump sends a first point that is already past.
    """

    def __init__(self, joint_names: Sequence[str], positions: Array) -> None:
        """Holds positions (n,)."""
        self._names = tuple(joint_names)
        self.accepted = self.refused = 0
        """How many trajectories have been taken, and how many not."""
        self.hold(positions, 0)

    def hold(self, positions: Array, now_ns: int) -> None:
        """Drops the trajectory and holds positions (n,)."""
        self._start: State = (np.array(positions, dtype=float), np.zeros(len(self._names)))
        self._start_ns = now_ns
        self._times_ns: list[int] = []

    def accept(self, trajectory: Trajectory, measured: State, now_ns: int) -> str:
        """Takes a trajectory; returns why not, "" where it does.

        Args:
            trajectory: To follow.
            measured: Position and velocity of the arm, (n,) each.
            now_ns: The present.
        """
        fault = self._fault(trajectory, now_ns)
        if fault:
            self.refused += 1
            return fault
        order = [list(trajectory.joint_names).index(name) for name in self._names]
        begin_ns = trajectory.stamp_ns or now_ns
        self._start, self._start_ns = measured, now_ns
        self._times_ns = [begin_ns + offset for offset in trajectory.offsets_ns]
        self._positions = trajectory.positions[:, order]
        self._velocities = trajectory.velocities[:, order] if trajectory.velocities is not None else None
        self.accepted += 1
        return ""

    def sample(self, now_ns: int) -> State:
        """Position and velocity, (n,) each, for now."""
        times_ns = self._times_ns
        if not times_ns:
            return self._start
        after = int(np.searchsorted(times_ns, now_ns, side="right"))
        if after == len(times_ns):
            return self._positions[-1], np.zeros(len(self._names))
        if after == 0:
            return self._between(self._start_ns, self._start, times_ns[0], 0, now_ns)
        return self._between(times_ns[after - 1], self._point(after - 1), times_ns[after], after, now_ns)

    def _point(self, index: int) -> State:
        velocities = self._velocities
        return self._positions[index], velocities[index] if velocities is not None else np.zeros(len(self._names))

    def _between(self, begin_ns: int, begin: State, end_ns: int, index: int, now_ns: int) -> State:
        duration_s, time_s = (end_ns - begin_ns) / NS, (now_ns - begin_ns) / NS
        if self._velocities is None:
            slope = (self._positions[index] - begin[0]) / duration_s
            return begin[0] + slope * time_s, slope
        return cubic(begin, self._point(index), duration_s, time_s)

    def _fault(self, trajectory: Trajectory, now_ns: int) -> str:
        names, offsets = trajectory.joint_names, list(trajectory.offsets_ns)
        if sorted(names) != sorted(self._names):
            return f"joints are {', '.join(names)}; {', '.join(self._names)} are needed"
        if not offsets or trajectory.positions.shape != (len(offsets), len(names)):
            return "points and their positions are not as many as needed"
        if any(after <= before for before, after in zip(offsets, offsets[1:], strict=False)):
            return "times of points do not increase"
        if trajectory.stamp_ns and trajectory.stamp_ns + offsets[-1] < now_ns:
            return "the trajectory ends in the past"
        if trajectory.velocities is not None and np.any(np.abs(trajectory.velocities[-1]) > 1e-9):
            return "the velocity of the last point is not zero"
        return ""
