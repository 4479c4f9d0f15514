"""Progress lines and the result table for a terminal."""

import shlex
from collections.abc import Callable, Mapping
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from imove_analysis.counterfactual_tables import NOTES, counterfactual_tables
from imove_analysis.records import COMPLETED
from imove_analysis.scores import SCORE_TITLES
from imove_core.spec import EpisodeSpec
from imove_tasks.stages import PLACE_STAGES, RUBRICS, stage_title

_MARKS = {True: "[green]yes[/green]", False: "[red]no[/red] "}


class ConsoleReporter:
    """Prints one line an episode, then a table."""

    def __init__(self, console: Console, name_of: Callable[[str], str], title: str, output: str) -> None:
        """Prints to a console.

        Args:
            console: Where to print.
            name_of: Returns a person's word for an asset, by UUID.
            title: What is run.
            output: Folder named at the end.
        """
        self._console = console
        self._name_of = name_of
        self._title = title
        self._output = output

    def started(self, total: int, finished: int) -> None:
        """Prints what is about to run."""
        resumed = f", {finished} finished before" if finished else ""
        self._print(f"{escape(self._title)}: {total} episode{'' if total == 1 else 's'}{resumed}")

    def episode(self, number: int, total: int, spec: EpisodeSpec, record: dict[str, Any]) -> None:
        """Prints instruction, what was reached first, and stages."""
        # Texts from outside may hold square brackets, which would be taken for markup.
        condition = "" if record["condition"] == "normal" else f"{record['condition']}  "
        head = f'{number:>{len(str(total))}}/{total}  {condition}"{escape(record["prompt_sent"])}"'
        if record["outcome"] != COMPLETED:
            reason = f": {escape(record['message'])}" if record["message"] else ""
            self._print(f"{head}  [red]{escape(record['outcome'])}[/red]{reason}")
            return
        names = {item.id: self._name_of(item.asset) for item in spec.objects}
        score = record["score"]
        first = score["rubrics"]["strict"]["first_reached"]
        reached = escape(names[first]) if first else "nothing"
        colour = "green" if first == score["target"] else "yellow"
        stages = "  ".join(f"{rubric} {_marked(score['rubrics'][rubric])}" for rubric in RUBRICS)
        warning = "" if record["prompt_verified"] else "  [red]the policy received another text[/red]"
        self._print(f"{head}  reached first: [{colour}]{reached}[/{colour}]  {stages}{warning}")

    def summary(self, summary: dict[str, Any]) -> None:
        """Prints the result table, or those of the counterfactual diagnostic where there are several conditions."""
        if "counterfactual" in summary:
            for table in counterfactual_tables(self._title, summary["counterfactual"]):
                self._console.print(table)
            for note in NOTES:
                self._print(note)
        else:
            self._print_stages(summary)
        if not summary["valid"]:
            self._print("[red]not valid[/red]: the policy did not receive the texts of the specs; see prompt_echoed")
        self._print(f"written: {escape(self._output)}")
        self._print(f"as a page: ./imove report {escape(shlex.quote(self._output))}")

    def _print_stages(self, summary: dict[str, Any]) -> None:
        table = Table(title=escape(self._title), title_justify="left")
        for name in ("", "k/n", "rate", "95 % interval", "chance"):
            table.add_column(name, justify="left" if not name else "right")
        for rubric in RUBRICS:
            chance = summary["chance"].get(rubric, {})
            rates = summary["rubrics"][rubric]
            for stage in _stages_in(rates):
                self._add(table, f"{stage_title(stage)} ({rubric})", rates[stage], chance.get(stage))
            for key, name in SCORE_TITLES.items():
                if key in rates:
                    low, high = rates[key]["ci95"]
                    cells = _number(rates[key]["mean"]), f"{low:.3f} - {high:.3f}", _number(chance.get(key))
                    table.add_row(f"{name} ({rubric})", "", *cells)
            table.add_section()
        first = summary["first_contact"]["accuracy"]
        self._add(table, "First contact is the target", first, summary["chance"].get("first_contact"))
        self._add(table, "Prompt received as sent", summary["language"]["prompt_verified"], None)
        self._console.print(table)
        place = ", then to one random destination" if "place" in summary["rubrics"][RUBRICS[0]] else ""
        self._print(f"chance: a policy that ignores the text and goes straight to one random object{place}")

    def _add(self, table: Table, name: str, value: dict[str, Any], chance: float | None) -> None:
        low, high = value["ci95"]
        table.add_row(
            name, f"{value['k']}/{value['n']}", _number(value["rate"]), f"{low:.3f} - {high:.3f}", _number(chance)
        )

    def _print(self, text: str) -> None:
        self._console.print(text, soft_wrap=True, highlight=False)


def _stages_in(values: Mapping[str, Any]) -> list[str]:
    """The stages of a record or a summary, in their order."""
    return [stage for stage in PLACE_STAGES if stage in values]


def _marked(score: Mapping[str, Any]) -> str:
    return " ".join(f"{stage} {_MARKS[score[stage]]}" for stage in _stages_in(score))


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
