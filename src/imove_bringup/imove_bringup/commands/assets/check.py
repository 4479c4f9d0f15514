"""`imove assets check`: the quality gate."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from imove_bringup.arguments import POSITIVE
from imove_bringup.commands.assets import choosing
from imove_bringup.commands.options import Assets, checked_option

if TYPE_CHECKING:
    from imove_tasks.assets.library import Entry

_TOLD_FAILURES = 20
# Results of a library and a page with pictures.
_NEEDED_BYTES = 20 * 10**6


def check(
    category: choosing.Category = None,
    assets: Assets = None,
    only_assets: Annotated[bool, typer.Option("--only-assets", help="Leave the shipped objects out.")] = False,
    generated: Annotated[
        int | None,
        checked_option(
            "--generated", POSITIVE, "N", "Check the first N objects that the generators make of each category instead."
        ),
    ] = None,
    rig: Annotated[str, typer.Option(help="Shipped rig, or a .yaml file.")] = "piperx_dual",
    trials: Annotated[int, checked_option("--trials", POSITIVE, "N", "Trial grasps an object.")] = 100,
    workers: Annotated[
        int, checked_option("--workers", POSITIVE, "N", "Processes side by side.", "one a CPU")
    ] = os.cpu_count() or 1,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder of the results; one that exists is gone on with.")
    ] = Path("runs/assets-check"),
    strict: Annotated[bool, typer.Option("--strict", help="Exit 1 when an object fails.")] = False,
) -> None:
    """Grasp, rest and measure every object; write results.jsonl and a report page."""
    from rich.progress import Progress, TimeRemainingColumn

    from imove_bringup.quality.gate import GATE
    from imove_bringup.quality.report import write_report
    from imove_bringup.quality.results import ResultsFile
    from imove_bringup.quality.running import GateRun, check_entries
    from imove_core.rig import load_rig
    from imove_eval.output_folder import check_free_space, lock_folder

    entries = _entries(category, assets, only_assets, generated)
    rig_name = load_rig(rig).name
    check_free_space(out, _NEEDED_BYTES)
    found, kept = {}, 0
    with lock_folder(out):
        file = ResultsFile(out)
        columns = (*Progress.get_default_columns()[:3], TimeRemainingColumn(elapsed_when_finished=True))
        with Progress(*columns) as progress:
            bar = progress.add_task("checking objects", total=len(entries))
            for checked in check_entries(entries, GateRun(rig, trials, workers), file):
                found[checked.result.uuid] = checked.result
                kept += checked.kept
                failed = sum(not result.passed for result in found.values())
                progress.update(bar, advance=1, description=f"checking objects, {failed} fail")
        results = [found[entry.uuid] for entry in entries]
        facts = {"gate": str(GATE), "rig": rig_name, "trials an object": str(trials)}
        page = write_report(results, {entry.uuid: entry for entry in entries}, facts, out)
    failures = [result for result in results if not result.passed]
    for result in failures[:_TOLD_FAILURES]:
        typer.echo(f"{result.uuid[:8]} {result.name}: {result.reason}")
    if len(failures) > _TOLD_FAILURES:
        typer.echo(f"... and {len(failures) - _TOLD_FAILURES} more, see {page}")
    typer.echo(
        f"{len(results) - len(failures)} of {len(results)} objects pass ({kept} known from before); {file.path}, {page}"
    )
    if strict and failures:
        raise typer.Exit(1)


def _entries(
    categories: list[str] | None, assets: list[Path] | None, only_assets: bool, generated: int | None
) -> "list[Entry]":
    """What is to be checked."""
    from imove_core.errors import ImoveError, unknown_name
    from imove_tasks.assets.library import AssetLibrary, open_library
    from imove_tasks.assets.sources import FolderSource

    if only_assets and not assets:
        raise ImoveError("--only-assets leaves nothing to check without --assets")
    if generated is not None and assets:
        raise ImoveError("--generated checks no folders; give it or --assets")
    library = AssetLibrary.generate(generated) if generated is not None else open_library(assets or ())
    found = list(library.entries)
    if only_assets:
        found = [entry for entry in found if isinstance(entry.source, FolderSource)]
    known = {entry.category for entry in found}
    for word in categories or ():
        if word not in known:
            raise unknown_name("category", word, known)
    return [entry for entry in found if not categories or entry.category in categories]
