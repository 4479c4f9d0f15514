"""`imove assets build`: writes the library as a corpus folder."""

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from imove_bringup.arguments import POSITIVE
from imove_bringup.commands.assets import choosing
from imove_bringup.commands.options import Assets, checked_option
from imove_core.errors import ImoveError

# A little more than the whole library takes.
_NEEDED_BYTES = 400 * 10**6


def build(
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder to write; one in the user's cache by itself."),
    ] = None,
    category: choosing.Category = None,
    workers: Annotated[
        int, checked_option("--workers", POSITIVE, "N", "Processes side by side.", "one a CPU")
    ] = os.cpu_count() or 1,
    assets: Assets = None,
) -> None:
    """Write every object as a folder with URDF, meshes and pictures; what is there already and whole is kept."""
    from rich.progress import Progress

    from imove_eval.output_folder import check_free_space, lock_folder
    from imove_tasks.assets.building import build_corpus
    from imove_tasks.assets.library import open_library

    library = open_library(assets or ())
    corpus = out or default_corpus(library.snapshot_hash())
    wanted = {row.uuid for row in choosing.chosen_rows(library.rows(), None, category=category)}
    entries = [entry for entry in library.entries if entry.uuid in wanted]
    check_free_space(corpus, _NEEDED_BYTES)
    began, kept = time.monotonic(), 0
    try:
        with lock_folder(corpus), Progress() as progress:
            bar = progress.add_task("writing objects", total=len(entries))
            for built in build_corpus(entries, corpus, workers):
                kept += built.kept
                progress.advance(bar)
    except OSError as error:
        raise ImoveError(f"{corpus} cannot be written: {error}") from error
    seconds = time.monotonic() - began
    typer.echo(f"{corpus}: {len(entries) - kept} objects written and {kept} kept in {seconds:.1f} s")


def default_corpus(snapshot_hash: str, environ: Mapping[str, str] = os.environ) -> Path:
    """Where a library is written by itself: a folder of its own in the user's cache."""
    cache = Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "imove" / "assets" / snapshot_hash[:12]
