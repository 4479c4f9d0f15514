"""Puts furniture along a wall: sizes are said as seen by someone who faces the wall from the middle of the room."""

from __future__ import annotations

from dataclasses import dataclass

from imove_tasks.randomization.rooms.model import FLOOR_Z_M, HALF_X_M, HALF_Y_M, Block, Point, Surface

Span = tuple[float, float]


@dataclass(frozen=True)
class Wall:
    """One wall of a room, m.

    Attributes:
        toward: Unit vector (x, y) from the middle of the room to the wall.
        distance: Of the wall from the middle.
    """

    toward: tuple[int, int]
    distance: float

    def point(self, along: float, depth: float, height: float) -> Point:
        """A point in the room frame.

        Args:
            along: To the right of the wall's middle.
            depth: Away from the wall, into the room.
            height: Above the floor.
        """
        x, y = self.toward
        out = self.distance - depth
        # Right of someone who looks along (x, y) is (y, -x).
        return (x * out + y * along, y * out - x * along, FLOOR_Z_M + height)

    def block(self, surface: Surface, along: Span, depth: Span | float, height: Span) -> Block:
        """A box; a depth of one number begins at the wall."""
        near, far = (0.0, depth) if isinstance(depth, float) else depth
        first, second = self.point(along[0], near, height[0]), self.point(along[1], far, height[1])
        low = (min(first[0], second[0]), min(first[1], second[1]), first[2])
        high = (max(first[0], second[0]), max(first[1], second[1]), second[2])
        return Block(surface, low, high)


AHEAD = Wall((1, 0), HALF_X_M)
"""The wall that the robot faces."""
BEHIND = Wall((-1, 0), HALF_X_M)
LEFT = Wall((0, 1), HALF_Y_M)
RIGHT = Wall((0, -1), HALF_Y_M)
