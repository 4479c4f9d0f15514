"""What a video says of the stages of its episode at a control step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from imove_analysis.episodes import ObjectEvent
from imove_tasks.stages import stage_title

Standing = Literal["open", "reached", "wrong"]


@dataclass(frozen=True)
class StageSign:
    """One stage.

    Attributes:
        text: What is written.
        standing: `reached` by what counts, `wrong` where so far only another object has, or still `open`.
    """

    text: str
    standing: Standing


def stage_signs(
    stages: Sequence[str],
    events: Sequence[ObjectEvent],
    names: Mapping[str, str],
    any_counts: bool,
    step: int,
    rate_hz: int,
) -> tuple[StageSign, ...]:
    """The signs of all stages at a control step.

    Args:
        stages: Of the episode, in order.
        events: Of one rubric, in the order in which they happened.
        names: Of objects, by id.
        any_counts: Whether the text names no single object, so that every one counts.
        step: The control step.
        rate_hz: Control steps a second.
    """
    past = [event for event in events if event.step <= step]
    return tuple(_sign(stage, past, names, any_counts, rate_hz) for stage in stages)


def _sign(
    stage: str, past: Sequence[ObjectEvent], names: Mapping[str, str], any_counts: bool, rate_hz: int
) -> StageSign:
    found = [event for event in past if event.stage == stage]
    if not found:
        return StageSign(stage_title(stage), "open")
    right = next((event for event in found if event.is_target or any_counts), None)
    shown = right or found[0]
    what = names.get(shown.object_id, shown.object_id)
    into = f" to {names.get(shown.destination_id, shown.destination_id)}" if shown.destination_id else ""
    time = f"{shown.step / rate_hz:.1f} s"
    return StageSign(f"{stage_title(stage)}: {what}{into}, {time}", "reached" if right else "wrong")
