"""Reading texture pictures: known formats, bounded size, small results."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image

from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.importing.foreign import Picture

MAX_SIDE_PX = 1024
"""Longest side to which a picture is shrunk as it is read; `atlas` makes it smaller still."""

MAX_PIXELS = 8192 * 8192
"""Larger pictures are refused from their header, before anything is decoded."""

FORMATS = ("PNG", "JPEG", "BMP", "TGA", "WEBP")


def read_picture(blob: bytes, name: str) -> Picture:
    """Decodes a picture and shrinks it to at most ``MAX_SIDE_PX``.

    Args:
        blob: Content of the file.
        name: What to call it in messages.

    Returns:
        (H, W, 3) uint8 sRGB; transparency is left out.

    Raises:
        AssetError: It is no picture of a known format, or has too many pixels.
    """
    try:
        with Image.open(io.BytesIO(blob), formats=FORMATS) as picture:
            width, height = picture.size
            if width * height > MAX_PIXELS:
                raise AssetError(f"picture {name!r} has {width} x {height} pixels, allowed are {MAX_PIXELS}")
            small = picture.convert("RGB")
    except Image.DecompressionBombError as error:
        raise AssetError(f"picture {name!r} has far too many pixels, allowed are {MAX_PIXELS}") from error
    except (OSError, ValueError, SyntaxError) as error:
        raise AssetError(f"{name!r} is no readable picture, allowed are {', '.join(FORMATS)}") from error
    small.thumbnail((MAX_SIDE_PX, MAX_SIDE_PX), Image.Resampling.BOX)
    return np.asarray(small, dtype=np.uint8)
