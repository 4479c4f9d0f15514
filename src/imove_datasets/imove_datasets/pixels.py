"""Colour images of bags: decoded, scaled with borders, and put together."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from imove_core.bag.errors import BagError
from imove_core.bag.messages import rgb_from
from imove_core.bag.topics import COMPRESSED_IMAGE

Pixels = NDArray[np.uint8]

T_HEIGHT, T_WIDTH = 384, 320
_T_TOP = (240, 320)
_T_BELOW = (120, 160)
# 240 + 120 rows, with the rest of 24 split evenly above and below.
_T_MARGIN = (T_HEIGHT - _T_TOP[0] - _T_BELOW[0]) // 2


def color_from(message: Any, message_type: str) -> Pixels:
    """Pixels (H, W, 3) uint8 RGB of a raw rgb8 or bgr8 image, or of a driver's JPEG.

    Raises:
        BagError: Another encoding, or bytes that are no image.
    """
    if message_type != COMPRESSED_IMAGE:
        return rgb_from(message)
    with _opened(message) as image:
        try:
            return np.asarray(image.convert("RGB"))
        except (OSError, SyntaxError, ValueError) as error:
            raise BagError(f"JPEG image of {message.header.frame_id} is damaged: {error}") from error


def size_of(message: Any, message_type: str) -> tuple[int, int]:
    """Width and height of an image in pixels, of a JPEG from its header alone.

    Raises:
        BagError: A compressed image that is no JPEG.
    """
    if message_type != COMPRESSED_IMAGE:
        return int(message.width), int(message.height)
    with _opened(message) as image:
        return image.size


def _opened(message: Any) -> Image.Image:
    try:
        return Image.open(BytesIO(bytes(message.data)), formats=("JPEG",))
    except (UnidentifiedImageError, OSError) as error:
        raise BagError(
            f"compressed image of {message.header.frame_id} with format {message.format[:40]!r} is no JPEG"
        ) from error


def padded(pixels: Pixels, height: int, width: int) -> Pixels:
    """The image scaled bilinearly to fit `height` by `width`, in the middle of black; the same where it fits already.

    The proportions stay, as in openpi's own resizing.
    """
    rows, columns = pixels.shape[:2]
    if (rows, columns) == (height, width):
        return pixels
    scale = min(height / rows, width / columns)
    inner = (max(1, round(rows * scale)), max(1, round(columns * scale)))
    scaled = Image.fromarray(pixels).resize((inner[1], inner[0]), Image.Resampling.BILINEAR)
    canvas = np.zeros((height, width, 3), np.uint8)
    top, left = (height - inner[0]) // 2, (width - inner[1]) // 2
    canvas[top : top + inner[0], left : left + inner[1]] = np.asarray(scaled)
    return canvas


def even(pixels: Pixels) -> Pixels:
    """The image with a black row or column more where its height or width is odd, as 4:2:0 video needs."""
    rows, columns = pixels.shape[:2]
    if rows % 2 == 0 and columns % 2 == 0:
        return pixels
    return np.pad(pixels, ((0, rows % 2), (0, columns % 2), (0, 0)))


def t_shaped(top: Pixels, left: Pixels, right: Pixels) -> Pixels:
    """Three images as the one that Motus takes: (384, 320, 3).

    `top` is 320 wide and 240 high, the others 160 wide and 120 high side by side below it, and 12 black rows close the
    image above and below (reference: the released real-robot inference of Motus).
    """
    canvas = np.zeros((T_HEIGHT, T_WIDTH, 3), np.uint8)
    below = _T_MARGIN + _T_TOP[0]
    canvas[_T_MARGIN:below] = padded(top, *_T_TOP)
    canvas[below : below + _T_BELOW[0], : _T_BELOW[1]] = padded(left, *_T_BELOW)
    canvas[below : below + _T_BELOW[0], _T_BELOW[1] :] = padded(right, *_T_BELOW)
    return canvas
