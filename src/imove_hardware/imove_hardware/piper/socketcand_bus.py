"""python-can's client of socketcand with an end to its waiting: for answers, for room to send, for a server that left.

Otherwise it waits for ever for a server that lets it in and then says nothing, or takes nothing any more; and it asks a
connection that the server has closed for frames again and again, at the cost of a whole core.
"""

from __future__ import annotations

import select
import socket
import time

import can
from can.interfaces.socketcand.socketcand import SocketCanDaemonBus

WAIT_S = 0.5
"""For each answer of the server, and for room to send in."""
LEFT_PAUSE_S = 0.05
"""Between looks at a connection that the server has closed."""
# python-can has no other way to its socket.
_SOCKET = "_SocketCanDaemonBus__socket"


class SocketcandBus(SocketCanDaemonBus):
    """A bus behind a CAN server."""

    def _expect_msg(self, msg: str) -> None:
        # Asked for first when the connection is new; all that is sent later is bounded by it as well.
        self._connection.settimeout(WAIT_S)
        super()._expect_msg(msg)  # type: ignore[no-untyped-call]

    def _recv_internal(self, timeout: float | None) -> tuple[can.Message | None, bool]:
        found: tuple[can.Message | None, bool] = super()._recv_internal(timeout)  # type: ignore[no-untyped-call]
        if found[0] is None and self._server_left():
            time.sleep(LEFT_PAUSE_S if timeout is None else min(timeout, LEFT_PAUSE_S))
        return found

    def _server_left(self) -> bool:
        readable, _, _ = select.select([self._connection], [], [], 0)
        return bool(readable) and not self._connection.recv(1, socket.MSG_PEEK)

    @property
    def _connection(self) -> socket.socket:
        connection: socket.socket = getattr(self, _SOCKET)
        return connection
