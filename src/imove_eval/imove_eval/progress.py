"""How fast a run goes, how it goes so far, and when it will be finished."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from imove_analysis.conditions import TARGETED_CONDITIONS
from imove_analysis.records import COMPLETED
from imove_core.spec import EpisodeSpec
from imove_eval.runner import Reporter
from imove_tasks.stages import PLACE_STAGES, stage_title

RUBRIC = "strict"
LINES_A_RUN = 20
"""Where nothing can be drawn over, a line comes after each of so many parts of a run."""


class Pace:
    """Counts what has ended since a run began or went on."""

    def __init__(self, now_s: float) -> None:
        """Begins to count.

        Args:
            now_s: By the clock of the later calls.
        """
        self._began_s = now_s
        self._ended = self._scored = 0
        self._reached: Counter[str] = Counter()

    def note(self, record: dict[str, Any]) -> None:
        """Takes note of an episode that has ended."""
        self._ended += 1
        if record["outcome"] == COMPLETED and record["condition"] in TARGETED_CONDITIONS:
            score = record["score"]["rubrics"][RUBRIC]
            self._scored += 1
            # A stage that nobody has reached yet is shown as such.
            self._reached.update({stage: bool(score[stage]) for stage in PLACE_STAGES if stage in score})

    def text(self, now_s: float, left: int) -> str:
        """E.g. `1210 episodes/h, 19 min left, Reach 0.45 Lift 0.40`.

        Args:
            now_s: The time.
            left: Episodes to come.
        """
        per_hour = self._ended / max(now_s - self._began_s, 1e-9) * 3600
        words = [f"{per_hour:.0f} episodes/h", f"{_duration(left / per_hour * 3600)} left"] if self._ended else []
        rates = [f"{stage_title(stage)} {k / self._scored:.2f}" for stage, k in self._reached.items()]
        return ", ".join([*words, *([" ".join(rates)] if rates else [])])


class ProgressReporter:
    """Shows the pace of a run besides what another reporter shows: as a bar in a terminal, in lines elsewhere."""

    def __init__(self, inner: Reporter, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        """Draws nothing yet.

        Args:
            inner: Shows episodes and results.
            console: Where to show the pace.
            clock: Tells the time, s.
        """
        self._inner, self._console, self._clock = inner, console, clock
        self._pace = Pace(clock())
        self._bar: Progress | None = None
        self._task = TaskID(0)

    def __enter__(self) -> Self:
        """Nothing is to be done before a run starts."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Takes the bar away, however the run ended."""
        self._end()

    def started(self, total: int, finished: int) -> None:
        """Begins to count."""
        self._inner.started(total, finished)
        self._pace = Pace(self._clock())
        if self._console.is_terminal and finished < total:
            columns = (BarColumn(), TextColumn("{task.completed}/{task.total}"), TextColumn("{task.description}"))
            self._bar = Progress(*columns, console=self._console, transient=True)
            self._task = self._bar.add_task("", total=total, completed=finished)
            self._bar.start()

    def episode(self, number: int, total: int, spec: EpisodeSpec, record: dict[str, Any]) -> None:
        """Shows the pace after an episode."""
        self._inner.episode(number, total, spec, record)
        self._pace.note(record)
        text = self._pace.text(self._clock(), total - number)
        if self._bar is not None:
            self._bar.update(self._task, completed=number, description=text)
        elif number < total and number % max(1, total // LINES_A_RUN) == 0 and total >= LINES_A_RUN:
            self._console.print(f"{number}/{total}  {text}", soft_wrap=True, highlight=False)

    def notice(self, text: str) -> None:
        """Says what people should know besides."""
        self._console.print(text, style="yellow", markup=False, soft_wrap=True, highlight=False)

    def summary(self, summary: dict[str, Any]) -> None:
        """Leaves the last word to the other reporter."""
        self._end()
        self._inner.summary(summary)

    def _end(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


def _duration(seconds: float) -> str:
    """A duration as people say it."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
