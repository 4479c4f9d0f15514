"""Writes the folder of a run that is scored again: records with new scores, the same control steps, a new summary."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from imove_analysis.chance import chance_level
from imove_analysis.rescoring import (
    Thresholds,
    checked_states,
    finished_records,
    rescored,
    score_of,
    with_thresholds,
)
from imove_analysis.runs import Run
from imove_analysis.summary import summarise_run
from imove_core.canonical import canonical_json, sha256_of_text
from imove_core.errors import ImoveError
from imove_core.rig import Rig
from imove_eval.output_folder import disk_errors
from imove_eval.store import RunStore

RUBRIC = "rubric"
"""Key of the settings of such a run: the hash of its thresholds."""


@dataclass(frozen=True)
class RescoredSettings:
    """What decides the results of a run that is scored again.

    Attributes:
        original: Settings of the run that was executed.
        thresholds: What is scored otherwise.
    """

    original: Mapping[str, Any]
    thresholds: Thresholds

    def to_record(self) -> dict[str, Any]:
        """The settings as plain data."""
        return {**self.original, RUBRIC: sha256_of_text(canonical_json(self.thresholds))}


def rescore_run(
    run: Run, rig: Rig, thresholds: Thresholds, out: Path, progress: Callable[[], None] = lambda: None
) -> dict[str, Any]:
    """Scores the finished episodes of a run under other thresholds, into a folder of its own.

    A folder that was begun is gone on with.

    Args:
        run: With control steps and suite.
        rig: Its embodiment.
        thresholds: Those that change.
        out: The new folder.
        progress: Called after each episode.

    Returns:
        The summary of the new scores.

    Raises:
        ImoveError: An episode has no control steps, or damaged ones; the suite is not at hand; or the folder holds
            something else, or cannot be written.
    """
    if out.resolve() == run.folder.resolve():
        raise ImoveError(f"{out} is the run itself; give another folder for its new scores")
    settings = RescoredSettings(run.settings, thresholds)
    origin = {key: value for key, value in run.provenance.items() if key != "settings"}
    store = RunStore(out, settings, {**origin, "rubrics": thresholds, "rescored_from": run.folder.name})
    store.keep_suite(run.suite)
    known = {record["episode_id"]: record for record in store.records}
    specs = {name: with_thresholds(spec, thresholds) for name, spec in run.specs.items()}
    for episode, record in finished_records(run):
        before = known.get(record["episode_id"])
        if before is None:
            score = score_of(rig, specs[episode.spec_id], episode.condition, checked_states(run, episode))
            _keep_trace(run.folder / str(episode.trace), out / str(episode.trace))
            store.append(rescored(record, score))
        elif _without_score(before) != _without_score(record):
            raise ImoveError(f"{out} holds the scores of another run than {run.folder}: {episode.key} differs")
        progress()
    used = {record["spec_id"] for record in store.records}
    scenes = [spec for name, spec in specs.items() if name in used]
    chance = {condition: chance_level(rig, scenes, condition) for condition in run.conditions}
    summary = summarise_run(store.records, scenes, chance)
    store.write_summary(summary)
    return summary


def _keep_trace(source: Path, target: Path) -> None:
    """The same file under a second name where the disk allows it, else a copy; traces are never changed in place."""
    with disk_errors(target.parent):
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        try:
            os.link(source, target)
        except OSError:
            shutil.copyfile(source, target)


def _without_score(record: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key not in ("score", "bag", "video")}
