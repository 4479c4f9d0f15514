"""How much a thing on a table stands out, whatever is asked for."""

from __future__ import annotations

from math import sqrt


def salience(contrast: float, area_m2: float) -> float:
    """Mean contrast of its colour to that of the table, times the root of the area that is seen of it.

    The root makes it a length: a thing of twice the width does not outweigh one of twice the contrast.

    Args:
        contrast: Distance of the colours in RGB; values with the same scale can be compared.
        area_m2: Of what is seen.
    """
    return contrast * sqrt(area_m2)
