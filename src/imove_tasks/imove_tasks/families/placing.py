"""Drawing of objects and containers that fit each other."""

from collections.abc import Sequence

import numpy as np

from imove_core.errors import ImoveError
from imove_tasks.assets.rows import Row
from imove_tasks.assets.sampling import Role, Sampler
from imove_tasks.families.descriptions import draw_absent
from imove_tasks.families.model import Pool, Turn
from imove_tasks.placing import fits

DESTINATIONS = (
    "bowl", "coaster", "notebook", "pill_organizer", "plate", "soap_dish", "staples_box", "storage_box", "tray",
)  # fmt: skip
"""Container categories wide or low enough for a jaw to let something go in them; cups and holders are too narrow."""
FIRST_DRAWS = 4
SECOND_DRAWS = 8
"""Containers of other categories that are tried beside a first one."""
LOOKED_AT = 60
"""Objects that are built and tried for a first container."""


def draw_fitting(
    pool: Pool, turn: Turn, picks: int, containers: int, rng: np.random.Generator
) -> tuple[dict[str, Row], Row]:
    """Draws containers, and objects each of which fits into every one of them; all of different categories.

    Args:
        pool: What is drawn from.
        turn: Decides the category of the first container.
        picks: Number of objects to pick.
        containers: Number of containers, one or two.
        rng: Source of all draws.

    Returns:
        Rows by role, `pick 0`, ..., `place 0`, ..., and the row of an object that is not in the scene.

    Raises:
        ImoveError: Nothing that fits was found.
    """
    usable = [row for row in pool.containers if row.category in DESTINATIONS]
    category = turn.choose(sorted({row.category for row in usable}), "container")
    firsts = Sampler([row for row in usable if row.category == category])
    others = Sampler([row for row in usable if row.category != category])
    for _ in range(FIRST_DRAWS):
        first = firsts.draw([Role("place")], rng)["place"]
        fitting = _fitting(pool, first, rng)
        for _ in range(SECOND_DRAWS):
            places = [first] if containers == 1 else [first, others.draw([Role("place")], rng)["place"]]
            rows = _of_different_categories(pool, fitting, places, picks)
            if rows is not None:
                objects = {f"pick {number}": row for number, row in enumerate(rows)}
                homes = {f"place {number}": row for number, row in enumerate(places)}
                return {**objects, **homes}, draw_absent(pool.graspable, [*rows, *places], rng)
    raise ImoveError(f"no {picks} objects of different categories fit into a {category} and what was drawn beside it")


def _fitting(pool: Pool, place: Row, rng: np.random.Generator) -> list[Row]:
    """Some of the objects that fit into a container, in random order."""
    # The smaller side of what fits is below that of the container: this spares building the others.
    narrow = [row for row in pool.graspable if min(row.extents_m[:2]) < min(place.extents_m[:2])]
    looked_at = [narrow[int(number)] for number in rng.permutation(len(narrow))[:LOOKED_AT]]
    home = pool.asset(place)
    return [row for row in looked_at if row.category != place.category and fits(pool.asset(row), home)]


def _of_different_categories(pool: Pool, fitting: Sequence[Row], places: Sequence[Row], picks: int) -> list[Row] | None:
    """The first objects that fit into every container, one a category; None where there are too few."""
    taken = {row.category for row in places}
    found: list[Row] = []
    for row in fitting:
        if row.category not in taken and all(fits(pool.asset(row), pool.asset(place)) for place in places[1:]):
            found.append(row)
            taken.add(row.category)
            if len(found) == picks:
                return found
    return None
