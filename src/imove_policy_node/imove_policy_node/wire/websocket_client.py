"""The client's side of openpi's protocol: the server speaks first, then one answer to each request.

Protocols that differ in their bytes, and in who speaks first, are spoken with another `Codec` and a `hello`.

Facts: src/openpi/serving/websocket_policy_server.py of openpi. Its server computes inside its event loop and answers no
pings meanwhile, so that a keepalive would end every long inference: there is none here, every wait has an end of its
own. A connection on which anything went wrong is closed, because its next message could be the answer to a question
that nobody waits for any more.
"""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.sync.client import ClientConnection, connect

from imove_policy_node.wire.deadline import Deadline
from imove_policy_node.wire.errors import RemoteFailure, Unreachable, WireError
from imove_policy_node.wire.msgpack_numpy import pack, unpack
from imove_policy_node.wire.msgpack_structure import WireLimits
from imove_policy_node.wire.reports import one_line, report

CLOSE_TIMEOUT_S = 1.0


@dataclass(frozen=True)
class Codec:
    """How messages become bytes, and bytes messages; both raise WireError."""

    pack: Callable[[Any], bytes]
    unpack: Callable[[bytes, WireLimits], Any]


OPENPI = Codec(pack, unpack)


class WebsocketClient:
    """A connection that can be opened, lost, and opened again."""

    def __init__(self, address: str, limits: WireLimits, codec: Codec = OPENPI) -> None:
        """Opens nothing yet.

        Args:
            address: As `addresses.full_address` returns it, ws or wss.
            limits: The largest message that the server may send.
            codec: The bytes of messages.
        """
        self.address = address
        self._limits = limits
        self._codec = codec
        self._connection: ClientConnection | None = None
        self._deadline = Deadline()

    def is_alive(self) -> bool:
        """Whether requests can be sent; a connection that the server ended, or spoke on unasked, is closed."""
        if self._connection is None:
            return False
        try:
            self._refuse_unasked(self._connection)
        except (ConnectionClosed, WireError):
            self._drop(self._connection)
            return False
        return True

    def open(self, timeout_s: float, hello: Any = None) -> Any:
        """Connects and returns what the server says of itself.

        Args:
            timeout_s: For all of it.
            hello: Sent first to servers that do not speak unasked; None waits for the server.

        Raises:
            Unreachable: Nothing takes connections.
            WireError: What takes them does not speak the protocol, or not in time.
        """
        self.close()
        until = time.monotonic() + timeout_s
        try:
            self._connection = connect(
                self.address,
                compression=None,
                max_size=self._limits.bytes,
                open_timeout=timeout_s,
                close_timeout=CLOSE_TIMEOUT_S,
                ping_interval=None,
                # A robot's server is on its own network, whatever proxy the shell is set up for.
                proxy=None,
                legacy=True,
            )
        except TimeoutError as error:
            raise Unreachable(f"{self.address} takes no connection within {timeout_s:g} s") from error
        except InvalidStatus as error:
            kind = Unreachable if error.response.status_code == HTTPStatus.SERVICE_UNAVAILABLE else WireError
            said = one_line(bytes(error.response.body or b"").decode(errors="replace"))
            raise kind(f"{self.address} refuses connections ({error.response.status_code} {said})".strip()) from error
        except (WebSocketException, EOFError, ValueError) as error:
            raise WireError(f"{self.address} does not speak websocket: {one_line(str(error))}") from error
        except OSError as error:
            raise Unreachable(f"no policy server answers at {self.address}: {error.strerror or error}") from error
        with self._closing_on_failure(self._connection, max(until - time.monotonic(), 0.0), timeout_s):
            _reset_on_close(self._connection)
            if hello is not None:
                self._connection.send(self._codec.pack(hello))
            return self._received(self._connection)

    def ask(self, message: Any, timeout_s: float) -> Any:
        """Sends a request and returns its answer; after any failure but one of packing the connection is closed.

        Args:
            message: Plain types and numpy arrays.
            timeout_s: For sending, computing and receiving together.

        Raises:
            RemoteFailure: The server reports an error.
            WireError: The connection is closed, nothing came in time, something came that cannot be read, or something
                came that nobody had asked for.
        """
        data = self._codec.pack(message)
        if self._connection is None:
            raise WireError(f"there is no connection to {self.address}; the next episode opens one")
        with self._closing_on_failure(self._connection, timeout_s, timeout_s):
            self._refuse_unasked(self._connection)
            self._connection.send(data)
            return self._received(self._connection)

    def close(self) -> None:
        """Closes the connection, if there is one."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
        self._deadline.close()

    def _received(self, connection: ClientConnection) -> Any:
        return self._decoded(connection.recv())

    def _refuse_unasked(self, connection: ClientConnection) -> None:
        with suppress(TimeoutError):
            self._decoded(connection.recv(timeout=0))
            raise WireError(f"{self.address} sent an answer that nobody had asked for")

    def _decoded(self, frame: str | bytes) -> Any:
        if isinstance(frame, str):
            raise RemoteFailure(f"the policy server at {self.address} failed: {report(frame)}")
        try:
            return self._codec.unpack(frame, self._limits)
        except WireError as error:
            raise WireError(f"{self.address} sent something that cannot be read: {error}") from error

    @contextmanager
    def _closing_on_failure(self, connection: ClientConnection, left_s: float, timeout_s: float) -> Iterator[None]:
        """Ends the connection on any failure, and `left_s` from now, which wakes whatever waits on it."""
        late = threading.Event()

        def end() -> None:
            late.set()
            _cut(connection)

        try:
            with self._deadline.within(left_s, end):
                yield
        except (ConnectionClosed, OSError, EOFError) as error:
            self._drop(connection)
            if late.is_set():
                raise WireError(f"{self.address} did not answer within {timeout_s:g} s") from error
            raise WireError(f"{self.address} ended the connection: {one_line(str(error))}") from error
        except BaseException:
            self._drop(connection)
            raise

    def _drop(self, connection: ClientConnection) -> None:
        _cut(connection)
        self.close()


def _reset_on_close(connection: ClientConnection) -> None:
    # A server in the middle of a long message would otherwise wait for minutes until somebody takes the rest.
    connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _cut(connection: ClientConnection) -> None:
    # Without a closing handshake: whoever does not answer does not answer that either.
    with suppress(OSError):
        connection.socket.shutdown(socket.SHUT_RDWR)
