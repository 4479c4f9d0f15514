"""Emulated cameras that live: the driver's path on a feed."""

import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest

from imove_core.errors import ImoveError
from imove_core.hardware import CameraDevice
from imove_hardware.emulation.realsense.feed import FramePublisher
from imove_hardware.realsense.camera import Camera
from imove_hardware.realsense.finding import CameraMissingError, camera_source
from imove_hardware.realsense.library import realsense
from imove_hardware.realsense.options import CameraSettings, apply_settings
from imove_hardware.realsense.profiles import choose_streams
from imove_hardware.realsense.stamps import Domain

from .recorded_cameras import HANDS, PROFILE, STATIC, depth_of, number_of, read, rgb_of, wait_for_state

CAMERAS = (STATIC, HANDS[0])
OFFSET_NS = 5_000_000


class Renderer:
    """Publishes images of cameras in a thread, as an emulated table does."""

    def __init__(self):
        self.publisher = FramePublisher("tcp://127.0.0.1:0", CAMERAS)
        self.silent = False
        self.stamps = {}
        self._lock = threading.Lock()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self):
        number = 0
        while not self._ending.wait(1 / 30):
            number = number % 250 + 1
            stamp_ns = time.time_ns() - OFFSET_NS
            self.stamps[stamp_ns // 1000] = number
            with self._lock:
                for camera in () if self.silent else CAMERAS:
                    self.publisher.publish(camera.serial, stamp_ns, rgb_of(number), depth_of(number), number)

    @contextmanager
    def unplugged(self, serial):
        with self._lock:
            self.publisher.unplug(serial)
        yield
        with self._lock:
            self.publisher.plug(serial)

    def close(self):
        self._ending.set()
        self._thread.join()
        self.publisher.close()


@pytest.fixture
def renderer():
    renderer = Renderer()
    yield renderer
    renderer.close()


@pytest.fixture
def open_camera(renderer):
    """Makes cameras of the feed, and closes them at the end."""
    made = []

    def start(camera, **options):
        source = camera_source(CameraDevice(serial=camera.serial, feed=renderer.publisher.address))
        made.append(Camera(source, PROFILE, CameraSettings(), **options))
        return made[-1]

    yield start
    for camera in made:
        camera.close()


@pytest.mark.parametrize("which", CAMERAS, ids=lambda camera: camera.model)
def test_images_come_with_the_stamps_of_the_feed(renderer, open_camera, which):
    camera = open_camera(which)
    for image in read(camera, 5):
        number = number_of(image)
        assert np.array_equal(image.rgb, rgb_of(number))
        assert np.array_equal(image.depth_mm, depth_of(number))
        near = {image.stamp_ns // 1000 + error for error in (-1, 0, 1)}
        assert [renderer.stamps[stamp] for stamp in near if stamp in renderer.stamps] == [number]
        assert image.optics.intrinsics == which.intrinsics
    assert camera.state().domain is Domain.SYSTEM


def test_unplugged_camera_comes_back(renderer, open_camera):
    camera, other = open_camera(STATIC), open_camera(HANDS[0])
    before = read(camera, 2)
    with renderer.unplugged(STATIC.serial):
        state = wait_for_state(camera, lambda state: not state.connected)
        assert state.problem == f"camera {STATIC.serial} was unplugged"
        read(other, 2)
    stamps = [image.stamp_ns for image in before + read(camera, 2)]
    assert stamps == sorted(set(stamps))
    assert (camera.state().connected, camera.state().counts.restarts) == (True, 1)
    assert other.state().counts.restarts == 0


def test_camera_that_gives_nothing_is_opened_again(renderer, open_camera):
    camera = open_camera(STATIC, stalled_s=0.5)
    read(camera, 2)
    renderer.silent = True
    state = wait_for_state(camera, lambda state: not state.connected)
    assert state.problem.startswith(f"camera {STATIC.serial} gives no images")
    renderer.silent = False
    read(camera, 2)
    assert camera.state().connected


def test_camera_of_no_feed_is_missing(open_camera, renderer):
    renderer.silent = True
    camera = open_camera(STATIC)
    with pytest.raises(CameraMissingError, match="shows no images of camera 311322300001"):
        camera.open()
    assert (camera.state().connected, camera.image(0.1)) == (False, None)


class SameDevice:
    """A source whose device others may have opened."""

    serial = STATIC.serial

    def __init__(self, device):
        self.device = lambda: device

    def gone(self):
        return False

    def close(self):
        pass


def test_camera_that_is_in_use_is_told_and_opened_when_it_is_free(renderer):
    feed = camera_source(CameraDevice(serial=STATIC.serial, feed=renderer.publisher.address))
    device = feed.device()
    user = choose_streams(device, PROFILE, STATIC.serial).by_sensor()
    for sensor, profiles in user:
        sensor.open(profiles)
    camera = Camera(SameDevice(device), PROFILE, CameraSettings())
    with pytest.raises(ImoveError, match=f"camera {STATIC.serial} failed: .*open"):
        camera.open()
    assert not camera.state().connected
    for sensor, _ in user:
        sensor.close()
    read(camera, 2)
    camera.close()
    feed.close()


@pytest.mark.parametrize(("which", "count"), [(STATIC, 60.0), (HANDS[0], 6000.0)], ids=["D455", "D405"])
def test_exposure_is_set_in_the_unit_of_the_sensor(renderer, which, count):
    source = camera_source(CameraDevice(serial=which.serial, feed=renderer.publisher.address))
    streams = choose_streams(source.device(), PROFILE, which.serial)
    option, sensor = realsense().option, streams.color_sensor
    assert apply_settings(streams, CameraSettings(exposure_us=6000)) == ()
    assert (sensor.get_option(option.exposure), sensor.get_option(option.enable_auto_exposure)) == (count, 0)
    # A constant rate, also in the dark.
    assert sensor.get_option(option.auto_exposure_priority) == 0
    refused = apply_settings(streams, CameraSettings(exposure_us=5e6))
    assert refused == (f"exposure {5e6 * count / 6000:g} was refused; allowed: 1 to {sensor_most(sensor):g}",)
    assert sensor.get_option(option.exposure) == count
    assert apply_settings(streams, CameraSettings()) == ()
    assert sensor.get_option(option.enable_auto_exposure) == 1
    source.close()


def sensor_most(sensor):
    return sensor.get_option_range(realsense().option.exposure).max
