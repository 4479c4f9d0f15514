"""The bar that commands show while they go through episodes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from imove_analysis.report import Progress


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A bar on stderr that names what is being done, and is gone when all is."""
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
