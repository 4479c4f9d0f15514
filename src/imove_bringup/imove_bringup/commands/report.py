"""`imove report`: what runs came to, as pages that open from disk."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from imove_analysis.report import Progress
    from imove_analysis.runs import Run

_FOLDER = "report"


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
    mixed: Annotated[
        bool, typer.Option("--mixed", help="Take runs that differ in what decides results; the page then says in what.")
    ] = False,
) -> None:
    """Write a page with verdict, rates against chance, counterfactuals, failures and settings; it needs no network."""
    import gc

    from imove_analysis.report import build_comparison, build_index, build_report
    from imove_analysis.runs import find_runs, open_run
    from imove_core.errors import ImoveError

    # All that is read stays until the page is written: looking for garbage among it takes as long as reading it.
    gc.disable()
    found = list(dict.fromkeys(run for folder in folders for run in find_runs(folder)))
    if not found:
        raise ImoveError(f"there is no run in {', '.join(str(folder) for folder in folders)}")
    with _progress() as progress:
        if len(folders) == 1 and found != folders and not together:
            page = build_index(folders[0], out or folders[0] / _FOLDER, progress)
        else:
            runs = [open_run(folder) for folder in found]
            place = out or _place(runs)
            if len(runs) == 2 and not together:
                page = build_comparison(runs[0], runs[1], place, mixed=mixed, progress=progress)
            else:
                page = build_report(runs, place, mixed=mixed, progress=progress)
    typer.echo(f"written: {page}")


def _place(runs: Sequence[Run]) -> Path:
    """Where a page is by itself: that of one run within its folder, others under `reports`."""
    if len(runs) == 1:
        return runs[0].folder / _FOLDER
    names = [run.folder.resolve().name for run in runs]
    return Path("reports") / (f"{names[1]}-against-{names[0]}" if len(runs) == 2 else f"{len(names)}-runs-{names[0]}")


@contextmanager
def _progress() -> Iterator[Progress]:
    """A bar on stderr that names what is being made."""
    from rich.console import Console
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    with Bars(console=Console(stderr=True), transient=True) as bars:

        class Shown:
            task: TaskID | None = None

            def begin(self, doing: str, steps: int) -> None:
                if self.task is not None:
                    bars.remove_task(self.task)
                self.task = bars.add_task(doing, total=steps or None)

            def advance(self) -> None:
                if self.task is not None:
                    bars.advance(self.task)

        yield Shown()
