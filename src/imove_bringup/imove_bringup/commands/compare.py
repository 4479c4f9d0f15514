"""`imove compare`: is one policy better than another, how sure is that, and how many more episodes would tell."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from imove_analysis.intervals import INTERVAL_NAMES, WILSON
from imove_bringup.arguments import choice
from imove_bringup.commands.options import checked_option
from imove_bringup.commands.run_folders import folders_of_runs
from imove_core.spec import CONDITIONS
from imove_tasks.stages import RUBRICS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from rich.console import Console

    from imove_analysis.comparing import Comparison
    from imove_analysis.statistics.variance import VariancePart

_PIPE_WIDTH = 140
Rubric = Annotated[str, checked_option("--rubric", choice(RUBRICS), "NAME", "Whose results count.")]
Condition = Annotated[
    str, checked_option("--condition", choice(CONDITIONS), "NAME", "Condition of the episodes that count.")
]


def compare(
    first: Annotated[Path, typer.Argument(metavar="A", help="Folder of the run that is compared with.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Folder of the run in question.")],
    sequential: Annotated[
        bool,
        typer.Option("--sequential", help="Look scene by scene and stop when it is settled; may be asked at any time."),
    ] = False,
    unpaired: Annotated[
        bool, typer.Option("--unpaired", help="Take the runs as independent samples; needed for different suites.")
    ] = False,
    rubric: Rubric = "strict",
    condition: Condition = "normal",
    alpha: Annotated[float, typer.Option(help="Largest chance of a verdict where there is no difference.")] = 0.05,
    interval: Annotated[
        str, checked_option("--interval", choice(INTERVAL_NAMES), "NAME", "Of the rates of A and B.")
    ] = WILSON,
    allow_invalid: Annotated[
        bool, typer.Option("--allow-invalid", help="Count episodes whose policy was not told the instruction.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say whether policy B is better or worse than policy A, how sure that is, and how many more scenes would tell."""
    import numpy as np

    from imove_analysis.comparing import compare_runs
    from imove_analysis.runs import open_run
    from imove_analysis.verdicts import verdict_sentence

    comparison = compare_runs(
        open_run(first),
        open_run(second),
        np.random.default_rng(0),
        rubric=rubric,
        condition=condition,
        alpha=alpha,
        paired=not unpaired,
        sequential=sequential,
        allow_invalid=allow_invalid,
        interval=interval,
    )
    if as_json:
        typer.echo(json.dumps({**comparison.to_record(), "sentence": verdict_sentence(comparison)}, indent=2))
        return
    typer.echo(verdict_sentence(comparison))
    _print_table(comparison)
    for note in comparison.notes:
        typer.echo(f"Note: {note}.")


def repeatability(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Runs that differ in their seed alone, or folders of them.")
    ],
    rubric: Rubric = "strict",
    condition: Condition = "normal",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Split what differs between the episodes of repeated runs into scene, seed of the policy, and rest."""
    import numpy as np
    from rich import box
    from rich.table import Table

    from imove_analysis.repeatability import repeatability as split
    from imove_analysis.runs import open_run

    opened = [open_run(folder) for folder in folders_of_runs(runs)]
    found = split(opened, np.random.default_rng(0), rubric, condition)
    if as_json:
        typer.echo(json.dumps(found.to_record(), indent=2))
        return
    scenes = next(iter(found.splits.values())).scenes
    seeds = ", ".join(map(str, found.seeds))
    typer.echo(
        f"{found.policy} on {found.suite}, {found.condition}, {found.rubric}: {scenes} scenes under seeds {seeds}"
    )
    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("outcome", "by seed", "scene", "seed", "rest", "two runs differ by"):
        table.add_column(heading, overflow="fold")
    for name, one in found.splits.items():
        parts = [_part(part) for part in (one.scene, one.seed, one.rest)]
        table.add_row(name, " ".join(f"{mean:.3f}" for mean in one.means), *parts, f"up to {one.repeat_distance:.3f}")
    _console().print(table)
    typer.echo(
        "Share of the variance, the variance, its 95 % interval over scenes; * where the estimate was below 0. "
        "Two runs on these scenes with other seeds differ by no more than the last column in 95 of 100 cases."
    )
    for note in found.notes:
        typer.echo(f"Note: {note}.")


def _print_table(comparison: Comparison) -> None:
    from rich import box
    from rich.table import Table

    from imove_analysis.verdicts import percent

    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("", f"A: {comparison.first}", f"B: {comparison.second}", "B - A", "p", "Holm", "B is"):
        table.add_column(heading, overflow="fold")
    for measure in (*comparison.stages, comparison.score):
        low, high = measure.interval
        table.add_row(
            measure.name,
            _estimate(measure.first),
            _estimate(measure.second),
            f"{measure.difference:+.2f} [{low:+.2f}, {high:+.2f}]",
            f"{measure.p:.2g}",
            "" if measure is comparison.score else f"{measure.p_adjusted:.2g}",
            measure.verdict,
            end_section=measure is comparison.stages[-1],
        )
    _console().print(table)
    tests = dict.fromkeys(measure.test for measure in (*comparison.stages, comparison.score))
    typer.echo(
        f"{comparison.suite}, {comparison.condition}, {comparison.rubric}. In brackets 95 % intervals of A and B, "
        f"{percent(1 - comparison.alpha)} of the difference. Tests: {', '.join(tests)}."
    )


def _part(part: VariancePart) -> str:
    low, high = part.ci95
    return f"{part.share:.0%}{'*' * part.was_negative} {part.variance:.3f} [{low:.3f}, {high:.3f}]"


def _console() -> Console:
    from rich.console import Console

    # A pipe has no width of its own.
    return Console(width=None if sys.stdout.isatty() else _PIPE_WIDTH)


def _estimate(found: Mapping[str, Any]) -> str:
    """A rate with its count, or a mean, with the interval of either."""
    low, high = found["ci95"]
    value = f"{found['k']}/{found['n']} {found['rate']:.2f}" if "k" in found else f"{found['mean']:.3f}"
    return f"{value} [{low:.2f}, {high:.2f}]"
