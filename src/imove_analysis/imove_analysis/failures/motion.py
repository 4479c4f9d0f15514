"""What the control steps of an episode tell of a failure, and stage events do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from imove_core.rig import Rig
from imove_core.spec import EpisodeSpec
from imove_core.state import ObjectState, StepState

MOVED = 0.02
"""A joint (rad) or gripper (m) this far from where it was at first has moved; arms that hold still sag by less."""
HELD_STEPS = 3
"""Fingers that meet at an object for fewer control steps in a row brushed it."""
OPENING_STEPS = 5
"""So many control steps after an object has left the hand it is looked at whether the hand has opened."""
OPENED_M = 0.002
"""More than the tremble of a gripper that is closed; one that opens is past it in a control step or two."""
LOWER = 0.8
"""What stands lower than this share of its first height was knocked over; a thing that rolls keeps its height."""


@dataclass(frozen=True)
class Motion:
    """What came of the named object, told from states.

    Attributes:
        moved: Whether any joint moved.
        held: Whether an arm held the object; None where nothing senses contacts.
        held_at_end: Whether one did at the last control step.
        lost: How the object left the hand for the last time: fingers had `opened`, or it `slipped`; None where it never
            did, or it cannot be told.
        toppled: Named object, if it was never lifted, and destination, as far as they lie knocked over at the end.
    """

    moved: bool
    held: bool | None
    held_at_end: bool
    lost: Literal["opened", "slipped"] | None
    toppled: tuple[str, ...]


def motion_of(
    states: Sequence[StepState], spec: EpisodeSpec, target: str, destination: str | None, lifted: bool, rig: Rig | None
) -> Motion:
    """Looks through the control steps of an episode.

    Args:
        states: All of them, at least one.
        spec: The scene.
        target: The named object.
        destination: Where it was to be put, None where there is no such place.
        lifted: Whether the object was lifted: then it may lie as it fell.
        rig: Says which values are gripper openings; None where it is not at hand.
    """
    positions = np.array([state.robot.positions for state in states])
    followed = [_find(state, target) for state in states]
    known = all(item.contacts_known for item in followed)
    holders = [item.held_by for item in followed]
    toppled = [target] if not lifted and not holders[-1] and _lower(followed[0], followed[-1]) else []
    if destination is not None:
        first, last = _find(states[0], destination), _find(states[-1], destination)
        if _tilt_rad(first, last) > spec.rubrics.strict.destination_tilt_rad:
            toppled.append(destination)
    return Motion(
        moved=bool(np.abs(positions - positions[0]).max() > MOVED),
        held=_longest(holders) >= HELD_STEPS if known else None,
        held_at_end=known and bool(holders[-1]),
        lost=_lost(states, holders, rig) if known else None,
        toppled=tuple(toppled),
    )


def _find(state: StepState, object_id: str) -> ObjectState:
    return next(item for item in state.objects if item.id == object_id)


def _longest(holders: Sequence[str]) -> int:
    """The longest row of control steps in which the object is held."""
    longest = row = 0
    for arm in holders:
        row = row + 1 if arm else 0
        longest = max(longest, row)
    return longest


def _lost(states: Sequence[StepState], holders: Sequence[str], rig: Rig | None) -> Literal["opened", "slipped"] | None:
    last = max((index for index, arm in enumerate(holders) if arm), default=None)
    if last is None or last == len(holders) - 1 or rig is None:
        return None
    after = min(last + OPENING_STEPS, len(states) - 1)
    closed_m, now_m = (float(rig.split(states[index].robot.positions)[holders[last]][-1]) for index in (last, after))
    return "opened" if now_m - closed_m > OPENED_M else "slipped"


def _height_m(item: ObjectState) -> float:
    """Vertical extent of an object's box."""
    return float(np.abs(item.world_from_object[2, :3]) @ (item.box_max - item.box_min))


def _lower(first: ObjectState, last: ObjectState) -> bool:
    return _height_m(last) < LOWER * _height_m(first)


def _tilt_rad(first: ObjectState, last: ObjectState) -> float:
    """Angle between an object's z axis now and at first."""
    cosine = float(first.world_from_object[:3, 2] @ last.world_from_object[:3, 2])
    return float(np.arccos(np.clip(cosine, -1.0, 1.0)))
