"""A workshop: benches, tools on a perforated board, steel shelves with crates, brick walls."""

from imove_tasks.randomization.rooms.model import Room, Surface
from imove_tasks.randomization.rooms.walls import AHEAD, BEHIND, LEFT, RIGHT

_BENCH = Surface((0.58, 0.44, 0.29), "planks", seed=1)
_LEGS = Surface((0.22, 0.30, 0.36))
_TOOLS = Surface((1.0, 1.0, 1.0), picture="tools", seed=2)
_STEEL = Surface((0.48, 0.50, 0.52))
_CRATES = [Surface(rgb) for rgb in ((0.30, 0.38, 0.46), (0.52, 0.46, 0.34), (0.40, 0.42, 0.36))]
_CABINET = Surface((0.34, 0.42, 0.48), picture="fronts")
_WINDOW = Surface((0.9, 0.9, 0.9), picture="window", seed=3, glow=0.4)
_DOOR = Surface((0.40, 0.44, 0.46))

WORKSHOP = Room(
    name="workshop",
    floor=Surface((0.50, 0.50, 0.49), "concrete", seed=4),
    walls=Surface((0.56, 0.38, 0.31), "brick", seed=5),
    ceiling=Surface((0.70, 0.70, 0.69)),
    places={
        "ahead_left": AHEAD.point(-1.2, 0.35, 0.9),
        "ahead_right": AHEAD.point(1.1, 0.35, 0.9),
        "left": LEFT.point(0.0, 0.25, 1.18),
        "right": RIGHT.point(0.5, 0.3, 0.9),
        "behind_left": BEHIND.point(1.72, 0.22, 0.85),
        "behind_right": BEHIND.point(-1.7, 0.24, 0.6),
    },
    blocks=(
        AHEAD.block(_BENCH, (-1.7, 1.6), 0.7, (0.82, 0.9)),
        *(AHEAD.block(_LEGS, (along, along + 0.1), 0.6, (0.0, 0.82)) for along in (-1.6, 1.4)),
        AHEAD.block(_CABINET, (-0.5, 0.5), 0.6, (0.0, 0.82)),
        AHEAD.block(_TOOLS, (-1.6, 0.4), 0.03, (1.1, 2.1)),
        AHEAD.block(_WINDOW, (0.7, 1.7), 0.03, (1.3, 2.1)),
        *(LEFT.block(_STEEL, (-1.0, 1.0), 0.5, (z, z + 0.03)) for z in (0.1, 0.6, 1.15, 1.8)),
        *(LEFT.block(_STEEL, (along, along + 0.04), 0.5, (0.0, 1.83)) for along in (-1.04, 1.0)),
        LEFT.block(_CRATES[0], (-0.9, -0.4), 0.45, (0.13, 0.45)),
        LEFT.block(_CRATES[1], (-0.2, 0.4), 0.45, (0.13, 0.5)),
        LEFT.block(_CRATES[2], (0.3, 0.9), 0.45, (0.63, 1.0)),
        LEFT.block(_CRATES[0], (-0.8, -0.2), 0.45, (0.63, 0.95)),
        LEFT.block(_CRATES[1], (-0.95, -0.5), 0.45, (1.18, 1.5)),
        LEFT.block(_CRATES[2], (-0.6, 0.2), 0.45, (1.83, 2.15)),
        RIGHT.block(_BENCH, (-0.9, 0.9), 0.65, (0.82, 0.9)),
        RIGHT.block(_CABINET, (-0.85, 0.0), 0.58, (0.0, 0.82)),
        RIGHT.block(_LEGS, (0.78, 0.88), 0.58, (0.0, 0.82)),
        RIGHT.block(_TOOLS, (-0.9, 0.7), 0.03, (1.1, 1.9)),
        BEHIND.block(_DOOR, (-1.2, 1.0), 0.04, (0.0, 2.2)),
        BEHIND.block(_CRATES[1], (1.4, 2.0), 0.5, (0.0, 0.5)),
        BEHIND.block(_CRATES[0], (1.5, 1.95), 0.45, (0.5, 0.85)),
        BEHIND.block(_CRATES[2], (-2.0, -1.4), 0.5, (0.0, 0.6)),
    ),
)
