"""Choice among joint vectors: against trying every combination."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imove_motion.paths import shortest_path

NUMBERS = st.integers(-3, 3)
choice_lists = st.lists(
    st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=4).map(lambda rows: np.array(rows, dtype=float)),
    min_size=1,
    max_size=4,
)


def travel(first: np.ndarray, second: np.ndarray) -> float:
    return float(np.abs(second - first).max())


@given(choices=choice_lists, most=st.sampled_from([1.0, 2.0, 10.0]), weight=st.sampled_from([0.5, 1.0, 2.0]))
@settings(deadline=None, derandomize=True, max_examples=300)
def test_no_combination_is_cheaper(choices: list[np.ndarray], most: float, weight: float) -> None:
    start = np.zeros(2)
    costs = [
        travel(start, path[0]) + weight * sum(travel(*pair) for pair in pairwise(path))
        for path in product(*choices)
        if all(travel(*pair) <= most for pair in pairwise(path))
    ]
    found = shortest_path(start, choices, most, weight)
    if not costs:
        assert found is None
        return
    assert found is not None
    cost, path = found
    assert cost == pytest.approx(min(costs))
    assert path.shape == (len(choices), 2)
    assert all(row.tolist() in rows.tolist() for row, rows in zip(path, choices, strict=True))
    assert all(travel(*pair) <= most for pair in pairwise(path))
    assert travel(start, path[0]) + weight * sum(travel(*pair) for pair in pairwise(path)) == pytest.approx(cost)


def test_the_first_pose_may_be_far_from_the_start() -> None:
    found = shortest_path(np.array([5.0]), [np.array([[0.0]]), np.array([[0.5], [-0.5]])], most_step_rad=1.0)
    assert found is not None
    assert found[0] == 5.5
    np.testing.assert_array_equal(found[1], [[0.0], [0.5]])  # of equals the first
