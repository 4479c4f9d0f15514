"""An office: bookcases, a desk with screens, a white board, a window over drawers."""

from imove_tasks.randomization.rooms.model import Room, Surface
from imove_tasks.randomization.rooms.walls import AHEAD, BEHIND, LEFT, RIGHT

_BOOKS = [Surface((1.0, 1.0, 1.0), picture="books", seed=seed) for seed in (1, 2)]
_BOARD = Surface((1.0, 1.0, 1.0), picture="notes", seed=3)
_WINDOW = Surface((1.0, 1.0, 1.0), picture="window", seed=4, glow=0.5)
_DRAWERS = Surface((0.62, 0.64, 0.66), picture="fronts")
_DESK = Surface((0.70, 0.58, 0.43), "wood", seed=5)
_DARK = Surface((0.14, 0.15, 0.17))
_SCREEN = Surface((0.25, 0.36, 0.50), glow=0.4)
_DOOR = Surface((0.55, 0.45, 0.36), "wood", seed=6)

OFFICE = Room(
    name="office",
    floor=Surface((0.40, 0.43, 0.48), "carpet", seed=7),
    walls=Surface((0.82, 0.84, 0.85), "plaster", seed=8),
    ceiling=Surface((0.93, 0.93, 0.93)),
    places={
        "ahead_left": AHEAD.point(-1.85, 0.2, 1.86),
        "ahead_right": AHEAD.point(1.0, 0.35, 0.75),
        "left": LEFT.point(0.3, 0.25, 1.06),
        "right": RIGHT.point(-0.9, 0.3, 0.75),
        "behind_left": BEHIND.point(1.15, 0.24, 0.7),
        "behind_right": BEHIND.point(-1.9, 0.24, 0.7),
    },
    blocks=(
        AHEAD.block(_BOOKS[0], (-2.4, -1.5), 0.4, (0.0, 1.86)),
        AHEAD.block(_BOOKS[1], (-1.48, -0.58), 0.4, (0.0, 1.86)),
        AHEAD.block(_DESK, (-0.2, 1.6), 0.75, (0.71, 0.75)),
        AHEAD.block(_DRAWERS, (1.15, 1.55), 0.65, (0.0, 0.71)),
        AHEAD.block(_DARK, (-0.15, -0.1), 0.7, (0.0, 0.71)),
        AHEAD.block(_SCREEN, (-0.05, 0.55), (0.25, 0.28), (0.85, 1.2)),
        AHEAD.block(_DARK, (0.2, 0.3), (0.2, 0.3), (0.75, 0.95)),
        AHEAD.block(_BOARD, (0.0, 1.5), 0.02, (1.3, 2.15)),
        LEFT.block(_WINDOW, (-1.0, 0.9), 0.03, (1.15, 2.2)),
        *(LEFT.block(_DRAWERS, (left, left + 0.55), 0.45, (0.0, 1.06)) for left in (-0.9, -0.3, 0.3, 0.9)),
        RIGHT.block(_DESK, (-1.4, 0.4), 0.7, (0.71, 0.75)),
        RIGHT.block(_DRAWERS, (-1.35, -0.95), 0.6, (0.0, 0.71)),
        RIGHT.block(_DARK, (0.3, 0.35), 0.65, (0.0, 0.71)),
        RIGHT.block(_SCREEN, (-0.45, 0.2), (0.2, 0.23), (0.85, 1.22)),
        RIGHT.block(_DARK, (-0.17, -0.08), (0.15, 0.25), (0.75, 0.95)),
        RIGHT.block(_BOOKS[0], (0.9, 1.8), 0.35, (0.0, 1.86)),
        BEHIND.block(_DOOR, (-1.5, -0.6), 0.03, (0.0, 2.05)),
        BEHIND.block(_BOARD, (-0.2, 1.6), 0.02, (0.9, 1.9)),
        BEHIND.block(_DRAWERS, (0.7, 1.6), 0.45, (0.0, 0.7)),
        BEHIND.block(_DRAWERS, (-2.2, -1.6), 0.45, (0.0, 0.7)),
    ),
)
