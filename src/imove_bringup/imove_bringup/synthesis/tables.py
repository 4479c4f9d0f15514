"""The yield of a synthesis as text."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from imove_bringup.synthesis.yields import Share, Yield

MOST_ROWS = 12
_FIGURES = {
    "steps": "motion, control steps",
    "peak_speed_rad_s": "peak speed, rad/s",
    "peak_acceleration_rad_s2": "peak acceleration, rad/s2",
    "peak_jerk_rad_s3": "peak jerk, rad/s3",
    "path_length_rad": "way in joint space, rad",
}
_PARTS = {
    "spec_cpu_s": "certified spec",
    "plan_cpu_s": "planning",
    "roll_out_cpu_s": "physics and validation",
    "record_cpu_s": "rendering and writing",
}


def print_yield(console: Console, title: str, found: Yield) -> None:
    """Prints a yield as tables."""
    low, high = found.ci95
    console.print(
        f"{escape(title)}: {found.kept} of {found.specs} specs became demonstrations "
        f"({found.rate:.1%}, 95 % interval {low:.1%} to {high:.1%}), {found.instructions} different instructions"
    )
    if found.rejections:
        table = _table("rejected", "at", "what", "specs", "e.g.")
        for reason in found.rejections:
            table.add_row(reason.at, escape(reason.kind), str(reason.count), escape(reason.example))
        console.print(table)
    console.print(_shares("by place in the workspace", found.by_region))
    console.print(_shares("by category of the target, worst first", found.by_category))
    balance = _table("kept set", "what", "kinds", "fewest", "most")
    for name, counts in found.balance.items():
        if counts:
            balance.add_row(name, str(len(counts)), str(min(counts.values())), str(max(counts.values())))
    console.print(balance)
    figures = _table("motions of the kept set", "figure", "median", "largest")
    for name, figure in found.smoothness.items():
        figures.add_row(_FIGURES[name], f"{figure.median:.2f}", f"{figure.largest:.2f}")
    console.print(figures)
    costs = _table("CPU-s a demonstration", "part", "CPU-s")
    for name, title_of_part in _PARTS.items():
        if name in found.cpu_s:
            costs.add_row(title_of_part, f"{found.cpu_s[name]:.2f}")
    costs.add_row("all", f"{sum(found.cpu_s.values()):.2f}")
    console.print(costs)


def _shares(title: str, shares: Mapping[str, Share]) -> Table:
    table = _table(title, "where" if "place" in title else "what", "kept", "tried", "share")
    ordered = sorted(shares.items(), key=lambda item: (item[1].kept / item[1].tried, item[0]))
    for name, share in ordered[:MOST_ROWS]:
        table.add_row(escape(name), str(share.kept), str(share.tried), f"{share.kept / share.tried:.0%}")
    if len(ordered) > MOST_ROWS:
        table.caption = f"and {len(ordered) - MOST_ROWS} more, no worse; yield.json has all"
    return table


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left")
    for name in columns:
        table.add_column(name, justify="left" if name in ("at", "what", "where", "e.g.", "figure", "part") else "right")
    return table
