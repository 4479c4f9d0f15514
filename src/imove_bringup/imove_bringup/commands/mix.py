"""`imove mix`: a sampler file that mixes exported data sets, by default nine parts of simulation to one of reality."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from imove_core.errors import ImoveError, unknown_name

if TYPE_CHECKING:
    from imove_datasets.mixing import MixPlan

UNITS = ("frames", "episodes")


def mix(
    data: Annotated[list[Path], typer.Argument(metavar="SIM REAL", help="Exported data sets, two or more.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="Plan to write, .json or .parquet.")],
    ratio: Annotated[str, typer.Option(metavar="N:M", help="Parts of each data set, whole numbers.")] = "9:1",
    by: Annotated[str, typer.Option(help=f"What counts equally within a data set: {' or '.join(UNITS)}.")] = "frames",
    draws: Annotated[
        int | None, typer.Option(metavar="N", help="Length of the epoch; every frame comes at least once if left out.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="What all choices follow from.")] = 0,
    epoch: Annotated[int, typer.Option(min=0, help="Number of the epoch: another order, other texts.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Plan which frames of several data sets a trainer sees in one epoch, at an exact ratio."""
    from rich.console import Console

    from imove_datasets.mixing import make_plan
    from imove_datasets.mixing_file import write_plan
    from imove_datasets.mixing_sources import read_source

    if by not in UNITS:
        raise unknown_name("unit", by, UNITS)
    weights = parsed_ratio(ratio, len(data))
    console = Console(stderr=True)
    with console.status("reading the data sets"):
        sources = [read_source(folder, weight) for folder, weight in zip(data, weights, strict=True)]
    with console.status("planning the epoch"):
        plan = make_plan(sources, unit="frames" if by == "frames" else "episodes", seed=seed, epoch=epoch, draws=draws)
        write_plan(plan, out)
    _report(plan, out, as_json)


def parsed_ratio(ratio: str, data_sets: int) -> tuple[int, ...]:
    """Reads "9:1".

    Args:
        ratio: Whole numbers from 1 on with colons between them.
        data_sets: How many there must be.

    Raises:
        ImoveError: when it is no such thing.
    """
    parts = ratio.split(":")
    if not all(part.isascii() and part.isdigit() and int(part) > 0 for part in parts):
        raise ImoveError(f"--ratio {ratio} is no ratio; give whole numbers from 1 on, e.g. 9:1")
    if len(parts) != data_sets:
        raise ImoveError(f"--ratio {ratio} has {len(parts)} parts for {data_sets} data sets; give one part for each")
    return tuple(int(part) for part in parts)


def _report(plan: "MixPlan", out: Path, as_json: bool) -> None:
    drawn = [int((plan.draws[:, 0] == index).sum()) for index in range(len(plan.sources))]
    if as_json:
        rows = [
            {"folder": source.folder, "episodes": len(source.episodes), "frames": source.frames, "draws": count}
            for source, count in zip(plan.sources, drawn, strict=True)
        ]
        typer.echo(json.dumps({"plan": str(out), "draws": len(plan.draws), "sources": rows}))
        return
    for source, count in zip(plan.sources, drawn, strict=True):
        times = count / source.frames
        typer.echo(
            f"{source.folder}: {count} draws from {source.frames} frames of {len(source.episodes)} episodes "
            f"({times:.2f} a frame)"
        )
    typer.echo(f"{out}: {len(plan.draws)} draws, ratio {':'.join(str(source.weight) for source in plan.sources)}")
