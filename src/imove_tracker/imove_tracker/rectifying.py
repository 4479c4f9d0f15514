"""Images without the distortion of the lens, so that straight rays belong to straight pixels."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from imove_core.errors import ImoveError
from imove_core.rig import Intrinsics

NONE = 1e-9
"""Coefficients that are this small are none."""
MODELS = ("", "plumb_bob", "rational_polynomial")
"""Models of `camera_info` whose coefficients OpenCV takes as they are."""


class Rectifier:
    """Takes the distortion out of colour and depth images of one camera."""

    def __init__(self, intrinsics: Intrinsics, model: str, coefficients: Sequence[float]) -> None:
        """Works out where each pixel comes from.

        Args:
            intrinsics: Of the images, and of what becomes of them.
            model: As in `camera_info`.
            coefficients: Of the model.

        Raises:
            ImoveError: The model is another one, and says that there is distortion.
        """
        self.intrinsics = intrinsics
        self._maps: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None
        if all(abs(value) <= NONE for value in coefficients):
            return
        if model not in MODELS:
            raise ImoveError(f"camera_info has the distortion model {model!r}; allowed: {', '.join(MODELS[1:])}")
        size = (intrinsics.width, intrinsics.height)
        across, down = cv2.initUndistortRectifyMap(
            intrinsics.matrix, np.array(coefficients, float), np.eye(3), intrinsics.matrix, size, cv2.CV_32FC1
        )
        self._maps = (np.asarray(across, np.float32), np.asarray(down, np.float32))

    def color(self, rgb: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """A colour image (H, W, 3), interpolated."""
        if self._maps is None:
            return rgb
        return np.asarray(cv2.remap(rgb, *self._maps, cv2.INTER_LINEAR), np.uint8)

    def depth(self, depth_mm: NDArray[np.uint16]) -> NDArray[np.uint16]:
        """A depth image (H, W), mm; not interpolated, since between two depths there is nothing."""
        if self._maps is None:
            return depth_mm
        return np.asarray(cv2.remap(depth_mm, *self._maps, cv2.INTER_NEAREST), np.uint16)
