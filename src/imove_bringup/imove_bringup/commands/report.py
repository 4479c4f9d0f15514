"""`imove report`: what runs came to, as pages that open from disk."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from imove_bringup.arguments import Kind
from imove_bringup.commands.options import Assets, OtherRig, checked_option
from imove_bringup.commands.progress_bar import progress_bar
from imove_bringup.commands.run_folders import folders_of_runs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from imove_analysis.report import Progress
    from imove_analysis.runs import Run

_FOLDER = "report"
_NONE = "none"
_VIDEOS_RULE = "failed, all, none, or how many of the failed ones"


def _videos_kind() -> Kind:
    def convert(text: str) -> str:
        if text not in ("failed", "all", _NONE) and not (text.isdecimal() and int(text) > 0):
            raise ValueError(text)
        return text

    return Kind(_VIDEOS_RULE, convert)


def report(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN...",
            help="One run: its report. Two: side by side, the second against the first. More: one report of all. A "
            "folder of several runs: their index.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of the page; of one run or index report/ within it, else reports/... by itself."),
    ] = None,
    together: Annotated[
        bool, typer.Option("--together", help="One report of all runs, also of two or of those in a folder.")
    ] = False,
    videos: Annotated[
        str,
        checked_option(
            "--videos", _videos_kind(), "WHICH", f"Episodes whose video is rendered first: {_VIDEOS_RULE}.", "none"
        ),
    ] = _NONE,
    card: Annotated[
        bool, typer.Option("--card", help="Also write the result card of one policy beside the page.")
    ] = False,
    mixed: Annotated[
        bool, typer.Option("--mixed", help="Take runs that differ in what decides results; the page then says in what.")
    ] = False,
    rig: OtherRig = "",
    assets: Assets = None,
) -> None:
    """Write a page with verdict, rates against chance, counterfactuals, failures and settings; it needs no network."""
    from imove_analysis.report import build_comparison, build_index, build_report
    from imove_analysis.runs import open_run
    from imove_core.errors import ImoveError

    found = folders_of_runs(folders)
    with _garbage_kept(), progress_bar() as progress:
        if len(folders) == 1 and found != folders and not together:
            if card or videos != _NONE:
                raise ImoveError(f"{folders[0]} holds {len(found)} runs; --card and --videos are for reports of runs")
            page = build_index(folders[0], out or folders[0] / _FOLDER, progress)
            typer.echo(f"written: {page}")
            return
        runs = [open_run(folder) for folder in found]
        place = out or _place(runs)
        for run in runs:
            _render(run, videos, rig, assets or (), progress)
        cards = _write_card(runs, place) if card else ()
        if len(runs) == 2 and not together:
            page = build_comparison(runs[0], runs[1], place, mixed=mixed, progress=progress)
        else:
            page = build_report(runs, place, mixed=mixed, beside=[path.name for path in cards], progress=progress)
    for path in (*cards, page):
        typer.echo(f"written: {path}")


def _render(run: Run, videos: str, rig: str, assets: Sequence[Path], progress: Progress) -> None:
    """Renders the videos that are wanted and not there; episodes without control steps or bag go without."""
    if videos == _NONE:
        return
    from imove_bringup.episode_video.choosing import ALL, FAILED, choose_episodes
    from imove_bringup.episode_video.missing import render_missing

    most = int(videos) if videos.isdecimal() else len(run.episodes)
    wanted = choose_episodes(run, ALL if videos == ALL else FAILED, most)
    render_missing(run, wanted, progress, rig=rig, assets=assets)


def _write_card(runs: Sequence[Run], folder: Path) -> tuple[Path, ...]:
    import numpy as np

    from imove_analysis.card import write_card

    return write_card(runs, folder, np.random.default_rng(0))


def _place(runs: Sequence[Run]) -> Path:
    """Where a page is by itself: that of one run within its folder, others under `reports`."""
    if len(runs) == 1:
        return runs[0].folder / _FOLDER
    names = [run.folder.resolve().name for run in runs]
    return Path("reports") / (f"{names[1]}-against-{names[0]}" if len(runs) == 2 else f"{len(names)}-runs-{names[0]}")


@contextmanager
def _garbage_kept() -> Iterator[None]:
    """All that is read stays until the page is written: to look for garbage among it takes as long as to read it."""
    import gc

    gc.disable()
    try:
        yield
    finally:
        gc.enable()
