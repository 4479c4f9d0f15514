"""Mutual information between the instruction and the object that is touched first, with a permutation test."""

from __future__ import annotations

from collections import Counter
from math import log

import numpy as np

from imove_analysis.figures import Figure, Floats, between, estimate, figure, missing
from imove_analysis.language.scenes import ALTERNATIVE, NORMAL, Scenes

PERMUTATIONS = 4999
MIN_SCENES = 5
"""With fewer, what is taken off for chance is as large as what there may be."""
_COLUMNS = 4
"""The object of normal, that of alternative, another one, none."""
_TIES = 1e-12
"""Sums in another order differ by less; the next larger information of a table of counts differs by more."""


def information(scenes: Scenes, rng: np.random.Generator) -> Figure:
    """I(instruction; first object touched) in bits, over scenes with both instructions.

    The instruction is `normal` or `alternative`, one episode of each in every scene, so that log2(2) = 1 bit is the
    most. The object is told by its part in the scene: the one that normal names, the one that alternative names,
    another one, or none; by what else it is, objects of different scenes have nothing in common.

    Counts alone show some information where there is none. The mean over permutations, in which the two instructions of
    each scene are swapped or not, is taken off and the rest scaled so that a perfect listener keeps 1 bit (adjusted
    mutual information: Vinh, Epps and Bailey 2010). What would then be below 0 is 0.

    Returns:
        The adjusted information with `plug_in` (from the counts alone), `permutation_mean`, `p` (the share of
        permutations that show as much, itself counted among them), `most` and `chance` 0.
    """
    outcomes = [
        (_column(scenes.first_touched(a), a.target, b.target), _column(scenes.first_touched(b), a.target, b.target))
        for a, b in scenes.both(NORMAL, ALTERNATIVE)
        if None not in (a.target, b.target) and a.target != b.target
    ]
    if len(outcomes) < MIN_SCENES:
        return missing(
            f"{len(outcomes)} scenes were finished under both {NORMAL} and {ALTERNATIVE}; {MIN_SCENES} are needed"
        )
    rows = np.array([_row(*outcome) for outcome in outcomes], dtype=np.float64)
    plug_in = float(_plug_in(rows.sum(axis=0)[np.newaxis])[0])
    permuted = _permuted(outcomes, rng)
    mean = float(permuted.mean())
    p = (1 + int((permuted >= plug_in - _TIES).sum())) / (1 + PERMUTATIONS)
    value = max(0.0, (plug_in - mean) / (1.0 - mean))
    # A scene in which the text decides, and one in which it does so the wrong way round.
    _, (low, high) = estimate(rows, _twice_corrected, [_row(0, 1), _row(1, 0)], rng)
    ci95 = (min(max(0.0, low), value), max(high, value))
    return figure(
        value,
        ci95,
        len(outcomes),
        f"Which of two objects the text names tells {value:.2f} of 1 bit about the one that is touched first "
        f"({between(ci95)}; p {p:.2g} that the text does not matter).",
        chance=0.0,
        most=1.0,
        plug_in=plug_in,
        permutation_mean=mean,
        p=p,
    )


def _column(touched: str | None, normal: str | None, alternative: str | None) -> int:
    return {normal: 0, alternative: 1, None: 3}.get(touched, 2)


def _row(under_normal: int, under_alternative: int) -> list[float]:
    """Counts of a scene: (2, columns) one by one, then by column whether its two outcomes differ in it."""
    table = np.zeros((2, _COLUMNS))
    table[0, under_normal] = table[1, under_alternative] = 1.0
    return [*table.ravel().tolist(), *np.abs(table[0] - table[1]).tolist()]


def _plug_in(sums: Floats) -> Floats:
    """Mutual information of tables of counts, bits, by rows of sums (resamples, ...)."""
    return _bits(sums[:, : 2 * _COLUMNS].reshape(-1, 2, _COLUMNS))


def _bits(tables: Floats) -> Floats:
    """Mutual information of tables (..., 2, columns), bits."""
    joint = tables / tables.sum(axis=(1, 2), keepdims=True)
    apart = joint.sum(axis=2, keepdims=True) * joint.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where(joint > 0, joint * np.log2(joint / apart), 0.0)
    bits: Floats = parts.sum(axis=(1, 2))
    return bits


def _twice_corrected(sums: Floats) -> Floats:
    """Adjusted information of resamples: they show the chance of the scenes, and that of being drawn, on top.

    To first order (chi-squared by 2 N ln 2, N episodes) permutation of an independent table shows
    sum over columns of d / m / (2 N ln 2), where m episodes are in the column, and d scenes with one of their two.
    """
    tables, differing = sums[:, : 2 * _COLUMNS].reshape(-1, 2, _COLUMNS), sums[:, 2 * _COLUMNS :]
    column = tables.sum(axis=1)
    shares = np.divide(differing, column, out=np.zeros_like(column), where=column > 0).sum(axis=1)
    expected = shares / (2 * log(2) * column.sum(axis=1))
    adjusted: Floats = (_bits(tables) - 2 * expected) / (1.0 - 2 * expected)
    return adjusted


def _permuted(outcomes: list[tuple[int, int]], rng: np.random.Generator) -> Floats:
    """Plug-in information of PERMUTATIONS tables in which each scene's instructions are swapped with probability 1/2.

    Scenes with the same two outcomes are swapped together by their number: it is binomial.
    """
    tables = np.zeros((PERMUTATIONS, 2, _COLUMNS))
    for (first, second), scenes in sorted(Counter(outcomes).items()):
        swapped = rng.binomial(scenes, 0.5, size=PERMUTATIONS)
        tables[:, 0, first] += scenes - swapped
        tables[:, 1, second] += scenes - swapped
        tables[:, 0, second] += swapped
        tables[:, 1, first] += swapped
    return _bits(tables)
