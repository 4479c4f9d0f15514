"""Surfaces, pictures and rooms that are drawn by code."""

import numpy as np
import pytest

from imove_core.errors import ImoveError
from imove_tasks.randomization.patterns import ROOM_PATTERNS, TABLE_PATTERNS, pattern_pixels, table_pattern
from imove_tasks.randomization.pictures import PICTURES, picture_pixels
from imove_tasks.randomization.rooms import (
    FLOOR_Z_M,
    HALF_X_M,
    HALF_Y_M,
    HEIGHT_M,
    PLACE_NAMES,
    PLACE_SIZE_M,
    room,
    room_names,
)

PAINTED = [name for name, pattern in ROOM_PATTERNS.items() if pattern.paint]


@pytest.mark.parametrize("name", PAINTED)
def test_a_pattern_has_its_mean_colour_and_depends_on_its_seed(name: str) -> None:
    for rgb in ROOM_PATTERNS[name].colors:
        pixels = pattern_pixels(name, 5, rgb)
        assert pixels.shape[0] <= 256 and pixels.dtype == np.uint8 and not pixels.flags.writeable
        np.testing.assert_allclose(pixels.mean(axis=(0, 1)) / 255.0, rgb, atol=0.02)
        assert pixels.std(axis=(0, 1)).max() > 1.0
        assert np.array_equal(pixels, pattern_pixels.__wrapped__(name, 5, rgb))
        assert not np.array_equal(pixels, pattern_pixels(name, 6, rgb))


@pytest.mark.parametrize("name", PAINTED)
def test_a_pattern_repeats_without_a_seam(name: str) -> None:
    """Across its edges neighbouring pixels differ no more than they do at the worst place inside."""
    pixels = pattern_pixels(name, 5, ROOM_PATTERNS[name].colors[0]).astype(float)
    for axis in (0, 1):
        steps = np.abs(np.diff(pixels, axis=axis, append=pixels.take([0], axis=axis))).mean(axis=(1 - axis, 2))
        assert steps[-1] <= 1.05 * steps[:-1].max()


def test_there_are_enough_patterns_and_unknown_ones_are_refused() -> None:
    assert len(TABLE_PATTERNS) >= 6 and table_pattern("plain").paint is None
    for look_up in (table_pattern, lambda name: pattern_pixels(name, 0, (0.5, 0.5, 0.5))):
        with pytest.raises(ImoveError, match="'lava'; allowed: .*marble"):
            look_up("lava")


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_small_and_drawn_alike_every_time(name: str) -> None:
    pixels = picture_pixels(name, 3)
    assert pixels.shape == (128, 128, 3) and pixels.std() > 5
    assert np.array_equal(pixels, picture_pixels.__wrapped__(name, 3))


def test_there_are_rooms_enough_and_unknown_ones_are_refused() -> None:
    assert room_names()[0] == "plain" and len(room_names()) >= 5
    with pytest.raises(ImoveError, match="unknown background 'garden'; allowed: .*kitchen"):
        room("garden")


@pytest.mark.parametrize("name", room_names())
def test_blocks_lie_within_the_walls(name: str) -> None:
    low, high = (-HALF_X_M, -HALF_Y_M, FLOOR_Z_M), (HALF_X_M, HALF_Y_M, FLOOR_Z_M + HEIGHT_M)
    for block in room(name).blocks:
        assert np.all(np.array(block.low) < block.high), block
        assert np.all(np.array(block.low) >= np.array(low) - 1e-9) and np.all(np.array(block.high) <= np.array(high))


@pytest.mark.parametrize("name", room_names())
def test_every_place_carries_an_object_and_is_free_above(name: str) -> None:
    background = room(name)
    assert set(background.places) == set(PLACE_NAMES)
    for place, (x, y, z) in background.places.items():
        carried = z == pytest.approx(FLOOR_Z_M) or any(
            block.low[0] <= x <= block.high[0]
            and block.low[1] <= y <= block.high[1]
            and z == pytest.approx(block.high[2])
            for block in background.blocks
        )
        assert carried, f"{place} of {name} hangs in the air"
        half = PLACE_SIZE_M / 2
        low = np.array([x - half, y - half, z + 1e-6])
        high = np.array([x + half, y + half, z + PLACE_SIZE_M])
        for block in background.blocks:
            assert np.any(high <= block.low) or np.any(low >= block.high), f"{place} of {name} is inside {block}"
        assert np.all(np.abs(low[:2]) < (HALF_X_M, HALF_Y_M)) and np.all(np.abs(high[:2]) < (HALF_X_M, HALF_Y_M))
