"""The layouts of InstructMove's Tables 2 to 5, filled from the episodes of runs.

Table 2 has a row a policy and a column a suite, Table 3 the held-out splits of pick_category, Table 4 a row an
instruction condition of one policy on one suite, Table 5 counts in place of rates. What differs from the paper is
that chance stands beside the rates, and that every condition ran its whole horizon.
"""

from __future__ import annotations

from collections.abc import Sequence

from imove_analysis.conditions import TARGETED_CONDITIONS
from imove_analysis.counterfactual import BASELINE
from imove_analysis.runs import Run
from imove_analysis.tables.comparable import check_same
from imove_analysis.tables.counting import any_object_figures, target_cell, titles
from imove_analysis.tables.expecting import Expectations
from imove_analysis.tables.rows import Row, rows_of
from imove_analysis.tables.table import Cell, PaperTable
from imove_analysis.tables.telling import notes_on, remark, usual_n
from imove_core.errors import ImoveError, unknown_name
from imove_core.spec import CONDITIONS
from imove_tasks.stages import RUBRICS

HELD_OUT = ("pick_category/unseen_instance", "pick_category/unseen_category")
"""Suites of Table 3, in its order."""
FAMILIES = ("pick_category", "pick_attribute", "pick_spatial", "place_a2b")
"""Columns of Table 2, in its order."""
CHANCE = "Chance"
_CONDITION_NAMES = {"alternative": "Alternative target", "generic": "Generic object", "absent": "Absent object"}


def paper_tables(
    runs: Sequence[Run], *, mixed: bool = False, rubric: str = "strict", intervals: bool = False
) -> list[PaperTable]:
    """The tables that runs have results for.

    Args:
        runs: Of one or more policies on one or more suites.
        mixed: Whether runs that may not be compared stand in one table all the same, which then says so.
        rubric: `strict` or `reference`.
        intervals: Whether texts show 95 % intervals.

    Returns:
        Table 2 for suites besides the held-out ones, Table 3 for those, Table 4 for each run with another condition
        than the normal one, Table 5 for each suite.

    Raises:
        ImoveError: There is no run, a run has no finished episode, there is no such rubric, or runs differ in what
            decides results.
    """
    if not runs:
        raise ImoveError("a table needs at least one run; none was given")
    if rubric not in RUBRICS:
        raise unknown_name("rubric", rubric, RUBRICS)
    for run in runs:
        if not run.episodes:
            raise ImoveError(f"{run.folder} has no finished episode; a table needs at least one")
    warnings, chance = check_same(runs, mixed), Expectations()
    rows = rows_of(runs)
    normal = [row for row in rows if row.episodes(BASELINE)]
    suites = sorted({row.suite for row in normal}, key=_place)
    main = [name for name in suites if name not in HELD_OUT]
    held_out = [name for name in HELD_OUT if name in suites]
    tables = []
    if main:
        tables.append(_by_suite("Table 2: results on suites", normal, main, rubric, chance, warnings))
    if held_out:
        title = "Table 3: results on held-out instances and categories"
        tables.append(_by_suite(title, normal, held_out, rubric, chance, warnings))
    tables += [_by_condition(row, rubric, chance, warnings) for row in rows if set(row.run.conditions) != {BASELINE}]
    tables += [_counts([row for row in normal if row.suite == name], rubric, chance, warnings) for name in suites]
    return [table.with_intervals() for table in tables] if intervals else tables


def _place(suite: str) -> tuple[int, str]:
    """Place of a suite among columns: the paper's families in its order, then others."""
    family = suite.partition("/")[0]
    return (FAMILIES.index(family) if family in FAMILIES else len(FAMILIES), suite)


def _by_suite(
    title: str, rows: Sequence[Row], suites: Sequence[str], rubric: str, chance: Expectations, warnings: Sequence[str]
) -> PaperTable:
    shown = [row for row in rows if row.suite in suites]
    found = {(row.name, row.suite): row for row in shown}
    names = tuple(dict.fromkeys(row.name for row in shown))
    usual = usual_n(shown, [BASELINE])

    def cell(name: str, suite: str) -> Cell | None:
        row = found.get((name, suite))
        return target_cell(row.episodes(BASELINE), rubric, remark(row, BASELINE, usual)) if row else None

    cells = [tuple(cell(name, suite) for suite in suites) for name in names]
    expected = tuple(chance.cell([row for row in shown if row.suite == suite], BASELINE, rubric) for suite in suites)
    reading = "Entries: Reach/Lift (S_pick), in a pick-and-place ReachPick/LiftPick/ReachPlace/Place (S_pnp)."
    return PaperTable(
        title=f"{title}, {rubric} rubric",
        header=("Policy", *suites),
        names=(*names, CHANCE),
        cells=(*cells, expected),
        notes=(reading, *notes_on(shown, [BASELINE], warnings)),
    )


def _by_condition(row: Row, rubric: str, chance: Expectations, warnings: Sequence[str]) -> PaperTable:
    conditions = [name for name in CONDITIONS if row.episodes(name)]
    stages = titles(row.run.episodes[0].rubrics[rubric].stages)
    usual = usual_n([row], conditions)
    cells: list[tuple[Cell | None, ...]] = []
    for condition in conditions:
        episodes, behind = row.episodes(condition), remark(row, condition, usual)
        if condition in TARGETED_CONDITIONS:
            cells.append((target_cell(episodes, rubric, behind), *(None for _ in stages)))
        else:
            figures = any_object_figures(episodes, rubric)
            cells.append((None, *(Cell((figure,), remark=behind) for figure in figures)))
    targeted = next((name for name in conditions if name in TARGETED_CONDITIONS), None)
    expected = chance.cell([row], targeted, rubric) if targeted else None
    return PaperTable(
        title=f"Table 4: {row.name} on {row.suite} under every instruction condition, {rubric} rubric",
        header=("Instruction condition", f"Target {'/'.join(stages)}", *(f"Any-object {stage}" for stage in stages)),
        names=(*(_CONDITION_NAMES.get(name, name.capitalize()) for name in conditions), CHANCE),
        cells=(*cells, (expected, *(None for _ in stages))),
        notes=notes_on([row], conditions, warnings),
    )


def _counts(rows: Sequence[Row], rubric: str, chance: Expectations, warnings: Sequence[str]) -> PaperTable:
    cells = []
    for row in rows:
        figures = target_cell(row.episodes(BASELINE), rubric).stages
        # Counts say their n themselves.
        behind = remark(row, BASELINE, len(row.episodes(BASELINE)))
        cells.append(tuple(Cell((figure,), counts=True, remark=behind) for figure in figures))
    expected = chance.cell(rows, BASELINE, rubric)
    stages = titles(rows[0].run.episodes[0].rubrics[rubric].stages)
    last = tuple(Cell((figure,)) for figure in expected.stages) if expected else tuple(None for _ in stages)
    return PaperTable(
        title=f"Table 5: counts on {rows[0].suite}, {rubric} rubric",
        header=("Policy", *stages),
        names=(*(row.name for row in rows), CHANCE),
        cells=(*cells, last),
        notes=notes_on(rows, [BASELINE], warnings),
    )
