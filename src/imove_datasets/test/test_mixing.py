from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imove_core.errors import ImoveError
from imove_datasets.mixing import MixEpisode, MixPlan, MixSource, Unit, make_plan

UNITS: tuple[Unit, ...] = ("frames", "episodes")


@st.composite
def data_sets(draw: st.DrawFn) -> MixSource:
    numbers = draw(st.lists(st.integers(0, 40), min_size=1, max_size=5, unique=True).map(sorted))
    episodes = tuple(
        MixEpisode(
            number, draw(st.integers(1, 7)), tuple(f"{number}-{text}" for text in range(draw(st.integers(1, 4))))
        )
        for number in numbers
    )
    return MixSource(f"set{draw(st.integers(0, 99))}", draw(st.integers(1, 9)), episodes)


mixtures = st.lists(data_sets(), min_size=1, max_size=3)


@settings(max_examples=60, deadline=None)
@given(mixtures, st.sampled_from(UNITS), st.integers(0, 2**31), st.integers(0, 5))
def test_every_block_has_the_ratio_and_every_frame_exists(sources, unit, seed, epoch) -> None:
    plan = make_plan(sources, unit=unit, seed=seed, epoch=epoch)
    weights = [source.weight for source in sources]
    blocks = plan.draws[:, 0].reshape(-1, sum(weights))
    for index, weight in enumerate(weights):
        assert ((blocks == index).sum(axis=1) == weight).all()
    lengths = [{episode.index: episode.length for episode in source.episodes} for source in sources]
    for source, episode, frame in plan.draws.tolist():
        assert 0 <= frame < lengths[source][episode]
    assert sum(planned.draws for planned in plan.episodes) == len(plan.draws)


@settings(max_examples=60, deadline=None)
@given(mixtures, st.integers(0, 99))
def test_by_frames_none_comes_twice_more_often_and_all_come(sources, seed) -> None:
    plan = make_plan(sources, unit="frames", seed=seed)
    for index, source in enumerate(sources):
        seen = Counter(map(tuple, plan.draws[plan.draws[:, 0] == index, 1:].tolist()))
        assert len(seen) == source.frames
        assert max(seen.values()) - min(seen.values()) <= 1


@settings(max_examples=60, deadline=None)
@given(mixtures, st.integers(0, 99))
def test_by_episodes_each_counts_the_same_and_so_do_its_frames(sources, seed) -> None:
    plan = make_plan(sources, unit="episodes", seed=seed)
    for index, source in enumerate(sources):
        counts = [planned.draws for planned in plan.episodes if planned.source == index]
        assert len(counts) == len(source.episodes)
        assert max(counts) - min(counts) <= 1
        seen = Counter(map(tuple, plan.draws[plan.draws[:, 0] == index, 1:].tolist()))
        for planned in plan.episodes:
            if planned.source == index:
                frames = [seen[planned.episode.index, frame] for frame in range(planned.episode.length)]
                assert sum(frames) == planned.draws
                assert max(frames) - min(frames) <= 1


@settings(max_examples=40, deadline=None)
@given(mixtures, st.sampled_from(UNITS))
def test_frame_weights_are_chances_with_the_ratio(sources, unit) -> None:
    plan = make_plan(sources, unit=unit)
    total = sum(source.weight for source in sources)
    for index, source in enumerate(sources):
        chance = sum(p.frame_weight * p.episode.length for p in plan.episodes if p.source == index)
        assert chance == pytest.approx(source.weight / total)


@settings(max_examples=40, deadline=None)
@given(mixtures, st.sampled_from(UNITS), st.integers(0, 99), st.integers(0, 9))
def test_the_same_words_give_the_same_plan(sources, unit, seed, epoch) -> None:
    first, second = (make_plan(sources, unit=unit, seed=seed, epoch=epoch) for _ in range(2))
    assert np.array_equal(first.draws, second.draws)
    assert first.episodes == second.episodes


def two_sets(frames: int = 30, texts: int = 4) -> tuple[MixSource, MixSource]:
    episodes = tuple(MixEpisode(n, frames, tuple(f"text {n}.{t}" for t in range(texts))) for n in range(6))
    return MixSource("sim", 9, episodes), MixSource("real", 1, episodes[:2])


def texts_of(plan: MixPlan) -> list[str]:
    return [planned.text for planned in plan.episodes]


def test_epochs_differ_in_order_and_go_through_all_texts() -> None:
    plans = [make_plan(two_sets(), seed=3, epoch=epoch) for epoch in range(8)]
    assert not np.array_equal(plans[0].draws, plans[1].draws)
    for row, planned in enumerate(plans[0].episodes):
        assert Counter(texts_of(plan)[row] for plan in plans) == {text: 2 for text in planned.episode.texts}


def test_seeds_differ_in_order_and_texts() -> None:
    one, other = make_plan(two_sets(), seed=1), make_plan(two_sets(), seed=2)
    assert not np.array_equal(one.draws, other.draws)
    assert texts_of(one) != texts_of(other)


def test_nine_to_one_is_exact_in_each_batch_of_twenty() -> None:
    plan = make_plan(two_sets(), draws=200)
    assert len(plan.draws) == 200
    assert [int((batch == 1).sum()) for batch in plan.draws[:, 0].reshape(-1, 20)] == [2] * 10


@pytest.mark.parametrize("draws", [0, 9, 95])
def test_an_epoch_that_cannot_hold_the_ratio_is_refused(draws: int) -> None:
    with pytest.raises(ImoveError, match="multiple of 10"):
        make_plan(two_sets(), draws=draws)


@pytest.mark.parametrize(
    ("sources", "words"),
    [
        ([], "at least one data set"),
        ([MixSource("sim", 0, two_sets()[0].episodes)], "weight of sim is 0"),
        ([MixSource("sim", 1, ())], "sim has no episodes"),
        ([MixSource("sim", 1, (MixEpisode(0, 0, ("a",)),))], "without frames"),
    ],
)
def test_what_cannot_be_mixed_is_named(sources: list[MixSource], words: str) -> None:
    with pytest.raises(ImoveError, match=words):
        make_plan(sources)
