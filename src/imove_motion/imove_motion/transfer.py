"""From a gripped object to where it is let go: the way over other objects, and the way down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from imove_core.transforms import Array, apply, inverse
from imove_motion.carrying import Carrier
from imove_motion.clearance import Boxes
from imove_motion.paths import shortest_path
from imove_motion.pick import MOST_STEP_RAD, STRAIGHT_WEIGHT, PickRoute
from imove_motion.spots import Spot


@dataclass(frozen=True)
class TransferSettings:
    """Geometry of a transfer.

    Attributes:
        gap_m: Height above its floor from which an object is let go where the hand can come so low.
        most_drop_m: The same where walls keep the hand up, at most.
        hover_m: Height to which it is carried above the rim of the container, or above the table.
        extra_m: By how much higher it is lifted and carried, as long as the way is blocked.
        walls_m: Least distance of the hand from a container's walls.
        lower_points: Lowering and retreat are solved at this many points.
        most_ways: Spots to which a way is looked for, those with least joint travel first.
    """

    gap_m: float = 0.004
    most_drop_m: float = 0.04
    hover_m: float = 0.03
    extra_m: tuple[float, ...] = (0.0, 0.06)
    walls_m: float = 0.003
    lower_points: int = 3
    most_ways: int = 8


@dataclass(frozen=True, eq=False)
class Transfer:
    """A feasible way from a lifted object to where it is let go.

    Attributes:
        spot: Where the object comes to rest.
        drop_m: Height above that from which it is let go.
        way: (S, joints) from lifted to over the spot.
        down: (points, joints) from there to where the object is let go.
    """

    spot: Spot
    drop_m: float
    way: Array
    down: Array


@dataclass(frozen=True, eq=False)
class Load:
    """What is carried.

    Attributes:
        carrier: Arm, hand and object, clear of everything.
        tool_from_object: (4, 4) how the object is held.
        open_hand: (N, 3) points on the hand when it has let go, tool frame.
        surface: (N, 3) points on the object, its own frame.
        around: Boxes of what is beside a spot: all but the container itself.
    """

    carrier: Carrier
    tool_from_object: Array
    open_hand: Array
    surface: Array
    around: Boxes


def find_transfer(
    route: PickRoute, load: Load, spots: Sequence[Spot], settings: TransferSettings, reasons: Counter[str]
) -> Transfer | None:
    """The transfer with least joint travel, None where there is none.

    Args:
        route: How the object was picked; its last waypoint is where the transfer begins.
        load: What is carried.
        spots: Where it can go.
        settings: Geometry.
        reasons: Is told why spots are infeasible.
    """
    landings: list[_Landing] = []
    for spot in spots:
        landing = _landing(load, spot, settings)
        if isinstance(landing, str):
            reasons[landing] += 1
        else:
            landings.append(landing)
    for extra_m in settings.extra_m:
        up = load.carrier.raised(route.waypoints[-1], extra_m)
        if up is None:
            continue
        found: list[tuple[float, _Landing, Array]] = []
        for landing in landings:
            descent = _descent(up[-1], load, landing, extra_m, settings)
            if isinstance(descent, str):
                reasons[descent] += 1
            else:
                found.append((descent[0], landing, descent[1]))
        for _, landing, down in sorted(found, key=lambda item: item[0])[: settings.most_ways]:
            way = load.carrier.way(up[-1], down[0])
            if way is not None:
                return Transfer(landing.spot, landing.drop_m, np.vstack([up[:-1], way]), down)
            reasons["blocked carry"] += 1
    return None


@dataclass(frozen=True, eq=False)
class _Landing:
    """A spot where the hand can be when it lets go.

    Attributes:
        spot: Where the object comes to rest.
        world_from_tool: (4, 4) pose of the tool with the object at rest there.
        drop_m: Height above that from which it is let go.
        solid: (N, 3) points on open hand and object, at rest there, world frame.
        solutions: (k, joints) that bring the tool to where it is let go.
    """

    spot: Spot
    world_from_tool: Array
    drop_m: float
    solid: Array
    solutions: Array


def _landing(load: Load, spot: Spot, settings: TransferSettings) -> _Landing | str:
    """How the object can be let go over a spot, or the reason why it cannot; most that fail do so here."""
    carrier = load.carrier
    world_from_tool = spot.world_from_object @ inverse(load.tool_from_object)
    hand = apply(world_from_tool, load.open_hand)
    drop_m = settings.gap_m
    if spot.walls is not None:
        drop_m = max(drop_m, spot.walls.rise(hand, settings.walls_m))
    if drop_m > settings.most_drop_m:
        return "walls"
    if hand[:, 2].min() + drop_m < carrier.clearance_m:
        return "table"
    solid = np.vstack([hand, apply(spot.world_from_object, load.surface)])
    if load.around.closer_than(solid + [0.0, 0.0, drop_m], carrier.clearance_m):
        return "no room"
    solutions = carrier.solutions(_risen(world_from_tool, drop_m))
    if not len(solutions):
        return "unreachable place"
    return _Landing(spot, world_from_tool, drop_m, solid, solutions)


def _descent(
    start: Array, load: Load, landing: _Landing, extra_m: float, settings: TransferSettings
) -> tuple[float, Array] | str:
    """Cost and joint vectors of the way down to a landing, or the reason why there is none."""
    spot, carrier, drop_m = landing.spot, load.carrier, landing.drop_m
    hover_m = settings.gap_m if spot.walls is None else max(drop_m, spot.walls.depth_m)
    hover_m = hover_m + settings.hover_m + extra_m
    rises = np.linspace(hover_m, drop_m, settings.lower_points)[:-1]
    if any(load.around.closer_than(landing.solid + [0.0, 0.0, rise], carrier.clearance_m) for rise in rises[::-1]):
        return "no room"
    choices = []
    for rise in rises:
        choices.append(carrier.solutions(_risen(landing.world_from_tool, rise)))
        if not len(choices[-1]):
            return "unreachable place"
    path = shortest_path(start, [*choices, landing.solutions], MOST_STEP_RAD, STRAIGHT_WEIGHT)
    if path is None:
        return "branch change"
    return path[0] + spot.penalty_rad, path[1]


def _risen(pose: Array, rise_m: float) -> Array:
    """A pose (4, 4) so much higher."""
    risen = pose.copy()
    risen[2, 3] += rise_m
    return risen
