"""Sizes, JPEG, health and loading: what a camera's images go through before they are published."""

import sys
from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from imove_core.errors import ImoveError
from imove_core.rig import Intrinsics
from imove_hardware.realsense.camera import CameraState
from imove_hardware.realsense.encoding import Framing, jpeg
from imove_hardware.realsense.health import health_of
from imove_hardware.realsense.library import realsense
from imove_hardware.realsense.profiles import Optics
from imove_hardware.realsense.stamps import Domain
from imove_hardware.realsense.stats import CameraCounts, RateMeter

SECOND_NS = 1_000_000_000


def optics(width, height):
    pinhole = Intrinsics(width=width, height=height, fx=400, fy=410, cx=width / 2 + 3, cy=height / 2 - 2)
    return Optics(pinhole, (0.1, 0.0, 0.0, 0.0, 0.0))


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ((640, 480), (640, 480)),
        ((640, 480), (224, 224)),
        ((848, 480), (640, 480)),
        ((1280, 720), (640, 480)),
        ((640, 480), (320, 180)),
        ((424, 240), (640, 480)),
    ],
)
def test_a_point_is_where_the_framed_intrinsics_say(source, target):
    framing = Framing(optics(*source), *target)
    before, after = framing.source.intrinsics, framing.optics.intrinsics
    # Each pixel tells its place, so that a framed pixel tells where it came from.
    columns, rows = np.meshgrid(np.arange(source[0]), np.arange(source[1]))
    rgb = np.stack([columns / 6, rows / 6, 0 * rows], axis=-1).astype(np.uint8)
    depth = (columns + 1).astype(np.uint16)
    framed, framed_depth = framing.color(rgb), framing.depth(depth)
    assert (framed.shape, framed_depth.shape) == ((target[1], target[0], 3), (target[1], target[0]))
    column, row = target[0] // 3, target[1] // 4
    x, y = (column - after.cx) / after.fx, (row - after.cy) / after.fy
    came_from = (x * before.fx + before.cx, y * before.fy + before.cy)
    assert 6.0 * framed[row, column, :2] == pytest.approx(came_from, abs=8)
    assert framed_depth[row, column] - 1 == pytest.approx(came_from[0], abs=1.51)
    assert framing.optics.distortion == framing.source.distortion


def test_distances_are_not_mixed():
    depth = np.zeros((480, 640), np.uint16)
    depth[:, 320:] = 1000
    assert set(np.unique(Framing(optics(640, 480), 224, 224).depth(depth))) == {0, 1000}


def test_jpeg_shows_the_image():
    rgb = np.zeros((48, 64, 3), np.uint8)
    rgb[:, :, 0], rgb[:24, :, 2] = 200, 90
    decoded = np.asarray(Image.open(BytesIO(jpeg(rgb)), formats=("JPEG",)))
    assert decoded.shape == rgb.shape
    assert np.abs(decoded.astype(int) - rgb)[np.r_[:20, 28:48]].max() < 12


@pytest.fixture
def state():
    return CameraState("311", True, "", 29.5, 30, Domain.GLOBAL, CameraCounts(images=90, dropped=2, late=1))


def test_health_tells_what_a_monitor_needs(state):
    level, sentence, values = health_of(state)
    assert (level, sentence) == ("ok", "camera 311 gives 29.5 images a second")
    expected = {"serial": "311", "connected": "true", "rate_hz": "29.5", "dropped": "2", "duplicated": "0", "late": "1"}
    assert expected.items() <= values.items()
    assert values["timestamp_domain"] == "global_time"


@pytest.mark.parametrize(
    ("change", "level", "sentence"),
    [
        ({"rate_hz": 20.0}, "warn", "camera 311 gives 20.0 of 30 images a second"),
        ({"problem": "exposure was refused"}, "warn", "camera 311: exposure was refused"),
        ({"problem": "camera 311 was unplugged", "connected": False}, "error", "camera 311 was unplugged"),
    ],
)
def test_health_tells_what_is_wrong(state, change, level, sentence):
    assert health_of(replace(state, **change))[:2] == (level, sentence)


def test_rate_is_that_of_the_last_two_seconds():
    meter = RateMeter()
    assert meter.rate_hz(0) == 0
    for index in range(300):
        meter.saw(index * SECOND_NS // 30)
    assert meter.rate_hz(299 * SECOND_NS // 30) == pytest.approx(30, abs=0.1)
    assert meter.rate_hz(13 * SECOND_NS) == 0


def test_library_that_cannot_be_loaded_is_told_in_a_sentence(monkeypatch):
    realsense.cache_clear()
    # What Python itself puts there for a module that must not be imported.
    monkeypatch.setitem(sys.modules, "pyrealsense2", None)
    with pytest.raises(ImoveError, match="the RealSense library cannot be loaded: .*; install pyrealsense2, and lib"):
        realsense()
    monkeypatch.undo()
    assert realsense().context
