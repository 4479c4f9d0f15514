"""Emulated lines for hosts in this process, over python-can's `virtual` bus."""

from __future__ import annotations

from collections.abc import Sequence

import can

from imove_hardware.emulation.piper.frames import Frame


class VirtualTransport:
    """One channel of python-can's `virtual` interface.

    An adapter that is pulled falls silent here: this interface tells its hosts nothing.
    """

    def __init__(self, channel: str) -> None:
        """Opens the channel; its name must be used by one test or program alone."""
        self._channel = channel
        self._bus = can.Bus(interface="virtual", channel=channel, receive_own_messages=False)

    def wait(self, timeout_s: float) -> list[tuple[str, Frame]]:
        """Waits for frames of hosts and returns them; nothing after `timeout_s`."""
        heard: list[tuple[str, Frame]] = []
        message = self._bus.recv(timeout_s)
        while message is not None:
            heard.append((self._channel, Frame(message.arbitration_id, bytes(message.data).ljust(8, b"\0"))))
            message = self._bus.recv(0.0)
        return heard

    def send(self, channel: str, sent: Sequence[Frame]) -> None:
        """Sends frames to every host."""
        for frame in sent:
            self._bus.send(can.Message(arbitration_id=frame.id, data=frame.data, is_extended_id=False))

    def set_plugged(self, channel: str, plugged: bool) -> None:
        """Does nothing: the line itself is silent while its adapter is away."""

    def close(self) -> None:
        """Closes the bus."""
        self._bus.shutdown()
