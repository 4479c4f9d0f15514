"""Following of timed joint targets: checks, interpolation, limits. Serves simulation and drivers alike."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from imove_core.errors import ImoveError
from imove_core.rig import Arm
from imove_core.transforms import Array

# A command may carry the stamp of an observation that old and still starts from what was in force then.
HISTORY_NS = 1_000_000_000


@dataclass(frozen=True)
class JointCommand:
    """A chunk of timed points for one arm, in the arm's joint order.

    Attributes:
        stamp_ns: Time from which the command is in force.
        times_ns: (H,) int64, after `stamp_ns`, increasing: when each point is to be reached.
        positions: (H, size) float64; rad, gripper opening in m.
    """

    stamp_ns: int
    times_ns: np.ndarray
    positions: Array


def make_command(
    arm: Arm,
    joint_names: Sequence[str],
    stamp_ns: int,
    offsets_ns: Sequence[int],
    positions: Sequence[Sequence[float]],
) -> JointCommand:
    """Checks a command that came from outside and puts it into the arm's joint order.

    Args:
        arm: The arm it is for.
        joint_names: Names in the order of the columns; the full joint set.
        stamp_ns: Time from which the command is in force.
        offsets_ns: Time of each point after `stamp_ns`.
        positions: One row a point.

    Raises:
        ImoveError: A joint is missing, unknown or named twice, a value is not finite, times do not increase, or there
            is no point.
    """
    missing = [name for name in arm.joint_names if name not in joint_names]
    if missing:
        raise ImoveError(
            f"command for arm '{arm.name}' lacks joint '{missing[0]}'; all of {', '.join(arm.joint_names)} are needed"
        )
    extra = [name for name in joint_names if name not in arm.joint_names or list(joint_names).count(name) > 1]
    if extra:
        raise ImoveError(
            f"command for arm '{arm.name}' names joint '{extra[0]}'; exactly {', '.join(arm.joint_names)} are allowed, "
            "each once"
        )
    if not len(positions) or len(positions) != len(offsets_ns):
        raise ImoveError(
            f"command for arm '{arm.name}' has {len(positions)} points and {len(offsets_ns)} times; at least one point "
            "and a time for each are needed"
        )
    order = [list(joint_names).index(name) for name in arm.joint_names]
    for index, row in enumerate(positions):
        if len(row) != arm.size:
            raise ImoveError(
                f"point {index} of the command for arm '{arm.name}' has {len(row)} positions; {arm.size} are needed"
            )
    values = np.asarray(positions, dtype=float)[:, order]
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        row, column = bad[0]
        raise ImoveError(
            f"command for arm '{arm.name}' has {values[row, column]} for joint '{arm.joint_names[column]}' in point "
            f"{row}; only finite numbers are allowed"
        )
    offsets = np.asarray(offsets_ns, dtype=np.int64)
    if offsets[0] <= 0 or np.any(np.diff(offsets) <= 0):
        raise ImoveError(
            f"command for arm '{arm.name}' has point times {offsets.tolist()} ns; they must be positive and increase"
        )
    return JointCommand(stamp_ns, stamp_ns + offsets, values)


class TrajectoryFollower:
    """Turns commands for one arm into a target at any time.

    The newest command wins from its stamp on: until its first point it goes on from the target that was in force at
    its stamp, between points it is linear, after its last point it holds. Targets are clipped to the joint limits and
    never move faster than the velocity limits.
    """

    def __init__(self, limits: Array, positions: Array, velocity_limits: Array) -> None:
        """Starts by holding a position.

        Args:
            limits: (size, 2) lower and upper joint limits.
            positions: (size,) position to hold.
            velocity_limits: (size,) largest speed of each target, per second.
        """
        self._limits = limits
        self._velocity_limits = velocity_limits
        self._stamp_ns = 0
        self._target: Array = np.clip(np.asarray(positions, dtype=float), *limits.T)
        self.hold(positions)

    def hold(self, positions: Array) -> None:
        """Drops every command and holds `positions` (size,)."""
        self._times_ns = [0]
        self._positions = np.clip(np.asarray(positions, dtype=float)[None], *self._limits.T)

    def command(self, command: JointCommand) -> None:
        """Takes over a command from its stamp on."""
        start = self.target(command.stamp_ns)
        clipped = np.clip(command.positions, *self._limits.T)
        oldest_ns = min(self._stamp_ns, command.stamp_ns) - HISTORY_NS
        first = max(0, bisect_right(self._times_ns, oldest_ns) - 1)
        end = bisect_left(self._times_ns, command.stamp_ns)
        self._times_ns = [*self._times_ns[first:end], command.stamp_ns, *command.times_ns.tolist()]
        self._positions = np.vstack([self._positions[first:end], start, clipped])

    def advance(self, stamp_ns: int, period_s: float) -> Array:
        """Moves the target of one period ago towards what is commanded for `stamp_ns` and returns it (size,)."""
        self._stamp_ns = stamp_ns
        most = self._velocity_limits * period_s
        # Twice as quick as np.clip on a handful of joints; this runs at every control step.
        change = np.minimum(np.maximum(self.target(stamp_ns) - self._target, -most), most)
        self._target = self._target + change
        return self._target.copy()

    def target(self, stamp_ns: int) -> Array:
        """Returns the position (size,) commanded for `stamp_ns`."""
        after = bisect_right(self._times_ns, stamp_ns)
        first, last = max(after - 1, 0), min(after, len(self._times_ns) - 1)
        begin_ns, end_ns = self._times_ns[first], self._times_ns[last]
        share = (stamp_ns - begin_ns) / (end_ns - begin_ns) if begin_ns < end_ns else 0.0
        target: Array = self._positions[first] + share * (self._positions[last] - self._positions[first])
        return target
