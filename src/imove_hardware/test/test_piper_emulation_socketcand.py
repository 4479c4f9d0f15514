"""The emulator's socketcand server against hosts that do not behave."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from imove_core.errors import ImoveError
from imove_hardware.emulation.piper.frames import Frame
from imove_hardware.emulation.piper.socketcand import QUIET_S, SEND_BUFFER_BYTES, SocketcandServer


class Host:
    """A raw connection; the server is served by hand, so that nothing depends on threads."""

    def __init__(self, server: SocketcandServer) -> None:
        self._server = server
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=60.0)
        server.wait(60.0)
        assert self.socket.recv(64) == b"< hi >"

    def say(self, text: str) -> list[tuple[str, Frame]]:
        self.socket.sendall(text.encode())
        return self._server.wait(60.0)

    def open(self, channel: str) -> Host:
        self.say(f"< open {channel} >")
        assert self.socket.recv(64) == b"< ok >"
        self.say("< rawmode >")
        assert self.socket.recv(64) == b"< ok >"
        return self


@pytest.fixture
def now() -> list[float]:
    return [1000.0]


@pytest.fixture
def server(now: list[float]) -> Iterator[SocketcandServer]:
    serving = SocketcandServer(["left", "right"], wall_clock=lambda: now[0])
    yield serving
    serving.close()


def test_frames_wait_until_the_handshake_is_read(server: SocketcandServer, now: list[float]) -> None:
    """What is sent right after the handshake is kept back, and comes whole and in order."""
    host = Host(server).open("left")
    server.send("left", [Frame(0x2A1, bytes(8))])
    now[0] += QUIET_S
    server.send("left", [Frame(0x2A5, bytes(range(8)))])
    expected = "< frame 2A1 1000.000000 0000000000000000 >< frame 2A5 1000.250000 0001020304050607 >"
    assert host.socket.recv(4096).decode() == expected


def test_hosts_of_a_channel_hear_each_other_and_nobody_else(server: SocketcandServer, now: list[float]) -> None:
    """As on a bus: the sender hears nothing of its own, the other channel nothing at all."""
    first, second, other = Host(server).open("left"), Host(server).open("left"), Host(server).open("right")
    now[0] += QUIET_S
    assert first.say("< send 155 8 0 0 0 1 0 0 0 2 >") == [("left", Frame(0x155, b"\0\0\0\1\0\0\0\2"))]
    assert b"< frame 155 " in second.socket.recv(4096)
    for silent in (first, other):
        silent.socket.setblocking(False)
        with pytest.raises(BlockingIOError):
            silent.socket.recv(64)


def test_messages_may_come_in_pieces(server: SocketcandServer) -> None:
    """A frame that is cut in two by the network is one frame."""
    host = Host(server).open("left")
    assert host.say("< send 150 1") == []
    assert host.say(" 1 >< send 471 2 7 2 >") == [
        ("left", Frame(0x150, b"\1" + bytes(7))),
        ("left", Frame(0x471, b"\7\2" + bytes(6))),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "< open nowhere >",
        "< send 155 1 0 >",
        "< rawmode >",
        "< open left >< send zzz 1 0 >",
        "< open left >< send 155 2 0 >",
        "< open left >< send 155 1 fff >",
        "< open left >< send 12345678 1 0 >",
        "x" * 1000,
        "\xff>",
    ],
)
def test_what_is_no_message_ends_its_connection_alone(server: SocketcandServer, now: list[float], text: str) -> None:
    """Nonsense, and what comes before a channel is open, costs its sender the connection; others go on."""
    good, bad = Host(server).open("left"), Host(server)
    assert bad.say(text) == []
    while bad.socket.recv(64):
        pass
    now[0] += QUIET_S
    server.send("left", [Frame(0x2A1, bytes(8))])
    assert b"2A1" in good.socket.recv(4096)


def test_host_that_does_not_read_holds_up_nobody(server: SocketcandServer, now: list[float]) -> None:
    """Its frames are lost whole once its buffers are full; the other host hears everything."""
    deaf, good = Host(server).open("left"), Host(server).open("left")
    now[0] += QUIET_S
    heard = 0
    batch = [Frame(0x251, bytes(8))] * 200
    for _ in range(60 * SEND_BUFFER_BYTES // 8800):
        server.send("left", batch)
        text = b""
        while text.count(b">") < len(batch):
            text += good.socket.recv(65536)
        heard += text.count(b">")
    assert heard == len(batch) * (60 * SEND_BUFFER_BYTES // 8800)
    deaf.socket.setblocking(False)
    late = b""
    try:
        while True:
            late += deaf.socket.recv(65536)
    except BlockingIOError:
        pass
    assert late.startswith(b"< frame 251 ")


def test_taken_port_is_named(server: SocketcandServer) -> None:
    """One sentence says which port."""
    with pytest.raises(ImoveError, match=f"port {server.port} on 127.0.0.1 cannot be listened on"):
        SocketcandServer(["left"], server.port)
