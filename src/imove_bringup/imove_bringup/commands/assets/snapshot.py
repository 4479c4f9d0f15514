"""`imove assets snapshot`: composes the list of objects that imove ships."""

import os
from pathlib import Path
from typing import Annotated

import typer

from imove_bringup.arguments import POSITIVE, SEED
from imove_bringup.commands.options import checked_option
from imove_core.errors import ImoveError


def snapshot(
    out: Annotated[Path, typer.Option(metavar="FILE", help="File to write, ending in .jsonl.")],
    results: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Results of the quality gate; objects that failed there are replaced."),
    ] = None,
    name: Annotated[str, typer.Option(help="Name of the list; the file's own by itself.")] = "",
    total: Annotated[int | None, checked_option("--total", POSITIVE, "N", "Number of objects.", "1757")] = None,
    seed: Annotated[int, checked_option("--seed", SEED, "N", "Seed of the objects.")] = 0,
    workers: Annotated[
        int, checked_option("--workers", POSITIVE, "N", "Processes side by side.", "one a CPU")
    ] = os.cpu_count() or 1,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that nothing was frozen with yet.")] = False,
) -> None:
    """Build the objects of every category and write them as an immutable, content-hashed list."""
    from rich.progress import Progress

    from imove_tasks.assets.composition import TOTAL, compose, read_verdicts
    from imove_tasks.assets.snapshots import Snapshot, write_snapshot

    if out.suffix != ".jsonl":
        raise ImoveError(f"out is {out}; a file that ends in .jsonl is needed")
    verdicts = read_verdicts(results) if results else {}
    parts = []
    with Progress() as progress:
        bar = progress.add_task("building objects", total=total or TOTAL)
        for part in compose(total or TOTAL, seed, verdicts, workers):
            parts.append(part)
            progress.advance(bar, len(part.rows))
    made = Snapshot(
        name or out.stem,
        tuple(row for part in parts for row in part.rows),
        tuple(item for part in parts for item in part.excluded),
    )
    if force:
        out.unlink(missing_ok=True)
    write_snapshot(made, out)
    unchecked = sum(len(part.unchecked) for part in parts)
    typer.echo(
        f"{out}: {len(made.rows)} objects in {len(parts)} categories, {len(made.excluded)} excluded, "
        f"snapshot {made.asset_snapshot[:12]}"
    )
    if results and unchecked:
        typer.echo(
            f"{unchecked} of them are not in the results; run `imove assets check --generated N` for more objects of "
            "each category and compose the list again"
        )
