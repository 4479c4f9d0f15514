"""The comparisons in InstructMove's own tables, tested: prints docs/paper-tables.md.

    python bench/paper_tables.py > docs/paper-tables.md

Rates and numbers of trials are those of Tables 2 to 5 of InstructMove (arXiv 2608.22990). Of 100 trials a printed rate
gives the count exactly.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from imove_analysis.intervals import wilson_interval
from imove_analysis.paired import holm, mcnemar_exact
from imove_analysis.statistics.unpaired import Count, barnard, difference_interval

ALPHA = 0.05
PICK = ("Reach", "Lift")
PLACE = ("ReachPick", "LiftPick", "ReachPlace", "Place")
Cells = Mapping[str, Sequence[int]]
TABLE_2: Mapping[str, tuple[Sequence[str], Cells]] = {
    "pick_category seen": (PICK, {"pi0": (34, 4), "pi0.5": (82, 57), "GR00T": (76, 17), "Motus": (41, 10)}),
    "pick_attribute": (PICK, {"pi0": (44, 5), "pi0.5": (81, 62), "GR00T": (76, 7), "Motus": (69, 17)}),
    "pick_spatial": (PICK, {"pi0": (36, 2), "pi0.5": (46, 15), "GR00T": (50, 1), "Motus": (51, 2)}),
    "place_a2b": (
        PLACE,
        {"pi0": (64, 7, 5, 3), "pi0.5": (88, 48, 37, 36), "GR00T": (60, 6, 5, 5), "Motus": (57, 2, 2, 1)},
    ),
}
TABLE_3: Mapping[str, tuple[Sequence[str], Cells]] = {
    "unseen instance": (PICK, {"pi0": (32, 5), "pi0.5": (74, 48), "GR00T": (70, 9), "Motus": (45, 6)}),
    "unseen category": (PICK, {"pi0": (34, 5), "pi0.5": (81, 54), "GR00T": (67, 18), "Motus": (63, 9)}),
}
TABLE_4_TARGET: Cells = {"normal": (74, 48), "alternative": (72, 53)}
TABLE_4_ANY: Cells = {"generic": (100, 66), "empty": (100, 64), "absent": (99, 66)}
TABLE_5: Cells = {"200 real": (19, 11), "200 sim": (26, 11), "2,000 sim": (28, 15), "2,000 sim + 200 real": (34, 18)}
INTRODUCTION = """# The paper's own tables, tested

Printed by `python bench/paper_tables.py`: the rates and trials of Tables 2 to 5 of InstructMove (arXiv 2608.22990)
go through the tests that `imove compare --unpaired` uses. Which of the differences are more than chance?

- Each pair of rates gets **Barnard's exact test**, two-sided, with Newcombe's interval of the difference.
- Within a table (with Table 3, once for models and once for splits) p-values are adjusted by **Holm's method**.
  *Significant* means an adjusted p of at most .05; *alone* one that is so before the adjustment only.
- **A paired test is not possible from printed rates.** Where the same scenes were used (Table 4 says so), how often
  two results differ scene by scene would decide, and that is not printed. Unpaired tests are then rather too careful.
  Of a pair of conditions the smallest p that McNemar's test could have is known all the same: it is that of results
  which differ in one direction alone.
- What is tested is chance between trials. How a run would come out with other seeds, training runs or checkpoints is
  not in these numbers. The paper reports that repeated evaluations vary by up to five points; with 100 trials chance
  alone gives a half-width of up to ten.

