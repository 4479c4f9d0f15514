"""Which runs a command means: suites by policies by seeds, each with a folder of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from imove_analysis.runs import PROVENANCE, find_runs
from imove_core.errors import ImoveError
from imove_eval.blinded.policies import PolicyChoice
from imove_eval.settings import Run, run_from


@dataclass(frozen=True)
class PlannedRun:
    """One run of a protocol.

    Attributes:
        run: What is to be run.
        folder: Of its results.
        policy_url: Addresses of policy servers, separated by commas, "" for the usual one.
    """

    run: Run
    folder: Path
    policy_url: str


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
        for choice in policies:
            for seed in seeds:
                run = run_from(
                    {**common, "suite": suite, "policy": choice.name, "policy_config": choice.config, "seed": seed}
                )
                folder = output / run.suite.name / policy_folder(choice)
                if len(seeds) > 1:
                    folder /= f"seed_{seed}"
                planned.append(PlannedRun(run, folder, choice.url))
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
