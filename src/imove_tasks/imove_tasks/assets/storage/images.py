"""Textures as PNG files."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.looks import Texture


def png_bytes(texture: Texture) -> bytes:
    """The picture as a PNG file."""
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(np.asarray(texture.pixels)).save(buffer, format="PNG", optimize=False)
    return buffer.getvalue()


def read_png(path: Path) -> Texture:
    """Reads a picture.

    Raises:
        AssetError: The file is not a PNG that can be read.
    """
    from PIL import Image

    try:
        with Image.open(path, formats=["PNG"]) as image:
            return Texture(np.asarray(image.convert("RGB")))
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise AssetError(f"{path} is not a PNG picture that can be read: {error}") from error
