"""What makes a demonstration useless or dull to train on: actions that are none, and ends where nothing moves."""

from __future__ import annotations

import numpy as np

from imove_core.bag.errors import BagError
from imove_core.transforms import Array
from imove_datasets.frames import Frames

SAME = 1e-6
"""A target this near to the measured position (rad or m) is that position."""
MOVES = 1e-4
"""A position that changes by more from frame to frame (rad or m) moves."""
SAME_SHARE = 0.95
STANDS_FROM_END = 1e-3
"""Frames within this of the first, or the last, one (rad or m) belong to the standing end."""
MARGIN_FRAMES = 3
"""Standing frames that are left at both ends, so that a policy sees a start and a stop."""


def check_actions(frames: Frames, name: str) -> None:
    """Refuses an episode whose actions are its states: a policy trained on it would learn to stand still.

    Raises:
        BagError: At nearly all frames in which the robot moves, the target is the measured position.
    """
    moving = np.abs(np.diff(frames.state, axis=0)).max(axis=1, initial=0.0) > MOVES
    if not moving.any():
        return
    same = np.abs(frames.action - frames.state).max(axis=1)[:-1][moving] < SAME
    if same.mean() >= SAME_SHARE:
        raise BagError(
            f"{name}: at {same.mean():.0%} of the frames in motion the target is the measured position; joint_target "
            "must hold what was commanded"
        )


def moving_part(frames: Frames) -> tuple[int, int]:
    """First frame and end of the part that is left when frames at both ends in which nothing moves are cut off.

    Nothing moves while state and target stay where they are at that end. An episode without motion stays whole.
    """
    both = np.hstack([frames.state, frames.action])
    away_from_first = _away(both, both[0])
    away_from_last = _away(both, both[-1])
    if not away_from_first.any():
        return 0, len(frames)
    first = int(np.argmax(away_from_first))
    last = len(frames) - 1 - int(np.argmax(away_from_last[::-1]))
    return max(0, first - MARGIN_FRAMES), min(len(frames), last + 1 + MARGIN_FRAMES)


def _away(values: Array, end: Array) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.asarray(np.abs(values - end).max(axis=1) > STANDS_FROM_END)
