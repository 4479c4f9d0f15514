"""`imove assets export`: writes objects in the form that another simulator or viewer reads."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from imove_bringup.arguments import POSITIVE, choice
from imove_bringup.commands.assets import choosing
from imove_bringup.commands.options import Assets, checked_option
from imove_core.errors import ImoveError

if TYPE_CHECKING:
    from imove_tasks.assets.library import AssetLibrary, Entry

FORMATS = ("urdf", "glb", "mjcf", "usd", "roboorchard")
# Generous for one object in the largest form.
_BYTES_AN_OBJECT = 300_000


def export(
    form: Annotated[str, checked_option("--format", choice(FORMATS), "NAME", "What to write.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder to write; one format each.")],
    category: choosing.Category = None,
    uuid: Annotated[
        list[str] | None, typer.Option("--uuid", metavar="ID", help="Object, or the start of its id; repeatable.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Export every object.")] = False,
    workers: Annotated[
        int, checked_option("--workers", POSITIVE, "N", "Processes side by side.", "one a CPU")
    ] = os.cpu_count() or 1,
    assets: Assets = None,
) -> None:
    """Write objects as URDF, GLB, MJCF, USD or RoboOrchardSim folders; what is there already is kept.

    A run that was stopped goes on with the same command. docs/assets-format.md describes the formats.
    """
    from rich.progress import Progress

    from imove_eval.output_folder import check_free_space, lock_folder
    from imove_tasks.assets.library import open_library

    entries = _chosen(open_library(assets or ()), category, uuid, everything)
    check_free_space(out, _BYTES_AN_OBJECT * len(entries))
    began, kept = time.monotonic(), 0
    try:
        with lock_folder(out), Progress() as progress:
            bar = progress.add_task(f"exporting as {form}", total=len(entries))
            for was_there in _written(entries, form, out, workers):
                kept += was_there
                progress.advance(bar)
    except OSError as error:
        raise ImoveError(f"{out} cannot be written: {error}") from error
    seconds = time.monotonic() - began
    typer.echo(f"{out}: {len(entries) - kept} objects exported as {form} and {kept} kept in {seconds:.1f} s")


def _chosen(
    library: AssetLibrary, category: list[str] | None, uuids: Iterable[str] | None, everything: bool
) -> list[Entry]:
    if sum(map(bool, (category, uuids, everything))) != 1:
        raise ImoveError("nothing or too much is chosen; give one of --category, --uuid and --all")
    if uuids:
        wanted = {choosing.one_row(library, text).uuid for text in uuids}
    else:
        wanted = {row.uuid for row in choosing.chosen_rows(library.rows(), None, category=category)}
    return [entry for entry in library.entries if entry.uuid in wanted]


def _written(entries: list[Entry], form: str, out: Path, workers: int) -> Iterator[bool]:
    """Whether each object was there already, as soon as it is done."""
    from imove_tasks.assets.building import build_corpus
    from imove_tasks.assets.exporting import export_all

    if form == "urdf":
        yield from (built.kept for built in build_corpus(entries, out, workers))
    else:
        yield from (done.kept for done in export_all(entries, form, out, workers))
