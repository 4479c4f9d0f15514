"""Streams by name: the same names give the same stream, other names an unrelated one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from imove_tasks.seeds import generator, seed_of

parts = st.lists(st.one_of(st.text(max_size=8), st.integers(0, 2**63 - 1)), min_size=1, max_size=4).map(tuple)


@given(one=parts, other=parts)
def test_seeds_agree_exactly_when_names_do(one: tuple[str | int, ...], other: tuple[str | int, ...]) -> None:
    assert (seed_of(*one) == seed_of(*other)) == (one == other)
    assert 0 <= seed_of(*one) < 2**63


def test_known_streams_stay_as_they_are() -> None:
    # If these change, every suite that is drawn changes.
    assert seed_of("pick_category/seen@piperx_dual", 0, 7, 0) == 7447990899240268075
    assert generator("a", 1).integers(1000, size=4).tolist() == [736, 764, 917, 888]


def test_a_text_is_not_taken_for_its_parts_or_for_a_number() -> None:
    seeds = [seed_of("ab"), seed_of("a", "b"), seed_of("", "ab"), seed_of(97), seed_of("1"), seed_of(1)]
    assert len(set(seeds)) == len(seeds)


def test_streams_of_different_names_are_not_shifted_copies() -> None:
    one, other = (generator(name, 0).uniform(size=2000) for name in ("objects", "layout"))
    assert abs(float(np.corrcoef(one, other)[0, 1])) < 0.1
