"""What is found of recorded cameras: rate, exposure, drops, and which one a hand covers."""

from __future__ import annotations

import itertools
import threading
import time

import numpy as np
import pytest

from imove_core.errors import ImoveError
from imove_core.hardware import CameraDevice, CameraProfile
from imove_hardware.emulation.realsense.feed import FramePublisher
from imove_hardware.emulation.realsense.recording import RecordedImage, record
from imove_hardware.probing.cameras import probe_camera
from imove_hardware.probing.covering import covered_camera

from .recorded_cameras import HANDS, HEIGHT, INTRINSICS, PROFILE, RATE_HZ, STATIC, WIDTH, depth_of, rgb_of

LIT = 120


@pytest.fixture
def recorded(tmp_path):
    """Records a camera whose images have these brightnesses; its device."""

    def make(camera, brightnesses):
        path = tmp_path / f"{camera.serial}.db3"
        shots = [
            RecordedImage(n, 1e6 + n * 1000 / 30, np.full((HEIGHT, WIDTH, 3), value, np.uint8), depth_of(n))
            for n, value in enumerate(brightnesses, start=1)
        ]
        record(path, camera, shots)
        return CameraDevice(serial=camera.serial, playback=str(path), profile=PROFILE)

    return make


def test_a_camera_that_is_well_is_told_so(recorded):
    probe = probe_camera(recorded(STATIC, [LIT] * 60), watch_s=0.5, start_s=60.0)
    assert probe.problem == probe.refused == probe.exposure_problem == ""
    assert (probe.serial, probe.intrinsics, probe.nominal_hz) == (STATIC.serial, INTRINSICS, 30)
    assert probe.rate_hz > 0 and probe.brightness == LIT and probe.depth_share == 1.0
    assert probe.domain == "system_time"


@pytest.mark.parametrize(("brightness", "sentence"), [(5, "its image is dark (mean 5 of 255)"), (255, "100 % of its")])
def test_a_wrong_exposure_is_told(recorded, brightness, sentence):
    probe = probe_camera(recorded(STATIC, [brightness] * 60), watch_s=0.3, start_s=60.0)
    assert sentence in probe.exposure_problem


def test_settings_that_a_camera_refuses_are_told(recorded):
    device = recorded(STATIC, [LIT] * 60).model_copy(update={"exposure_us": 1e9})
    assert "exposure cannot be set" in probe_camera(device, watch_s=0.3, start_s=60.0).refused


def test_a_mode_that_a_camera_lacks_is_told(recorded):
    device = recorded(STATIC, [LIT] * 5).model_copy(update={"profile": CameraProfile(width=848)})
    assert "it offers 64x48 at 30 Hz" in probe_camera(device).problem


def test_a_camera_that_is_not_there_is_told(recorded, tmp_path):
    there = recorded(STATIC, [LIT] * 5)
    missing = probe_camera(there.model_copy(update={"serial": "999"})).problem
    assert "no camera has the serial number 999" in missing
    gone = there.model_copy(update={"playback": str(tmp_path / "gone.db3")})
    assert "gone.db3 does not exist" in probe_camera(gone).problem


def test_an_emulated_camera_may_come_late():
    ending = threading.Event()
    with FramePublisher("tcp://127.0.0.1:0", [STATIC]) as feed:

        def publish() -> None:
            # Later than a device is waited for as it is opened.
            ending.wait(1.5)
            for number in itertools.count(1):
                if ending.wait(1 / RATE_HZ):
                    return
                feed.publish(STATIC.serial, time.time_ns(), rgb_of(number), depth_of(number), number)

        publisher = threading.Thread(target=publish)
        publisher.start()
        try:
            device = CameraDevice(serial=STATIC.serial, feed=feed.address, profile=PROFILE)
            probe = probe_camera(device, watch_s=0.3, start_s=60.0)
        finally:
            ending.set()
            publisher.join()
    assert probe.problem == "" and probe.intrinsics == INTRINSICS


def test_the_camera_that_a_hand_covers_is_told(recorded):
    devices = [recorded(HANDS[0], [LIT] * 90), recorded(HANDS[1], ([LIT] * 15 + [LIT // 10] * 15) * 3)]
    assert covered_camera(devices, timeout_s=60.0) == HANDS[1].serial


def test_cameras_that_nobody_covers_are_not_told_apart(recorded):
    device = recorded(HANDS[0], [LIT] * 60)
    with pytest.raises(ImoveError, match=f"none of the cameras {HANDS[0].serial} was covered within 0.3 s"):
        covered_camera([device], timeout_s=0.3)
