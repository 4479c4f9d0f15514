"""Layouts: objects placed at random on the table of a rig so that declared constraints hold.

`solve` draws a layout, `check` judges one that is there; `imove_tasks.layout.constraint` says how to add a constraint.
"""

from imove_tasks.layout.arrangement import Arrangement, Station
from imove_tasks.layout.constraint import Constraint, Feasibility, Violation
from imove_tasks.layout.constraints import (
    Apart,
    AwayFromHome,
    Distance,
    FreeSpot,
    Inside,
    InView,
    JawRoom,
    NotRelation,
    Reachable,
    Relation,
    Visible,
    common_constraints,
)
from imove_tasks.layout.placement import Item, Placement, footprint_polygon
from imove_tasks.layout.sight import VIEW_SIZES, fixed_views, in_view
from imove_tasks.layout.solver import SolverSettings, check, solve

__all__ = [
    "VIEW_SIZES",
    "Apart",
    "Arrangement",
    "AwayFromHome",
    "Constraint",
    "Distance",
    "Feasibility",
    "FreeSpot",
    "InView",
    "Inside",
    "Item",
    "JawRoom",
    "NotRelation",
    "Placement",
    "Reachable",
    "Relation",
    "SolverSettings",
    "Station",
    "Violation",
    "Visible",
    "check",
    "common_constraints",
    "fixed_views",
    "footprint_polygon",
    "in_view",
    "solve",
]
