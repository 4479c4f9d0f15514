"""Finds out whether a source's numbers are metres, and repairs the usual mistakes of unit."""

from __future__ import annotations

import numpy as np

from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.importing.foreign import Foreign
from imove_tasks.assets.importing.report import Journal
from imove_tasks.assets.sizes import SIZE_RANGES
from imove_tasks.assets.taxonomy import Category

FACTORS: dict[str, float] = {
    "millimetres read as metres": 1 / 1000,
    "centimetres read as metres": 1 / 100,
    "inches read as metres": 1 / 39.37,
    "inches read as millimetres": 25.4,
    "millimetres read as inches": 1 / 25.4,
    "metres read as inches": 39.37,
    "metres read as centimetres": 100.0,
    "metres read as millimetres": 1000.0,
}
"""The mistakes that are repaired, and the factors that repair them; no other factor is ever applied."""

_SAME_HEIGHT = 0.05  # relative: a record rounds its height to a centimetre or so
_SAME_BOX = 0.10


def in_metres(foreign: Foreign, category: Category, journal: Journal) -> Foreign:
    """The asset with its true size.

    A size is plausible when the longest side lies in the category's range. Where it does not, one of ``FACTORS``
    must bring it there; the height that the record states decides between several.

    Raises:
        AssetError: The size is implausible and no factor, or more than one, makes it plausible.
    """
    low, high = foreign.box
    sides = high - low
    longest, height = float(sides.max()), float(sides[2])
    least, most = SIZE_RANGES[category.name].longest_side_m
    stated = foreign.facts.real_height_m
    factor = 1.0
    if not least <= longest <= most:
        fitting = {name: value for name, value in FACTORS.items() if least <= longest * value <= most}
        if stated is not None and len(fitting) > 1:
            fitting = {
                name: value for name, value in fitting.items() if abs(height * value / stated - 1.0) <= _SAME_HEIGHT
            }
        if len(fitting) != 1:
            reason = "no usual mistake of unit explains it" if not fitting else f"it could be {' or '.join(fitting)}"
            raise AssetError(
                f"its longest side is {longest:.4g} m, expected {least:g} to {most:g} m for a {category.nouns[0]}, and "
                f"{reason}"
            )
        ((name, factor),) = fitting.items()
        journal.repaired(f"its longest side was {longest:.4g} m ({name}): scaled by {factor:.6g}")
    if stated is not None and abs(height * factor / stated - 1.0) > _SAME_HEIGHT:
        journal.mislabelled(
            f"its record says it is {stated:g} m tall, the mesh is {height * factor:.4f} m: the mesh is used"
        )
    _compare_box(foreign, sides * factor, journal)
    return foreign.at(np.diag([factor, factor, factor, 1.0]))


def require_plausible(longest_m: float, category: Category) -> None:
    """Checks a size once more, after mending and pressing onto the table.

    Raises:
        AssetError: The longest side is out of the category's range.
    """
    least, most = SIZE_RANGES[category.name].longest_side_m
    if not least <= longest_m <= most:
        raise AssetError(
            f"its longest side is {longest_m:.4f} m as it stands, expected {least:g} to {most:g} m for a "
            f"{category.nouns[0]}"
        )


def _compare_box(foreign: Foreign, sides_m: np.typing.NDArray[np.float64], journal: Journal) -> None:
    """The sides in any order: records state the box of the turned and of the unturned mesh."""
    if foreign.facts.extents_m is None:
        return
    claimed, measured = np.sort(foreign.facts.extents_m), np.sort(sides_m)
    if (np.abs(claimed / measured - 1.0) > _SAME_BOX).any():
        claim = " x ".join(f"{side:.3f}" for side in claimed)
        truth = " x ".join(f"{side:.3f}" for side in measured)
        journal.mislabelled(f"its record has a box of {claim} m, the mesh has {truth} m: the mesh is used")
