"""H.264 video with exact frame times: written, and joined without encoding anew."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import av
from av.video.reformatter import Interpolation

from imove_datasets.pixels import Pixels

CODEC = "h264"
PIXEL_FORMAT = "yuv420p"
# Area averaging of colour differences; bit-exact arithmetic gives the same bytes on every processor.
_SCALING = Interpolation.AREA | Interpolation.ACCURATE_RND | Interpolation.BITEXACT
# A key frame at every second frame makes reading single frames cheap, as LeRobot's own videos have it. Without B-frames
# the order of packets is the order of frames, so that files can be joined by shifting times.
# x264's look-ahead has nothing to see within two frames, and reads memory that nobody wrote: without it the same frames
# give the same bytes.
_OPTIONS = {"preset": "veryfast", "g": "2", "bf": "0", "x264-params": "mbtree=0:rc-lookahead=0"}
_BT601, _LIMITED_RANGE = 6, 1


class VideoWriter:
    """Writes frames of one size as mp4; frame k is shown at exactly k / fps."""

    def __init__(self, path: Path, width: int, height: int, fps: int, crf: int) -> None:
        """Opens `path`, whose folder must exist; `width` and `height` are even numbers of pixels."""
        self._file = av.open(str(path), "w", format="mp4")
        # The same bytes with one thread whatever the machine; episodes are what runs side by side.
        self._stream = self._file.add_stream("libx264", rate=fps, options={**_OPTIONS, "crf": str(crf), "threads": "1"})
        self._stream.width, self._stream.height, self._stream.pix_fmt = width, height, PIXEL_FORMAT
        context = self._stream.codec_context
        context.colorspace, context.color_range = _BT601, _LIMITED_RANGE
        self._size = (height, width)

    def add(self, pixels: Pixels) -> None:
        """Appends a frame (height, width, 3) uint8 RGB."""
        if pixels.shape[:2] != self._size:
            raise ValueError(f"frame is {pixels.shape[:2]}; the video is {self._size}")
        frame = av.VideoFrame.from_ndarray(pixels, format="rgb24")
        converted = frame.reformat(
            format=PIXEL_FORMAT, interpolation=_SCALING, dst_colorspace="ITU601", dst_color_range="MPEG"
        )
        self._file.mux(self._stream.encode(converted))

    def close(self) -> None:
        """Writes what the encoder still holds and the index."""
        try:
            self._file.mux(self._stream.encode(None))
        finally:
            self._file.close()

    def __enter__(self) -> Self:
        """The writer itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Closes the file; after an exception without encoding the rest."""
        if kind is None:
            self.close()
        else:
            self._file.close()


def join_videos(parts: Sequence[Path], out: Path) -> None:
    """Appends videos of the same size, rate and settings, without encoding: the frames stay bit for bit the same."""
    with av.open(str(out), "w", format="mp4") as joined:
        stream = None
        start = 0
        for part in parts:
            with av.open(str(part)) as source:
                origin = source.streams.video[0]
                if stream is None:
                    stream = joined.add_stream_from_template(origin)
                    stream.time_base = origin.time_base
                for packet in source.demux(origin):
                    # The last packet of a demuxer is empty: it ends the stream.
                    if packet.dts is None or packet.pts is None:
                        continue
                    packet.pts += start
                    packet.dts += start
                    packet.stream = stream
                    joined.mux(packet)
                start += origin.duration or 0
