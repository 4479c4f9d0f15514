"""`imove suite certify`."""

from pathlib import Path
from typing import Annotated

import typer

from imove_bringup.commands.options import Assets, OtherRig


def certify(
    suite: Annotated[str, typer.Argument(help="Shipped suite, or a .jsonl file.")],
    out: Annotated[
        Path | None, typer.Option(help="Write the suite with the certificates of the installed engine here.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes side by side.")] = 1,
    rig: OtherRig = "",
    assets: Assets = None,
) -> None:
    """Prove every scene again: texts, rest, view, and every goal in physics; exit 1 when one does not hold."""
    from rich.console import Console
    from rich.progress import Progress

    from imove_bringup.freezing.certifying import certify_suite
    from imove_tasks.suites import Suite, open_suite, write_suite

    opened = open_suite(suite)
    failures, same = [], 0
    specs = []
    with Progress(console=Console(stderr=True)) as progress:
        bar = progress.add_task(f"certifying {opened.name}", total=len(opened.specs))
        for spec, outcome in certify_suite(opened, workers, assets or (), rig):
            progress.advance(bar)
            if isinstance(outcome, str):
                failures.append(f"{spec.id}: {outcome}")
                continue
            same += outcome == spec.certificate
            specs.append(spec.model_copy(update={"certificate": outcome}))
    typer.echo(
        f"{opened.name}: {len(specs)} of {len(opened.specs)} scenes certified, {same} of them with the same figures"
    )
    for failure in failures:
        typer.echo(f"  {failure}")
    if failures:
        raise typer.Exit(1)
    if out is not None:
        write_suite(Suite(opened.name, opened.seed, opened.asset_snapshot, tuple(specs)), out)
        typer.echo(f"written: {out}")
