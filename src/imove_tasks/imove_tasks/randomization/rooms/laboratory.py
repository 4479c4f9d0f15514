"""A laboratory: white benches, glass cupboards with bottles, a fume cupboard, a white board."""

from imove_tasks.randomization.rooms.model import Room, Surface
from imove_tasks.randomization.rooms.walls import AHEAD, BEHIND, LEFT, RIGHT

_FRONTS = Surface((0.88, 0.89, 0.90), picture="fronts")
_TOP = Surface((0.24, 0.26, 0.29))
_BOTTLES = [Surface((1.0, 1.0, 1.0), picture="bottles", seed=seed) for seed in (1, 2)]
_BOARD = Surface((1.0, 1.0, 1.0), picture="notes", seed=3)
_WINDOW = Surface((1.0, 1.0, 1.0), picture="window", seed=4, glow=0.5)
_STEEL = Surface((0.66, 0.69, 0.71))
_GLASS = Surface((0.62, 0.72, 0.76), glow=0.2)
_DOOR = Surface((0.60, 0.67, 0.70))

LABORATORY = Room(
    name="laboratory",
    floor=Surface((0.62, 0.66, 0.68), "terrazzo", seed=5),
    walls=Surface((0.90, 0.91, 0.92), "plaster", seed=6),
    ceiling=Surface((0.95, 0.95, 0.95)),
    places={
        "ahead_left": AHEAD.point(-0.9, 0.35, 0.92),
        "ahead_right": AHEAD.point(1.0, 0.35, 0.92),
        "left": LEFT.point(0.6, 0.3, 0.92),
        "right": RIGHT.point(-0.4, 0.3, 0.92),
        "behind_left": BEHIND.point(1.7, 0.24, 0.92),
        "behind_right": BEHIND.point(-1.87, 0.24, 0.92),
    },
    blocks=(
        *(AHEAD.block(_FRONTS, (left, left + 0.75), 0.68, (0.0, 0.88)) for left in (-1.5, -0.75, 0.0, 0.75)),
        AHEAD.block(_TOP, (-1.5, 1.5), 0.7, (0.88, 0.92)),
        AHEAD.block(_BOTTLES[0], (-1.5, -0.4), 0.35, (1.4, 2.1)),
        AHEAD.block(_BOTTLES[1], (0.4, 1.5), 0.35, (1.4, 2.1)),
        AHEAD.block(_STEEL, (-0.25, 0.25), (0.1, 0.5), (0.92, 1.3)),
        AHEAD.block(_GLASS, (-0.2, 0.2), (0.5, 0.51), (0.98, 1.24)),
        *(LEFT.block(_FRONTS, (left, left + 0.75), 0.68, (0.0, 0.88)) for left in (-0.75, 0.0, 0.75)),
        LEFT.block(_TOP, (-0.75, 1.5), 0.7, (0.88, 0.92)),
        LEFT.block(_WINDOW, (-0.3, 1.5), 0.03, (1.1, 2.2)),
        LEFT.block(_STEEL, (-1.7, -0.85), 0.75, (0.0, 2.3)),
        LEFT.block(_GLASS, (-1.62, -0.93), (0.75, 0.76), (0.95, 1.7)),
        *(RIGHT.block(_FRONTS, (left, left + 0.75), 0.58, (0.0, 0.88)) for left in (-1.0, -0.25)),
        RIGHT.block(_TOP, (-1.0, 0.5), 0.6, (0.88, 0.92)),
        RIGHT.block(_BOTTLES[1], (0.7, 1.6), 0.45, (0.0, 2.0)),
        RIGHT.block(_BOARD, (-1.2, 0.3), 0.02, (1.2, 2.1)),
        BEHIND.block(_DOOR, (-1.4, -0.5), 0.03, (0.0, 2.05)),
        BEHIND.block(_BOTTLES[0], (0.2, 1.2), 0.4, (0.0, 2.0)),
        *(BEHIND.block(_FRONTS, (along, along + 0.66), 0.48, (0.0, 0.88)) for along in (-2.2, 1.37)),
        *(BEHIND.block(_TOP, (along, along + 0.66), 0.5, (0.88, 0.92)) for along in (-2.2, 1.37)),
    ),
)
