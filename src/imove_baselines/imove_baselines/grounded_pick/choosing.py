"""Which thing on the table a heat map is about."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from imove_baselines.grounded_pick.heat import cell_points
from imove_baselines.grounded_pick.things import Thing
from imove_baselines.table_view import TableView
from imove_core.rig import Camera
from imove_core.transforms import Array

REACH_M = 0.03
"""A cell of the heat map counts for the nearest thing when that is no farther away."""


def heat_of_things(
    heat: NDArray[np.float32], view: TableView, camera: Camera, things: Sequence[Thing]
) -> NDArray[np.float64]:
    """Probability (n,) that each thing is meant: the heat of the cells that show it or lie next to it.

    Args:
        heat: (rows, columns) probabilities.
        view: That the heat map is of.
        camera: That it was made through.
        things: What lies there.
    """
    shares = np.zeros(len(things))
    if not things:
        return shares
    shown = [view.seen_at(camera, thing.points) for thing in things]
    owner = np.concatenate([np.full(len(points), number) for number, points in enumerate(shown)])
    distances, nearest = cKDTree(np.vstack(shown)).query(cell_points(view).reshape(-1, 2))
    close = distances <= REACH_M
    np.add.at(shares, owner[nearest[close]], heat.reshape(-1)[close].astype(float))
    return shares


def lifted(place: Array, view: TableView, camera: Camera, points: Array) -> Array:
    """The visible world point (3,) whose picture is nearest to a place (2,) of the view; `points` are (H, W, 3), m."""
    visible = points.reshape(-1, 3)
    visible = visible[np.isfinite(visible[:, 2])]
    shown = view.seen_at(camera, visible)
    point: Array = visible[int(np.linalg.norm(shown - place, axis=1).argmin())]
    return point
