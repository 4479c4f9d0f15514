"""Drawing of objects and containers that fit each other."""

from collections.abc import Sequence

import numpy as np

from imove_core.errors import ImoveError
from imove_tasks.assets.rows import Row
from imove_tasks.assets.sampling import DiffersFrom, Is, Role, Sampler
from imove_tasks.families.descriptions import draw_absent
from imove_tasks.families.model import Pool, Turn
from imove_tasks.placing import fits

DESTINATIONS = (
    "bowl", "coaster", "notebook", "pill_organizer", "plate", "soap_dish", "staples_box", "storage_box", "tray",
)  # fmt: skip
"""Container categories wide or low enough for a jaw to let something go in them; cups and holders are too narrow."""
CONTAINER_DRAWS = 6
LOOKED_AT = 60
"""Objects that are built and tried for one set of containers."""


def draw_fitting(
    pool: Pool, turn: Turn, picks: int, containers: int, rng: np.random.Generator
) -> tuple[dict[str, Row], Row]:
    """Draws containers, and objects each of which fits into every one of them; all of different categories.

    Args:
        pool: What is drawn from.
        turn: Decides the category of the first container.
        picks: Number of objects to pick.
        containers: Number of containers.
        rng: Source of all draws.

    Returns:
        Rows by role, `pick 0`, ..., `place 0`, ..., and the row of an object that is not in the scene.

    Raises:
        ImoveError: Nothing that fits was found.
    """
    usable = [row for row in pool.containers if row.category in DESTINATIONS]
    first = turn.choose(sorted({row.category for row in usable}), "container")
    names = [f"place {number}" for number in range(containers)]
    roles = [Role(names[0], (Is("category", (first,)),))]
    roles += [Role(name, (DiffersFrom(tuple(names[: names.index(name)]), "category"),)) for name in names[1:]]
    for _ in range(CONTAINER_DRAWS):
        places = Sampler(usable).draw(roles, rng)
        rows = _fitting(pool, list(places.values()), picks, rng)
        if rows is not None:
            objects = {f"pick {number}": row for number, row in enumerate(rows)}
            return {**objects, **places}, draw_absent(pool.graspable, [*rows, *places.values()], rng)
    raise ImoveError(f"no {picks} objects of different categories fit into a {first} and what was drawn beside it")


def _fitting(pool: Pool, places: Sequence[Row], picks: int, rng: np.random.Generator) -> list[Row] | None:
    homes = [pool.asset(row) for row in places]
    taken = {row.category for row in places}
    might = [row for row in pool.graspable if all(_might_fit(row, place) for place in places)]
    found: list[Row] = []
    for number in rng.permutation(len(might))[:LOOKED_AT]:
        row = might[int(number)]
        if row.category not in taken and all(fits(pool.asset(row), home) for home in homes):
            found.append(row)
            taken.add(row.category)
            if len(found) == picks:
                return found
    return None


def _might_fit(row: Row, place: Row) -> bool:
    """Whether the smaller side of an object, as it stands, is below that of a container: spares building it."""
    return min(row.extents_m[:2]) < min(place.extents_m[:2])
