"""Whether things are put in or on a container, as English has it."""

from __future__ import annotations

from imove_tasks.assets.model import Asset
from imove_tasks.language.lexicon import INSIDE, ON

ON_TOP: frozenset[str] = frozenset(
    {"plate", "tray", "coaster", "notebook", "phone_stand", "candle_holder", "pill_organizer"}
)
"""Categories of `taxonomy.DESTINATIONS` that people put things on, though a plate or a tray has a low rim."""
LID_DEPTH_M = 0.001
"""A floor less deep than this below the top is a lid: that of a box that is shut."""


def prepositions(category: str | None, container: Asset | None) -> dict[str, str]:
    """The preposition for each of the slots "in", "into" and "inside".

    Args:
        category: Of the container; None where nothing is said of it.
        container: The object, None where it is none of the scene.
    """
    return ON if category in ON_TOP or (container is not None and _is_shut(container)) else INSIDE


def _is_shut(container: Asset) -> bool:
    region = container.region
    return region is not None and float(container.box_max[2] - region.center[2]) < LID_DEPTH_M
