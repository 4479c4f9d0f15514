"""Small recorded cameras for tests: what is on an image follows from its number."""

import time

import numpy as np

from imove_core.hardware import CameraProfile
from imove_core.rig import Intrinsics
from imove_hardware.emulation.realsense.feed import FeedCamera
from imove_hardware.emulation.realsense.recording import RecordedImage

DEADLINE_S = 60.0
WIDTH, HEIGHT, RATE_HZ = 64, 48, 30
PROFILE = CameraProfile(width=WIDTH, height=HEIGHT, rate_hz=RATE_HZ)
INTRINSICS = Intrinsics(width=WIDTH, height=HEIGHT, fx=60, fy=60, cx=31.5, cy=23.5)
STATIC = FeedCamera(serial="311322300001", model="D455", intrinsics=INTRINSICS)
HANDS = (
    FeedCamera(serial="218622270002", model="D405", intrinsics=INTRINSICS),
    FeedCamera(serial="218622270003", model="D405", intrinsics=INTRINSICS),
)
BASE_MM = 500


def rgb_of(number):
    """An image that tells its number by its first channel."""
    image = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    image[..., 0], image[..., 1] = number % 256, np.arange(WIDTH)
    return image


def depth_of(number):
    """Distances that tell it too."""
    return np.full((HEIGHT, WIDTH), BASE_MM + number, np.uint16)


def images(numbers, start_ms=1e6, period_ms=1000 / RATE_HZ):
    """Images of these numbers, at the times that a camera gives them."""
    return [
        RecordedImage(number, start_ms + number * period_ms, rgb_of(number), depth_of(number)) for number in numbers
    ]


def read(camera, count, **options):
    """The next images of a camera."""
    found, until = [], time.monotonic() + DEADLINE_S
    while len(found) < count:
        assert time.monotonic() < until, f"{len(found)} of {count} images came: {camera.state()}"
        image = camera.image(0.2, **options)
        if image is not None:
            found.append(image)
    return found


def wait_for_state(camera, wanted):
    """Reads a camera until its state is as wanted; the state."""
    until = time.monotonic() + DEADLINE_S
    while not wanted(camera.state()):
        assert time.monotonic() < until, str(camera.state())
        camera.image(0.1)
    return camera.state()


def number_of(image):
    """The number that an image tells."""
    return int(image.rgb[0, 0, 0])
