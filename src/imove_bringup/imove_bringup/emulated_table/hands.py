"""The hands that guide the leaders of teleoperation, and what they do with them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
from numpy.random import Generator

from imove_core.errors import ImoveError
from imove_core.rig import Arm, Rig
from imove_core.spec import EpisodeSpec
from imove_core.state import ObjectState
from imove_core.transforms import Array
from imove_hardware.emulation.piper.plant import Drive, PlantState
from imove_motion.grasps import grasp_candidates
from imove_motion.pick import PickPlanner
from imove_motion.place import PickPlacePlanner
from imove_motion.playback import whole_rig
from imove_motion.spots import IN, PlaceGoal
from imove_motion.timing import ease
from imove_tasks.assets.library import AssetLibrary

#: How fast a hand moves an arm, rad/s; far below what a PiPER can do, as people do.
HAND_SPEED_RAD_S = 0.6
HAND_ACCELERATION_RAD_S2 = 3.0
#: How far way-points lie from where the hand began, a joint; small where the arm would meet the table.
WANDER_RAD = (0.4, 0.12, 0.12, 0.2, 0.2, 0.4)
WANDER_OPENING_M = 0.02
#: Way-points keep this share of the joint's range away from its limits.
MARGIN = 0.05


class HandPlant:
    """A leader that goes where a hand has it, smoothly at any rate of feedback; any thread may use it."""

    def __init__(self, positions: Array, rate_hz: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Starts at rest.

        Args:
            positions: (size,) joints in rad and the opening in m.
            rate_hz: Rate of the rows of `follow`.
            clock: Monotonic time in s.
        """
        self._clock, self._rate_hz = clock, rate_hz
        self._path: tuple[float, Array] = (clock(), positions[None].copy())

    def follow(self, rows: Array, start_s: float) -> None:
        """Moves through rows (T, size) and stays at the last; the first should be where the arm is at `start_s`."""
        self._path = (start_s, rows.copy())

    @property
    def positions(self) -> Array:
        """Where the arm is now (size,)."""
        return self._sample()[0]

    @property
    def state(self) -> PlantState:
        """What the encoders say now."""
        positions, speeds = self._sample()
        return PlantState(tuple(positions[:-1].tolist()), tuple(speeds[:-1].tolist()), float(positions[-1]), 0.0)

    def step(self, drive: Drive, dt_s: float) -> PlantState:
        """Yields to the hand, whatever the controller asks."""
        return self.state

    def guide(self, joints_rad: tuple[float, ...], opening_m: float) -> None:
        """Puts the arm where a person's hand has it."""
        self.follow(np.array([[*joints_rad, opening_m]]), self._clock())

    def _sample(self) -> tuple[Array, Array]:
        start_s, rows = self._path
        at = min(max((self._clock() - start_s) * self._rate_hz, 0.0), len(rows) - 1.0)
        first = min(int(at), max(len(rows) - 2, 0))
        second = min(first + 1, len(rows) - 1)
        change = rows[second] - rows[first]
        moving = at < len(rows) - 1
        return rows[first] + (at - first) * change, change * self._rate_hz if moving else np.zeros_like(change)


def approach(start: Array, goal: Array, rate_hz: float) -> Array:
    """A slow straight motion in the joints, rows at `rate_hz`."""
    return ease(np.vstack([start, goal]), HAND_SPEED_RAD_S, rate_hz, peak_acceleration=HAND_ACCELERATION_RAD_S2)


def wander(arm: Arm, start: Array, rng: Generator, way_points: int, rate_hz: float) -> Array:
    """A smooth motion through random way-points near `start` (size,) and back to it, rows (T, size) at `rate_hz`."""
    low, high = arm.limits.T
    margin = MARGIN * (high - low)
    reach = np.array([*WANDER_RAD[: arm.size - 1], WANDER_OPENING_M])
    points = [start]
    for _ in range(way_points):
        points.append(np.clip(start + rng.uniform(-reach, reach), low + margin, high - margin))
    points.append(start)
    return np.vstack([approach(a, b, rate_hz) for a, b in zip(points[:-1], points[1:], strict=True)])


def demonstration(
    rig: Rig, library: AssetLibrary, spec: EpisodeSpec, objects: Sequence[ObjectState], start: Array
) -> Array:
    """What an expert would do in an episode: targets (T, D) of the whole rig at control rate.

    Args:
        rig: The embodiment.
        library: Knows how objects are gripped.
        spec: Of the episode, under its normal instruction.
        objects: Where they are now.
        start: Positions of the rig (D,).

    Raises:
        ImoveError: The instruction names no object that can be picked, or no motion was found.
    """
    told, by_id = spec.instruction("normal"), {item.id: item for item in objects}
    if told.target is None:
        raise ImoveError(f"the instruction of episode {spec.id} names no object; nothing can be demonstrated")
    target, asset = by_id[told.target], library.get(spec.object(told.target).asset)
    others = [item for item in objects if item.id != told.target]
    if told.destination is None:
        pick = PickPlanner(rig).plan(grasp_candidates(asset, target.world_from_object), start, others)
        return whole_rig(rig, pick.arm, pick.positions, start)
    place = told.meaning.place if told.meaning is not None else None
    relation = place.relation if place is not None else IN
    floor = spec.object(told.destination).region if relation == IN else None
    goal = PlaceGoal(by_id[told.destination], relation, floor)
    plan = PickPlacePlanner(rig).plan(target, asset, goal, start, others)
    return whole_rig(rig, plan.arm, plan.positions, start)
