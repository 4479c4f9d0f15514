"""Layouts with the constraints that every layout has."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from imove_core.rig import Rig
from imove_tasks.assets.model import Asset
from imove_tasks.layout.constraints import Reachable, common_constraints
from imove_tasks.layout.placement import Item, Placement
from imove_tasks.layout.solver import solve


def draw_layout(
    rig: Rig,
    assets: Sequence[Asset],
    rng: np.random.Generator,
    feasibility: Callable[..., str],
) -> list[Placement]:
    """Places all assets; the result is in their order.

    Args:
        rig: Workspace, table, cameras and arms.
        assets: Objects to place.
        rng: Source of all draws.
        feasibility: Says of a list of placements "" when it will do, else the reason why not.

    Raises:
        ImoveError: No layout was found.
    """
    items = [Item(f"object_{number}", asset) for number, asset in enumerate(assets)]
    reachable = Reachable(lambda layout: feasibility(list(layout.values())))
    return list(solve(rig, items, (*common_constraints(rig), reachable), rng).values())
