"""Which class an episode is of: from outcome and stage events, and where those leave it open, from control steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from imove_analysis.episodes import Episode, ObjectEvent
from imove_analysis.failures.classes import (
    DROPPED,
    MISSED_GRASP,
    NEVER_MOVED,
    NOT_RELEASED,
    POLICY_LOST,
    REACHED_WRONG_OBJECT,
    SAFETY_STOP,
    SLIPPED,
    SUCCESS,
    TIMED_OUT,
    TOPPLED,
    WRONG_DESTINATION,
    WRONG_OBJECT_LIFTED,
)
from imove_analysis.failures.motion import Motion
from imove_analysis.records import STOPPED

RUBRIC = "strict"
STOPPING_KINDS = frozenset({"fault", "emergency_stop"})
"""Safety events after which the arms stood; what is clamped or held goes on."""


@dataclass(frozen=True)
class Decision:
    """The class of an episode.

    Attributes:
        name: One of `CLASSES`.
        certain: False where control steps could have told a finer class and there are none.
        detail: Half a sentence that says what was seen.
        acted_on: The first object that was lifted, or else reached, or else touched; None for none.
        step: Control step of the event that decided, None where none did.
    """

    name: str
    certain: bool
    detail: str
    acted_on: str | None
    step: int | None = None


def acted_on(episode: Episode) -> str | None:
    """The first object that was lifted, or else reached, or else touched; None for none."""
    if not episode.rubrics:
        return None
    result = episode.rubrics[RUBRIC]
    return result.first("lift") or result.first("reach") or episode.first_contact


def decide(episode: Episode, target: str, destination: str | None, motion: Callable[[bool], Motion | None]) -> Decision:
    """The class of an episode whose text names an object.

    Args:
        episode: What was recorded of it.
        target: The named object.
        destination: Where it was to be put, None where there is no such place, or any will do.
        motion: Looks at the control steps, given whether the object was lifted; None where there are none. Asked only
            where stage events leave the class open.
    """
    acted = acted_on(episode)
    if not episode.finished and episode.outcome != STOPPED:
        return Decision(POLICY_LOST, True, episode.message or episode.outcome, acted)
    result = episode.rubrics.get(RUBRIC)
    if episode.finished and result is not None and result.success:
        return Decision(SUCCESS, True, "all stages were reached", acted, result.events[-1].step)
    if not episode.finished or result is None or STOPPING_KINDS & set(episode.safety.get("kinds", ())):
        said = str(episode.safety.get("first", "")) or episode.message or "the arms were stopped"
        return Decision(SAFETY_STOP, True, said, acted)
    events = result.events
    lift, reach = _first(events, "lift", target), _first(events, "reach", target)
    for stage, own, name in (("lift", lift, WRONG_OBJECT_LIFTED), ("reach", reach, REACHED_WRONG_OBJECT)):
        other = next((event for event in events if event.stage == stage), None)
        if own is None and other is not None:
            return Decision(name, True, f"{other.object_id} instead of {target}", acted, other.step)
    seen = motion(lift is not None)
    if seen is not None and not seen.moved:
        return Decision(NEVER_MOVED, True, "no joint moved", acted)
    if seen is not None and seen.toppled:
        return Decision(TOPPLED, True, f"{' and '.join(seen.toppled)} lies knocked over", acted)
    if reach is None:
        return _reached_nothing(seen, acted)
    if lift is None:
        return _not_lifted(seen, acted, reach.step)
    return _not_placed(events, target, destination, seen, acted, lift.step)


def _first(events: tuple[ObjectEvent, ...], stage: str, target: str) -> ObjectEvent | None:
    return next((event for event in events if event.stage == stage and event.object_id == target), None)


def _reached_nothing(seen: Motion | None, acted: str | None) -> Decision:
    if seen is None and acted is None:
        return Decision(NEVER_MOVED, False, "no object was reached; whether the arms moved is not known", acted)
    return Decision(TIMED_OUT, True, "the arms moved, and reached no object", acted)


def _not_lifted(seen: Motion | None, acted: str | None, step: int) -> Decision:
    if seen is None or seen.held is None:
        return Decision(MISSED_GRASP, False, "reached and not lifted; whether it was held is not known", acted, step)
    if seen.held_at_end:
        return Decision(TIMED_OUT, True, "in the hand at the end, and not lifted yet", acted, step)
    if not seen.held:
        return Decision(MISSED_GRASP, True, "reached and never held", acted, step)
    return _left_the_hand(seen, "held, and not lifted", acted, step)


def _not_placed(
    events: tuple[ObjectEvent, ...], target: str, destination: str | None, seen: Motion | None, acted: str | None,
    step: int,
) -> Decision:  # fmt: skip
    elsewhere = [event for event in events if event.stage == "place" and event.object_id == target]
    if elsewhere:
        where = elsewhere[-1]
        return Decision(WRONG_DESTINATION, True, f"put at {where.destination_id}", acted, where.step)
    over = next(
        (
            event
            for event in events
            if event.stage == "reach_place"
            and event.object_id == target
            and destination in (None, event.destination_id)
        ),
        None,
    )
    if seen is None or seen.held is None:
        if over is not None:
            said = "brought to its destination, and not put there; whether it was let go is not known"
            return Decision(NOT_RELEASED, False, said, acted, over.step)
        return Decision(DROPPED, False, "lifted, and not brought there; where it was lost is not known", acted, step)
    if seen.held_at_end:
        if over is not None:
            return Decision(NOT_RELEASED, True, "still in the hand over its destination", acted, over.step)
        return Decision(TIMED_OUT, True, "in the hand at the end, on its way", acted, step)
    return _left_the_hand(seen, "brought to its destination" if over else "lifted", acted, step)


def _left_the_hand(seen: Motion, before: str, acted: str | None, step: int) -> Decision:
    if seen.lost == "slipped":
        return Decision(SLIPPED, True, f"{before}, then slipped out of closed fingers", acted, step)
    if seen.lost == "opened":
        return Decision(DROPPED, True, f"{before}, then let go", acted, step)
    return Decision(DROPPED, False, f"{before}, then lost; whether the hand opened is not known", acted, step)
