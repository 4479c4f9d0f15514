"""Runs as rows of tables: named as shortly as they can be told apart, their episodes by condition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from imove_analysis.episodes import Episode
from imove_analysis.runs import Run
from imove_analysis.tables.comparable import REAL, domain_of


@dataclass(frozen=True)
class Row:
    """A run under its name in a table."""

    name: str
    run: Run

    @property
    def suite(self) -> str:
        """Name of the suite."""
        return self.run.suite_name

    def episodes(self, condition: str) -> Sequence[Episode]:
        """The finished episodes under a condition."""
        return self._by_condition.get(condition, ())

    def unverified(self, condition: str) -> int:
        """In how many of them the policy did not receive the text of the spec."""
        return sum(not episode.prompt_verified for episode in self.episodes(condition))

    @cached_property
    def _by_condition(self) -> dict[str, list[Episode]]:
        found: dict[str, list[Episode]] = {}
        for episode in self.run.episodes:
            found.setdefault(episode.condition, []).append(episode)
        return found


def rows_of(runs: Sequence[Run]) -> list[Row]:
    """Names runs; those of one policy on several suites share a name, two runs on one suite do not.

    A name is the policy's, with what it was set up by, its seed, and the folder, each only where names would otherwise
    come twice for one suite.
    """
    parts = [_parts(run) for run in runs]
    names: list[str] = []
    for length in range(1, len(parts[0]) + 1 if parts else 1):
        names = [", ".join(word for word in words[:length] if word) for words in parts]
        if len({(name, run.suite_name) for name, run in zip(names, runs, strict=True)}) == len(runs):
            break
    return [Row(name, run) for name, run in zip(names, runs, strict=True)]


def _parts(run: Run) -> tuple[str, ...]:
    policy = f"{run.policy} (real)" if domain_of(run) == REAL else run.policy
    config = str(run.settings.get("policy_config", ""))
    return policy, Path(config).name, f"seed {run.settings.get('seed', 0)}", str(run.folder)
