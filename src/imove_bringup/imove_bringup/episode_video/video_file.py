"""A video that browsers play from the first byte on: H.264, yuv420p, its index in front."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from imove_analysis.videos import poster_path
from imove_core.errors import ImoveError

FPS = 30
_OPTIONS = {"preset": "veryfast", "crf": "24", "g": "30", "threads": "1"}


def write_video(path: Path, pictures: Iterable[NDArray[np.uint8]]) -> int:
    """Writes pictures as a video, whole or not at all, and the last of them beside it as a PNG poster.

    Args:
        path: Ends in `.mp4`; its folder is made.
        pictures: (H, W, 3) RGB of one size, even in both directions; at least one.

    Returns:
        How many pictures it has.

    Raises:
        ImoveError: The video cannot be written.
    """
    partial, poster = path.with_name(f".{path.name}.partial"), poster_path(path)
    count, last = 0, None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # The index moves to the front when the file is closed.
        with av.open(str(partial), "w", format="mp4", options={"movflags": "faststart"}) as file:
            stream = file.add_stream("libx264", rate=FPS, options=_OPTIONS)
            stream.pix_fmt = "yuv420p"
            for last in pictures:
                if not count:
                    stream.height, stream.width = last.shape[:2]
                file.mux(stream.encode(av.VideoFrame.from_ndarray(last, format="rgb24")))
                count += 1
            file.mux(stream.encode(None))
        if last is not None:
            half = Image.fromarray(last).reduce(2)
            half_written = poster.with_name(f".{poster.name}.partial")
            half.save(half_written, format="PNG", optimize=True)
            half_written.replace(poster)
        partial.replace(path)
    except (OSError, av.error.FFmpegError) as error:
        raise ImoveError(f"video {path} cannot be written: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            partial.unlink()
    return count
