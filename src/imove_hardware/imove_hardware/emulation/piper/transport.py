"""How hosts reach an emulated line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from imove_hardware.emulation.piper.frames import Frame


class Transport(Protocol):
    """A way for hosts to reach the channels of an emulator; used by one thread, `close` apart."""

    def wait(self, timeout_s: float) -> list[tuple[str, Frame]]:
        """Waits for frames of hosts and returns them with their channels; nothing after `timeout_s`."""
        ...

    def send(self, channel: str, sent: Sequence[Frame]) -> None:
        """Sends frames to every host on a channel."""
        ...

    def set_plugged(self, channel: str, plugged: bool) -> None:
        """Plugs the adapter of a channel in, or pulls it: its hosts lose their connection."""
        ...

    def close(self) -> None:
        """Lets go of everything."""
        ...
