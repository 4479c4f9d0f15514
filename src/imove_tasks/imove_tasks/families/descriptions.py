"""Descriptions that families make of rows."""

from collections.abc import Sequence

import numpy as np

from imove_core.errors import ImoveError
from imove_core.meaning import LABEL_FIELDS, Description
from imove_tasks.assets.rows import Row
from imove_tasks.assets.vocabulary import COLORS, MATERIALS, SHAPES
from imove_tasks.language import confusable


def sayable(row: Row, field: str) -> bool:
    """Whether people say the word of a field when they speak of an object; nobody says "food"."""
    return field != "material" or MATERIALS[row.material].speakable


def by_category(row: Row) -> Description:
    """What only the category tells."""
    return Description(fields={"category": row.category})


def contradiction(
    rows: Sequence[Row], about: Sequence[Row], known: Sequence[Row], rng: np.random.Generator
) -> Description:
    """A category of the scene with an attribute that none of its objects has, another object's where there is one.

    Args:
        rows: All objects of the scene.
        about: Those whose category may be named.
        known: Rows of the split, for words that no object of the scene has.
        rng: Chooses among the contradictions.
    """
    found = []
    for named in about:
        same = [row for row in rows if row.category == named.category]
        for field in LABEL_FIELDS[1:]:
            words = {getattr(row, field) for row in rows if sayable(row, field)}
            words -= {getattr(row, field) for row in same}
            found += [{"category": named.category, field: word} for word in sorted(words)]
    if not found:
        same = [row for row in rows if row.category == about[0].category]
        return absent_word(same, known, "color", rng)
    return Description(fields=found[int(rng.integers(len(found)))])


def pair_contradiction(rows: Sequence[Row], rng: np.random.Generator) -> Description | None:
    """Two attributes of objects of one category that no single one of them has; None where there are none."""
    found = []
    for first in LABEL_FIELDS[1:]:
        for second in LABEL_FIELDS[1:]:
            if first >= second:
                continue
            usable = [row for row in rows if sayable(row, first) and sayable(row, second)]
            real = {(getattr(row, first), getattr(row, second)) for row in rows}
            pairs = {(getattr(a, first), getattr(b, second)) for a in usable for b in usable} - real
            found += [{first: one, second: other} for one, other in sorted(pairs)]
    if not found:
        return None
    return Description(fields={"category": rows[0].category, **found[int(rng.integers(len(found)))]})


def absent_word(rows: Sequence[Row], known: Sequence[Row], field: str, rng: np.random.Generator) -> Description:
    """The category of `rows` with a word of `field` that none of them has.

    Words that other objects of the category have are taken first, then those of other categories, then any word.

    Args:
        rows: Objects of one category: all of that category in the scene.
        known: Rows of the split.
        field: Of `LABEL_FIELDS`.
        rng: Chooses.
    """
    taken = {getattr(row, field) for row in rows}
    said = [row for row in known if sayable(row, field)]
    own = {getattr(row, field) for row in said if row.category == rows[0].category}
    words = own - taken or {getattr(row, field) for row in said} - taken or _vocabulary(field) - taken
    return Description(fields={"category": rows[0].category, field: str(rng.choice(sorted(words)))})


def _vocabulary(field: str) -> set[str]:
    if field == "material":
        return {name for name, material in MATERIALS.items() if material.speakable}
    return set(COLORS if field == "color" else SHAPES)


def draw_absent(rows: Sequence[Row], scene: Sequence[Row], rng: np.random.Generator) -> Row:
    """Draws an object that nothing in a scene could be taken for.

    Raises:
        ImoveError: There is none.
    """
    there = sorted({row.category for row in scene})
    categories = sorted({row.category for row in rows})
    left = [name for name in categories if not any(confusable(name, other) for other in there)]
    if not left:
        raise ImoveError(f"every category of the split could be taken for one of {', '.join(there)}")
    category = left[int(rng.integers(len(left)))]
    return next(row for row in rows if row.category == category)
