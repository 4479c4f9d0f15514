"""pick_category: one object of the named category among five of other categories."""

import numpy as np

from imove_core.errors import ImoveError
from imove_core.meaning import Meaning
from imove_tasks.assets.rows import Row
from imove_tasks.assets.sampling import DiffersFrom, Is, Role, Sampler
from imove_tasks.families.descriptions import by_category, contradiction, draw_absent
from imove_tasks.families.model import LIBRARY_SPLITS, Draft, DraftObject, Family, Pool, Turn, shuffled_ids
from imove_tasks.goals import Goal

OBJECTS = 6


def _draft(pool: Pool, turn: Turn, rng: np.random.Generator) -> Draft:
    categories = sorted({row.category for row in pool.graspable})
    if len(categories) <= OBJECTS:
        raise ImoveError(
            f"pick_category needs more than {OBJECTS} categories, one of them absent; the split has {len(categories)}"
        )
    names = [f"item {number}" for number in range(OBJECTS)]
    roles = [
        Role(name, (DiffersFrom(tuple(names[:number]), "category"),)) for number, name in enumerate(names) if number
    ]
    first = Role(names[0], (Is("category", (turn.choose(categories, "category"),)),))
    rows = Sampler(pool.graspable).draw([first, *roles], rng)
    ids = shuffled_ids(list(rows), rng)
    objects = tuple(DraftObject(ids[name], row, "distractor") for name, row in rows.items())
    return Draft(
        objects=objects,
        constraints=(),
        goals=tuple(Goal(meaning=Meaning(pick=by_category(item.row)), target=item.id) for item in objects),
        absent=by_category(draw_absent(pool.graspable, list(rows.values()), rng)),
        conflicting=contradiction(list(rows.values()), list(rows.values()), pool.graspable, rng),
    )


def _balance(goal: Goal, rows: dict[str, Row]) -> str:
    return rows[goal.target].category


FAMILY = Family(
    name="pick_category",
    primitive="pick",
    splits=LIBRARY_SPLITS,
    draft=_draft,
    balance=_balance,
)
