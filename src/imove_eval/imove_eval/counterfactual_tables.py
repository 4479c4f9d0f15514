"""The counterfactual diagnostic as tables for a terminal."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.markup import escape
from rich.table import Table

from imove_eval.counterfactual import BASELINE
from imove_tasks.stages import RUBRICS

NAMES: Mapping[str, str] = {
    "normal": "Normal",
    "alternative": "Alternative target",
    "generic": "Generic object",
    "empty": "Empty",
    "absent": "Absent object",
    "paraphrase": "Paraphrase",
    "scrambled": "Scrambled",
    "punctuation": "Punctuation",
    "conflicting": "Conflicting",
}
"""Conditions as people read them; the first five as in Table 4 of the paper."""
COUNTED = {"target": "target", "any_object": "any object", "normal_target": "normal target"}
NOTES = (
    "target: the object that the text of the condition asks for; normal target: the one that the normal text of the "
    "scene asks for",
    "every condition runs the whole horizon on the same scenes with the same policy seed; p: McNemar's exact test",
)
_NOTHING = "–"


def counterfactual_tables(title: str, data: Mapping[str, Any]) -> Iterator[Table]:
    """Makes the tables: one in the layout of the paper's Table 4 a rubric, counts with intervals, paired comparison.

    Args:
        title: What was run.
        data: From `compare_conditions`.
    """
    for rubric in RUBRICS:
        yield _table_4(f"{title}: {rubric} rubric", data, rubric)
    yield _counts(f"{title}: results with 95 % intervals", data)
    if data["paired"]:
        yield _paired(f"{title}: scene by scene against {NAMES[BASELINE].lower()}", data)


def _table_4(title: str, data: Mapping[str, Any], rubric: str) -> Table:
    stages, names = data["stages"], "/".join(_stage_name(stage) for stage in data["stages"])
    score = _score_key(data)
    columns = ("Instruction condition", f"Target {names} ({_score_name(score)})", f"Any object {names}")
    table = _new(title, *columns, f"Normal target {names}", "Prompts as sent")
    for condition, entry in data["conditions"].items():
        rates = entry["rubrics"][rubric]
        target = _NOTHING
        if entry["counts"] == "target" and rates["target"]:
            target = f"{_rates(rates['target'], stages)} ({_number(rates['target'][score]['mean'])})"
        sent = entry["prompt_verified"]
        any_object, normal = (_rates(rates[what], stages) for what in ("any_object", "normal_target"))
        table.add_row(NAMES[condition], target, any_object, normal, f"{sent['k']}/{sent['n']}")
    return table


def _counts(title: str, data: Mapping[str, Any]) -> Table:
    columns = [text for rubric in RUBRICS for text in (rubric, "rate", "interval")]
    table = _new(title, "Instruction condition", "Counted", "Stage", *columns)
    for condition, entry in data["conditions"].items():
        for what in (entry["counts"], *(("normal_target",) if condition == "scrambled" else ())):
            for stage in data["stages"]:
                cells: list[str] = []
                for rubric in RUBRICS:
                    rates = entry["rubrics"][rubric][what]
                    cells += _proportion(rates[stage]) if rates else [_NOTHING] * 3
                table.add_row(NAMES[condition], COUNTED[what], _stage_name(stage), *cells)
        table.add_section()
    return table


def _paired(title: str, data: Mapping[str, Any]) -> Table:
    columns = ("both", "only normal", "only this", "neither", "difference", "p")
    table = _new(title, "Instruction condition", "Rubric", "Stage", *columns)
    for condition, by_rubric in data["paired"].items():
        for rubric, by_stage in by_rubric.items():
            for stage, pair in by_stage.items():
                difference = _NOTHING if pair["difference"] is None else f"{pair['difference']:+.2f}"
                counts = [str(pair[key]) for key in ("both", "only_first", "only_second", "neither")]
                table.add_row(NAMES[condition], rubric, _stage_name(stage), *counts, difference, f"{pair['p']:.3g}")
        table.add_section()
    return table


def _new(title: str, *columns: str) -> Table:
    table = Table(title=escape(title), title_justify="left")
    for number, name in enumerate(columns):
        table.add_column(name, justify="right" if number > 2 else "left")
    return table


def _stage_name(stage: str) -> str:
    return stage.title().replace("_", "")


def _score_key(data: Mapping[str, Any]) -> str:
    return "s_pnp" if "place" in data["stages"] else "s_pick"


def _score_name(key: str) -> str:
    return f"S{key[1:]}"


def _rates(rates: Mapping[str, Any], stages: list[str]) -> str:
    return "/".join(_number(rates[stage]["rate"]) for stage in stages)


def _proportion(value: Mapping[str, Any]) -> list[str]:
    low, high = value["ci95"]
    return [f"{value['k']}/{value['n']}", _number(value["rate"]), f"{low:.2f} - {high:.2f}"]


def _number(value: float | None) -> str:
    return _NOTHING if value is None else f"{value:.2f}"
