"""Task families by name, with their splits."""

from dataclasses import dataclass
from typing import Protocol

from imove_core.errors import unknown_name
from imove_core.rig import Rig
from imove_core.spec import EpisodeSpec
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.families import pick_category
from imove_tasks.layout import Feasibility


class DrawSpec(Protocol):
    """Draws one episode of a family; see `families.pick_category.draw_spec`."""

    def __call__(
        self,
        library: AssetLibrary,
        uuids: tuple[str, ...],
        rig: Rig,
        split: str,
        index: int,
        seed: int,
        feasibility: Feasibility,
    ) -> EpisodeSpec:
        """Draws episode `index` of a suite with `seed`."""
        ...


@dataclass(frozen=True)
class Family:
    """A task family.

    Attributes:
        name: As users write it.
        splits: Names of its splits, the default first.
        draw: Makes one episode.
    """

    name: str
    splits: tuple[str, ...]
    draw: DrawSpec


_FAMILIES = {family.name: family for family in (Family("pick_category", ("seen",), pick_category.draw_spec),)}


def family_names() -> tuple[str, ...]:
    """Names of all families."""
    return tuple(_FAMILIES)


def get_family(name: str) -> Family:
    """The family of that name; raises ImoveError for an unknown one."""
    if name not in _FAMILIES:
        raise unknown_name("task", name, _FAMILIES)
    return _FAMILIES[name]
