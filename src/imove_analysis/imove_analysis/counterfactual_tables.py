"""The counterfactual diagnostic as tables for a terminal."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.table import Table

from imove_analysis.counterfactual import BASELINE
from imove_analysis.scores import SCORE_TITLES, score_key
from imove_analysis.terminal_tables import NOTHING, new_table, two_digits
from imove_tasks.stages import PICK_STAGES, RUBRICS, stage_title

COUNTED = {"target": "target", "any_object": "any object", "normal_target": "normal target"}
NOTES = (
    "target: what the condition's own text asks for; normal target: what the normal text of the scene asks for",
    "chance: a policy that ignores the text and goes straight to one random object (and to one random destination)",
    "every condition runs the whole horizon on the same scenes with the same policy seeds; p: McNemar's exact test",
)


def counterfactual_tables(title: str, data: Mapping[str, Any]) -> Iterator[Table]:
    """Makes the tables: one in the layout of the paper's Table 4 a rubric, counts with intervals, paired comparison.

    Args:
        title: What was run.
        data: From `compare_conditions`.
    """
    titles = "/".join(stage_title(stage) for stage in data["stages"])
    score = SCORE_TITLES[score_key(data["stages"])]
    for rubric in RUBRICS:
        yield _table_4(f"{title}\n{rubric} rubric: rates of {titles} ({score})", data, rubric)
    yield _counts("Episodes by rubric, with 95 % intervals", data)
    if data["paired"]:
        yield _paired(f"Scenes in which the target got there: under both, under {BASELINE} or the other alone", data)


def _table_4(title: str, data: Mapping[str, Any], rubric: str) -> Table:
    stages = data["stages"]
    table = new_table(title, ("Condition", "Target", "Any object", "Normal target"), ("Prompts",))
    table.show_lines = len(stages) > len(PICK_STAGES)
    for condition, entry in data["conditions"].items():
        rates = entry["rubrics"][rubric]
        target = NOTHING
        if entry["counts"] == "target" and rates["target"]:
            target = f"{_rates(rates['target'], stages)} ({two_digits(rates['target'][score_key(stages)]['mean'])})"
        sent = entry["prompt_verified"]
        any_object, normal = (_rates(rates[what], stages) for what in ("any_object", "normal_target"))
        table.add_row(condition.capitalize(), target, any_object, normal, f"{sent['k']}/{sent['n']}")
    chance = data["chance"].get(rubric)
    if chance:
        table.add_section()
        expected = _joined([chance.get(stage) for stage in stages])
        table.add_row("Chance", f"{expected} ({two_digits(chance.get(score_key(stages)))})", "", "", "")
    return table


def _counts(title: str, data: Mapping[str, Any]) -> Table:
    table = new_table(title, ("Condition", "Counted"), RUBRICS)
    for condition, entry in data["conditions"].items():
        name = condition.capitalize()
        for what in (entry["counts"], *(("normal_target",) if condition == "scrambled" else ())):
            for stage in data["stages"]:
                found = [entry["rubrics"][rubric][what] for rubric in RUBRICS]
                cells = [_proportion(rates[stage]) if rates else NOTHING for rates in found]
                table.add_row(name, f"{COUNTED[what]} {stage_title(stage)}", *cells)
                name = ""
        table.add_section()
    return table


def _paired(title: str, data: Mapping[str, Any]) -> Table:
    table = new_table(title, ("Condition", "Stage"), ("both", BASELINE, "other", "change", "p"))
    for condition, by_rubric in data["paired"].items():
        name = condition.capitalize()
        for rubric, by_stage in by_rubric.items():
            for stage, pair in by_stage.items():
                change = NOTHING if pair["difference"] is None else f"{pair['difference']:+.2f}"
                counts = [str(pair[key]) for key in ("both", "only_first", "only_second")]
                table.add_row(name, f"{stage_title(stage)} ({rubric})", *counts, change, f"{pair['p']:.3g}")
                name = ""
        table.add_section()
    return table


def _rates(rates: Mapping[str, Any], stages: Sequence[str]) -> str:
    return _joined([rates[stage]["rate"] for stage in stages])


def _joined(values: Sequence[float | None]) -> str:
    """Rates of picking in one line, those of placing in the next: the table then fits into 80 columns."""
    lines = (values[:2], values[2:])
    return "/\n".join("/".join(two_digits(value) for value in line) for line in lines if line)


def _proportion(value: Mapping[str, Any]) -> str:
    low, high = value["ci95"]
    return f"{value['k']}/{value['n']}  {low:.2f}-{high:.2f}"
