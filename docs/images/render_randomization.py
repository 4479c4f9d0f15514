"""Draws the pictures of docs/randomization.md: each factor alone, every room, every table surface.

Usage: ./imove shell python docs/images/render_randomization.py
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from imove_core.randomization import PLAIN
from imove_core.rig import Rig, load_rig
from imove_core.spec import EpisodeSpec
from imove_core.transforms import rpy_from_rotation
from imove_sim_bridge.mujoco_backend import MujocoBackend
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.randomization import FACTORS, PRESETS, RandomizationConfig, parse_randomization, vary
from imove_tasks.randomization.patterns import TABLE_PATTERNS
from imove_tasks.randomization.rooms import room_names
from imove_tasks.suites import open_suite

FOLDER = Path(__file__).parent
TILE, CAPTION_PX = (256, 192), 16
CAMERA = "static_camera"
ASIDE = ((0.95, -0.62, 0.62), (0.22, 0.10, 0.0))
AROUND = (ASIDE, ((-0.45, 0.25, 0.75), (0.75, -0.15, 0.0)), ((0.95, 0.75, 0.55), (0.0, -0.25, 0.1)))
"""Where a camera stands, and what it looks at."""
CLOSE = ((0.55, -0.20, 0.45), (0.34, 0.02, 0.0))
HANDS = ((0.75, -0.35, 0.30), (0.05, 0.05, 0.12))
BOARD = ((1.55, 0.85, 0.1), (2.4, 1.42, -0.12))
SHINY_SCENE = 23
"""A scene with ceramic, glass, food and plastic."""
Tile = tuple[str, NDArray[np.uint8]]


class Photographer:
    """Shows one scene with any looks from anywhere."""

    def __init__(self, rig: Rig, library: AssetLibrary, spec: EpisodeSpec) -> None:
        """Takes the scene that all pictures show."""
        self._rig, self._library = rig, library
        self._spec = spec.model_copy(update={"randomization": PLAIN})

    def shoot(
        self, config: RandomizationConfig, seed: int, view: tuple[Sequence[float], Sequence[float]]
    ) -> NDArray[np.uint8]:
        """A picture of the scene as `config` and `seed` make it."""
        rig = looking(self._rig, *view)
        backend = MujocoBackend(rig, self._library.get, TILE)
        backend.load(vary(self._spec, config, seed, rig=rig, library=self._library))
        backend.reset()
        picture = backend.observe([CAMERA])[CAMERA].rgb
        backend.close()
        return picture


def looking(rig: Rig, place: Sequence[float], target: Sequence[float]) -> Rig:
    """The rig with its fixed camera somewhere else."""
    forward = np.subtract(target, place)
    forward /= np.linalg.norm(forward)
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    rpy = rpy_from_rotation(np.column_stack([right, np.cross(forward, right), forward]))
    pose = {"xyz": tuple(map(float, place)), "rpy": tuple(rpy.tolist())}
    cameras = tuple(
        camera.model_copy(update={"parent_from_optical": pose}) if camera.name == CAMERA else camera
        for camera in rig.cameras
    )
    return rig.model_copy(update={"cameras": cameras})


def sheet(tiles: Sequence[Tile], columns: int) -> Image.Image:
    """Captioned pictures in rows."""
    width, height = TILE[0], TILE[1] + CAPTION_PX
    rows = -(-len(tiles) // columns)
    page = Image.new("RGB", (columns * width, rows * height), "white")
    pen = ImageDraw.Draw(page)
    for index, (caption, picture) in enumerate(tiles):
        x, y = index % columns * width, index // columns * height
        page.paste(Image.fromarray(picture), (x, y))
        pen.text((x + 3, y + TILE[1] + 2), caption, fill="black")
    return page


def factors(photographer: Photographer, shiny: Photographer) -> list[Tile]:
    """One row a factor: the scene without it, then four draws of this factor alone."""
    shots = {
        "finishes": (shiny, CLOSE, {"light": {"elevation_deg": 60, "azimuth_deg": -30}}),
        "initial_joints": (photographer, HANDS, {}),
        "camera_pose": (photographer, CLOSE, {}),
        "clutter": (photographer, BOARD, {"background": "living_room"}),
    }
    # What stands ahead is in this view, so that every draw shows something.
    everywhere = {"count": [6, 6]}
    tiles = []
    for name in FACTORS:
        who, view, pins = shots.get(name, (photographer, ASIDE, {}))
        for seed in range(5):
            alone = {name: everywhere if name == "clutter" else getattr(PRESETS["full"], name)} if seed else {}
            config = RandomizationConfig.model_validate({"pin": pins} | alone)
            tiles.append((f"{name}, seed {seed}" if seed else f"without {name}", who.shoot(config, seed, view)))
    return tiles


def rooms(photographer: Photographer) -> list[Tile]:
    """Every room from three sides."""
    return [
        (name, photographer.shoot(parse_randomization(f"pin: {{background: {name}}}", name), 0, view))
        for name in room_names()
        for view in AROUND
    ]


def surfaces(photographer: Photographer) -> list[Tile]:
    """Every table surface, in the colours of two seeds."""
    return [
        (
            f"{name}, seed {seed}",
            photographer.shoot(parse_randomization(f"table: {{patterns: [{name}]}}", name), seed, ASIDE),
        )
        for name in TABLE_PATTERNS
        for seed in (1, 2)
    ]


def main() -> None:
    """Draws all sheets."""
    specs, library = open_suite("pick_category/seen").specs, AssetLibrary.shipped()
    rig = load_rig(specs[0].rig)
    photographer, shiny = (Photographer(rig, library, specs[number]) for number in (0, SHINY_SCENE))
    for name, tiles, columns in (
        ("randomization_factors", factors(photographer, shiny), 5),
        ("randomization_rooms", rooms(photographer), 6),
        ("randomization_surfaces", surfaces(photographer), 6),
    ):
        path = FOLDER / f"{name}.jpg"
        sheet(tiles, columns).save(path, quality=85)
        print(path.name)


if __name__ == "__main__":
    main()
