"""What a blinded comparison is: one run a label over the same scenes, and the order of all their trials."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from imove_analysis.records import policy_seed
from imove_analysis.runs import EPISODES
from imove_core.errors import ImoveError
from imove_eval.blinded.folder import check_comparison, freeze
from imove_eval.blinded.order import TrialOrder, draw_order
from imove_eval.blinded.policies import PolicyChoice, parse_policies
from imove_eval.runner import Job
from imove_eval.settings import Run, run_from
from imove_eval.store import RunStore, check_resumable


@dataclass(frozen=True)
class Study:
    """A comparison.

    Attributes:
        key: What the labels stand for.
        runs: By label.
        order: Of all trials.
    """

    key: Mapping[str, PolicyChoice]
    runs: Mapping[str, Run]
    order: TrialOrder

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Study:
        """What the parameters of the evaluator ask for.

        Args:
            parameters: `policies`, in the order of their labels, and what `run_from` reads but for `policy` and
                `policy_config`.

        Raises:
            ImoveError: One of them is wrong.
        """
        choices = parse_policies(str(parameters["policies"]))
        key = dict(zip(ascii_uppercase, choices, strict=False))
        # Opened once: reading a suite takes about a second.
        some = run_from({**parameters, "policy": "", "policy_config": ""})
        runs = {
            label: replace(some, settings=replace(some.settings, policy=choice.name, policy_config=choice.config))
            for label, choice in key.items()
        }
        scenes = [spec.id for spec in some.specs]
        return cls(key, runs, draw_order(scenes, some.conditions, list(key), some.settings.seed))

    @property
    def jobs(self) -> list[Job]:
        """All trials in their order; a scene has the same seed under every policy."""
        some = self.runs["A"]
        specs = {spec.id: spec for spec in some.specs}
        return [
            Job(
                specs[trial.spec_id],
                trial.condition,
                policy_seed(some.settings.seed, specs[trial.spec_id]),
                trial.label,
            )
            for trial in self.order.trials
        ]

    @property
    def title(self) -> str:
        """One line for people that names no policy."""
        some = self.runs["A"]
        return f"{some.suite.name}, {len(self.key)} blinded policies, {len(self.order.trials)} trials"

    def check(self, folder: Path) -> None:
        """Checks, without writing anything, that a folder is new or holds this comparison.

        Raises:
            ImoveError: It holds something else.
        """
        if (folder / EPISODES).exists():
            raise ImoveError(f"output {folder} holds the run of one policy; give another folder")
        check_comparison(folder, self.order)
        for label, run in self.runs.items():
            check_resumable(folder / label, run.settings)

    def open(self, folder: Path, provenance: Mapping[str, Any]) -> dict[str, RunStore]:
        """Freezes order and key, and opens the results of every label.

        Args:
            folder: Of the comparison.
            provenance: Of its results.

        Raises:
            ImoveError: The folder holds something else, or cannot be written.
        """
        self.check(folder)
        freeze(folder, self.key, self.order)
        facts = {**provenance, "order_sha256": self.order.to_record()["sha256"]}
        return {
            label: RunStore(folder / label, run.settings, {**facts, "label": label, "policy_url": self.key[label].url})
            for label, run in self.runs.items()
        }
