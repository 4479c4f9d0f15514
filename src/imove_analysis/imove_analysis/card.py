"""Result cards: one page about one policy that another lab can read, put on a list, and check by running a part again.

A card holds what was run under which settings, the rates with intervals, and for a sample of the episodes a hash of
what happened in them. The same episode run again, with the same settings, must give the same hash. Where time depends
on the machine it need not; the card then says so, and only the stages that were reached are compared.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from imove_analysis.card_page import card_markdown
from imove_analysis.conditions import TARGETED_CONDITIONS
from imove_analysis.episodes import Episode
from imove_analysis.intervals import wilson_interval
from imove_analysis.language import language_dependence
from imove_analysis.runs import Run
from imove_analysis.tables.counting import any_object_figures, target_cell
from imove_analysis.tables.table import Figure
from imove_core.canonical import canonical_json, sha256_of_text, write_text_atomically
from imove_core.errors import ImoveError
from imove_tasks.stages import RUBRICS

FORMAT = 1
SAMPLE = 50
"""Episodes of a run whose hashes stand in a card; whoever checks it draws from them."""
MACHINE_TOLERANCE = 0.2
"""Share of checked episodes that may reach other stages where time depends on the machine."""
_RESAMPLES_SEED = 0


@dataclass(frozen=True)
class Sample:
    """An episode that can be run again.

    Attributes:
        spec_id: Scene.
        condition: Which of its instructions was given.
        events_sha256: From `events_hash`.
        reached: The stages that count, as `<rubric> <stage>`, sorted.
    """

    spec_id: str
    condition: str
    events_sha256: str
    reached: tuple[str, ...]

    @classmethod
    def of(cls, episode: Episode) -> Sample:
        """The part of an episode that is held to another execution of it."""
        reached = sorted(f"{rubric} {stage}" for rubric, found in episode.rubrics.items() for stage in found.reached)
        return cls(episode.spec_id, episode.condition, events_hash(episode), tuple(reached))


def events_hash(episode: Episode) -> str:
    """SHA-256 over what happened: text, settled poses, first contact, and every event under both rubrics."""
    happened = {
        "spec_id": episode.spec_id,
        "condition": episode.condition,
        "prompt": episode.prompt,
        "settled_pose_hash": episode.settled_pose_hash,
        "first_contact": episode.first_contact,
        "steps": episode.steps,
        "events": {name: [asdict(event) for event in found.events] for name, found in episode.rubrics.items()},
    }
    return sha256_of_text(canonical_json(happened))


def result_card(runs: Sequence[Run], rng: np.random.Generator) -> dict[str, Any]:
    """The card of one policy as plain data; docs/cards.md describes its fields.

    Args:
        runs: Of one policy; on several suites, or with several seeds.
        rng: Draws the sample of each run.

    Raises:
        ImoveError: There is no run, they are of several policies, or one has no finished episode.
    """
    if not runs:
        raise ImoveError("a card needs at least one run; none was given")
    policies = sorted({(run.policy, str(run.settings.get("policy_config", ""))) for run in runs})
    if len(policies) > 1:
        named = " and ".join(" ".join(filter(None, policy)) for policy in policies[:2])
        raise ImoveError(f"a card is about one policy; the runs are of {named}")
    for run in runs:
        if not run.episodes:
            raise ImoveError(f"{run.folder} has no finished episode; a card needs at least one")
    (name, config), *_ = policies
    return {
        "format": FORMAT,
        "policy": {"name": name, "config": _file_name(config)},
        "runs": [_run_entry(run, rng) for run in runs],
    }


def _run_entry(run: Run, rng: np.random.Generator) -> dict[str, Any]:
    chosen = rng.permutation(len(run.episodes))[:SAMPLE]
    samples = [Sample.of(run.episodes[index]) for index in sorted(chosen)]
    facts = {key: run.provenance.get(key) for key in ("asset_snapshot", "simulator", "versions", "revision", "details")}
    hashes = [events_hash(episode) for episode in sorted(run.episodes, key=lambda episode: episode.key)]
    return {
        # Where a file of one lab lies says nothing to another.
        "settings": {**run.settings, **{key: _file_name(run.settings.get(key)) for key in ("policy_config", "safety")}},
        "origin": facts,
        "domain": run.provenance.get("domain", "sim"),
        "episodes": len(run.episodes),
        "aborted": len(run.aborted),
        "prompts_verified": sum(episode.prompt_verified for episode in run.episodes),
        "rates": {condition: _rates(run, condition) for condition in run.conditions},
        "language": _language(run),
        "tolerance": MACHINE_TOLERANCE if depends_on_machine(run.settings) else 0.0,
        "events_sha256": sha256_of_text("\n".join(hashes)),
        "sample": [{**asdict(sample), "reached": list(sample.reached)} for sample in samples],
    }


def _file_name(value: Any) -> str:
    return Path(str(value)).name if value else ""


def depends_on_machine(settings: Mapping[str, Any]) -> bool:
    """Whether what happens depends on how fast a machine is."""
    return settings.get("clock") != "lockstep" or settings.get("latency") == "measured"


def _rates(run: Run, condition: str) -> dict[str, Any]:
    """By rubric: of the target where the text has one, of any object elsewhere."""
    episodes = [episode for episode in run.episodes if episode.condition == condition]
    targeted = condition in TARGETED_CONDITIONS
    found: dict[str, Any] = {"counts": "target" if targeted else "any_object", "n": len(episodes)}
    for rubric in RUBRICS:
        figures = target_cell(episodes, rubric).figures if targeted else any_object_figures(episodes, rubric)
        found[rubric] = {figure.name: _figure(figure) for figure in figures}
    return found


def _figure(figure: Figure) -> dict[str, Any]:
    value = 0.0 if figure.value is None else float(figure.value)
    return {"value": value, "ci95": list(wilson_interval(value, figure.n)), "n": figure.n}


def _language(run: Run) -> dict[str, Any] | None:
    """Verdict and index, where the run has the conditions for them and its suite is at hand."""
    try:
        found = language_dependence(run, np.random.default_rng(_RESAMPLES_SEED))
    except ImoveError:
        return None
    index = found["dependence"]["reach"]
    if index["value"] is None:
        return None
    return {"verdict": found["verdict"], "index": {key: index[key] for key in ("value", "ci95", "n")}}


def write_card(runs: Sequence[Run], folder: Path, rng: np.random.Generator) -> tuple[Path, Path]:
    """Writes the card of one policy as `card.json` and `card.md`.

    Args:
        runs: See `result_card`.
        folder: Made when it is not there.
        rng: Draws the sample of each run.

    Returns:
        The two files.

    Raises:
        ImoveError: There can be no card, or the folder cannot be written.
    """
    card = result_card(runs, rng)
    files = folder / "card.json", folder / "card.md"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_text_atomically(files[0], json.dumps(card, indent=1, sort_keys=True) + "\n")
        write_text_atomically(files[1], card_markdown(card))
    except OSError as error:
        raise ImoveError(f"card in {folder} cannot be written: {error.strerror}") from error
    return files


def read_card(path: Path) -> dict[str, Any]:
    """Reads a card.

    Raises:
        ImoveError: It is not there, or is no card.
    """
    try:
        card: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if card["format"] != FORMAT:
            raise ImoveError(f"{path} is a card of format {card['format']!r}; this version reads {FORMAT}")
        str(card["policy"]["name"])
        if not card["runs"]:
            raise ValueError("it has no run")
        for run in card["runs"]:
            _check_run(run)
    except OSError as error:
        raise ImoveError(f"card {path} cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise ImoveError(f"{path} is no card of results ({error!r})") from error
    return card


def _check_run(run: Mapping[str, Any]) -> None:
    """Raises ValueError, KeyError or TypeError for what is no run of a card, or one that nothing could contradict."""
    settings = run["settings"]
    for key in ("suite", "suite_hash"):
        str(settings[key])
    most = MACHINE_TOLERANCE if depends_on_machine(settings) else 0.0
    if not 0.0 <= float(run["tolerance"]) <= most:
        raise ValueError(f"its tolerance is {run['tolerance']}, at most {most:g} can be allowed")
    dict(run["origin"])
    if not samples_of(run):
        raise ValueError("it has no sample of episodes")


def samples_of(run: Mapping[str, Any]) -> list[Sample]:
    """The sample of one run of a card."""
    return [
        Sample(str(each["spec_id"]), str(each["condition"]), str(each["events_sha256"]), tuple(each["reached"]))
        for each in run["sample"]
    ]
