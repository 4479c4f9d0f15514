"""A kitchen: a worktop under wall cupboards and a window, a fridge, an oven, open shelves."""

from imove_tasks.randomization.rooms.model import Room, Surface
from imove_tasks.randomization.rooms.walls import AHEAD, BEHIND, LEFT, RIGHT

_FRONTS = Surface((0.80, 0.82, 0.76), picture="fronts")
_TOP = Surface((0.34, 0.33, 0.33), "terrazzo", seed=1)
_STEEL = Surface((0.70, 0.71, 0.72))
_DARK = Surface((0.12, 0.12, 0.13))
_TIMBER = Surface((0.62, 0.46, 0.30), "wood", seed=2)
_WINDOW = Surface((1.0, 1.0, 1.0), picture="window", seed=3, glow=0.5)
_SPLASH = Surface((0.84, 0.85, 0.82), "tiles", seed=4)

KITCHEN = Room(
    name="kitchen",
    floor=Surface((0.60, 0.55, 0.49), "tiles", seed=5),
    walls=Surface((0.90, 0.86, 0.76), "plaster", seed=6),
    ceiling=Surface((0.94, 0.93, 0.91)),
    places={
        "ahead_left": AHEAD.point(-1.2, 0.3, 0.92),
        "ahead_right": AHEAD.point(0.75, 0.3, 0.92),
        "left": LEFT.point(-0.5, 0.3, 0.92),
        "right": RIGHT.point(0.0, 0.25, 1.22),
        "behind_left": BEHIND.point(1.4, 0.22, 0.6),
        "behind_right": BEHIND.point(-1.4, 0.22, 0.6),
    },
    blocks=(
        *(AHEAD.block(_FRONTS, (left, left + 0.7), 0.58, (0.0, 0.88)) for left in (-2.5, -1.8, -1.1, -0.4, 0.3)),
        AHEAD.block(_TOP, (-2.5, 1.0), 0.6, (0.88, 0.92)),
        AHEAD.block(_SPLASH, (-2.5, 1.0), 0.02, (0.92, 1.45)),
        AHEAD.block(_WINDOW, (-0.75, 0.35), 0.03, (1.15, 2.15)),
        AHEAD.block(_FRONTS, (-2.5, -1.7), 0.35, (1.45, 2.15)),
        AHEAD.block(_FRONTS, (-1.7, -0.9), 0.35, (1.45, 2.15)),
        AHEAD.block(_STEEL, (1.1, 1.8), 0.65, (0.0, 1.85)),
        AHEAD.block(_DARK, (1.16, 1.18), (0.65, 0.68), (0.7, 1.3)),
        *(LEFT.block(_FRONTS, (left, left + 0.7), 0.58, (0.0, 0.88)) for left in (-0.9, 0.4)),
        LEFT.block(_DARK, (-0.2, 0.4), 0.58, (0.0, 0.88)),
        LEFT.block(_TOP, (-0.9, 1.1), 0.6, (0.88, 0.92)),
        LEFT.block(_STEEL, (-0.2, 0.4), 0.45, (1.55, 1.7)),
        LEFT.block(_STEEL, (0.0, 0.2), 0.3, (1.7, 2.6)),
        *(RIGHT.block(_TIMBER, (-0.7, 0.7), 0.4, (z, z + 0.03)) for z in (0.4, 0.8, 1.19, 1.7)),
        *(RIGHT.block(_TIMBER, (along, along + 0.04), 0.4, (0.0, 1.73)) for along in (-0.74, 0.7)),
        BEHIND.block(_TIMBER, (-0.5, 0.45), 0.03, (0.0, 2.05)),
        BEHIND.block(_WINDOW, (0.9, 1.9), 0.03, (0.95, 2.05)),
        *(BEHIND.block(_TIMBER, (along, along + 1.0), 0.45, (0.0, 0.6)) for along in (-1.9, 0.9)),
    ),
)
