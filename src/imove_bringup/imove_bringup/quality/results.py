"""What the gate says of each asset, one JSON line in a file that is only ever appended to."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from imove_core.canonical import canonical_json, write_text_atomically
from imove_core.errors import ImoveError
from imove_core.values import FrozenValue, first_fault

RESULTS = "results.jsonl"

Count = Annotated[int, Field(ge=0)]


class Grasps(FrozenValue):
    """Trial grasps.

    Attributes:
        trials: How many.
        successes: Those in which the object was lifted and held.
        failures: Number of the others by reason.
        grips: Trials and successes of each annotated grip that was tried, by its number.
        slip_mm: Largest slip of a success.
    """

    trials: Count
    successes: Count
    failures: dict[str, Count]
    grips: dict[str, tuple[Count, Count]]
    slip_mm: float


class Pose(FrozenValue):
    """One resting pose.

    Attributes:
        holds: It stayed.
        tilt_deg: Largest change of its upright direction.
        drift_mm: How far it moved sideways.
    """

    holds: bool
    tilt_deg: float
    drift_mm: float


class Disagreement(FrozenValue):
    """Something that was measured and is not as the asset says."""

    check: str
    measured: str
    claimed: str


class Result(FrozenValue):
    """The gate's word on one asset.

    Attributes:
        uuid: Its id.
        name: What it is.
        category: Its category.
        domain: Its domain.
        content_hash: Of the content that was checked.
        gate: Version of the gate.
        rig: Name of the rig.
        passed: Whether it may be in a library.
        reason: Why not, "" when it passed.
        grasps: None for an object that is not to be grasped, or that could not be had.
        poses: Its resting poses in order.
        checks: Number of labels and figures that were measured.
        disagreements: Those that are not as claimed.
        cpu_s: Processor time that it took.
    """

    uuid: str
    name: str
    category: str
    domain: str
    content_hash: str
    gate: int
    rig: str
    passed: bool
    reason: str
    grasps: Grasps | None
    poses: tuple[Pose, ...]
    checks: Count
    disagreements: tuple[Disagreement, ...]
    cpu_s: float

    def answers(self, gate: int, rig: str, trials: int) -> bool:
        """Whether it need not be asked again: same gate, same rig, as many trials, and the asset could be had."""
        asked = self.grasps is None or self.grasps.trials == trials
        return self.gate == gate and self.rig == rig and asked and bool(self.content_hash)

    def to_json(self) -> str:
        """One line of canonical JSON."""
        return canonical_json(self.model_dump(mode="json"))


class ResultsFile:
    """The results in a folder; every line that is added is on the disk when `add` returns."""

    def __init__(self, folder: Path) -> None:
        """Opens or makes it; a last line that a killed run left unfinished is dropped.

        Raises:
            ImoveError: A line is no result, or the folder cannot be written.
        """
        self.path = folder / RESULTS
        self._results: list[Result] = []
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if self.path.exists():
                *lines, unfinished = self.path.read_text(encoding="utf-8").split("\n")
                self._results = [_parsed(line, self.path, number) for number, line in enumerate(lines, start=1)]
                if unfinished:
                    write_text_atomically(self.path, "".join(f"{line}\n" for line in lines))
        except OSError as error:
            raise ImoveError(f"{folder} cannot be written: {error}") from error

    @property
    def results(self) -> tuple[Result, ...]:
        """All lines in the order in which they were written."""
        return tuple(self._results)

    def add(self, result: Result) -> None:
        """Appends a line.

        Raises:
            ImoveError: It cannot be written.
        """
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(result.to_json() + "\n")
        except OSError as error:
            raise ImoveError(f"{self.path} cannot be written: {error}") from error
        self._results.append(result)


def latest(results: Iterable[Result]) -> dict[str, Result]:
    """The last result of each asset, by id."""
    return {result.uuid: result for result in results}


def _parsed(line: str, path: Path, number: int) -> Result:
    try:
        return Result.model_validate_json(line)
    except ValidationError as error:
        fault = first_fault(error, "the line")
        raise ImoveError(f"{path}: line {number}: {fault}; remove the line, and its asset is checked again") from error
