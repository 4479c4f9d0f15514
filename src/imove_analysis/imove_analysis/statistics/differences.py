"""Interval of a difference of two estimates, made from the interval of each."""

from __future__ import annotations

from math import sqrt

Interval = tuple[float, float]


def recovered_interval(
    first: float, first_interval: Interval, second: float, second_interval: Interval, correlation: float = 0.0
) -> Interval:
    """Interval of the second less the first, both between 0 and 1.

    Newcombe's hybrid of two Wilson intervals (Newcombe 1998, "Interval estimation for the difference between
    independent proportions", method 10, and its paired form); the same with other intervals is known as the method of
    variance estimates recovery (Zou and Donner 2008). It stays within -1 and 1 and has a width also where nothing
    differs.

    Args:
        first: Estimate, within its interval.
        first_interval: Of the first.
        second: Estimate, within its interval.
        second_interval: Of the second.
        correlation: Of the two over the scenes; 0 for independent samples.
    """

    def reach(up: float, down: float) -> float:
        return sqrt(max(0.0, up * up - 2 * correlation * up * down + down * down))

    low_1, high_1 = first_interval
    low_2, high_2 = second_interval
    difference = second - first
    low = difference - reach(second - low_2, high_1 - first)
    high = difference + reach(high_2 - second, first - low_1)
    return (max(-1.0, low), min(1.0, high))
