"""The comparison for people: tables for a terminal, and one HTML page that needs nothing else."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from imove_core.canonical import write_text_atomically
from imove_eval.output_folder import disk_errors
from imove_tasks.stages import stage_title

COMPARISON, TEXT, PAGE = "comparison.json", "comparison.txt", "comparison.html"
_WIDTH = 120


def write_comparison(folder: Path, comparison: Mapping[str, Any]) -> None:
    """Writes the comparison as data, text and page.

    Args:
        folder: Of the comparison.
        comparison: From `compare_policies`.

    Raises:
        ImoveError: The folder cannot be written.
    """
    text = io.StringIO()
    print_comparison(Console(file=text, width=_WIDTH), comparison)
    with disk_errors(folder):
        write_text_atomically(folder / COMPARISON, json.dumps(comparison, indent=2) + "\n")
        write_text_atomically(folder / TEXT, text.getvalue())
        write_text_atomically(folder / PAGE, page_of(comparison))


def page_of(comparison: Mapping[str, Any]) -> str:
    """The page as HTML."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters.update(interval=_interval, signed=_signed)
    template = (resources.files("imove_eval.blinded") / "page" / "comparison.html").read_text(encoding="utf-8")
    return environment.from_string(template).render(comparison=comparison, titles=_titles(comparison))


def print_comparison(console: Console, comparison: Mapping[str, Any]) -> None:
    """Prints who was who, the rates and the paired differences."""
    policies = comparison["policies"]
    console.print(f"Comparison on {escape(comparison['suite'])}: {comparison['trials']} trials", highlight=False)
    for label, policy in policies.items():
        parts = [policy["name"], *(f"{what} {policy[what]}" for what in ("config", "url") if policy[what])]
        console.print(f"  {label} was {escape(', '.join(parts))}", highlight=False)
    for condition in comparison["conditions"]:
        console.print(_rate_table(comparison, condition))
        for pair in comparison["paired"][condition]:
            console.print(_pair_table(comparison, condition, pair))
    if not comparison["valid"]:
        console.print("[red]not valid[/red]: a policy did not receive the texts of the specs; see prompt_echoed")


def _rate_table(comparison: Mapping[str, Any], condition: str) -> Table:
    table = Table(title=f"Rates, condition {condition}", title_justify="left")
    table.add_column("")
    for label in comparison["policies"]:
        table.add_column(label, justify="right")
    for outcome, title in _titles(comparison).items():
        rates = [policy["by_condition"][condition]["outcomes"][outcome] for policy in comparison["policies"].values()]
        table.add_row(title, *(f"{rate['k']}/{rate['n']}  {_interval(rate['ci95'])}" for rate in rates))
    return table


def _pair_table(comparison: Mapping[str, Any], condition: str, pair: Mapping[str, Any]) -> Table:
    first, second = pair["first"], pair["second"]
    table = Table(title=f"{second} less {first}, condition {condition}, paired over scenes", title_justify="left")
    for name in ("", f"only {first}", f"only {second}", "difference", "95 % interval", "p (McNemar)"):
        table.add_column(name, justify="right" if name else "left")
    for outcome, title in _titles(comparison).items():
        result = pair["outcomes"][outcome]
        counts = str(result["only_first"]), str(result["only_second"])
        numbers = _signed(result["difference"]), _interval(result["ci95"]), f"{result['p']:.3g}"
        table.add_row(title, *counts, *numbers)
    return table


def _titles(comparison: Mapping[str, Any]) -> dict[str, str]:
    """What people call each outcome, the primary one first."""
    some = next(iter(comparison["policies"].values()))["by_condition"][comparison["conditions"][0]]["outcomes"]
    names = sorted(some, key=lambda name: name != comparison["primary"])
    return {name: _title(name) for name in names}


def _title(outcome: str) -> str:
    source, what = outcome.split("/")
    if source == "operator":
        return "Success, says the operator"
    return f"{'Success' if what == 'success' else stage_title(what)} ({source})"


def _interval(bounds: Sequence[float]) -> str:
    return f"{bounds[0]:.3f} to {bounds[1]:.3f}"


def _signed(value: float | None) -> str:
    return "-" if value is None else f"{value:+.3f}"


class TerminalReporter:
    """Prints one line a trial, and the comparison at the end."""

    def __init__(self, console: Console, title: str, folder: Path) -> None:
        """Prints to a console; the comparison is also written into a folder."""
        self._console, self._title, self._folder = console, title, folder

    def started(self, total: int, finished: int) -> None:
        """See StudyReporter."""
        resumed = f", {finished} finished before" if finished else ""
        self._print(f"{self._title}{resumed}")

    def trial(self, number: int, total: int, label: str, instruction: str, outcome: str) -> None:
        """See StudyReporter."""
        place = f"{number:>{len(str(total))}}/{total}"
        self._print(f'{place}  policy {label}  "{instruction}"  {outcome}')

    def comparison(self, comparison: Mapping[str, Any]) -> None:
        """See StudyReporter."""
        write_comparison(self._folder, comparison)
        print_comparison(self._console, comparison)
        self._print(f"written: {self._folder}")

    def _print(self, text: str) -> None:
        self._console.print(escape(text), soft_wrap=True, highlight=False)
