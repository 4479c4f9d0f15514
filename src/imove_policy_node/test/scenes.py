"""Scenes with things to pick and places to put them, made by hand for tests."""

from collections.abc import Sequence

import numpy as np
from shapely import Polygon
from shapely.affinity import rotate, translate

from imove_core.meaning import Description, Destination, Meaning
from imove_core.randomization import PLAIN
from imove_core.rig import Rig
from imove_core.spec import CONDITIONS, SCHEMA_VERSION, EpisodeSpec, Instruction
from imove_core.transforms import rotation_about_axis, transform
from imove_tasks.assets.model import Asset
from imove_tasks.scene_objects import scene_object

APART_M = 0.035


def scatter(rig: Rig, assets: Sequence[Asset], rng: np.random.Generator) -> list[np.ndarray]:
    """Poses (4, 4) of objects on the table, their outlines apart and within the workspace."""
    while True:
        poses, outlines = [], []
        for asset in assets:
            for _ in range(200):
                x, y = rng.uniform(*rig.workspace.x), rng.uniform(*rig.workspace.y)
                yaw = rng.uniform(-np.pi, np.pi)
                outline = translate(rotate(Polygon(asset.footprint), yaw, origin=(0, 0), use_radians=True), x, y)
                if all(outline.distance(other) > APART_M for other in outlines):
                    poses.append(transform(rotation_about_axis([0, 0, 1], yaw), [x, y, -asset.box_min[2]]))
                    outlines.append(outline)
                    break
        if len(poses) == len(assets):
            return poses


def place_spec(
    rig: Rig, picks: Sequence[Asset], destinations: Sequence[Asset], relation: str, rng: np.random.Generator
) -> EpisodeSpec:
    """A scene in which the first of `picks` is to be put in relation to the first of `destinations`.

    Under `alternative` it is the last of both; under `absent` nothing has a referent.
    """
    assets = [*picks, *destinations]
    roles = [
        "target",
        *["distractor"] * (len(picks) - 1),
        "destination",
        *["other_destination"] * (len(destinations) - 1),
    ]
    poses = scatter(rig, assets, rng)
    objects = tuple(
        scene_object(f"object_{k}", asset, role, pose)
        for k, (asset, role, pose) in enumerate(zip(assets, roles, poses, strict=True))
    )

    def told(pick: int | None, place: int | None) -> Instruction:
        if pick is None or place is None:
            return Instruction(text="", raw_text="", meaning=None, target=None)
        words = [Description(fields={"category": objects[k].labels["category"]}) for k in (pick, place)]
        meaning = Meaning(pick=words[0], place=Destination(relation=relation, reference=words[1]))
        text = f"put {objects[pick].phrase} {relation} {objects[place].phrase}"
        return Instruction(
            text=text, raw_text=text, meaning=meaning, target=objects[pick].id, destination=objects[place].id
        )

    instructions = {name: told(0, len(picks)) for name in CONDITIONS}
    instructions["alternative"] = told(len(picks) - 1, len(assets) - 1)
    instructions["absent"] = instructions["empty"] = told(None, None)
    return EpisodeSpec(
        schema_version=SCHEMA_VERSION, id="place/test/000", family="place_a2b", split="test",
        primitive="pick_and_place", rig=rig.name, seed=0, objects=objects, instructions=instructions,
        randomization=PLAIN,
    )  # fmt: skip
