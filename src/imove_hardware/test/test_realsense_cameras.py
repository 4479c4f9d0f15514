"""Recorded cameras behind the real library: found, opened, read, unplugged, plugged in, ended."""

from dataclasses import replace

import numpy as np
import pytest

from imove_core.errors import ImoveError
from imove_core.hardware import CameraDevice, CameraProfile
from imove_core.rig import Intrinsics
from imove_hardware.emulation.realsense.recording import RecordedImage, record
from imove_hardware.emulation.realsense.software import DepthView
from imove_hardware.realsense.camera import Camera
from imove_hardware.realsense.finding import CameraMissingError, DeviceContext, camera_source
from imove_hardware.realsense.options import CameraSettings
from imove_hardware.realsense.profiles import choose_streams
from imove_hardware.realsense.stamps import Domain

from .recorded_cameras import (
    BASE_MM,
    HANDS,
    HEIGHT,
    PROFILE,
    STATIC,
    WIDTH,
    depth_of,
    images,
    number_of,
    read,
    rgb_of,
    wait_for_state,
)

CAMERAS = (STATIC, *HANDS)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Three recorded cameras of two seconds, by serial number."""
    folder = tmp_path_factory.mktemp("cameras")
    paths = {camera.serial: folder / f"{camera.serial}.db3" for camera in CAMERAS}
    for camera in CAMERAS:
        record(paths[camera.serial], camera, images(range(1, 61)))
    return paths


@pytest.fixture
def context(files):
    """All three plugged in."""
    return DeviceContext([str(path) for path in files.values()])


@pytest.fixture
def open_camera():
    """Opens cameras and closes them at the end."""
    opened = []

    def start(source, profile=PROFILE, settings=None, **options):
        opened.append(Camera(source, profile, settings or CameraSettings(), **options))
        opened[-1].open()
        return opened[-1]

    yield start
    for camera in opened:
        camera.close()


@pytest.fixture
def play(tmp_path, open_camera):
    """Records images and opens the recording as a camera."""

    def start(camera, recorded, settings=None, **options):
        path = tmp_path / f"{camera.serial}.db3"
        record(path, camera, recorded, **options)
        return open_camera(camera_source(CameraDevice(serial=camera.serial, playback=str(path))), settings=settings)

    return start


def test_cameras_tell_who_they_are(context):
    found = {facts.serial: facts for facts in context.cameras()}
    assert {camera.serial for camera in CAMERAS} <= found.keys()
    assert found[STATIC.serial].model == "Intel RealSense D455"
    assert (found[HANDS[0].serial].firmware, found[HANDS[0].serial].usb) == ("5.17.0.10", "3.2")


def test_three_cameras_are_opened_by_serial_number_and_give_their_own_images(context, open_camera):
    cameras = {camera.serial: open_camera(context.source(camera.serial)) for camera in CAMERAS}
    for serial, camera in cameras.items():
        for image in read(camera, 5):
            number = number_of(image)
            assert np.array_equal(image.rgb, rgb_of(number))
            assert np.array_equal(image.depth_mm, depth_of(number)), serial
            assert image.optics.intrinsics == STATIC.intrinsics


def test_d405_takes_colour_from_the_depth_module(context):
    streams = {c.model: choose_streams(context.device(c.serial), PROFILE, c.serial) for c in CAMERAS[:2]}
    assert (streams["D405"].one_sensor, len(streams["D405"].by_sensor())) == (True, 1)
    assert (streams["D455"].one_sensor, len(streams["D455"].by_sensor())) == (False, 2)
    assert streams["D405"].depth_unit_m == pytest.approx(1e-4)
    assert streams["D455"].depth_unit_m == pytest.approx(1e-3)


def test_missing_camera_is_told_with_those_that_are_there(context):
    with pytest.raises(CameraMissingError, match="serial number 999; there are .*311322300001 \\(Intel RealSense D455"):
        context.device("999")


def test_mode_that_the_camera_lacks_is_told_with_those_it_offers(context, open_camera):
    source = context.source(STATIC.serial)
    with pytest.raises(ImoveError, match="does not offer colour at 848x480 at 90 Hz; it offers 64x48 at 30 Hz"):
        open_camera(source, CameraProfile(width=848, height=480, rate_hz=90))


def test_recordings_are_checked(tmp_path, context):
    with pytest.raises(ImoveError, match="nothing.db3 does not exist"):
        context.load(str(tmp_path / "nothing.db3"))
    (tmp_path / "other.db3").write_text("no recording")
    with pytest.raises(ImoveError, match="other.db3 cannot be read"):
        context.load(str(tmp_path / "other.db3"))
    with pytest.raises(ImoveError, match="must end in .db3"):
        record(tmp_path / "camera.bag", STATIC, images([1]))


def test_unplugged_camera_is_noticed_and_opened_again_when_it_is_back(files, context, open_camera):
    serial = HANDS[0].serial
    camera = open_camera(context.source(serial))
    before = read(camera, 3)
    context.unload(str(files[serial]))
    state = wait_for_state(camera, lambda state: not state.connected)
    assert state.problem == f"camera {serial} was unplugged"
    state = wait_for_state(camera, lambda state: "no camera has the serial number" in state.problem)
    context.load(str(files[serial]))
    after = read(camera, 3)
    state = camera.state()
    assert (state.connected, state.problem, state.counts.restarts) == (True, "", 1)
    stamps = [image.stamp_ns for image in before + after]
    assert stamps == sorted(set(stamps))


def test_another_cameras_unplugging_changes_nothing(files, context, open_camera):
    camera = open_camera(context.source(STATIC.serial))
    read(camera, 1)
    context.unload(str(files[HANDS[1].serial]))
    read(camera, 3)
    assert (camera.state().connected, camera.state().counts.restarts) == (True, 0)


def test_recording_that_ends_begins_anew(play):
    camera = play(STATIC, images(range(1, 16)))
    found = read(camera, 32)
    stamps = [image.stamp_ns for image in found]
    assert stamps == sorted(set(stamps))
    assert [number_of(image) for image in found] != sorted(number_of(image) for image in found)
    assert (camera.state().connected, camera.state().counts.restarts) == (True, 0)


def test_images_that_come_again_are_left_out_and_lost_ones_counted(play):
    lost, twice = {n for n in range(1, 91) if n % 5 == 0}, {n for n in range(1, 91) if n % 7 == 0}
    numbers = [number for n in range(1, 91) if n not in lost for number in ([n, n] if n in twice else [n])]
    recorded = [replace(image, time_ms=1e6 + index * 33.3) for index, image in enumerate(images(numbers))]
    camera = play(HANDS[0], recorded)
    seen = [number_of(image) for image in read(camera, 20)]
    assert seen == sorted(set(seen) - lost)
    counts = camera.state().counts
    # A busy machine may have lost more of them.
    assert counts.dropped == seen[-1] - seen[0] + 1 - len(seen) >= len(lost & set(range(seen[0], seen[-1])))
    assert counts.duplicated > 0
    assert counts.images == len(seen)


def test_colour_without_depth_is_lost(play):
    recorded = [replace(image, depth_mm=None) if image.number % 4 == 0 else image for image in images(range(1, 91))]
    camera = play(HANDS[0], recorded)
    seen = [number_of(image) for image in read(camera, 16)]
    assert all(number % 4 for number in seen)
    assert camera.state().counts.dropped >= 3


def test_images_may_be_kept(play):
    # More than the library has memory for: it would stop, and the recording begin anew.
    seen = [number_of(image) for image in read(play(STATIC, images(range(1, 181))), 50)]
    assert seen == sorted(seen)


@pytest.mark.parametrize("domain", list(Domain))
def test_stamps_are_host_time_whoever_stamped_the_images(play, domain):
    # In microseconds the device's clock runs over 32 bits on the way.
    wrap_ms = 2**32 / 1e3
    recorded = [
        replace(image, time_ms=image.time_ms % wrap_ms if domain is Domain.HARDWARE else image.time_ms)
        for image in images(range(1, 91), start_ms=wrap_ms - 400)
    ]
    camera = play(STATIC, recorded, domain=domain)
    found = read(camera, 20)
    stamps = np.array([image.stamp_ns for image in found])
    numbers = np.array([number_of(image) for image in found])
    spacing_ns = np.diff(stamps) / np.diff(numbers)
    assert np.median(spacing_ns) == pytest.approx(1e9 / 30, rel=0.02)
    assert camera.state().domain is domain


def test_exposure_and_emitter_that_are_refused_are_told_and_no_reason_to_stop(play):
    camera = play(STATIC, images(range(1, 31)), CameraSettings(exposure_us=8000, emitter=True))
    read(camera, 2)
    assert camera.state().problem == (
        "exposure cannot be set on this camera; emitter_enabled cannot be set on this camera"
    )
    assert camera.state().connected


def test_depth_is_aligned_to_colour(play):
    view = DepthView(
        Intrinsics(width=WIDTH, height=HEIGHT, fx=50, fy=50, cx=31.5, cy=23.5), color_from_depth_m=(0.05, 0, 0)
    )
    near_mm, far_mm, edge = 400, 2000, 32
    depth_mm = np.full((HEIGHT, WIDTH), far_mm, np.uint16)
    depth_mm[:, :edge] = near_mm
    recorded = [replace(image, depth_mm=depth_mm) for image in images(range(1, 31))]
    row = read(play(STATIC, recorded, depth_view=view), 1)[0].depth_mm[HEIGHT // 2]
    # The near half ends where its last column, seen 5 cm farther to the side, is in the colour image.
    ends = 60 * ((edge - 1 - 31.5) / 50 + 0.05 / (near_mm / 1e3)) + 31.5
    assert set(row[5 : round(ends) - 1]) == {near_mm}
    assert set(row[round(ends) + 3 :]) <= {0, far_mm}
    assert far_mm in row


def test_depth_is_left_out_where_nobody_wants_it(play):
    assert read(play(STATIC, images(range(1, 31))), 1, depth=False)[0].depth_mm is None


def test_distance_of_a_d405_is_in_millimetres_and_too_far_is_none(play):
    depth_mm = depth_of(0)
    depth_mm[0, 0], depth_mm[0, 1] = 7000, 65
    recorded = [replace(image, depth_mm=depth_mm) for image in images(range(1, 31))]
    found = read(play(HANDS[0], recorded), 1)[0].depth_mm
    # Counts of 0.1 mm end at 6.55 m.
    assert found[0, :3].tolist() == [0, 65, BASE_MM]


def test_recorded_images_are_those_that_were_given(tmp_path):
    lost = RecordedImage(3, 1e6 + 100, None, None)
    record(tmp_path / "camera.db3", STATIC, [*images([1, 2]), lost, *images([4])])
    assert [path.name for path in tmp_path.iterdir()] == ["camera.db3"]
