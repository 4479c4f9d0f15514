"""Which objects may stand about in a room without giving any instruction a second meaning."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from math import hypot

from imove_core.meaning import Description, Meaning
from imove_core.spec import EpisodeSpec
from imove_tasks.assets.rows import Row
from imove_tasks.randomization.rooms import PLACE_SIZE_M

LEAST_HEIGHT_M = 0.08
"""What lies flat is not seen across a room."""


def clutter_rows(rows: Iterable[Row], categories: Collection[str], descriptions: Collection[Description]) -> list[Row]:
    """The rows that may be clutter: large enough to be seen across a room, small enough for every place.

    Args:
        rows: To choose from.
        categories: Of the objects on the table, which are left out.
        descriptions: What instructions speak of; nothing that fulfils one of them is taken, but for those that demand
            nothing, which are ambiguous anyway.
    """
    demands = {tuple(item.fields.items()) for item in descriptions if item.fields}
    return [
        row
        for row in rows
        if row.category not in categories
        and row.extents_m[2] >= LEAST_HEIGHT_M
        and max(hypot(*row.extents_m[:2]), row.extents_m[2]) <= PLACE_SIZE_M
        and not any(all(getattr(row, field) == word for field, word in demand) for demand in demands)
    ]


def descriptions_in(meanings: Iterable[Meaning]) -> Iterator[Description]:
    """Every description in some meanings: of what is picked, of destinations, and of the references of relations."""
    for meaning in meanings:
        places = [] if meaning.place is None else [meaning.place.reference]
        for description in (meaning.pick, *places):
            yield description
            if description.relation is not None:
                yield description.relation.reference


def meanings_of(spec: EpisodeSpec) -> list[Meaning]:
    """Every meaning in a spec: of its instructions, and of the goals of its certificate."""
    said = [instruction.meaning for instruction in spec.instructions.values() if instruction.meaning is not None]
    proved = () if spec.certificate is None else (goal.meaning for goal in spec.certificate.goals)
    return [*said, *proved]
