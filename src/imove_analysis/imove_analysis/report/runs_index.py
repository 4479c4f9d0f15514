"""A page over all runs below a folder: what each is, what it came to, and where its report is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from imove_analysis.conditions import describe_conditions
from imove_analysis.counterfactual import BASELINE
from imove_analysis.report.facts import written_on
from imove_analysis.report.pages import INDEX, write_page
from imove_analysis.report.progress import Progress, Silent
from imove_analysis.report.rates import ConditionRates, Rate, rates_of
from imove_analysis.report.words import NOTHING
from imove_analysis.runs import Run, find_runs, open_run
from imove_analysis.tables.comparable import domain_of, short
from imove_core.errors import ImoveError
from imove_core.spec import CONDITIONS

REPORT = Path("report") / INDEX
"""Where the report of a run is by itself, within the run's folder."""


@dataclass(frozen=True)
class RunEntry:
    """A line of the index.

    Attributes:
        folder: Relative to the root.
        link: To its report, relative to the page; "" where none was made.
        policy: Name.
        suite: Name.
        domain: `sim` or `real`.
        conditions: That were run, as short as possible.
        date: On which its last episode was written.
        n: Finished episodes.
        aborted: Others.
        reach: Of the target under the normal text, strict rubric; None where that was not run.
        lift: Likewise.
        score: Likewise.
        valid: Whether all texts arrived.
        problems: What is wrong with its files.
        hashes: Name and value of what it was made with, shortened.
    """

    folder: str
    link: str
    policy: str
    suite: str
    domain: str
    conditions: str
    date: str
    n: int
    aborted: int
    reach: Rate | None
    lift: Rate | None
    score: Rate | None
    valid: bool
    problems: tuple[str, ...]
    hashes: tuple[tuple[str, str], ...]


def build_index(root: Path, out: Path, progress: Progress | None = None) -> Path:
    """Writes the index of the runs at or below a folder.

    Args:
        root: Folder.
        out: Folder of the page.
        progress: Is told how far it is.

    Returns:
        The page.

    Raises:
        ImoveError: There is no run, or the folder cannot be written.
    """
    progress = progress or Silent()
    folders = find_runs(root)
    if not folders:
        raise ImoveError(f"{root} holds no run; a run has provenance.json and episodes.jsonl")
    progress.begin("runs", len(folders))
    entries: list[RunEntry] = []
    unreadable: list[str] = []
    for folder in folders:
        try:
            entries.append(run_entry(open_run(folder), root, out))
        except ImoveError as error:
            unreadable.append(f"{error}.")
        progress.advance()
    values: dict[str, Any] = {
        "title": f"Runs in {root.resolve().name}",
        "entries": entries,
        "unreadable": unreadable,
        "policies": sorted({entry.policy for entry in entries}),
        "suites": sorted({entry.suite for entry in entries}),
        "conditions": sorted({entry.conditions for entry in entries}),
    }
    return write_page(out, "runs.html", ("runs.js",), values)


def run_entry(run: Run, root: Path, out: Path) -> RunEntry:
    """The line of a run.

    Args:
        run: The run.
        root: Its folder is told relative to this.
        out: Links are relative to this.
    """
    normal = next((entry for entry in rates_of(run, "strict", {}) if entry.condition == BASELINE), None)
    reach, lift, score = _main_rates(normal)
    simulator = run.provenance.get("simulator") or {}
    hashes = (
        ("suite", run.settings["suite_hash"]),
        ("objects", run.provenance.get("asset_snapshot")),
        ("engine", simulator.get("engine")),
        ("renderer", simulator.get("renderer")),
    )
    ran = [name for name in CONDITIONS if name in run.conditions]
    return RunEntry(
        folder=_relative(run.folder, root),
        link=_link(run.folder / REPORT, out),
        policy=run.policy,
        suite=run.suite_name,
        domain=domain_of(run),
        conditions=describe_conditions(ran) if ran else NOTHING,
        date=written_on(run),
        n=len(run.episodes),
        aborted=len(run.aborted),
        reach=reach,
        lift=lift,
        score=score,
        valid=all(episode.prompt_verified for episode in run.episodes),
        problems=run.problems,
        hashes=tuple((name, NOTHING if value is None else short(value)) for name, value in hashes),
    )


def _main_rates(normal: ConditionRates | None) -> Sequence[Rate | None]:
    if normal is None or not normal.target:
        return (None, None, None)
    return (normal.target[0], normal.target[1], normal.score)


def _relative(folder: Path, root: Path) -> str:
    found = folder.resolve()
    return found.relative_to(root.resolve()).as_posix() if found != root.resolve() else found.name


def _link(report: Path, out: Path) -> str:
    """A relative address of a report, "" where there is none."""
    if not report.is_file():
        return ""
    return quote("/".join(_way(out.resolve(), report.resolve())))


def _way(start: Path, end: Path) -> Iterator[str]:
    shared = 0
    while shared < min(len(start.parts), len(end.parts)) and start.parts[shared] == end.parts[shared]:
        shared += 1
    yield from [".."] * (len(start.parts) - shared)
    yield from end.parts[shared:]
