"""Take a topic's messages as they come, and refuse what no frames can be made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imove_core.bag.errors import BagError
from imove_core.bag.messages import stamp_ns_of
from imove_core.rig import Arm
from imove_datasets.pixels import size_of


@dataclass(frozen=True, eq=False)
class Track:
    """A topic's values in time order.

    Attributes:
        topic: Its name.
        stamps_ns: Header stamps (n,), never falling.
        values: One row a message (n, ...).
    """

    topic: str
    stamps_ns: NDArray[np.int64]
    values: NDArray[Any]


@dataclass(frozen=True, eq=False)
class ImageTrack:
    """When images of a camera were taken; they stay in the bag.

    Attributes:
        topic: Raw images, or JPEG.
        stamps_ns: Header stamps (n,).
        width: Pixels.
        height: Pixels.
    """

    topic: str
    stamps_ns: NDArray[np.int64]
    width: int
    height: int


class Collector:
    """Stamps and values of a topic."""

    def __init__(self, topic: str, episode: str) -> None:
        """Starts empty; `episode` is how messages call the bag."""
        self.topic, self._episode = topic, episode
        self._stamps: list[int] = []
        self._values: list[Any] = []

    def add(self, message: Any, value: Any) -> None:
        """Takes a message with a header.

        Raises:
            BagError: Its stamp lies before that of the one before.
        """
        stamp_ns = stamp_ns_of(message)
        if self._stamps and stamp_ns < self._stamps[-1]:
            raise BagError(
                f"{self._episode}: the stamps of {self.topic} go back from {self._stamps[-1] / 1e9:.4f} s to "
                f"{stamp_ns / 1e9:.4f} s at message {len(self._stamps)}"
            )
        self._stamps.append(stamp_ns)
        self._values.append(value)

    @property
    def stamps_ns(self) -> NDArray[np.int64]:
        """Header stamps (n,)."""
        return np.array(self._stamps, np.int64)

    def track(self) -> Track:
        """All that was taken."""
        return Track(self.topic, self.stamps_ns, np.array(self._values))


class Joints(Collector):
    """Positions of an arm, in the rig's order whatever the order of the messages, which must stay the same."""

    def __init__(self, topic: str, episode: str, arm: Arm) -> None:
        """Starts empty; see `Collector`."""
        super().__init__(topic, episode)
        self._arm = arm
        self._names: list[str] = []
        self._order: list[int] = []

    def take(self, message: Any) -> None:
        """Takes a JointState.

        Raises:
            BagError: Its joints are not the arm's, or others than before; or a position is missing or not finite.
        """
        names = list(message.name)
        if names != self._names:
            self._learn(names)
        positions = np.asarray(message.position, np.float64)
        if len(positions) != len(names):
            raise BagError(f"{self._episode}: {self.topic} has {len(positions)} positions for {len(names)} joints")
        if not np.isfinite(positions).all():
            at = int(np.flatnonzero(~np.isfinite(positions))[0])
            raise BagError(
                f"{self._episode}: joint '{names[at]}' on {self.topic} is {positions[at]} at "
                f"{stamp_ns_of(message) / 1e9:.4f} s; a finite number is needed"
            )
        self.add(message, positions[self._order])

    def _learn(self, names: list[str]) -> None:
        if self._names:
            raise BagError(
                f"{self._episode}: the joints on {self.topic} change from {', '.join(self._names)} to "
                f"{', '.join(names)}"
            )
        if sorted(names) != sorted(self._arm.joint_names):
            raise BagError(
                f"{self._episode}: the joints on {self.topic} are {', '.join(names)}; "
                f"arm '{self._arm.name}' has {', '.join(self._arm.joint_names)}"
            )
        self._names, self._order = names, [names.index(name) for name in self._arm.joint_names]


class Images(Collector):
    """Stamps and size of a camera's images."""

    def __init__(self, topic: str, episode: str) -> None:
        """Starts empty; see `Collector`."""
        super().__init__(topic, episode)
        self._size = (0, 0)

    def take(self, message: Any, message_type: str) -> None:
        """Takes an image; its size is that of the first, which the pass that decodes them checks.

        Raises:
            BagError: The first one is no image that can be read.
        """
        if not self._stamps:
            self._size = size_of(message, message_type)
        self.add(message, 0)

    def images(self) -> ImageTrack:
        """All that was taken."""
        return ImageTrack(self.topic, self.stamps_ns, *self._size)
