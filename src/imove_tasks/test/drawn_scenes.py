"""Scenes of every family for tests, drawn from the shipped library without asking physics."""

from functools import cache

from imove_core.errors import ImoveError
from imove_core.randomization import PLAIN
from imove_core.rig import load_rig
from imove_core.spec import EpisodeSpec
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.drawing import SceneDrawer
from imove_tasks.families.model import Turn
from imove_tasks.layout import Constraint
from imove_tasks.registry import get_family
from imove_tasks.scenes import Scene, episode_spec

LIBRARY = AssetLibrary.shipped()
SEED = 11
ATTEMPTS = 8


@cache
def drawer(family: str, split: str = "seen", rig: str = "piperx_dual") -> SceneDrawer:
    return SceneDrawer(
        get_family(family), split, load_rig(rig), LIBRARY, lambda layout: "", lambda assets, meanings, seed: PLAIN
    )


@cache
def drawn(
    family: str, index: int, split: str = "seen", rig: str = "piperx_dual", seed: int = SEED
) -> tuple[Scene, tuple[Constraint, ...]]:
    """The first draw that is not refused; a few are, in which no room or no object is left."""
    for attempt in range(ATTEMPTS):
        try:
            return drawer(family, split, rig).draw(Turn(split=split, seed=seed, index=index, attempt=attempt))
        except ImoveError:
            continue
    raise AssertionError(f"no draw of episode {index} of {family}/{split} holds")


def scene_of(family: str, index: int, split: str = "seen", rig: str = "piperx_dual", seed: int = SEED) -> Scene:
    return drawn(family, index, split, rig, seed)[0]


def spec_of(scene: Scene, number: int = 0) -> EpisodeSpec:
    return episode_spec(scene, number, {item.id: LIBRARY.get(item.asset) for item in scene.objects})
