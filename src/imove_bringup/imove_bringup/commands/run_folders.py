"""Folders of runs as commands are given them, and what is wrong with their files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import typer

from imove_core.errors import ImoveError


def folders_of_runs(given: Sequence[Path]) -> list[Path]:
    """The runs at or below folders, each once, in their order.

    Raises:
        ImoveError: A folder is none, or there is no run in any.
    """
    from imove_analysis.runs import find_runs

    found = list(dict.fromkeys(run for folder in given for run in find_runs(folder)))
    if not found:
        raise ImoveError(f"there is no run in {', '.join(map(str, given))}")
    return found


def tell_problems(problems: Iterable[str]) -> None:
    """Prints what is wrong with the files of a run to stderr, one line each."""
    for problem in problems:
        typer.echo(f"note: {problem}", err=True)
