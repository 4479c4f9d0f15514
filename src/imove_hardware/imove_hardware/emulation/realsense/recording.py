"""Records emulated cameras into files (.db3) that stand for devices: the library plays them as if plugged in."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from imove_core.errors import ImoveError
from imove_hardware.emulation.realsense.feed import FeedCamera
from imove_hardware.emulation.realsense.software import DepthView, SoftwareCamera
from imove_hardware.realsense.library import realsense
from imove_hardware.realsense.stamps import Domain

SUFFIX = ".db3"
_WAITING = 4


@dataclass(frozen=True)
class RecordedImage:
    """One image of a recording.

    Attributes:
        number: Frame number; the same again is a duplicate, a gap is a drop.
        time_ms: Time by the camera's clock.
        rgb: (H, W, 3) uint8, None where colour was lost.
        depth_mm: (H, W) uint16 in mm, None where depth was lost.
    """

    number: int
    time_ms: float
    rgb: NDArray[np.uint8] | None
    depth_mm: NDArray[np.uint16] | None


def record(
    path: Path,
    camera: FeedCamera,
    images: Iterable[RecordedImage],
    *,
    domain: Domain = Domain.SYSTEM,
    depth_view: DepthView | None = None,
    options: bool = True,
) -> None:
    """Records a camera; the images are played at its rate, one after the other, whatever time recording took.

    Args:
        path: File to write; its name ends in .db3.
        camera: What is recorded.
        images: In the order in which they come.
        domain: Whose clock stamps the images.
        depth_view: Where depth is seen from; None for the same place as colour.
        options: Whether exposure can be set; a recording keeps the value, and takes no new one.

    Raises:
        ImoveError: The file's name has another ending, or not every image was recorded.
    """
    if path.suffix != SUFFIX:
        raise ImoveError(f"recorded camera {path} must end in {SUFFIX}")
    partial = path.with_name(f".{path.stem}.partial{SUFFIX}")
    partial.unlink(missing_ok=True)
    software = SoftwareCamera(camera, depth_view, options)
    recorder = realsense().recorder(str(partial), software.device)
    sensors, queue = recorder.query_sensors(), realsense().frame_queue(_WAITING)
    for sensor in sensors:
        sensor.open(sensor.get_stream_profiles())
        sensor.start(queue)
    shown: dict[str, list[int]] = {"Depth_0": [], "Color_0": []}
    for index, image in enumerate(images):
        software.push(image.rgb, image.depth_mm, image.number, image.time_ms, domain)
        at_ns = round((index + 1) * 1e9 / camera.rate_hz)
        for stream, pixels in (("Depth_0", image.depth_mm), ("Color_0", image.rgb)):
            shown[stream] += [at_ns] if pixels is not None else []
    for sensor in sensors:
        sensor.stop()
        sensor.close()
    # The file is whole when nothing holds the recorder any more.
    del sensor, sensors, recorder
    for stream, times_ns in shown.items():
        _set_times(partial, stream, times_ns)
    os.replace(partial, path)


def _set_times(path: Path, stream: str, times_ns: list[int]) -> None:
    """Sets when the images of a stream are played; the recorder has put down when they came."""
    with closing(sqlite3.connect(path)) as database, database:
        topics = database.execute("SELECT id FROM topics WHERE name LIKE ?", (f"%/{stream}/image/%",)).fetchall()
        for (topic,) in topics:
            rows = database.execute("SELECT id FROM messages WHERE topic_id = ? ORDER BY id", (topic,)).fetchall()
            if len(rows) != len(times_ns):
                raise ImoveError(f"{len(rows)} of {len(times_ns)} images of {stream} were recorded in {path}")
            changes = [(at_ns, row) for at_ns, (row,) in zip(times_ns, rows, strict=True)]
            database.executemany("UPDATE messages SET timestamp = ? WHERE id = ?", changes)
