"""The outcomes of a synthesis, kept as they come, so that a run that was stopped goes on; in order when it is over."""

from __future__ import annotations

import json
import os
from pathlib import Path

from imove_bringup.synthesis.outcome import Outcome
from imove_bringup.synthesis.worker import Report
from imove_core.canonical import canonical_json, write_text_atomically
from imove_core.errors import ImoveError

OUTCOMES = "synthesis.jsonl"
COSTS = "costs.jsonl"
"""Processor times, which differ from run to run, beside what does not."""


class Journal:
    """`synthesis.jsonl` and `costs.jsonl` of a data set; outcomes and costs by number of the spec."""

    def __init__(self, folder: Path) -> None:
        """Reads what an earlier call has finished.

        A line that a kill has cut is dropped, and so is one whose bag is not there any more: they are made again.

        Raises:
            ImoveError: A line is damaged.
        """
        self._folder = folder
        outcomes = [Outcome.from_json(line) for line in _whole_lines(folder / OUTCOMES)]
        self.outcomes = {
            outcome.index: outcome
            for outcome in outcomes
            if outcome.bag is None or (folder / outcome.bag / "metadata.yaml").is_file()
        }
        self.costs: dict[int, dict[str, float]] = {}
        for line in _whole_lines(folder / COSTS):
            record = json.loads(line)
            self.costs[record.pop("index")] = record
        self._write(OUTCOMES, [self.outcomes[index].to_json() for index in sorted(self.outcomes)])

    def add(self, report: Report) -> None:
        """Keeps what became of a spec; it survives a kill from here on."""
        outcome = report.outcome
        costs = report.model_dump(exclude={"outcome"})
        self._append(COSTS, canonical_json({"index": outcome.index, **costs}))
        self._append(OUTCOMES, outcome.to_json())
        self.outcomes[outcome.index], self.costs[outcome.index] = outcome, costs

    def finish(self) -> None:
        """Puts all lines in the order of the specs."""
        self._write(OUTCOMES, [self.outcomes[index].to_json() for index in sorted(self.outcomes)])
        ordered = [canonical_json({"index": index, **self.costs[index]}) for index in sorted(self.costs)]
        self._write(COSTS, ordered)

    def _write(self, name: str, lines: list[str]) -> None:
        write_text_atomically(self._folder / name, "".join(line + "\n" for line in lines))

    def _append(self, name: str, line: str) -> None:
        try:
            with (self._folder / name).open("a", encoding="utf-8") as file:
                file.write(line + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise ImoveError(f"{self._folder / name} cannot be written: {error.strerror}") from error


def _whole_lines(path: Path) -> list[str]:
    """The lines of a file but for one without an end, which a killed writer leaves."""
    return path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []
