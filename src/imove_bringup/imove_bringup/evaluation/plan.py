"""Which runs a command means: suites by policies by seeds, each with a folder of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from imove_analysis.runs import PROVENANCE, find_runs
from imove_bringup.graphs.parts import config_reference
from imove_core.errors import ImoveError
from imove_eval.blinded.policies import PolicyChoice, parse_choices
from imove_eval.settings import Run, run_from


@dataclass(frozen=True)
class PlannedRun:
    """One run of a protocol.

    Attributes:
        run: What is to be run.
        suite: Name or file of its suite.
        folder: Of its results.
        policy_url: Addresses of policy servers, separated by commas, "" for the usual one.
    """

    run: Run
    suite: str
    folder: Path
    policy_url: str


def chosen_policies(policies: str, one: PolicyChoice) -> list[PolicyChoice]:
    """The policies that a command means.

    Args:
        policies: One or more, as `parse_choices` reads them, "" for one alone.
        one: What runs where `policies` is empty; where its server is holds for those that name no address.

    Raises:
        ImoveError: The text is not of that form.
    """
    if not policies:
        return [one]
    return [
        PolicyChoice(each.name, config_reference(each.config), each.url or one.url) for each in parse_choices(policies)
    ]


def plan_runs(
    suites: Sequence[str],
    policies: Sequence[PolicyChoice],
    seeds: Sequence[int],
    common: Mapping[str, Any],
    output: Path,
) -> list[PlannedRun]:
    """The runs of a protocol, suite by suite.

    Args:
        suites: Names or files.
        policies: Each once.
        seeds: Of the policies' draws.
        common: The other parameters of `run_from`.
        output: Above the folders `<suite>/<policy>[/seed_<n>]`.

    Raises:
        ImoveError: A suite cannot be run as wanted, two runs would share a folder, or a folder stands where a run was
            made without, or with, repeats.
    """
    planned: list[PlannedRun] = []
    for suite in suites:
        # Opened once: reading a suite takes about a second.
        any_policy = run_from({**common, "suite": suite, "policy": "", "policy_config": "", "seed": 0})
        for choice in policies:
            for seed in seeds:
                settings = replace(any_policy.settings, policy=choice.name, policy_config=choice.config, seed=seed)
                folder = output / any_policy.suite.name / policy_folder(choice)
                if len(seeds) > 1:
                    folder /= f"seed_{seed}"
                planned.append(PlannedRun(replace(any_policy, settings=settings), suite, folder, choice.url))
    _refuse_shared([each.folder for each in planned])
    for each in planned:
        _refuse_nested(each.folder, output)
    return planned


def policy_folder(choice: PolicyChoice) -> str:
    """Name of a policy's folder."""
    config = f"-{Path(choice.config).stem}" if choice.config else ""
    return f"{choice.name}{config}".replace(":", "-").replace("/", "-").replace(" ", "_")


def _refuse_shared(folders: Sequence[Path]) -> None:
    for folder in folders:
        if folders.count(folder) > 1:
            raise ImoveError(f"two runs would be written to {folder}; give each policy and suite once")


def _refuse_nested(folder: Path, output: Path) -> None:
    """Runs with and without repeats do not fit into each other's folders."""
    above = [parent for parent in folder.parents if parent.is_relative_to(output) and (parent / PROVENANCE).is_file()]
    if above:
        raise ImoveError(f"{above[0]} holds a run without repeats; give another folder for runs with repeats")
    if folder.is_dir() and not (folder / PROVENANCE).is_file() and find_runs(folder):
        raise ImoveError(f"{folder} holds runs with repeats; give another folder for runs without")
