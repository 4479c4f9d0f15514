"""Finds layouts: seeded sampling with propagation of what is left to the objects that are not placed yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from shapely.geometry.base import BaseGeometry

from imove_core.errors import ImoveError, unknown_name
from imove_core.rig import Rig
from imove_tasks.layout.arrangement import Arrangement, Station
from imove_tasks.layout.constraint import Constraint, Violation
from imove_tasks.layout.constraints.bounds import area_of
from imove_tasks.layout.placement import Item, Placement
from imove_tasks.layout.sampling import polygonal, uniform_points
from imove_tasks.layout.solids import Solid

_EMPTY_M2 = 1e-6
"""A domain smaller than a square millimetre is held to be empty."""

Domains = dict[str, BaseGeometry]


@dataclass(frozen=True)
class SolverSettings:
    """Limits of the search.

    Attributes:
        tries_per_object: Poses tried for one object before the layout is started anew.
        restarts: Layouts begun before giving up.
        slack_m: Objects are placed so that every constraint on distances and places still holds when physics moves each
            of them that far.
    """

    tries_per_object: int = 40
    restarts: int = 40
    slack_m: float = 0.001


def solve(
    rig: Rig,
    items: Sequence[Item],
    constraints: Sequence[Constraint],
    rng: np.random.Generator,
    settings: SolverSettings = SolverSettings(),
) -> dict[str, Placement]:
    """Places objects at random so that all constraints hold.

    Args:
        rig: Workspace, table, cameras and arms.
        items: What is to be placed, each with an id of its own.
        constraints: What must hold; cheap ones should come first.
        rng: Source of all draws.
        settings: Limits of the search.

    Returns:
        Placements by id, in the order of `items`.

    Raises:
        ImoveError: No layout was found; the message names the constraint that failed most, how often and for which
            object. Or ids are not unique, or a constraint names an object that is not to be placed.
    """
    solids = {item.id: _resting(item) for item in items}
    if len(solids) != len(items):
        raise ImoveError(f"ids of items are {', '.join(item.id for item in items)}; each is allowed once")
    _check_names(constraints, solids)
    return _Search(rig, solids, constraints, rng, settings).run().placements()


def check(rig: Rig, placements: Mapping[str, Placement], constraints: Sequence[Constraint]) -> list[str]:
    """Judges a layout as it lies, in any poses.

    Args:
        rig: Workspace, table, cameras and arms.
        placements: All objects, by id.
        constraints: What must hold.

    Returns:
        One sentence for each violation; empty when everything holds.

    Raises:
        ImoveError: A constraint names an object that has no placement.
    """
    _check_names(constraints, placements)
    station = Station(rig)
    solids = {
        key: Solid.of(placement.asset, placement.world_from_object[:3, :3]) for key, placement in placements.items()
    }
    placed = {
        key: solid.at(placements[key].world_from_object[:3, 3], views=station.views) for key, solid in solids.items()
    }
    layout = Arrangement(station, solids, placed)
    return [
        f"{constraint.name}: {violation.words}"
        for constraint in constraints
        for violation in constraint.violations(layout, None)
    ]


def _resting(item: Item) -> Solid:
    poses = item.asset.stable_poses
    if not 0 <= item.stable_pose < len(poses):
        raise ImoveError(
            f"stable pose {item.stable_pose} of {item.id} ({item.asset.name}) does not exist; "
            f"0 to {len(poses) - 1} are allowed"
        )
    return Solid.of(item.asset, poses[item.stable_pose].rotation)


def _check_names(constraints: Iterable[Constraint], known: Iterable[str]) -> None:
    ids = tuple(known)
    for constraint in constraints:
        for key in constraint.ids:
            if key not in ids:
                raise unknown_name(f"object of the constraint '{constraint.name}'", key, ids)


class _Search:
    """One request and its failures so far."""

    def __init__(
        self,
        rig: Rig,
        solids: Mapping[str, Solid],
        constraints: Sequence[Constraint],
        rng: np.random.Generator,
        settings: SolverSettings,
    ) -> None:
        self._start = Arrangement(Station(rig), solids, {}, settings.slack_m)
        self._cheap = [constraint for constraint in constraints if not constraint.costly]
        self._costly = [constraint for constraint in constraints if constraint.costly]
        self._rng = rng
        self._settings = settings
        self._failures: Counter[tuple[str, str]] = Counter()
        self._last_words: dict[str, str] = {}

    def run(self) -> Arrangement:
        table = area_of(self._start.station.rig.table)
        domains = self._narrowed(self._start, dict.fromkeys(self._start.solids, table), None)
        if domains is None:
            raise self._error(0)
        for _ in range(self._settings.restarts):
            layout = self._attempt(domains)
            if layout is not None and self._holds(self._costly, layout, None):
                return layout
        raise self._error(self._settings.restarts)

    def _attempt(self, domains: Domains) -> Arrangement | None:
        """Places one object after another, the one with the least room first."""
        layout = self._start
        while domains:
            tightest = min(domains, key=lambda key: domains[key].area / layout.solids[key].area_m2)
            placed = self._place(layout, domains, tightest)
            if placed is None:
                return None
            layout, domains = placed
        return layout

    def _place(self, layout: Arrangement, domains: Domains, key: str) -> tuple[Arrangement, Domains] | None:
        """Finds a pose that violates nothing and leaves a place for every other object."""
        tries = self._settings.tries_per_object
        solid, views = layout.solids[key], layout.station.views
        height_m = -float(solid.corners[:, 2].min())
        spots = uniform_points(domains[key], tries, self._rng)
        yaws = self._rng.uniform(-np.pi, np.pi, tries)
        others = {other: domain for other, domain in domains.items() if other != key}
        for spot, yaw in zip(spots, yaws, strict=True):
            bigger = layout.adding(key, solid.at(np.append(spot, height_m), float(yaw), views))
            if self._holds(self._cheap, bigger, key):
                left = self._narrowed(bigger, others, key)
                if left is not None:
                    return bigger, left
        return None

    def _narrowed(self, layout: Arrangement, domains: Domains, newest: str | None) -> Domains | None:
        """What is left of the domains of unplaced objects; None when nothing is left of one of them."""
        left = {}
        for key, domain in domains.items():
            for constraint in self._cheap:
                region = constraint.region(layout, key, newest)
                if region is None:
                    continue
                domain = polygonal(domain.intersection(region))
                if domain.area < _EMPTY_M2:
                    self._count(constraint, Violation(key, f"no place is left for {key}"))
                    return None
            left[key] = domain
        return left

    def _holds(self, constraints: Sequence[Constraint], layout: Arrangement, newest: str | None) -> bool:
        for constraint in constraints:
            violation = next(constraint.violations(layout, newest), None)
            if violation is not None:
                self._count(constraint, violation)
                return False
        return True

    def _count(self, constraint: Constraint, violation: Violation) -> None:
        self._failures[constraint.name, violation.object_id] += 1
        self._last_words[constraint.name] = violation.words

    def _error(self, restarts: int) -> ImoveError:
        solids = self._start.solids
        by_name: Counter[str] = Counter()
        for (name, _), count in self._failures.items():
            by_name[name] += count
        ((worst, total),) = by_name.most_common(1)
        by_object = Counter({key: count for (name, key), count in self._failures.items() if name == worst})
        ((culprit, share),) = by_object.most_common(1)
        called = f"{culprit} ({solids[culprit].asset.name})" if culprit else "the whole layout"
        whose = f"for {called}" if share == total else f"{share} of them for {called}"
        return ImoveError(
            f"no layout of {len(solids)} objects was found in {restarts} tries; '{worst}' failed most, "
            f"{total} time{'s' * (total > 1)}, {whose}; the last reason: {self._last_words[worst]}"
        )
