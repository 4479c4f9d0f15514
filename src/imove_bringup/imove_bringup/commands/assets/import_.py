"""`imove assets import`: turns a folder of foreign assets into a corpus that every command opens."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from imove_core.errors import ImoveError

if TYPE_CHECKING:
    from imove_tasks.assets.importing import ImportReport, ImportSettings


def _explain(asked: bool) -> None:
    if asked:
        from imove_tasks.assets.importing.plain import SHEET_HELP

        typer.echo(SHEET_HELP, nl=False)
        raise typer.Exit


def import_assets(
    source: Annotated[Path, typer.Argument(metavar="SOURCE", help="Folder of assets: URDF, MJCF, or loose meshes.")],
    out: Annotated[Path, typer.Option(metavar="CORPUS", help="Folder to write, or to add to; outside of SOURCE.")],
    uuid_split: Annotated[
        Path | None, typer.Option(metavar="YAML", help="Splits by id: seen, unseen_category, unseen_instance.")
    ] = None,
    category: Annotated[
        Path | None, typer.Option(metavar="YAML", help="Mapping of the source's words, * allowed, to our categories.")
    ] = None,
    limit_mb: Annotated[int, typer.Option(min=1, metavar="N", help="Larger files are refused unread.")] = 64,
    decompose: Annotated[
        bool, typer.Option("--decompose/--hull", help="Cut contacts that are not convex (needs coacd), or hull them.")
    ] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    explain: Annotated[
        bool, typer.Option("--explain", callback=_explain, is_eager=True, help="Show what loose meshes need, and exit.")
    ] = False,
) -> None:
    """Import foreign assets: each is imported, repaired or refused with a reason; exit 1 when one was refused.

    Then use them: --assets CORPUS. CORPUS/import_report.json keeps what was found.
    """
    from imove_tasks.assets.importing import ImportSettings
    from imove_tasks.assets.importing.assemble import Tools
    from imove_tasks.assets.importing.contacts import best_decomposition
    from imove_tasks.assets.importing.maps import read_category_map, read_splits

    settings = ImportSettings(
        tools=Tools(
            categories={} if category is None else read_category_map(category),
            decompose=best_decomposition() if decompose else None,
        ),
        splits={} if uuid_split is None else read_splits(uuid_split),
        limit_bytes=limit_mb * 2**20,
    )
    report = _carry_out(source, out, settings)
    if as_json:
        typer.echo(report.model_dump_json(indent=2))
    else:
        _print(report, out)
    if report.count("refused"):
        raise typer.Exit(1)


def _carry_out(source: Path, corpus: Path, settings: ImportSettings) -> ImportReport:
    from rich.console import Console
    from rich.progress import Progress

    from imove_eval.output_folder import lock_folder
    from imove_tasks.assets.importing import import_folder

    try:
        with lock_folder(corpus), Progress(console=Console(stderr=True)) as progress:
            bar = progress.add_task("importing objects", total=None)
            return import_folder(
                source, corpus, settings, lambda done, total: progress.update(bar, completed=done, total=total)
            )
    except OSError as error:
        raise ImoveError(f"{corpus} cannot be written: {error}") from error


def _print(report: ImportReport, corpus: Path) -> None:
    from rich import box
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    colors = {"imported": "green", "repaired": "yellow", "refused": "red"}
    table = Table("status", "object", "what was found", box=box.SIMPLE)
    for outcome in report.outcomes:
        told = [outcome.reason] if outcome.reason else []
        told += [finding.text for finding in outcome.findings if finding.kind != "note" or outcome.status != "refused"]
        color = colors[outcome.status]
        # The end of a path says most; the report has all of it.
        path = "/".join(outcome.source.split("/")[-2:])
        named = f"[bold]{escape(outcome.name)}[/]\n{escape(path)}" if outcome.name else escape(path)
        table.add_row(f"[{color}]{outcome.status}[/]", named, escape("\n".join(told)))
    console = Console()
    console.print(table)
    for note in report.notes:
        console.print(note, markup=False)
    counts = ", ".join(f"{report.count(status)} {status}" for status in colors)
    console.print(f"{corpus}: {counts}", markup=False, soft_wrap=True)
