"""What can be wrong with the messages of one topic; each check names the first fault that it sees."""

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Protocol

import numpy as np

from imove_core import contract
from imove_core.bag.messages import NS, ns_of
from imove_core.bag.reader import BagMessage
from imove_core.rig import Arm, Rig

_BYTES_A_PIXEL = {"rgb8": 3, "bgr8": 3, "16UC1": 2}


class TopicCheck(Protocol):
    """Looks at the messages of one topic in the order in which they were written."""

    def look(self, message: BagMessage, content: Any) -> str | None:
        """What is wrong with a message, None for nothing."""
        ...


def checks_for(topic: str, rig: Rig | None) -> list[TopicCheck]:
    """The checks that a topic needs."""
    checks: list[TopicCheck] = [LogTimeCheck(), SequenceCheck(), FiniteCheck()]
    if topic != "/tf_static":
        checks.append(StampCheck())
    if rig is None:
        return checks
    for arm in rig.arms:
        if topic in (contract.joint_states_topic(arm.name), contract.joint_target_topic(arm.name)):
            checks.append(JointOrderCheck(arm, "name"))
        elif topic == contract.joint_trajectory_topic(arm.name):
            checks.append(JointOrderCheck(arm, "joint_names"))
    for camera in rig.cameras:
        if topic in (contract.color_topic(camera.name), contract.depth_topic(camera.name)):
            checks.append(ImageCheck())
        elif topic == contract.compressed_topic(camera.name):
            checks.append(JpegCheck())
        elif topic in (contract.color_info_topic(camera.name), contract.depth_info_topic(camera.name)):
            checks.append(CameraInfoCheck())
    return checks


class LogTimeCheck:
    """Log times never go back."""

    def __init__(self) -> None:
        """Has seen nothing."""
        self._last_ns = 0

    def look(self, message: BagMessage, content: Any) -> str | None:
        """A message that was received before the one before it."""
        last, self._last_ns = self._last_ns, message.log_time_ns
        return _backwards("the clock of the recording", last, message.log_time_ns)


class StampCheck:
    """Stamps of messages, and simulated time, never go back."""

    def __init__(self) -> None:
        """Has seen nothing."""
        self._last_ns = 0

    def look(self, message: BagMessage, content: Any) -> str | None:
        """A message that is older than the one before it."""
        header = getattr(content, "header", None)
        time = getattr(content, "clock", None) if header is None else header.stamp
        if time is None:
            return None
        last, self._last_ns = self._last_ns, ns_of(time)
        return _backwards("the clock", last, self._last_ns)


def _backwards(what: str, last_ns: int, now_ns: int) -> str | None:
    if now_ns >= last_ns:
        return None
    return f"{what} goes backwards from {last_ns / NS:.6f} s to {now_ns / NS:.6f} s"


class SequenceCheck:
    """Messages are numbered without a gap."""

    def __init__(self) -> None:
        """Has seen nothing."""
        self._next = 0

    def look(self, message: BagMessage, content: Any) -> str | None:
        """A gap: messages that were received and not recorded."""
        expected, self._next = self._next, message.sequence + 1
        # Recorders that do not number their messages write 0.
        if message.sequence <= expected:
            return None
        return f"{message.sequence - expected} messages were dropped"


class FiniteCheck:
    """Every number is finite."""

    def look(self, message: BagMessage, content: Any) -> str | None:
        """The first field that is not finite."""
        for field, value in _numbers(content, ""):
            if not np.isfinite(value).all():
                return f"{field} is {_first_bad(value)}, which is not finite"
        return None


class JointOrderCheck:
    """A message has all joints of the arm, and their order stays."""

    def __init__(self, arm: Arm, field: str) -> None:
        """Checks the names that are in `field`."""
        self._arm, self._field = arm, field
        self._first: Sequence[str] | None = None

    def look(self, message: BagMessage, content: Any) -> str | None:
        """Joints that are missing, or in another order than before."""
        names = list(getattr(content, self._field))
        missing = [name for name in self._arm.joint_names if name not in names]
        if missing:
            return f"joint {missing[0]} of arm '{self._arm.name}' is missing"
        if self._first is None:
            self._first = names
        if names != self._first:
            return f"the joint order changes from {', '.join(self._first)} to {', '.join(names)}"
        return None


class ImageCheck:
    """A raw image has the bytes that its size needs."""

    def look(self, message: BagMessage, content: Any) -> str | None:
        """An unknown encoding, or too few or too many bytes."""
        if content.encoding not in _BYTES_A_PIXEL:
            return f"the image is encoded {content.encoding!r}; allowed: {', '.join(_BYTES_A_PIXEL)}"
        row = content.width * _BYTES_A_PIXEL[content.encoding]
        if content.step < row or len(content.data) != content.height * content.step or not len(content.data):
            return f"the {content.width}x{content.height} image has {len(content.data)} bytes in rows of {content.step}"
        return None


class JpegCheck:
    """A compressed image is a JPEG."""

    def look(self, message: BagMessage, content: Any) -> str | None:
        """Data that do not start as JPEG does."""
        start = bytes(content.data[:3])
        return None if start == b"\xff\xd8\xff" else f"the compressed image starts with {start.hex()}; it is no JPEG"


class CameraInfoCheck:
    """Intrinsics are those of a camera."""

    def look(self, message: BagMessage, content: Any) -> str | None:
        """A focal length or a size of zero, as drivers send before they are calibrated."""
        if content.k[0] > 0 and content.k[4] > 0 and content.width and content.height:
            return None
        return (
            f"camera info has focal lengths {content.k[0]:g}, {content.k[4]:g} and {content.width}x{content.height} px"
        )


def _numbers(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Floating point fields, and arrays of them, with their names."""
    if isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype.kind == "f"):
        yield path, value
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _numbers(item, f"{path}[{index}]")
    elif is_dataclass(value):
        for field in fields(value):
            inner = getattr(value, field.name)
            yield from _numbers(inner, f"{path}.{field.name}" if path else field.name)


def _first_bad(value: Any) -> float:
    flat = np.ravel(value)
    return float(flat[~np.isfinite(flat)][0])
