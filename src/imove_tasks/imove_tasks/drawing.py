"""Draws scenes: objects by the family's roles, a layout by constraints, looks by the randomisation."""

from collections.abc import Callable, Mapping, Sequence

from imove_core.errors import ImoveError
from imove_core.meaning import Meaning
from imove_core.randomization import Randomization
from imove_core.rig import Rig
from imove_core.spec import SceneObject
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.assets.model import TAG_CONTAINER, TAG_GRASPABLE, Asset
from imove_tasks.families.model import Draft, Family, Pool, Turn
from imove_tasks.goals import Goal
from imove_tasks.grounding import is_fulfilled, things_of
from imove_tasks.layout import (
    Constraint,
    Feasibility,
    Item,
    Placement,
    Reachable,
    check,
    common_constraints,
    solve,
)
from imove_tasks.scene_objects import scene_object
from imove_tasks.scenes import Scene
from imove_tasks.seeds import generator, seed_of

DrawLooks = Callable[[Mapping[str, Asset], Sequence[Meaning], int], Randomization]
"""Draws the domain randomisation for assets by object id and what can be asked for of them, from a seed."""


class SceneDrawer:
    """Draws the scenes of one family and split on one rig."""

    def __init__(
        self,
        family: Family,
        split: str,
        rig: Rig,
        library: AssetLibrary,
        feasibility: Feasibility,
        draw_looks: DrawLooks,
    ) -> None:
        """Chooses what can be drawn from.

        Args:
            family: The task family.
            split: One of its splits.
            rig: The embodiment.
            library: Where the assets are.
            feasibility: Whether every object of a layout can be picked.
            draw_looks: Draws the domain randomisation.

        Raises:
            ImoveError: The family has no such split.
        """
        self._family, self._rig, self._library = family, rig, library
        self._feasibility, self._draw_looks = feasibility, draw_looks
        self.split = split
        rows = [library.row(uuid) for uuid in library.split(family.library_split(split))]
        self._pool = Pool(
            graspable=tuple(row for row in rows if TAG_GRASPABLE in row.tags),
            containers=tuple(row for row in rows if TAG_CONTAINER in row.tags),
            asset=lambda row: library.get(row.uuid),
        )

    def draw(self, turn: Turn) -> tuple[Scene, tuple[Constraint, ...]]:
        """Draws a scene; the same turn gives the same scene.

        Returns:
            The scene as it was drawn, and the constraints that it must still fulfil when it has settled.

        Raises:
            ImoveError: The split has too few objects, or no layout was found.
        """
        # The name is part of the seed: two families, splits or rigs share no draw.
        name = f"{self._family.name}/{self.split}@{self._rig.name}"
        draw = (name, turn.seed, turn.index, turn.attempt)
        draft = self._family.draft(self._pool, turn, generator(*draw, "objects"))
        assets = {item.id: self._library.get(item.row.uuid) for item in draft.objects}
        constraints = (*common_constraints(self._rig), *draft.constraints)
        placed = solve(
            self._rig,
            [Item(key, asset) for key, asset in assets.items()],
            (*constraints, Reachable(self._feasibility)),
            generator(*draw, "layout"),
        )
        objects = tuple(
            scene_object(item.id, assets[item.id], item.role, placed[item.id].world_from_object)
            for item in draft.objects
        )
        scene = Scene(
            family=self._family.name,
            rig=self._rig.name,
            turn=turn,
            seed=seed_of(*draw),
            objects=objects,
            goals=_open_goals(draft, objects),
            absent=draft.absent,
            conflicting=draft.conflicting,
            randomization=self._draw_looks(assets, [goal.meaning for goal in draft.goals], seed_of(*draw, "looks")),
        )
        return scene, constraints

    def check(self, scene: Scene, constraints: tuple[Constraint, ...]) -> list[str]:
        """What of a layout does not hold where the objects of a scene are now, in words."""
        placements = {
            item.id: Placement(self._library.get(item.asset), item.world_from_object) for item in scene.objects
        }
        return check(self._rig, placements, constraints)


def _open_goals(draft: Draft, objects: Sequence[SceneObject]) -> tuple[Goal, ...]:
    """The goals that are not fulfilled from the start.

    Raises:
        ImoveError: No goal is left for an object.
    """
    things = things_of(objects)
    goals = tuple(goal for goal in draft.goals if not is_fulfilled(goal.meaning, things))
    lost = {goal.target for goal in draft.goals} - {goal.target for goal in goals}
    if lost:
        raise ImoveError(f"everything that could be asked for of {', '.join(sorted(lost))} is fulfilled from the start")
    return goals
