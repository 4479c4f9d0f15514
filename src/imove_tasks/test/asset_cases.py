"""Assets that more than one test module needs."""

from functools import cache

import numpy as np

from imove_core.transforms import rotation_from_rpy, transform
from imove_tasks.assets import Asset, CollisionPart, Material, primitives, taxonomy
from imove_tasks.assets.draft import Draft, asset_uuid
from imove_tasks.assets.mapping import wrapped
from imove_tasks.assets.textures import label, painted

TURN = transform(rotation_from_rpy((0.3, -0.7, 1.9)), (0.01, -0.02, 0.03))
ONE_OF_EACH = (
    CollisionPart("box", (0.02, 0.01, 0.03), TURN),
    CollisionPart("cylinder", (0.02, 0.05), TURN),
    CollisionPart("sphere", (0.03,), TURN),
    CollisionPart("ellipsoid", (0.01, 0.02, 0.04), TURN),
    CollisionPart("capsule", (0.01, 0.04), TURN),
    CollisionPart(
        "hull", (), TURN, np.array([[0, 0, 0], [0.03, 0, 0], [0, 0.04, 0], [0, 0, 0.05], [0.02, 0.02, 0.02]])
    ),
)
"""One contact part of each kind, all of them turned."""


@cache
def printed_bottle() -> Asset:
    """A translucent bottle with a printed label."""
    draft = Draft(mass_kg=0.1234567, rolls=True)
    body = draft.lathe([(0.03, 0.0), (0.03, 0.1)], Material("glass", (0.1, 0.5, 0.9, 0.5)))
    paper = painted(label((0.9, 0.8, 0.7), (0.1, 0.1, 0.5), ["TEA"]), "paper")
    draft.look(wrapped(primitives.cylinder(0.0305, 0.03, 16).moved(0.0, 0.0, 0.05), around=2.0), paper)
    draft.body(body)
    draft.grip(0.0, free_yaw=True)
    return draft.finish(taxonomy.category("lotion"), asset_uuid("lotion", 0, 0))
