"""The figures of language of a run as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.table import Table

from imove_analysis.language.grounding import POOLED
from imove_analysis.terminal_tables import NOTHING, new_table, two_digits


def language_tables(data: Mapping[str, Any]) -> Iterator[Table]:
    """Makes the tables: what was named against what was done, what is done unasked, and the robustness curve.

    Args:
        data: From `language_dependence`.
    """
    title = f"{data['suite']}, policy {data['policy']}, {data['scenes']} scenes"
    yield _dependence(f"{title}: is it the text that decides?", data)
    yield _rates("Anything done although the text names nothing that is there", data["activation"], difference=False)
    yield _rates("The goal of the normal text, under other texts", data["robustness"], difference=True)


def _dependence(title: str, data: Mapping[str, Any]) -> Table:
    table = new_table(title, ("Figure",), ("value", "95 %", "chance", "n"))
    for act, found in data["dependence"].items():
        _add(table, f"dependence (LDI), {act.replace('_', ' ')}", found)
    _add(table, "information, bits of 1", data["information"])
    if data["information"]["value"] is not None:
        table.add_row("  p of the permutation test", f"{data['information']['p']:.2g}", "", "", "")
    for condition, found in data["grounding"].items():
        _add(table, f"first contact - chance, {condition}", found["all"])
        if condition == POOLED:
            _add(table, "  where anything was touched", found["touching"])
    return table


def _add(table: Table, name: str, found: Mapping[str, Any]) -> None:
    chance = f"{found['chance']:.2f}" if "chance" in found else NOTHING
    table.add_row(name, two_digits(found["value"]), _interval(found), chance, str(found["n"]))


def _rates(title: str, data: Mapping[str, Any], difference: bool) -> Table:
    numbers = ("rate", "95 %", *(("change", "95 % of it", "p") if difference else ()), "n")
    table = new_table(title, ("Condition", "Stage"), numbers)
    for condition, stages in data.items():
        name = condition
        for stage, found in stages.items():
            if found["value"] is not None:
                change = _change(found.get("difference")) if difference else ()
                table.add_row(name, stage, two_digits(found["value"]), _interval(found), *change, str(found["n"]))
                name = ""
        table.add_section()
    absent = [name for name, stages in data.items() if all(found["value"] is None for found in stages.values())]
    if absent:
        table.caption = f"not run: {', '.join(absent)}"
    return table


def _change(found: Mapping[str, Any] | None) -> tuple[str, str, str]:
    return ("", "", "") if found is None else (f"{found['value']:+.2f}", _interval(found), f"{found['p']:.2g}")


def _interval(found: Mapping[str, Any]) -> str:
    if found["ci95"] is None:
        return NOTHING
    low, high = found["ci95"]
    return f"{low:.2f} to {high:.2f}"
