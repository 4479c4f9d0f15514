"""The templates of every task family, one small module of text each."""

from __future__ import annotations

from functools import cache
from types import ModuleType

from imove_core.errors import unknown_name
from imove_tasks.language.pools import (
    pick_attribute,
    pick_category,
    pick_compositional,
    pick_spatial,
    place_a2b,
    place_relational,
)
from imove_tasks.language.templates import Pool

_TEXTS: dict[str, tuple[ModuleType, bool]] = {
    "pick_category": (pick_category, False),
    "pick_attribute": (pick_attribute, True),
    "pick_spatial": (pick_spatial, True),
    "pick_compositional": (pick_compositional, True),
    "place_a2b": (place_a2b, False),
    "place_relational": (place_relational, False),
}
"""By family: its templates, and whether the object to pick is named by what is asked and no more."""

POOL_NAMES = tuple(_TEXTS)


@cache
def get_pool(family: str) -> Pool:
    """The pool of a family.

    Raises:
        ImoveError: No family of that name has a pool.
    """
    if family not in _TEXTS:
        raise unknown_name("pool of templates", family, POOL_NAMES)
    module, only_what_is_asked = _TEXTS[family]
    return Pool.of(family, module.SEEN, module.UNSEEN, only_what_is_asked)
