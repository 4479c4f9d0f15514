"""pick_compositional: four objects of one category, two looks on two sides; only look and relation together tell."""

from collections.abc import Sequence

import numpy as np

from imove_core.meaning import SPATIAL_RELATIONS, Meaning
from imove_tasks.assets.rows import Row
from imove_tasks.assets.sampling import Attribute, DiffersFrom, Is, Role, Sampler, SharedWith
from imove_tasks.families.descriptions import absent_word, by_category, sayable
from imove_tasks.families.model import Draft, DraftObject, Family, Pool, Turn, categories_with, shuffled_ids
from imove_tasks.families.spatial import OPPOSITES, related
from imove_tasks.goals import Goal
from imove_tasks.layout import Relation

ATTRIBUTES: tuple[Attribute, ...] = ("color", "material", "shape")


def _two_pairs(attribute: str, rows: Sequence[Row]) -> bool:
    """Whether two words of an attribute each have two objects."""
    words = [getattr(row, attribute) for row in rows]
    return sum(words.count(word) >= 2 for word in set(words)) >= 2


def _draft(pool: Pool, turn: Turn, rng: np.random.Generator) -> Draft:
    attribute = turn.choose(ATTRIBUTES, "attribute")
    relation = turn.choose(SPATIAL_RELATIONS, "relation")
    usable = [row for row in pool.graspable if sayable(row, attribute)]
    categories = categories_with(usable, lambda rows: _two_pairs(attribute, rows), f"pick_compositional by {attribute}")
    category = turn.choose(categories, "category", stride=len(ATTRIBUTES))
    same = Is("category", (category,))
    roles = [
        Role("one", (same,)),
        Role("another one", (same, SharedWith("one", attribute))),
        Role("two", (same, DiffersFrom(("one",), attribute))),
        Role("another two", (same, SharedWith("two", attribute))),
    ]
    rows = Sampler(usable).draw(roles, rng)
    drawn = Sampler([row for row in pool.graspable if row.category != category]).draw([Role("reference")], rng)
    ids = shuffled_ids([*rows, "reference"], rng)
    reference = by_category(drawn["reference"])
    sides = {name: relation if name in ("one", "two") else OPPOSITES[relation] for name in rows}
    picks = tuple(
        Goal(
            meaning=Meaning(
                pick=related({"category": category, attribute: getattr(row, attribute)}, sides[name], reference)
            ),
            target=ids[name],
        )
        for name, row in rows.items()
    )
    absent = absent_word(list(rows.values()), pool.graspable, attribute, rng)
    return Draft(
        objects=(
            *(DraftObject(ids[name], row, "distractor") for name, row in rows.items()),
            DraftObject(ids["reference"], drawn["reference"], "reference"),
        ),
        constraints=tuple(Relation(ids[name], side, ids["reference"]) for name, side in sides.items()),
        goals=(*picks, Goal(meaning=Meaning(pick=reference), target=ids["reference"])),
        absent=related(absent.fields, relation, reference),
        conflicting=absent,
    )


def _balance(goal: Goal, rows: dict[str, Row]) -> str:
    relation = goal.meaning.pick.relation
    return relation.relation if relation else "none"


FAMILY = Family(
    name="pick_compositional",
    primitive="pick",
    splits={"seen": "seen", "unseen_instance": "unseen_instance", "train": "seen"},
    draft=_draft,
    balance=_balance,
)
