"""The language-blind audit and the balance of suites as tables."""

from collections import Counter
from collections.abc import Sequence

from rich.table import Table

from imove_tasks.audit import Balance, Finding

_MARKS = {True: "[green]yes[/green]", False: "[red]no[/red]"}


def findings_table(suite: str, findings: Sequence[Finding]) -> Table:
    """Hits of every rule on a suite, beside what chance explains."""
    table = Table(title=f"{suite}: rules that never read the instruction", title_justify="left")
    for name in ("rule", "k/n", "rate", "chance", "chance explains", "sound"):
        table.add_column(name, justify="left" if name == "rule" else "right")
    for finding in findings:
        table.add_row(
            finding.rule,
            f"{finding.hits}/{finding.episodes}",
            f"{finding.hits / finding.episodes:.3f}",
            f"{finding.chance:.3f}",
            f"{finding.low} - {finding.high}",
            _MARKS[finding.sound],
        )
    return table


def balance_table(suite: str, balance: Balance) -> Table:
    """What the episodes of a suite ask for, and how evenly."""
    table = Table(title=f"{suite}: what is asked for", title_justify="left")
    for name in ("what", "kinds", "fewest", "most", "counts"):
        table.add_column(name, justify="left" if name in ("what", "counts") else "right")
    rows: dict[str, Counter[str]] = {
        "target assets": balance.assets,
        "target categories": balance.categories,
        "arms": balance.arms,
        "places": balance.places,
        "relations": balance.relations,
        "attributes": balance.attributes,
    }
    for name, counts in rows.items():
        if counts:
            listed = ", ".join(f"{key} {count}" for key, count in sorted(counts.items()))
            shown = listed if name not in ("target assets", "target categories") else ""
            table.add_row(name, str(len(counts)), str(min(counts.values())), str(max(counts.values())), shown)
    return table
