"""Images of emulated cameras between processes: whoever renders publishes, the live emulated device subscribes.

A message is three parts: `<serial>` and a blank and a JSON header, the colour bytes, the depth bytes. A header without
images says that the camera was unplugged. Only the newest image matters: a reader that falls behind misses the older
ones, as it would of a camera.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Annotated, Literal, Self

import numpy as np
import zmq
from numpy.typing import NDArray
from pydantic import Field, NonNegativeInt, PositiveInt, ValidationError, model_validator

from imove_core.errors import ImoveError, unknown_name
from imove_core.rig import Intrinsics
from imove_core.values import FrozenValue, first_fault

MOST_PIXELS = 4096
_MOST_HEADER_BYTES = 4096
_MOST_BYTES = 3 * MOST_PIXELS * MOST_PIXELS
# Images that wait on either side; the reader takes the newest of them.
_WAITING = 2


class FeedCamera(FrozenValue):
    """An emulated camera as its feed announces it.

    Attributes:
        serial: Serial number, letters and digits.
        model: D455 has a colour sensor of its own, D405 takes colour from the depth module.
        intrinsics: Of the colour image, to which the depth image of the feed is aligned.
        rate_hz: Rate of the mode that the device offers; images may come slower.
    """

    serial: Annotated[str, Field(pattern=r"^[A-Za-z0-9]{1,32}$")]
    model: Literal["D455", "D405"]
    intrinsics: Intrinsics
    rate_hz: Annotated[int, Field(ge=1, le=120)] = 30

    @model_validator(mode="after")
    def _check(self) -> Self:
        width, height = self.intrinsics.width, self.intrinsics.height
        if max(width, height) > MOST_PIXELS:
            raise ValueError(f"image of camera {self.serial} is {width}x{height}; at most {MOST_PIXELS} a side")
        return self


@dataclass(frozen=True)
class FeedFrame:
    """One image of an emulated camera.

    Attributes:
        camera: Whose image it is.
        stamp_ns: When the scene looked like that, ns since the epoch.
        number: Counts images; a gap stands for images that the camera lost.
        rgb: (H, W, 3) uint8.
        depth_mm: (H, W) uint16 distances along the optical axis in mm, 0 for none, aligned to colour.
    """

    camera: FeedCamera
    stamp_ns: int
    number: int
    rgb: NDArray[np.uint8]
    depth_mm: NDArray[np.uint16]


class _Header(FrozenValue):
    camera: FeedCamera
    plugged: bool
    stamp_ns: NonNegativeInt = 0
    number: PositiveInt = 1


class FramePublisher:
    """Publishes the images of emulated cameras; not for several threads at once."""

    def __init__(self, address: str, cameras: Sequence[FeedCamera]) -> None:
        """Binds the socket.

        Args:
            address: `tcp://127.0.0.1:PORT`; port 0 takes a free one.
            cameras: The cameras that are published.

        Raises:
            ImoveError: The address cannot be bound.
        """
        self._cameras = {camera.serial: camera for camera in cameras}
        self._unplugged: set[str] = set()
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.PUB)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._socket.setsockopt(zmq.SNDHWM, _WAITING)
        try:
            self._socket.bind(address)
        except zmq.ZMQError as error:
            self.close()
            raise ImoveError(f"camera feed cannot be served at {address}: {error}") from error
        self.address: str = self._socket.getsockopt_string(zmq.LAST_ENDPOINT)

    def publish(
        self, serial: str, stamp_ns: int, rgb: NDArray[np.uint8], depth_mm: NDArray[np.uint16], number: int
    ) -> None:
        """Publishes an image, or that there is none where the camera is unplugged.

        Args:
            serial: Of the camera.
            stamp_ns: When the scene looked like that, ns since the epoch.
            rgb: (H, W, 3) uint8, of the size of the camera's intrinsics.
            depth_mm: (H, W) uint16, mm, 0 for none, aligned to colour.
            number: Of the image, from 1 on.

        Raises:
            ImoveError: An unknown serial number, or images of another size or type.
        """
        camera = self._camera(serial)
        if serial in self._unplugged:
            # Again and again, for readers that come later.
            self._tell_unplugged(camera)
            return
        size = (camera.intrinsics.height, camera.intrinsics.width)
        for what, image, shape, kind in (
            ("colour", rgb, (*size, 3), np.dtype(np.uint8)),
            ("depth", depth_mm, size, np.dtype(np.uint16)),
        ):
            if image.shape != shape or image.dtype != kind:
                raise ImoveError(
                    f"{what} image of camera {serial} is {image.dtype} {image.shape}; {kind} {shape} is needed"
                )
        header = _Header(camera=camera, plugged=True, stamp_ns=stamp_ns, number=number)
        pixels = [np.ascontiguousarray(rgb).data, np.ascontiguousarray(depth_mm).data]
        self._socket.send_multipart([_first_part(header), *pixels])

    def unplug(self, serial: str) -> None:
        """Lets the camera vanish: its readers are told, and nothing of it comes until `plug`."""
        camera = self._camera(serial)
        self._unplugged.add(serial)
        self._tell_unplugged(camera)

    def plug(self, serial: str) -> None:
        """Brings an unplugged camera back: its images are published again."""
        self._camera(serial)
        self._unplugged.discard(serial)

    def _tell_unplugged(self, camera: FeedCamera) -> None:
        self._socket.send_multipart([_first_part(_Header(camera=camera, plugged=False))])

    def _camera(self, serial: str) -> FeedCamera:
        if serial not in self._cameras:
            raise unknown_name("serial number of an emulated camera", serial, self._cameras)
        return self._cameras[serial]

    def close(self) -> None:
        """Closes the socket; what was not sent yet is lost."""
        self._context.destroy(linger=0)

    def __enter__(self) -> Self:
        """Returns itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes it."""
        self.close()


class FrameSubscriber:
    """Receives the images of one emulated camera; not for several threads at once."""

    def __init__(self, address: str, serial: str) -> None:
        """Connects, also where nobody publishes yet.

        Args:
            address: Of the publisher, `tcp://HOST:PORT`.
            serial: Of the camera.

        Raises:
            ImoveError: The address is none.
        """
        self._address, self._serial = address, serial
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.SUB)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._socket.setsockopt(zmq.RCVHWM, _WAITING)
        self._socket.setsockopt(zmq.MAXMSGSIZE, _MOST_BYTES)
        self._socket.setsockopt(zmq.SUBSCRIBE, f"{serial} ".encode())
        try:
            self._socket.connect(address)
        except zmq.ZMQError as error:
            self.close()
            raise ImoveError(f"camera feed address {address} is not of the form tcp://HOST:PORT: {error}") from error
        self.plugged = True

    def newest(self, timeout_s: float) -> FeedFrame | None:
        """The newest image that has not been returned yet; older ones are passed over.

        `plugged` says afterwards whether the camera was unplugged.

        Args:
            timeout_s: How long to wait for one.

        Returns:
            The image; None where none came in time, or where the last thing heard is that the camera was unplugged.

        Raises:
            ImoveError: What came is no image of the feed.
        """
        if not self._socket.poll(round(1000 * timeout_s)):
            return None
        parts = self._socket.recv_multipart(copy=False)
        while self._socket.poll(0):
            parts = self._socket.recv_multipart(copy=False)
        frame = self._frame(parts)
        self.plugged = frame is not None
        return frame

    def _frame(self, parts: list[zmq.Frame]) -> FeedFrame | None:
        head = parts[0].buffer
        try:
            if len(head) > _MOST_HEADER_BYTES:
                raise ImoveError(f"camera feed {self._address} sent a header of {len(head)} bytes")
            header = _Header.model_validate_json(bytes(head[len(self._serial) + 1 :]))
        except ValidationError as error:
            raise ImoveError(f"camera feed {self._address} sent {first_fault(error, 'a header')}") from error
        if not header.plugged:
            return None
        width, height = header.camera.intrinsics.width, header.camera.intrinsics.height
        sizes, wanted = [len(part.buffer) for part in parts[1:]], [3 * width * height, 2 * width * height]
        if sizes != wanted:
            raise ImoveError(f"camera feed {self._address} sent images of {sizes} bytes; {wanted} are needed")
        return FeedFrame(
            header.camera,
            header.stamp_ns,
            header.number,
            np.frombuffer(parts[1].buffer, np.uint8).reshape(height, width, 3),
            np.frombuffer(parts[2].buffer, np.uint16).reshape(height, width),
        )

    def close(self) -> None:
        """Closes the socket."""
        self._context.destroy(linger=0)


def _first_part(header: _Header) -> bytes:
    return f"{header.camera.serial} {header.model_dump_json()}".encode()
