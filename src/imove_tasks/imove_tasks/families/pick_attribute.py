"""pick_attribute: three objects of one category; colour, shape, material or relative size tells which one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from imove_core.meaning import RELATIVE_SIZES, Description, Meaning
from imove_tasks.assets.rows import Row
from imove_tasks.assets.sampling import Attribute, DiffersFrom, Is, Role, Sampler
from imove_tasks.families.descriptions import absent_word, by_category, draw_absent, pair_contradiction, sayable
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
from imove_tasks.goals import Goal
from imove_tasks.grounding import SIZE_RATIO

ATTRIBUTES: tuple[Attribute, ...] = ("color", "shape", "material")
SIZE = "size"
OBJECTS = 3
SIZE_MARGIN = 1.02
"""Sizes are drawn a little further apart than they must be, so that rounding never decides."""


@dataclass(frozen=True)
class SizeApart:
    """The longest side differs clearly from that of earlier roles."""

    roles: tuple[str, ...]

    def allows(self, row: Row, drawn: Mapping[str, Row]) -> bool:
        """See `imove_tasks.assets.sampling.Constraint`."""
        own = max(row.extents_m)
        others = [max(drawn[role].extents_m) for role in self.roles]
        return all(max(own, other) >= SIZE_MARGIN * SIZE_RATIO * min(own, other) for other in others)

    def __str__(self) -> str:
        """In words."""
        return f"its longest side differs by a factor of {SIZE_RATIO} from that of {', '.join(self.roles)}"


def _differ(attribute: Attribute | None, rows: Sequence[Row]) -> bool:
    """Whether a category has three objects that differ pairwise in an attribute, or in size where there is none."""
    if attribute is not None:
        return len({getattr(row, attribute) for row in rows}) >= OBJECTS
    count, last = 0, 0.0
    for longest in sorted(max(row.extents_m) for row in rows):
        if longest >= SIZE_MARGIN * SIZE_RATIO * last:
            count, last = count + 1, longest
    return count >= OBJECTS


def _draft(pool: Pool, turn: Turn, rng: np.random.Generator) -> Draft:
    cue = turn.choose((*ATTRIBUTES, SIZE), "attribute")
    attribute = next((name for name in ATTRIBUTES if name == cue), None)
    usable = [row for row in pool.graspable if attribute is None or sayable(row, attribute)]
    categories = categories_with(usable, lambda rows: _differ(attribute, rows), f"pick_attribute by {cue}")
    category = turn.choose(categories, "category", stride=len(ATTRIBUTES) + 1)
    names = [f"item {number}" for number in range(OBJECTS)]
    roles = []
    for number, name in enumerate(names):
        earlier = tuple(names[:number])
        apart = SizeApart(earlier) if attribute is None else DiffersFrom(earlier, attribute)
        roles.append(Role(name, (Is("category", (category,)), apart)))
    rows = Sampler(usable).draw(roles, rng)
    ids = shuffled_ids(names, rng)
    objects = tuple(DraftObject(ids[name], row, "distractor") for name, row in rows.items())
    scene = [item.row for item in objects]
    described = {item.id: _description(attribute, item.row, scene) for item in objects}
    return Draft(
        objects=objects,
        constraints=(),
        goals=tuple(Goal(meaning=Meaning(pick=pick), target=object_id) for object_id, pick in described.items()),
        absent=_absent(attribute, scene, pool, rng),
        conflicting=pair_contradiction(scene, rng) or absent_word(scene, pool.graspable, "color", rng),
    )


def _description(attribute: Attribute | None, row: Row, scene: Sequence[Row]) -> Description:
    if attribute is not None:
        return Description(fields={"category": row.category, attribute: getattr(row, attribute)})
    order = sorted(scene, key=lambda other: max(other.extents_m))
    return Description(fields={"category": row.category}, size=RELATIVE_SIZES[order.index(row)])


def _absent(attribute: Attribute | None, scene: Sequence[Row], pool: Pool, rng: np.random.Generator) -> Description:
    if attribute is not None:
        return absent_word(scene, pool.graspable, attribute, rng)
    return by_category(draw_absent(pool.graspable, scene, rng))


def _balance(goal: Goal, rows: dict[str, Row]) -> str:
    pick = goal.meaning.pick
    return f"size {pick.size}" if pick.size else " ".join(name for name in pick.fields if name != "category")


FAMILY = Family(
    name="pick_attribute",
    primitive="pick",
    splits=LIBRARY_SPLITS,
    draft=_draft,
    balance=_balance,
)
