"""Emulated lines for hosts in other processes: a socketcand server in raw mode.

The protocol is text in angle brackets over TCP (github.com/linux-can/socketcand, doc/protocol.md): `< hi >`, then
`< open CHANNEL >` and `< rawmode >` are each answered by `< ok >`; hosts say `< send ID LENGTH BYTE ... >` and hear
`< frame ID SECONDS BYTES >`.
"""

from __future__ import annotations

import selectors
import socket
import time
from collections.abc import Callable, Sequence

from imove_core.errors import ImoveError
from imove_hardware.emulation.piper.frames import Frame

#: python-can expects the answer to `rawmode` alone in what it reads, so frames are kept back for a while after it, s.
QUIET_S = 0.25
#: What the kernel keeps on this side for a host that does not read, bytes: a tenth of a second of one arm.
SEND_BUFFER_BYTES = 16384
_LONGEST_MESSAGE = 256


class _Host:
    """One connection."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.channel = ""
        self.heard = ""
        self.raw_from_s = float("inf")
        self.unsent = b""
        self._kept = b""

    @property
    def is_raw(self) -> bool:
        """Whether it has asked for frames."""
        return self.raw_from_s < float("inf")

    def pass_on(self, frames: bytes, now_s: float) -> None:
        """Sends frames, or keeps them while it is too early for them."""
        if now_s < self.raw_from_s:
            self._kept += frames
            return
        self.put(self._kept + frames)
        self._kept = b""

    def put(self, data: bytes) -> None:
        """Sends what the kernel takes; frames for a host that does not read are lost, as on a CAN adapter."""
        pending = self.unsent or data
        try:
            self.unsent = pending[self.connection.send(pending) :]
        except BlockingIOError:
            return


class SocketcandServer:
    """A socketcand server on the loopback interface with several channels.

    What one host sends reaches the other hosts of its channel and the arms, never the sender.

    Attributes:
        port: Where it listens.
    """

    def __init__(self, channels: Sequence[str], port: int = 0, wall_clock: Callable[[], float] = time.time) -> None:
        """Starts to listen on 127.0.0.1.

        Args:
            channels: Names that hosts may open.
            port: 0 for any free one.
            wall_clock: Stamps frames, s since the epoch.

        Raises:
            ImoveError: The port is taken.
        """
        self._channels = frozenset(channels)
        self._clock = wall_clock
        self._pulled: set[str] = set()
        self._hosts: list[_Host] = []
        self._listener = socket.socket()
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._listener.bind(("127.0.0.1", port))
        except OSError as error:
            self._listener.close()
            raise ImoveError(
                f"port {port} on 127.0.0.1 cannot be listened on ({error}); allowed: a free port, 0"
            ) from error
        self._listener.listen(16)
        self._listener.setblocking(False)
        self.port: int = self._listener.getsockname()[1]
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)

    def wait(self, timeout_s: float) -> list[tuple[str, Frame]]:
        """Waits for frames of hosts and returns them with their channels; nothing after `timeout_s`."""
        heard: list[tuple[str, Frame]] = []
        for key, _ in self._selector.select(timeout_s):
            if key.data is None:
                self._welcome()
            else:
                heard += self._read(key.data)
        return heard

    def send(self, channel: str, sent: Sequence[Frame]) -> None:
        """Sends frames to every host on a channel."""
        self._pass_on(channel, sent, without=None)

    def set_plugged(self, channel: str, plugged: bool) -> None:
        """Throws out the hosts of a channel and lets none in until it is plugged in again."""
        if plugged:
            self._pulled.discard(channel)
        elif channel not in self._pulled:
            self._pulled.add(channel)
            for host in [host for host in self._hosts if host.channel == channel]:
                self._part(host)

    def close(self) -> None:
        """Closes every connection and stops listening."""
        for host in list(self._hosts):
            self._part(host)
        self._selector.close()
        self._listener.close()

    def _welcome(self) -> None:
        connection, _ = self._listener.accept()
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        host = _Host(connection)
        self._hosts.append(host)
        self._selector.register(connection, selectors.EVENT_READ, host)
        host.put(b"< hi >")

    def _part(self, host: _Host) -> None:
        self._selector.unregister(host.connection)
        host.connection.close()
        self._hosts.remove(host)

    def _read(self, host: _Host) -> list[tuple[str, Frame]]:
        try:
            data = host.connection.recv(65536)
        except BlockingIOError:
            return []
        except OSError:
            data = b""
        if not data:
            self._part(host)
            return []
        *messages, host.heard = (host.heard + data.decode("ascii", "replace")).split(">")
        said: list[Frame] = []
        for message in messages:
            frame = self._obey(host, message.replace("<", " ").split())
            if host not in self._hosts:
                return []
            if frame is not None:
                said.append(frame)
        if len(host.heard) > _LONGEST_MESSAGE:
            self._part(host)
        self._pass_on(host.channel, said, without=host)
        return [(host.channel, frame) for frame in said]

    def _obey(self, host: _Host, words: list[str]) -> Frame | None:
        """Does what a message asks; a message that is none ends the connection, as socketcand does."""
        if words[:1] == ["open"] and len(words) == 2 and words[1] in self._channels - self._pulled:
            host.channel = words[1]
            host.put(b"< ok >")
        elif words == ["rawmode"] and host.channel:
            host.put(b"< ok >")
            host.raw_from_s = self._clock() + QUIET_S
        elif words[:1] == ["send"] and host.channel and (frame := _frame(words[1:])) is not None:
            return frame
        elif words != ["echo"]:
            self._part(host)
        return None

    def _pass_on(self, channel: str, sent: Sequence[Frame], without: _Host | None) -> None:
        now_s = self._clock()
        hosts = [host for host in self._hosts if host is not without and host.channel == channel and host.is_raw]
        if not sent or not hosts:
            return
        text = "".join(f"< frame {frame.id:03X} {now_s:.6f} {frame.data.hex().upper()} >" for frame in sent)
        for host in hosts:
            try:
                host.pass_on(text.encode("ascii"), now_s)
            except OSError:
                self._part(host)


def _frame(words: Sequence[str]) -> Frame | None:
    """The frame of `ID LENGTH BYTE ...` in hexadecimal, None where it is none."""
    try:
        number, length = int(words[0], 16), int(words[1], 16)
        data = bytes(int(word, 16) for word in words[2:])
    except (ValueError, IndexError):
        return None
    if len(data) != length or length > 8 or not 0 <= number <= 0x7FF:
        return None
    return Frame(number, data.ljust(8, b"\0"))
