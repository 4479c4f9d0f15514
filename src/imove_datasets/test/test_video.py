"""Videos: exact times, the same bytes whatever was in memory, and joining that changes no frame."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from imove_datasets.video import VideoWriter, join_videos

from .episode_bags import Episode
from .layout_readers import decode

ENCODE = """
import hashlib, sys
import numpy as np
from imove_datasets.video import VideoWriter
x, y = np.meshgrid(np.linspace(0, 1, 224), np.linspace(0, 1, 224))
with VideoWriter(sys.argv[1], 224, 224, 30, 18) as video:
    for step in range(8):
        waves = [np.sin(3 * x + step / 10), np.cos(2 * y + 1 + step / 20), x * y + 0.05 * step % 1]
        video.add((np.stack(waves, axis=-1) * 90 + 128).clip(0, 255).astype(np.uint8))
print(hashlib.sha256(open(sys.argv[1], "rb").read()).hexdigest())
"""


def write(path: Path, frames: list[np.ndarray], fps: int = 30) -> None:
    height, width = frames[0].shape[:2]
    with VideoWriter(path, width, height, fps, 18) as video:
        for pixels in frames:
            video.add(pixels)


def frames_of(seed: int, count: int) -> list[np.ndarray]:
    return [Episode(seed=seed).pixels(seed, step) for step in range(count)]


@pytest.mark.parametrize("fps", [15, 30, 50])
def test_every_frame_is_shown_at_its_number_over_the_rate(tmp_path, fps) -> None:
    write(tmp_path / "a.mp4", frames_of(0, 60), fps)
    shown, times = decode(tmp_path / "a.mp4")
    assert len(shown) == 60
    assert np.abs(np.array(times) - np.arange(60) / fps).max() < 1e-9


def test_joined_videos_have_the_same_frames_one_after_the_other(tmp_path) -> None:
    parts = [tmp_path / f"{number}.mp4" for number in range(3)]
    for number, (path, count) in enumerate(zip(parts, (5, 1, 8), strict=True)):
        write(path, frames_of(number, count))
    join_videos(parts, tmp_path / "all.mp4")
    shown, times = decode(tmp_path / "all.mp4")
    assert np.array_equal(shown, np.concatenate([decode(path)[0] for path in parts]))
    assert np.abs(np.array(times) - np.arange(14) / 30).max() < 1e-9


def test_bytes_do_not_depend_on_what_was_in_memory(tmp_path) -> None:
    """glibc fills memory with a byte of one's choice; one of x264's searches reads some that it did not write."""
    found = set()
    for fill in ("0", "1", "85"):
        environment = {**os.environ, "MALLOC_PERTURB_": fill}
        command = [sys.executable, "-c", ENCODE, str(tmp_path / f"{fill}.mp4")]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        found.add(done.stdout)
    assert len(found) == 1


def test_a_frame_of_another_size_is_refused(tmp_path) -> None:
    with pytest.raises(ValueError, match="the video is"), VideoWriter(tmp_path / "a.mp4", 64, 48, 30, 18) as video:
        video.add(np.zeros((32, 32, 3), np.uint8))
