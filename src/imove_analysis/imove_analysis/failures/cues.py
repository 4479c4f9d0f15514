"""Cues that a wrong object can share with the named one, or that can draw a policy whatever is named.

The first are those by which InstructMove, section B.1, explains by hand that most of 18 failures went for a similar
object (colour, shape, geometry); the others are those of a policy that does not read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from types import MappingProxyType

import numpy as np

from imove_core.kinematics import tool_pose
from imove_core.rig import Rig
from imove_core.spec import EpisodeSpec, Instruction, SceneObject
from imove_tasks.assets.model import size_bucket
from imove_tasks.assets.palette import SHADES
from imove_tasks.salience import salience

Salience = Callable[[EpisodeSpec], Mapping[str, float]]
"""How much each object of a scene stands out, by object id; only the order matters."""


@dataclass(frozen=True)
class CueScene:
    """What cues are judged by.

    Attributes:
        spec: The scene.
        instruction: What the policy was told.
        target: The named object.
        tools: World x and y of each tool where the arms begin, m; None where the rig is not at hand.
        salience: By object id.
    """

    spec: EpisodeSpec
    instruction: Instruction
    target: SceneObject
    tools: Sequence[tuple[float, float]] | None
    salience: Mapping[str, float]

    @property
    def candidates(self) -> tuple[SceneObject, ...]:
        """All objects that could be picked."""
        return tuple(self.spec.object(key) for key in self.spec.candidates)


Cue = Callable[[CueScene, SceneObject], bool]


def tools_of(rig: Rig) -> tuple[tuple[float, float], ...]:
    """World x and y of each tool where its arm begins, m."""
    places = [(arm.world_from_base.matrix @ tool_pose(arm.arm_model, np.array(arm.home)))[:2, 3] for arm in rig.arms]
    return tuple((float(x), float(y)) for x, y in places)


def estimated_salience(spec: EpisodeSpec) -> dict[str, float]:
    """How much objects stand out, as the policy `salient_object` weighs it, but from their labels.

    That policy measures contrast and area in a camera image. Without one the mean of the shades of its colour word
    stands for the colour of an object, the footprint of its box for what is seen of it, and light and texture for
    nothing.
    """
    table = np.array(spec.randomization.table.rgb)
    found = {}
    for item in spec.objects:
        shades = SHADES.get(item.labels["color"])
        contrast = float(np.linalg.norm(np.mean(shades, axis=0) - table)) if shades else 0.0
        width, depth, _ = np.subtract(item.box_max, item.box_min)
        found[item.id] = salience(contrast, width * depth)
    return found


def _same(field: str) -> Cue:
    return lambda scene, other: other.labels[field] == scene.target.labels[field]


def _longest_side_m(item: SceneObject) -> float:
    return float(np.max(np.subtract(item.box_max, item.box_min)))


def _same_size(scene: CueScene, other: SceneObject) -> bool:
    return size_bucket(_longest_side_m(other)) == size_bucket(_longest_side_m(scene.target))


def _color_or_shape(scene: CueScene, other: SceneObject) -> bool:
    return any(_same(field)(scene, other) for field in ("color", "shape"))


def _named_word(scene: CueScene, other: SceneObject) -> bool:
    """Whether a word that the text says of the object to pick is true of another one."""
    meaning = scene.instruction.meaning
    return meaning is not None and any(other.labels[name] == word for name, word in meaning.pick.fields.items())


def _distance_m(first: SceneObject, second: SceneObject) -> float:
    return hypot(first.position[0] - second.position[0], first.position[1] - second.position[1])


def _nearest_to_target(scene: CueScene, other: SceneObject) -> bool:
    others = [item for item in scene.candidates if item is not scene.target]
    return other is min(others, key=lambda item: _distance_m(item, scene.target))


def _nearest_to_tool(scene: CueScene, other: SceneObject) -> bool:
    tools = scene.tools or ()
    return other is min(
        scene.candidates,
        key=lambda item: min(hypot(item.position[0] - x, item.position[1] - y) for x, y in tools),
    )


def _most_salient(scene: CueScene, other: SceneObject) -> bool:
    return other is max(scene.candidates, key=lambda item: scene.salience.get(item.id, 0.0))


def _same_side(scene: CueScene, other: SceneObject) -> bool:
    """Each of two arms takes what is on its own side of the middle of the table, y = 0."""
    return (other.position[1] >= 0) == (scene.target.position[1] >= 0)


NEAREST_TO_TOOL = "nearest_to_tool"
CUES: Mapping[str, Cue] = MappingProxyType(
    {
        "named_word": _named_word,
        "color": _same("color"),
        "shape": _same("shape"),
        "color_or_shape": _color_or_shape,
        "size": _same_size,
        "material": _same("material"),
        "category": _same("category"),
        "nearest_to_target": _nearest_to_target,
        NEAREST_TO_TOOL: _nearest_to_tool,
        "most_salient": _most_salient,
        "same_side": _same_side,
    }
)
"""By name: whether a cue speaks for another candidate than the target."""


def cues_of(scene: CueScene) -> dict[str, frozenset[str]]:
    """For each candidate other than the target the cues that speak for it, by object id.

    Without a rig the cue of the nearest tool speaks for none.
    """
    asked = {name: cue for name, cue in CUES.items() if scene.tools is not None or name != NEAREST_TO_TOOL}
    return {
        item.id: frozenset(name for name, cue in asked.items() if cue(scene, item))
        for item in scene.candidates
        if item is not scene.target
    }
