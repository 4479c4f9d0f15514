"""Backgrounds by name: `plain`, and rooms with walls, windows and furniture."""

from imove_core.errors import unknown_name
from imove_tasks.randomization.rooms.kitchen import KITCHEN
from imove_tasks.randomization.rooms.laboratory import LABORATORY
from imove_tasks.randomization.rooms.living_room import LIVING_ROOM
from imove_tasks.randomization.rooms.model import (
    FLOOR_Z_M,
    HALF_X_M,
    HALF_Y_M,
    HEIGHT_M,
    PLACE_NAMES,
    PLACE_SIZE_M,
    Block,
    Room,
    Surface,
)
from imove_tasks.randomization.rooms.office import OFFICE
from imove_tasks.randomization.rooms.walls import AHEAD, BEHIND, LEFT, RIGHT
from imove_tasks.randomization.rooms.workshop import WORKSHOP

__all__ = [
    "FLOOR_Z_M",
    "HALF_X_M",
    "HALF_Y_M",
    "HEIGHT_M",
    "PLACE_NAMES",
    "PLACE_SIZE_M",
    "ROOMS",
    "Block",
    "Room",
    "Surface",
    "room",
    "room_names",
]

PLAIN_ROOM = Room(
    name="plain",
    floor=None,
    walls=None,
    ceiling=None,
    places={
        "ahead_left": AHEAD.point(-1.0, 0.4, 0.0),
        "ahead_right": AHEAD.point(1.0, 0.4, 0.0),
        "left": LEFT.point(0.0, 0.4, 0.0),
        "right": RIGHT.point(0.0, 0.4, 0.0),
        "behind_left": BEHIND.point(1.2, 0.4, 0.0),
        "behind_right": BEHIND.point(-1.2, 0.4, 0.0),
    },
)

ROOMS = {place.name: place for place in (PLAIN_ROOM, KITCHEN, OFFICE, LIVING_ROOM, WORKSHOP, LABORATORY)}


def room_names() -> tuple[str, ...]:
    """Names of all backgrounds, `plain` first."""
    return tuple(ROOMS)


def room(name: str) -> Room:
    """The background of that name; raises ImoveError for an unknown one."""
    if name not in ROOMS:
        raise unknown_name("background", name, ROOMS)
    return ROOMS[name]
