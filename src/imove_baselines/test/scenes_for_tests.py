"""Scenes of coloured squares with questions about them: what is learned there is learned in seconds."""

from __future__ import annotations

import numpy as np

from imove_baselines.grounded_pick.questions import Question
from imove_baselines.grounded_pick.scenes import Scene, SceneSet
from imove_baselines.table_view import TableView
from imove_core.fixed_camera import fixed_camera, pixels_of
from imove_core.rig import load_rig

COLOURS = {"red": (220, 30, 30), "green": (30, 200, 40), "blue": (40, 60, 220)}
TABLE = (150, 150, 150)
HALF_PIXELS = 5


def squares(count: int, seed: int = 0, destination: bool = False) -> SceneSet:
    """Scenes of three squares each, which can be asked for by their colours.

    Args:
        count: Number of scenes.
        seed: Of their places.
        destination: Whether each is to be put onto another one.
    """
    rig = load_rig("piperx_dual")
    view, camera = TableView.of(rig), fixed_camera(rig)
    rng = np.random.default_rng(seed)
    names = [f"squares/train/{number:03d}" for number in range(count)]
    scenes = tuple(_scene(name, rng, view, camera, destination) for name in names)
    return SceneSet(rig.name, camera, view, scenes, f"squares {count} {seed} {destination}")


def _scene(name, rng, view, camera, destination) -> Scene:
    image = np.full((224, 224, 3), TABLE, np.uint8)
    # Three lanes, so that no square covers another one.
    lanes = rng.permutation([-0.24, 0.0, 0.24])
    places = {
        colour: np.array([rng.uniform(0.26, 0.40), lane + rng.uniform(-0.06, 0.06)])
        for colour, lane in zip(COLOURS, lanes, strict=True)
    }
    for colour, place in places.items():
        column, row = np.rint(pixels_of(camera, 224, 224, np.array([*place, view.plane_m]))).astype(int)
        image[row - HALF_PIXELS : row + HALF_PIXELS + 1, column - HALF_PIXELS : column + HALF_PIXELS + 1] = COLOURS[
            colour
        ]
    names = sorted(places)
    questions = tuple(
        Question(f"pick up the {one} square and put it on the {other} one", one, other, "in")
        if destination
        else Question(f"pick up the {one} square", one)
        for one, other in zip(names, names[1:] + names[:1], strict=True)
    )
    axes = {colour: np.eye(2) * 0.02 for colour in places}
    return Scene(name, name, "piperx_dual", image, places, axes, questions)
