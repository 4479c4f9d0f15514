"""Statistics against numpy's own, and the laws of floors and chunks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imove_datasets.statistics import (
    QUANTILES,
    ImageHistogram,
    action_chunks,
    column_statistics,
    narrow_dimensions,
    streamed_statistics,
    with_floor,
)

SEEDS = st.integers(0, 2**32 - 1)


@given(SEEDS, st.integers(1, 40), st.integers(1, 5))
def test_columns_have_numpys_statistics(seed, rows, width) -> None:
    values = np.random.default_rng(seed).normal(size=(rows, width)).astype(np.float32)
    found = column_statistics(values)
    assert np.allclose(found["std"], values.astype(float).std(axis=0))
    assert found["count"].tolist() == [rows]
    for name, q in QUANTILES.items():
        assert np.allclose(found[name], np.quantile(values.astype(float), q, axis=0))


def test_scalars_have_lists_of_one_number() -> None:
    found = column_statistics(np.arange(5))
    assert found["mean"].shape == (1,)
    assert found["max"].tolist() == [4]


@given(SEEDS, st.floats(0, 0.1))
def test_a_floor_widens_what_is_narrow_about_its_middle_and_nothing_else(seed, scale) -> None:
    values = np.random.default_rng(seed).normal(size=(50, 3)) * [scale, 1.0, 0.0] + 7
    before = column_statistics(values.astype(np.float32))
    floors = np.array([0.02, 0.02, 0.02])
    after = with_floor(before, floors)
    spread = before["q99"] - before["q01"]
    assert (after["q99"] - after["q01"] >= np.minimum(floors, np.inf) - 1e-12).all()
    assert np.allclose(after["q99"] + after["q01"], before["q99"] + before["q01"])
    wide = spread >= floors
    assert np.array_equal(after["q99"][wide], before["q99"][wide])
    for name in ("min", "max", "mean", "count", "q50"):
        assert np.array_equal(after[name], before[name])
    assert (after["std"] > 0).all()
    named = narrow_dimensions(before, floors, "c", ["a", "b", "c"])
    assert [item.name for item in named] == [name for name, keeps in zip("abc", wide, strict=True) if not keeps]


def test_noise_of_an_idle_joint_stays_small_when_normalised() -> None:
    noise = 1e-5 * np.random.default_rng(0).normal(size=(300, 1))
    found = with_floor(column_statistics(noise.astype(np.float32)), np.array([0.02]))
    normalised = 2 * (noise + 1e-3 - found["q01"]) / (found["q99"] - found["q01"]) - 1
    assert np.abs(normalised).max() < 1


@settings(max_examples=30)
@given(SEEDS, st.integers(1, 9), st.integers(1, 12), st.booleans())
def test_chunks_are_those_of_a_loop(seed, horizon, length, padded) -> None:
    rng = np.random.default_rng(seed)
    state, action = rng.normal(size=(2, length, 3))
    relative = np.array([True, False, True])
    chunks = action_chunks(state, action, relative, horizon, padded)
    expected = []
    for start in range(length):
        if not padded and start + horizon > length:
            break
        rows = [action[min(start + step, length - 1)] - relative * state[start] for step in range(horizon)]
        expected.append(rows)
    assert np.allclose(chunks, np.array(expected).reshape(-1, horizon, 3))


@settings(max_examples=30)
@given(SEEDS, st.lists(st.integers(0, 60), min_size=1, max_size=5))
def test_streamed_statistics_are_those_of_all_rows(seed, lengths) -> None:
    rng = np.random.default_rng(seed)
    blocks = [rng.normal(size=(length, 2)) * [1.0, 0.0] for length in lengths]
    rows = np.concatenate(blocks)
    if not len(rows):
        with pytest.raises(ValueError, match="nothing"):
            streamed_statistics(lambda: blocks)
        return
    found = streamed_statistics(lambda: blocks)
    for name, expected in (("min", rows.min(axis=0)), ("max", rows.max(axis=0)), ("mean", rows.mean(axis=0))):
        assert np.allclose(found[name], expected)
    assert np.allclose(found["std"], rows.std(axis=0))
    bin_width = np.ptp(rows, axis=0).max() / 5000
    for name, q in QUANTILES.items():
        exact = np.quantile(rows, q, axis=0, method="inverted_cdf")
        assert np.abs(found[name] - exact).max() <= bin_width + 1e-9


def test_histograms_of_images_add_up() -> None:
    rng = np.random.default_rng(0)
    images = rng.integers(0, 200, (4, 20, 30, 3)).astype(np.uint8)
    parts = []
    for pair in (images[:1], images[1:]):
        histogram = ImageHistogram()
        for image in pair:
            histogram.add(image)
        parts.append(histogram)
    found = ImageHistogram.sum(parts).statistics()
    values = images / 255
    assert np.allclose(found["mean"].ravel(), values.mean(axis=(0, 1, 2)))
    assert np.allclose(found["std"].ravel(), values.std(axis=(0, 1, 2)))
    assert np.allclose(found["max"].ravel(), values.max(axis=(0, 1, 2)))
    assert np.allclose(found["q50"].ravel(), np.quantile(values, 0.5, axis=(0, 1, 2), method="inverted_cdf"))
    assert found["count"].tolist() == [4]
