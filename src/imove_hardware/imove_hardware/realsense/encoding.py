"""Brings images to the size that is published, and makes JPEGs of them."""

from __future__ import annotations

from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from imove_hardware.realsense.profiles import Optics

JPEG_QUALITY = 90
Pixels = TypeVar("Pixels", NDArray[np.uint8], NDArray[np.uint16])


class Framing:
    """Crops images about their middle to another aspect ratio and scales them, as `Intrinsics.resized` says.

    The crop has whole pixels; for the sizes that RealSense cameras offer it is exact.
    """

    def __init__(self, optics: Optics, width: int, height: int) -> None:
        """Frames the images of one camera.

        Args:
            optics: Of the images as they come.
            width: Of those that go, pixels.
            height: Of those that go, pixels.
        """
        self.source, got = optics, optics.intrinsics
        self.optics = Optics(got.resized(width, height), optics.distortion)
        scale = max(width / got.width, height / got.height)
        columns, rows = min(got.width, round(width / scale)), min(got.height, round(height / scale))
        left, top = (got.width - columns) // 2, (got.height - rows) // 2
        self._rows, self._columns = slice(top, top + rows), slice(left, left + columns)
        self._size = (width, height)
        self._same = (columns, rows) == (width, height)
        # Averages where pixels become fewer, so that fine texture does not flicker.
        self._filter = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR

    def color(self, rgb: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The colour image (height, width, 3)."""
        return self._framed(rgb, self._filter)

    def depth(self, depth_mm: NDArray[np.uint16]) -> NDArray[np.uint16]:
        """The depth image (height, width); no distance is mixed with another one."""
        return self._framed(depth_mm, cv2.INTER_NEAREST_EXACT)

    def _framed(self, pixels: Pixels, how: int) -> Pixels:
        cropped = pixels[self._rows, self._columns]
        if self._same:
            return np.ascontiguousarray(cropped)
        scaled: Pixels = cv2.resize(cropped, self._size, interpolation=how)  # type: ignore[assignment]
        return scaled


def jpeg(rgb: NDArray[np.uint8]) -> bytes:
    """A JPEG of an image (H, W, 3)."""
    _, encoded = cv2.imencode(".jpg", cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    return encoded.tobytes()
