"""Task families by name."""

from imove_core.errors import unknown_name
from imove_tasks.families import (
    pick_attribute,
    pick_category,
    pick_compositional,
    pick_spatial,
    place_a2b,
    place_relational,
)
from imove_tasks.families.model import Family

_MODULES = (pick_category, pick_attribute, pick_spatial, place_a2b, place_relational, pick_compositional)
_FAMILIES: dict[str, Family] = {module.FAMILY.name: module.FAMILY for module in _MODULES}


def family_names() -> tuple[str, ...]:
    """Names of all families: the paper's four, then those that go beyond it."""
    return tuple(_FAMILIES)


def get_family(name: str) -> Family:
    """The family of that name; raises ImoveError for an unknown one."""
    if name not in _FAMILIES:
        raise unknown_name("task", name, _FAMILIES)
    return _FAMILIES[name]
