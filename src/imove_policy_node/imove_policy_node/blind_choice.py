"""Rules that choose an object and a destination without the instruction: the controls of the language-blind audit.

Every rule sees the true scene and may be as clever about it as it likes; none looks at a text, a meaning or a role
beyond which objects could be asked for. A scene whose layout gives the answer away lets one of them score above chance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from imove_core.errors import unknown_name
from imove_core.kinematics import tool_pose
from imove_core.rig import Rig
from imove_core.spec import EpisodeSpec, SceneObject
from imove_tasks.assets.palette import SHADES
from imove_tasks.audit import Choose, contenders, destinations

_Score = Callable[[SceneObject, Rig], float]
_SAME = 1e-9


def _nearness(item: SceneObject, rig: Rig) -> float:
    hands = [(arm.world_from_base.matrix @ tool_pose(arm.arm_model, np.array(arm.home)))[:3, 3] for arm in rig.arms]
    return -min(float(np.linalg.norm(hand - item.position)) for hand in hands)


def _longest_side(item: SceneObject, rig: Rig) -> float:
    return float(np.max(np.subtract(item.box_max, item.box_min)))


def _chroma(item: SceneObject, rig: Rig) -> float:
    """How far the first shade of its colour word is from grey; the word is that of most of what a camera above sees."""
    shade = SHADES[item.labels["color"]][0]
    return max(shade) - min(shade)


def _centrality(item: SceneObject, rig: Rig) -> float:
    middle = np.mean([rig.workspace.x, rig.workspace.y], axis=1)
    return -float(np.linalg.norm(middle - item.position[:2]))


_SCORES: dict[str, _Score] = {
    "random_object": lambda item, rig: 0.0,
    "nearest_object": _nearness,
    "largest_object": _longest_side,
    "most_colorful_object": _chroma,
    "most_central_object": _centrality,
}
RULES = tuple(_SCORES)
"""Any object; the one nearest to a hand at home; of the longest side; of the most saturated colour word; the one
nearest to the middle of the workspace."""


def choose(rule: str, rig: Rig, spec: EpisodeSpec, rng: np.random.Generator) -> tuple[str, str | None]:
    """The object and the destination that a rule chooses in a scene.

    The destination is chosen by the same rule among those that could be asked for. Between objects that a rule holds
    for equal, chance decides.

    Args:
        rule: One of `RULES`.
        rig: That the episode is for.
        spec: The episode; its instructions are not read.
        rng: Source of chance.

    Returns:
        Ids of the object to pick and of the destination, None where the scene has no destinations.

    Raises:
        ImoveError: There is no such rule.
    """
    if rule not in _SCORES:
        raise unknown_name("rule", rule, RULES)
    score = _SCORES[rule]
    target = _best(score, spec, contenders(spec), rig, rng)
    places = destinations(spec)
    return target, _best(score, spec, places, rig, rng) if places else None


def blind_rules(rig: Rig) -> dict[str, Choose]:
    """All rules by name, as the audit of a suite for a rig takes them."""
    return {rule: partial(choose, rule, rig) for rule in RULES}


def _best(score: _Score, spec: EpisodeSpec, ids: Sequence[str], rig: Rig, rng: np.random.Generator) -> str:
    # In the order of ids, which says nothing of roles.
    names = sorted(ids)
    scores = np.array([score(spec.object(name), rig) for name in names])
    equal = np.flatnonzero(scores >= scores.max() - _SAME)
    return names[int(equal[rng.integers(len(equal))])]
