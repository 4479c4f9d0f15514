"""Checks a result card: runs a part of its episodes again and compares what happens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track

from imove_analysis.card import Sample, samples_of
from imove_analysis.episodes import episode_from
from imove_analysis.records import COMPLETED, make_record, policy_seed
from imove_bringup.evaluation.details import run_details
from imove_bringup.evaluation.running import Means, executor
from imove_bringup.in_process import WorkerSettings
from imove_core.errors import ImoveError
from imove_core.rig import Rig
from imove_eval.runner import Job
from imove_eval.settings import RunSettings
from imove_tasks.suites import Suite, open_suite

COMPARED = ("rig_hash", "safety_hash", "scheduler", "control_rate_hz", "policy")
"""Details that must be those of the card before anything is run."""


@dataclass(frozen=True)
class Verifier:
    """What a card does not say and whoever checks it must.

    Attributes:
        policy_url: Addresses of policy servers, separated by commas, "" for the usual one.
        policy_config: What the policy is set up by, "" for what the card names.
        safety: Settings of the safety layer, "" for what the card names.
        suite: File of the suite, "" where it is shipped.
        rig: File of the rig, "" where it is shipped.
    """

    policy_url: str = ""
    policy_config: str = ""
    safety: str = ""
    suite: str = ""
    rig: str = ""


@dataclass(frozen=True)
class Checked:
    """An episode that was run again.

    Attributes:
        sample: As the card has it.
        outcome: Of the new execution.
        same_events: Whether everything happened again, to the control step.
        same_stages: Whether the same stages were reached.
    """

    sample: Sample
    outcome: str
    same_events: bool
    same_stages: bool


def verify_run(
    entry: Mapping[str, Any],
    given: Verifier,
    episodes: int,
    rng: np.random.Generator,
    means: Means,
    console: Console,
) -> list[Checked]:
    """Runs episodes of one run of a card again, in lockstep.

    Args:
        entry: Of `runs` in the card.
        given: What the card does not say.
        episodes: How many of its sample, at most.
        rng: Draws them.
        means: What they are carried out with.
        console: Where progress is shown.

    Returns:
        What came of each.

    Raises:
        ImoveError: Suite, rig, safety or policy are not those of the card, or a worker cannot be made.
    """
    settings, suite, rig = _settings(entry, given)
    _check_details(entry, settings, rig)
    specs = {spec.id: spec for spec in suite.specs}
    samples = samples_of(entry)
    chosen = [samples[index] for index in sorted(rng.permutation(len(samples))[:episodes])]
    for sample in chosen:
        if sample.spec_id not in specs:
            raise ImoveError(f"the card has an episode {sample.spec_id}; suite {suite.name} has no such scene")
    jobs = {
        sample: Job(specs[sample.spec_id], sample.condition, policy_seed(settings.seed, specs[sample.spec_id]))
        for sample in chosen
    }
    by_key = {job.key: sample for sample, job in jobs.items()}
    worker = WorkerSettings.of(settings, given.rig or rig.name, means.assets, given.policy_url, traces=False)
    checked = {}
    with executor(worker, means, lambda text: console.print(text, markup=False)) as execute:
        running = track(execute(list(jobs.values())), suite.name, len(jobs), console=console, transient=True)
        for job, execution in running:
            sample = by_key[job.key]
            record = make_record(job.spec, job.condition, settings.seed, execution, settings.policy)
            again = Sample.of(episode_from(record))
            finished = execution.outcome == COMPLETED
            same_events = finished and again.events_sha256 == sample.events_sha256
            same_stages = finished and again.reached == sample.reached
            checked[sample] = Checked(sample, execution.outcome, same_events, same_stages)
    return [checked[sample] for sample in chosen]


def agrees(entry: Mapping[str, Any], checked: Sequence[Checked]) -> bool:
    """Whether executions agree with a card: all events, or where the card says so nearly all stages."""
    tolerance = float(entry["tolerance"])
    if not tolerance:
        return all(each.same_events for each in checked)
    return sum(not each.same_stages for each in checked) <= tolerance * len(checked)


def _settings(entry: Mapping[str, Any], given: Verifier) -> tuple[RunSettings, Suite, Rig]:
    found = dict(entry["settings"])
    suite = open_suite(given.suite or str(found["suite"]))
    if suite.content_hash != found["suite_hash"]:
        raise ImoveError(
            f"the card is about suite {found['suite']} {found['suite_hash'][:12]}; the one at hand is "
            f"{suite.content_hash[:12]}"
        )
    if entry.get("domain", "sim") != "sim":
        raise ImoveError("the card is about trials on a real table; only results of simulations can be run again")
    rig = suite.open_rig(given.rig)
    try:
        changes = {
            "policy_config": given.policy_config or found.get("policy_config", ""),
            "safety": given.safety or found.get("safety", "default"),
            "image_size": tuple(found["image_size"]),
            "clock": "lockstep",
        }
        return RunSettings(**{**found, **changes}), suite, rig
    except (TypeError, KeyError) as error:
        raise ImoveError(f"the card lacks settings, or has some that this version does not know ({error})") from error


def _check_details(entry: Mapping[str, Any], settings: RunSettings, rig: Rig) -> None:
    wanted = entry["origin"].get("details") or {}
    found = run_details(settings, rig)
    for key in COMPARED:
        if key in wanted and wanted[key] != found[key]:
            raise ImoveError(f"the card has {key} {wanted[key]!r:.200}; here it is {found[key]!r:.200}")
