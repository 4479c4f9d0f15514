"""Images of emulated cameras between processes."""

import time

import numpy as np
import pytest
import zmq

from imove_core.errors import ImoveError
from imove_core.rig import Intrinsics
from imove_hardware.emulation.realsense.feed import FeedCamera, FramePublisher, FrameSubscriber

DEADLINE_S = 60.0
INTRINSICS = Intrinsics(width=8, height=6, fx=7, fy=7, cx=3.5, cy=2.5)
STATIC = FeedCamera(serial="311322300001", model="D455", intrinsics=INTRINSICS)
HAND = FeedCamera(serial="218622270002", model="D405", intrinsics=INTRINSICS)


@pytest.fixture
def publisher():
    with FramePublisher("tcp://127.0.0.1:0", [STATIC, HAND]) as publisher:
        yield publisher


@pytest.fixture
def reader(publisher):
    reader = FrameSubscriber(publisher.address, HAND.serial)
    yield reader
    reader.close()


def images(value):
    return np.full((6, 8, 3), value, np.uint8), np.full((6, 8), 10 * value, np.uint16)


def received(publisher, reader, number=1, serial=HAND.serial):
    """Publishes an image until the reader, which may still connect, has one of that number."""
    until = time.monotonic() + DEADLINE_S
    while time.monotonic() < until:
        publisher.publish(serial, 5_000_000_000 + number, *images(number), number)
        frame = reader.newest(0.05)
        if frame is not None and frame.number == number:
            return frame
    raise AssertionError("no image came")


def test_image_comes_as_it_was_published(publisher, reader):
    frame = received(publisher, reader, 7)
    assert (frame.camera, frame.stamp_ns, frame.number) == (HAND, 5_000_000_007, 7)
    rgb, depth_mm = images(7)
    assert np.array_equal(frame.rgb, rgb)
    assert np.array_equal(frame.depth_mm, depth_mm)


def test_reader_hears_its_own_camera_only(publisher, reader):
    received(publisher, reader)
    publisher.publish(STATIC.serial, 1, *images(200), 200)
    assert received(publisher, reader, 3).camera == HAND


def test_newest_image_wins(publisher, reader):
    received(publisher, reader)
    for number in range(10, 14):
        publisher.publish(HAND.serial, number, *images(number), number)
        time.sleep(0.02)
    first = reader.newest(DEADLINE_S)
    assert first is not None and first.number > 10


def test_unplugged_camera_is_silent_until_it_is_plugged_in(publisher, reader):
    received(publisher, reader)
    publisher.unplug(HAND.serial)
    until = time.monotonic() + DEADLINE_S
    while reader.plugged and time.monotonic() < until:
        reader.newest(0.05)
    assert not reader.plugged
    publisher.publish(HAND.serial, 2, *images(2), 2)
    assert reader.newest(0.2) is None
    publisher.plug(HAND.serial)
    assert received(publisher, reader, 3).number == 3
    assert reader.plugged


def test_wrong_images_and_serial_numbers_are_refused(publisher):
    rgb, depth_mm = images(1)
    with pytest.raises(ImoveError, match=r"colour image of camera 218622270002 is uint8 \(6, 7, 3\)"):
        publisher.publish(HAND.serial, 1, rgb[:, 1:], depth_mm, 1)
    with pytest.raises(ImoveError, match="depth image of camera 218622270002 is float64"):
        publisher.publish(HAND.serial, 1, rgb, depth_mm * 1.0, 1)
    with pytest.raises(ImoveError, match="unknown serial number of an emulated camera '9'; allowed: 218622270002, 311"):
        publisher.unplug("9")


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ([b"{}"], "a header|Field required"),
        ([b"not json"], "Invalid JSON"),
        ([b'{"pickle": 1}'], "unknown key 'pickle'"),
        ([b"x" * 5000], "a header of 5013 bytes"),
        ([None, b"12", b"34"], "images of \\[2, 2\\] bytes; \\[144, 96\\] are needed"),
        ([None, b"1" * 144], "images of \\[144\\] bytes"),
    ],
)
def test_what_is_no_image_is_refused(parts, sentence):
    camera = HAND.model_dump_json()
    parts = [f'{{"camera": {camera}, "plugged": true}}'.encode() if part is None else part for part in parts]
    with zmq.Context() as context, context.socket(zmq.PUB) as socket:
        socket.setsockopt(zmq.LINGER, 0)
        port = socket.bind_to_random_port("tcp://127.0.0.1")
        reader = FrameSubscriber(f"tcp://127.0.0.1:{port}", HAND.serial)
        with pytest.raises(ImoveError, match=sentence):
            until = time.monotonic() + DEADLINE_S
            while time.monotonic() < until:
                socket.send_multipart([f"{HAND.serial} ".encode() + parts[0], *parts[1:]])
                reader.newest(0.05)
        reader.close()


def test_addresses_are_checked(publisher):
    with pytest.raises(ImoveError, match="address nowhere is not of the form tcp://HOST:PORT"):
        FrameSubscriber("nowhere", HAND.serial)
    with pytest.raises(ImoveError, match="cannot be served at tcp://127.0.0.1:"):
        FramePublisher(publisher.address, [HAND])
