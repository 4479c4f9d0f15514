"""What the failure browser of a page knows of each episode, as plain data that is embedded into the page."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from imove_analysis.episodes import Episode, ObjectEvent, RubricResult
from imove_analysis.failures import SUCCESS, ClassedEpisode, FailureTable, acted_on, rank
from imove_analysis.runs import Run
from imove_core.errors import ImoveError
from imove_core.spec import EpisodeSpec

_OBJECT = re.compile(r"\bobject_\d+\b")
UNCLASSED = "text_about_no_single_object"
UNKNOWN = "class_not_known"
Videos = Callable[[Episode], tuple[str, str] | None]
"""Addresses of the video of an episode and of its first picture, relative to the page; None where there is none."""


def browser_rows(run: Run, number: int, table: FailureTable | None, videos: Videos, most: int) -> list[dict[str, Any]]:
    """Rows for the episodes of a run, failures that deserve a look first.

    Args:
        run: The run.
        number: Its place among those of the page.
        table: Its failures, None where they could not be classed.
        videos: Where videos are.
        most: How many rows at most.
    """
    classed = {entry.key: entry for entry in table.episodes} if table else {}
    found = {episode.key: episode for episode in (*run.aborted, *run.episodes)}
    failed = [entry.key for entry in rank(table.failed, table.episodes)] if table else []
    others = [key for key in found if key not in classed]
    succeeded = [key for key, entry in classed.items() if entry.name == SUCCESS]
    order = [key for key in (*failed, *others, *succeeded) if key in found][:most]
    specs = _specs(run)
    return [_row(found[key], number, classed.get(key), specs(found[key].spec_id), videos) for key in order]


def _specs(run: Run) -> Callable[[str], EpisodeSpec | None]:
    try:
        return run.specs.get
    except ImoveError:
        return lambda spec_id: None


def _row(
    episode: Episode, number: int, entry: ClassedEpisode | None, spec: EpisodeSpec | None, videos: Videos
) -> dict[str, Any]:
    phrases = {item.id: item.phrase for item in spec.objects} if spec else {}
    named = {episode.target, episode.destination} | {
        name for result in episode.rubrics.values() for event in result.events for name in _objects(event)
    }
    if entry is not None:
        name, detail, step = entry.name, entry.detail, entry.step
    else:
        name, detail, step = UNCLASSED if episode.target is None else UNKNOWN, "", None
    video = videos(episode)
    return {
        "run": number,
        "scene": episode.spec_id,
        "condition": episode.condition,
        "class": name,
        "sure": entry.certain if entry else True,
        "detail": _OBJECT.sub(lambda found: phrases.get(found[0], found[0]), detail),
        "decided": step,
        "outcome": episode.outcome,
        "message": episode.message,
        "sent": spec.instruction(episode.condition).text if spec else None,
        "heard": episode.prompt,
        "verified": episode.prompt_verified,
        "target": episode.target,
        "destination": episode.destination,
        "acted": acted_on(episode),
        "contact": episode.first_contact,
        "cues": [cue.replace("_", " ") for cue in entry.cues] if entry else [],
        "steps": episode.steps,
        "inferences": episode.inferences,
        "safety": _count(episode.safety.get("events")),
        "events": {rubric: _events(result) for rubric, result in episode.rubrics.items()},
        "names": {key: phrases.get(key, key) for key in sorted(filter(None, named | {episode.first_contact}))},
        "video": video[0] if video else None,
        "poster": video[1] if video else None,
    }


def _count(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _objects(event: ObjectEvent) -> Sequence[str]:
    return [name for name in (event.object_id, event.destination_id) if name]


def _events(result: RubricResult) -> list[list[Any]]:
    return [
        [event.stage, event.object_id, event.destination_id, event.step, int(event.is_target)]
        for event in result.events
    ]
