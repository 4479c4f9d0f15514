"""A living room: a sofa, a television on a low cupboard, a bookcase, curtains, a lamp."""

from imove_tasks.randomization.rooms.model import Room, Surface
from imove_tasks.randomization.rooms.walls import AHEAD, BEHIND, LEFT, RIGHT

_CLOTH = Surface((0.36, 0.44, 0.46), "linen", seed=1)
_CUSHION = Surface((0.66, 0.46, 0.30), "linen", seed=2)
_CURTAIN = Surface((0.70, 0.62, 0.52), "linen", seed=3)
_TIMBER = Surface((0.45, 0.31, 0.21), "wood", seed=4)
_BOOKS = Surface((1.0, 1.0, 1.0), picture="books", seed=5)
_WINDOW = Surface((1.0, 1.0, 1.0), picture="window", seed=6, glow=0.5)
_PAINTINGS = [Surface((1.0, 1.0, 1.0), picture="painting", seed=seed) for seed in (7, 8)]
_DARK = Surface((0.07, 0.07, 0.08))
_SHADE = Surface((0.95, 0.88, 0.70), glow=0.5)

LIVING_ROOM = Room(
    name="living_room",
    floor=Surface((0.55, 0.40, 0.27), "planks", seed=9),
    walls=Surface((0.80, 0.77, 0.68), "plaster", seed=10),
    ceiling=Surface((0.95, 0.94, 0.92)),
    places={
        "ahead_left": AHEAD.point(-1.45, 0.22, 0.5),
        "ahead_right": AHEAD.point(1.45, 0.22, 0.5),
        "left": LEFT.point(-1.5, 0.3, 0.62),
        "right": RIGHT.point(-0.6, 0.22, 0.86),
        "behind_left": BEHIND.point(0.65, 0.22, 0.6),
        "behind_right": BEHIND.point(-1.6, 0.22, 0.6),
    },
    blocks=(
        AHEAD.block(_TIMBER, (-1.7, 1.7), 0.45, (0.12, 0.5)),
        AHEAD.block(_DARK, (-1.65, 1.65), (0.05, 0.4), (0.0, 0.12)),
        AHEAD.block(_DARK, (-0.7, 0.7), (0.15, 0.2), (0.62, 1.4)),
        AHEAD.block(_DARK, (-0.25, 0.25), (0.1, 0.3), (0.5, 0.62)),
        AHEAD.block(_PAINTINGS[0], (1.1, 1.9), 0.03, (1.2, 2.0)),
        AHEAD.block(_PAINTINGS[1], (-1.9, -1.1), 0.03, (1.2, 2.0)),
        LEFT.block(_CLOTH, (-1.1, 1.1), 0.85, (0.1, 0.45)),
        LEFT.block(_CLOTH, (-1.1, 1.1), 0.28, (0.45, 0.85)),
        *(LEFT.block(_CLOTH, (along, along + 0.2), 0.85, (0.45, 0.62)) for along in (-1.1, 0.9)),
        LEFT.block(_CUSHION, (0.35, 0.8), (0.28, 0.42), (0.45, 0.82)),
        LEFT.block(_TIMBER, (-1.75, -1.25), 0.6, (0.58, 0.62)),
        LEFT.block(_TIMBER, (-1.55, -1.45), (0.25, 0.35), (0.0, 0.58)),
        LEFT.block(_WINDOW, (-0.9, 0.9), 0.03, (1.1, 2.2)),
        *(LEFT.block(_CURTAIN, (along, along + 0.45), (0.03, 0.12), (0.9, 2.4)) for along in (-1.35, 0.9)),
        RIGHT.block(_TIMBER, (-1.0, 0.5), 0.45, (0.0, 0.86)),
        RIGHT.block(_BOOKS, (0.8, 1.9), 0.35, (0.0, 1.9)),
        RIGHT.block(_PAINTINGS[1], (-0.7, 0.2), 0.03, (1.2, 2.0)),
        BEHIND.block(_SHADE, (1.3, 1.7), (0.2, 0.6), (1.45, 1.8)),
        BEHIND.block(_DARK, (1.48, 1.52), (0.38, 0.42), (0.0, 1.45)),
        BEHIND.block(_TIMBER, (-1.0, -0.1), 0.03, (0.0, 2.05)),
        BEHIND.block(_PAINTINGS[0], (0.2, 1.0), 0.03, (1.2, 1.9)),
        BEHIND.block(_TIMBER, (0.2, 1.1), 0.45, (0.0, 0.6)),
        BEHIND.block(_TIMBER, (-2.0, -1.2), 0.45, (0.0, 0.6)),
    ),
)
