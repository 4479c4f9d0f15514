"""`imove export`: episode bags become a dataset in the form that a trainer takes."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from imove_core.errors import ImoveError

if TYPE_CHECKING:
    from imove_datasets.report import ExportReport

FORMATS = "lerobot-v3, lerobot-v2.1, gr00t, openpi, motus"
NATIVE = "native"


def export(
    bags: Annotated[list[Path], typer.Argument(metavar="BAGS...", help="Datasets, task folders, or episodes.")],
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help=f"One of {FORMATS}.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the dataset; new or empty.")],
    actions: Annotated[
        str | None,
        typer.Option(
            metavar="absolute|relative",
            help="What the statistics of actions describe; the format's own habit by itself. Stored targets are "
            "absolute: trainers subtract the state themselves.",
        ),
    ] = None,
    horizon: Annotated[
        int | None, typer.Option(metavar="N", help="Actions a chunk, for relative statistics; the format's by itself.")
    ] = None,
    paraphrases: Annotated[
        str,
        typer.Option(
            metavar="per-epoch|all|canonical",
            help="Wordings: a table from which a sampler takes one an epoch; all in turn, frame by frame; none.",
        ),
    ] = "per-epoch",
    size: Annotated[
        str, typer.Option(metavar=f"N|{NATIVE}", help="Side of the square that images are scaled into, with borders.")
    ] = "224",
    crf: Annotated[int, typer.Option(metavar="N", help="H.264 quality, 0 best to 51 worst.")] = 18,
    reference_camera: Annotated[
        str, typer.Option(metavar="NAME", help="Its images make the frames; the first fixed camera by itself.")
    ] = "",
    max_age: Annotated[
        float, typer.Option(metavar="SECONDS", help="A frame is dropped when anything else is older than this.")
    ] = 0.05,
    max_gap: Annotated[
        float, typer.Option(metavar="SECONDS", help="An episode with a longer hole between frames is left out.")
    ] = 0.5,
    trim_idle: Annotated[
        bool, typer.Option("--trim-idle", help="Cut off frames at both ends in which nothing moves.")
    ] = False,
    workers: Annotated[int, typer.Option(min=1, metavar="N", help="Processes side by side.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Write the episodes of bags, synthesised, simulated, real or teleoperated, as a dataset for a trainer."""
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    from imove_datasets.export import export_dataset
    from imove_datasets.settings import AlignmentSettings, VideoSettings, export_settings

    settings = export_settings(
        to,
        actions=actions,
        horizon=horizon,
        paraphrases=paraphrases,
        alignment=AlignmentSettings(reference_camera, max_age, max_gap),
        video=VideoSettings(_side(size), crf),
        trim_idle=trim_idle,
    )
    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        bar = progress.add_task("episodes", total=None)
        report = export_dataset(
            bags, out, settings, workers, lambda done, total: progress.update(bar, completed=done, total=total)
        )
    if as_json:
        typer.echo(json.dumps(report.to_record(), ensure_ascii=False))
    else:
        _print(report, out)


def _side(size: str) -> int | None:
    if size == NATIVE:
        return None
    if not (size.isascii() and size.isdigit()):
        raise ImoveError(f"--size is {size!r}; a number of pixels or {NATIVE} is needed")
    return int(size)


def _print(report: "ExportReport", out: Path) -> None:
    for episode in report.episodes:
        if episode.left_out:
            typer.echo(f"left out {episode.name}: {episode.left_out}")
    for drop in report.drops:
        typer.echo(f"dropped {drop.frames} frames: {drop.reason} on {drop.topic}")
    trimmed = sum(sum(episode.trimmed) for episode in report.episodes)
    if trimmed:
        typer.echo(f"trimmed {trimmed} idle frames")
    columns = dict.fromkeys((item.column, item.floor) for item in report.floored)
    for column, floor in columns:
        names = [item.name for item in report.floored if (item.column, item.floor) == (column, floor)]
        typer.echo(f"{column} hardly moves in {', '.join(names)}: quantiles get a width of {floor:g}")
    typer.echo(
        f"{out}: {report.kept} of {len(report.episodes)} episodes, {report.frames} frames at {report.fps} Hz, "
        f"{report.tasks} texts, {report.settings.format}"
    )
