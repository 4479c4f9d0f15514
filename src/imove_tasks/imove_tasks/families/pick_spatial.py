"""pick_spatial: two objects of one category on opposite sides of a reference object; the relation tells which one."""

import numpy as np

from imove_core.meaning import SPATIAL_RELATIONS, Meaning
from imove_tasks.assets.rows import Row
from imove_tasks.assets.sampling import DiffersFrom, Is, Role, Sampler
from imove_tasks.families.descriptions import by_category, contradiction, draw_absent
from imove_tasks.families.model import (
    LIBRARY_SPLITS,
    Draft,
    DraftObject,
    Family,
    Pool,
    Turn,
    categories_with,
    shuffled_ids,
)
from imove_tasks.families.spatial import OPPOSITES, related
from imove_tasks.goals import Goal
from imove_tasks.layout import Relation


def _draft(pool: Pool, turn: Turn, rng: np.random.Generator) -> Draft:
    relation = turn.choose(SPATIAL_RELATIONS, "relation")
    categories = categories_with(pool.graspable, lambda rows: len(rows) >= 2, "pick_spatial")
    category = turn.choose(categories, "category")
    same = Is("category", (category,))
    roles = [
        Role("first", (same,)),
        Role("second", (same,)),
        Role("reference", (DiffersFrom(("first",), "category"),)),
    ]
    rows = Sampler(pool.graspable).draw(roles, rng)
    absent = draw_absent(pool.graspable, list(rows.values()), rng)
    ids = shuffled_ids(list(rows), rng)
    reference = by_category(rows["reference"])
    fields = {"category": category}
    sides = {"first": relation, "second": OPPOSITES[relation]}
    picks = tuple(
        Goal(meaning=Meaning(pick=related(fields, side, reference)), target=ids[name]) for name, side in sides.items()
    )
    return Draft(
        objects=tuple(
            DraftObject(ids[name], row, "reference" if name == "reference" else "distractor")
            for name, row in rows.items()
        ),
        constraints=tuple(Relation(ids[name], side, ids["reference"]) for name, side in sides.items()),
        goals=(*picks, Goal(meaning=Meaning(pick=reference), target=ids["reference"])),
        absent=related({"category": absent.category}, relation, reference),
        conflicting=contradiction(list(rows.values()), [rows["first"]], pool.graspable, rng),
    )


def _balance(goal: Goal, rows: dict[str, Row]) -> str:
    relation = goal.meaning.pick.relation
    return relation.relation if relation else "none"


FAMILY = Family(
    name="pick_spatial",
    primitive="pick",
    splits=LIBRARY_SPLITS,
    draft=_draft,
    balance=_balance,
)
