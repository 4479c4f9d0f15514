"""What a room is made of: surfaces, blocks along four walls, and places where clutter can stand.

The **room frame** has the axes of the world; its origin is below the middle of the table, at the height of the table
top. A room is only looked at: no simulator gives any of it a contact.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from imove_tasks.randomization.patterns import ROOM_PATTERNS, Rgb, pattern_pixels
from imove_tasks.randomization.pictures import picture_pixels

Point = tuple[float, float, float]

FLOOR_Z_M = -0.75
"""Height of the floor in the world: a table is 0.75 m high."""
HALF_X_M, HALF_Y_M, HEIGHT_M = 2.4, 2.5, 2.6
"""Half the depth and width of every room, and its height: larger than the reach of any rig around its table."""
PLACE_NAMES = ("ahead_left", "ahead_right", "left", "right", "behind_left", "behind_right")
"""Where clutter can stand, seen from the robot; every room has all of them, so that clutter does not depend on it."""
PLACE_SIZE_M = 0.35
"""Longest side of an object that fits every place, whichever way it is turned."""


@dataclass(frozen=True)
class Surface:
    """How the faces of some blocks look.

    Attributes:
        rgb: Mean colour of a pattern, tint of a picture; sRGB.
        pattern: Repeats over the faces.
        picture: Fills each upright face once, in place of a pattern.
        seed: Of the picture's or pattern's draws.
        glow: Share of its own colour that it shows without any light, for windows and screens.
    """

    rgb: Rgb
    pattern: str = "plain"
    picture: str = ""
    seed: int = 0
    glow: float = 0.0

    @property
    def pixels(self) -> NDArray[np.uint8] | None:
        """(H, W, 3) sRGB picture of the surface, None where it has one colour."""
        if self.picture:
            return picture_pixels(self.picture, self.seed)
        return pattern_pixels(self.pattern, self.seed, self.rgb)

    @property
    def tile_m(self) -> float | None:
        """Side of what one repetition shows; None for a picture, which fills its face."""
        return None if self.picture else ROOM_PATTERNS[self.pattern].tile_m


@dataclass(frozen=True)
class Block:
    """A box along the axes of the room frame.

    Attributes:
        surface: Of its faces.
        low: Corner with the smallest coordinates, m.
        high: Opposite corner, m.
    """

    surface: Surface
    low: Point
    high: Point


@dataclass(frozen=True)
class Room:
    """A background.

    Attributes:
        name: Of the setting.
        floor: Surface of the floor; None where only the bare ground of every scene shows.
        walls: Surface of all four walls; None for no walls.
        ceiling: Colour of the ceiling.
        blocks: Furniture.
        places: Point on which clutter stands, by name, room frame, m.
    """

    name: str
    floor: Surface | None
    walls: Surface | None
    ceiling: Surface | None
    places: dict[str, Point]
    blocks: tuple[Block, ...] = field(default=())