In short: pi0.5 lifts more than every other model in all four tasks, and in place_a2b leads in every stage. Its lead in
Reach over GR00T is not more than chance in any task but place_a2b, and neither are the differences of Reach in
pick_spatial. From seen to unseen splits nothing falls by more than chance, but falls of a fifth are not excluded. The
alternative target does as well as the normal one, within -.14 and +.18. On the real table one difference stands: 2,000
sim + 200 real reaches more often than 200 real; 200 sim against 200 real, and all differences of Lift, do not.
"""


@dataclass(frozen=True)
class Pair:
    """Two rates of a table.

    Attributes:
        what: Which stage of which column.
        first: Name of the first row.
        second: Name of the second.
        counts: Of both.
    """

    what: str
    first: str
    second: str
    counts: tuple[Count, Count]

    @property
    def difference(self) -> float:
        """Second less first."""
        return self.counts[1].rate - self.counts[0].rate


@dataclass(frozen=True)
class Tested:
    """A pair with its p-values, alone and adjusted for the family."""

    pair: Pair
    p: float
    adjusted: float

    @property
    def verdict(self) -> str:
        """`significant`, `alone` or `no`."""
        return "significant" if self.adjusted <= ALPHA else "alone" if self.p <= ALPHA else "no"


def pairs_of(column: str, stages: Sequence[str], cells: Cells, n: int) -> Iterator[Pair]:
    """All pairs of rows, stage by stage."""
    for index, stage in enumerate(stages):
        for first, second in combinations(cells, 2):
            counts = (Count(cells[first][index], n), Count(cells[second][index], n))
            yield Pair(f"{column} {stage}".strip(), first, second, counts)


def splits_of_models() -> Iterator[Pair]:
    """Each model on the seen split against both unseen ones."""
    seen = TABLE_2["pick_category seen"][1]
    for model in seen:
        for split, (stages, cells) in TABLE_3.items():
            for index, stage in enumerate(stages):
                counts = (Count(seen[model][index], 100), Count(cells[model][index], 100))
                yield Pair(f"{model} {stage}", "seen", split, counts)


def tested(pairs: Iterable[Pair]) -> list[Tested]:
    """Tests a family."""
    family = list(pairs)
    p_values = [barnard(*pair.counts) for pair in family]
    return [Tested(*row) for row in zip(family, p_values, holm(p_values), strict=True)]


def grid(rows: Sequence[Tested]) -> Iterator[str]:
    """Adjusted p-values: a line for each stage, a column for each pair of rows."""
    names = list(dict.fromkeys(f"{row.pair.first} : {row.pair.second}" for row in rows))
    yield f"| adjusted p | {' | '.join(names)} |"
    yield "| --- |" + " --- |" * len(names)
    for what in dict.fromkeys(row.pair.what for row in rows):
        cells = [
            f"**{_p(row.adjusted)}**" if row.verdict == "significant" else f"{_p(row.adjusted)}{_mark(row)}"
            for row in rows
            if row.pair.what == what
        ]
        yield f"| {what} | {' | '.join(cells)} |"
    yield ""
    yield "Bold: significant. ( ): significant alone, with that p."


def listing(rows: Sequence[Tested]) -> Iterator[str]:
    """One line a pair, with counts, difference and interval."""
    yield "| what | first | second | difference [95 %] | p | adjusted | significant |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for row in rows:
        first, second = row.pair.counts
        low, high = difference_interval(first, second)
        yield (
            f"| {row.pair.what} | {row.pair.first} {first.k}/{first.n} | {row.pair.second} {second.k}/{second.n} | "
            f"{row.pair.difference:+.2f} [{low:+.2f}, {high:+.2f}] | {_p(row.p)} | {_p(row.adjusted)} | {row.verdict} |"
        )


def summary(rows: Sequence[Tested]) -> str:
    """How many of a family are what."""
    verdicts = [row.verdict for row in rows]
    significant, alone = verdicts.count("significant"), verdicts.count("alone")
    return f"{len(rows)} comparisons: {significant} significant, {alone} alone, {verdicts.count('no')} not."


def table_4() -> Iterator[str]:
    """The conditions, those with a target and those without."""
    rows = tested(
        [*pairs_of("target", PICK, TABLE_4_TARGET, 100), *pairs_of("any object", PICK, TABLE_4_ANY, 100)],
    )
    yield from ("## Table 4: pi0.5 under five instructions, 100 scenes", "", summary(rows), "", *listing(rows), "")
    yield "Smallest p that McNemar's test could have on these scenes:"
    yield ""
    for row in rows:
        smallest = mcnemar_exact(0, abs(row.pair.counts[0].k - row.pair.counts[1].k))
        yield f"- {row.pair.what}, {row.pair.first} against {row.pair.second}: {_p(smallest)}"
    yield ""
    low, high = wilson_interval(0.99, 100)
    yield (
        "That some object is reached in nearly every scene without a target is beyond doubt: the lowest of the three, "
        f"99/100, has the interval {low:.2f} to {high:.2f}."
    )


def table_5() -> Iterator[str]:
    """The training sets on the real table."""
    rows = tested(pairs_of("", PICK, TABLE_5, 50))
    yield from ("## Table 5: training sets on the real table, 50 trials each", "", summary(rows), "", *listing(rows))


def page() -> Iterator[str]:
    """The whole page, line by line."""
    yield INTRODUCTION
    models_2 = tested(pair for name, column in TABLE_2.items() for pair in pairs_of(name, *column, 100))
    models_3 = tested(pair for name, column in TABLE_3.items() for pair in pairs_of(name, *column, 100))
    splits = tested(splits_of_models())
    yield from ("## Table 2: four models, 100 trials each", "", summary(models_2), "", *grid(models_2), "")
    yield from ("## Table 3: four models on unseen splits, 100 trials each", "", summary(models_3), "")
    yield from (*grid(models_3), "")
    yield from ("## Tables 2 and 3: seen against unseen, by model", "", summary(splits), "", *listing(splits), "")
    yield from (*table_4(), "", *table_5())


def _p(value: float) -> str:
    return "< .001" if value < 0.001 else f"{value:.3f}".removeprefix("0")


def _mark(row: Tested) -> str:
    return f" ({_p(row.p)})" if row.verdict == "alone" else ""


if __name__ == "__main__":
    print("\n".join(page()))
