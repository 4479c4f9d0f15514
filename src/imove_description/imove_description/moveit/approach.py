"""Whether two links can come near each other: random states, then a descent from the nearest of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from imove_description.moveit.solids import Solid
from imove_description.reading import FloatArray

AT_LIMIT = 0.3
"""Share of joints that are at one of their limits in a random state, since links come nearest there."""

CHECKS = 250
"""Of the random states, how many are looked at for each pair of shapes: those in which their bounds are nearest."""

STARTS = 4
"""Descents for each pair of links."""

ROUNDS = 12
"""Steps of a descent; the spread of its trials shrinks from `WIDEST` to a tenth of that."""

TRIALS = 16
"""States tried in each step."""

WIDEST = 0.3
"""Spread of the first trials as a share of each joint's range."""

FAR_M = 0.5
"""Links that no random state brings this near are taken to stay apart."""

Place = Callable[[FloatArray], tuple[FloatArray, FloatArray]]
"""States (s, d) to the poses (s, 4, 4) of both links in one frame, m."""


@dataclass(frozen=True, eq=False)
class Approach:
    """Two links whose relative pose depends on the states of some joints.

    Attributes:
        first: shapes of the first link.
        second: shapes of the second link.
        place: where both links are.
        limits: (d, 2) of the joints.
    """

    first: tuple[Solid, ...]
    second: tuple[Solid, ...]
    place: Place
    limits: FloatArray

    def comes_within(
        self, margin_m: float, states: FloatArray, poses: tuple[FloatArray, FloatArray], rng: np.random.Generator
    ) -> bool:
        """Whether a state is found in which the links are no farther apart than a margin.

        Args:
            margin_m: the margin.
            states: (s, d) random states to begin with.
            poses: both links' (s, 4, 4) in these states, as `place` gives them.
            rng: source of the descents' trials.
        """
        firsts, seconds = poses
        gaps = self._gaps(firsts, seconds)
        if any(self._any_within(pair, gap, firsts, seconds, margin_m) for pair, gap in gaps):
            return True
        nearest = np.min([gap for _, gap in gaps], axis=0)
        starts = np.argsort(nearest, kind="stable")[:STARTS]
        return nearest[starts[0]] < FAR_M and any(self._descends(states[i], margin_m, rng) for i in starts)

    def distances(self, states: FloatArray) -> FloatArray:
        """Distances of the links in states (s, d): (s,) m, 0 or less where they touch."""
        import coal

        firsts, seconds = self.place(states)
        request, result = coal.DistanceRequest(), coal.DistanceResult()
        nearest = np.full(len(states), np.inf)
        for (a, b), gap in self._gaps(firsts, seconds):
            one, other = geometry(a), geometry(b)
            for i in np.flatnonzero(gap < nearest):
                result.clear()
                first, second = placed(firsts[i] @ a.link_from_solid), placed(seconds[i] @ b.link_from_solid)
                nearest[i] = min(nearest[i], coal.distance(one, first, other, second, request, result))
        return nearest

    def _gaps(self, firsts: FloatArray, seconds: FloatArray) -> list[tuple[tuple[Solid, Solid], FloatArray]]:
        """For each pair of shapes how far the balls around them are apart at least, (s,) m."""
        gaps = []
        for a in self.first:
            centres = (firsts @ a.link_from_solid)[:, :3, 3]
            for b in self.second:
                between = np.linalg.norm(centres - (seconds @ b.link_from_solid)[:, :3, 3], axis=1)
                gaps.append(((a, b), between - a.bound_m - b.bound_m))
        return gaps

    @staticmethod
    def _any_within(
        pair: tuple[Solid, Solid], gap: FloatArray, firsts: FloatArray, seconds: FloatArray, margin_m: float
    ) -> bool:
        import coal

        request, result = coal.CollisionRequest(), coal.CollisionResult()
        request.security_margin = margin_m
        a, b = pair
        one, other = geometry(a), geometry(b)
        for i in np.argsort(gap, kind="stable")[:CHECKS]:
            if gap[i] > margin_m:
                return False
            result.clear()
            first, second = placed(firsts[i] @ a.link_from_solid), placed(seconds[i] @ b.link_from_solid)
            if coal.collide(one, first, other, second, request, result):
                return True
        return False

    def _descends(self, start: FloatArray, margin_m: float, rng: np.random.Generator) -> bool:
        """Whether trials around a state, then around the best of them, reach the margin."""
        best, best_m = start, np.inf
        for spread in np.geomspace(WIDEST, WIDEST / 10, ROUNDS):
            steps = rng.normal(scale=spread, size=(TRIALS, len(start))) * np.ptp(self.limits, axis=1)
            trials = np.clip(best + steps, *self.limits.T)
            distances = self.distances(trials)
            if distances.min() <= margin_m:
                return True
            if distances.min() < best_m:
                best, best_m = trials[distances.argmin()], distances.min()
        return False


def random_states(limits: FloatArray, count: int, rng: np.random.Generator) -> FloatArray:
    """States (count, d) within limits (d, 2), a share of their joints at a limit."""
    shares = rng.random((count, len(limits)))
    at_limit = rng.random(shares.shape) < AT_LIMIT
    states: FloatArray = limits[:, 0] + np.where(at_limit, np.round(shares), shares) * np.ptp(limits, axis=1)
    return states


def geometry(solid: Solid) -> Any:
    """The shape for coal."""
    import coal

    return {"box": coal.Box, "cylinder": coal.Cylinder, "capsule": coal.Capsule}[solid.kind](*solid.size_m)


def placed(world_from_solid: FloatArray) -> Any:
    """A pose (4, 4) for coal."""
    import coal

    return coal.Transform3s(world_from_solid[:3, :3], world_from_solid[:3, 3])
