"""What waits for a bus comes to an end, whatever the bus does."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import can
import pytest

from imove_core.hardware import ArmDevice
from imove_hardware.piper.bus import PiperBus, parse_address
from imove_hardware.piper.driver import PiperDriver
from imove_hardware.piper.listening import PiperListener
from imove_hardware.piper.rounds import DriverOptions
from imove_hardware.piper.socketcand_bus import SocketcandBus
from imove_hardware.piper.winding_up import wind_up

from .piper_table import ARM, DEADLINE_S, wait_until

FRAME = can.Message(arbitration_id=0x155, data=bytes(8), is_extended_id=False)


class Server:
    """A CAN server that goes as far as it is told, and no further."""

    def __init__(self, answers: tuple[bytes, ...]) -> None:
        """Serves each client in a thread: a greeting, then one answer for each of its sentences."""
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.port: int = self.listening.getsockname()[1]
        self.clients: list[socket.socket] = []
        self._answers = answers
        threading.Thread(target=self._accept, daemon=True).start()

    def leave(self) -> None:
        """Closes every connection."""
        for client in self.clients:
            client.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self.listening.accept()
            except OSError:
                return
            self.clients.append(client)
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        try:
            client.sendall(b"< hi >")
            for answer in self._answers:
                if client.recv(64):
                    client.sendall(answer)
        except OSError:
            return


@contextmanager
def served(*answers: bytes) -> Iterator[Server]:
    """A server until the end."""
    server = Server(answers)
    try:
        yield server
    finally:
        server.listening.close()
        server.leave()


def in_time(work) -> None:
    """Does something in a thread, as it may never end; fails at the deadline."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(DEADLINE_S)
    assert not thread.is_alive()


@pytest.mark.parametrize("answers", [(), (b"< ok >",)], ids=["lets nobody in", "sends nothing"])
def test_a_server_that_falls_silent_while_a_bus_is_opened_is_told_and_tried_again(answers):
    with served(*answers) as server:
        bus = f"socketcand:127.0.0.1:{server.port}/left"
        driver = PiperDriver(ARM, ArmDevice(bus=bus), DriverOptions())
        listener = PiperListener(ARM, bus, False, 0.5, print, print)
        for user in (driver, listener):
            user.start()
            wait_until(lambda user=user: "no CAN server answers" in user.report().reason)
            clients = len(server.clients)
            wait_until(lambda clients=clients: len(server.clients) > clients + 2)
            in_time(user.close)
    assert not [thread for thread in threading.enumerate() if thread.name in (f"{ARM.name}_driver", "left_listener")]


def test_a_server_that_takes_nothing_any_more_keeps_nobody_waiting():
    with served(b"< ok >", b"< ok >") as server:
        bus = PiperBus(parse_address(f"socketcand:127.0.0.1:{server.port}/left"))
        opened = bus.sdk.GetCanBus().recv_bus
        assert isinstance(opened, SocketcandBus)

        def fill() -> None:
            with pytest.raises(TimeoutError):
                while True:
                    opened.send(FRAME)

        in_time(fill)
        bus.close()


class Counted(SocketcandBus):
    """Counts how often it looks at its connection."""

    looks = 0

    def _recv_internal(self, timeout):
        self.looks += 1
        return super()._recv_internal(timeout)


def test_a_server_that_has_left_is_not_asked_again_and_again():
    with served(b"< ok >", b"< ok >") as server:
        bus = Counted("left", "127.0.0.1", server.port)
        server.leave()
        assert bus.recv(0.5) is None
        # Ten with a pause after each; thousands without.
        assert 0 < bus.looks < 50
        bus.shutdown()


def test_what_never_ends_is_left_behind_and_told(capsys):
    never = threading.Event()
    thread = threading.Thread(target=never.wait, name="left_driver", daemon=True)
    thread.start()
    ending = threading.Event()
    wind_up(thread, ending, patience_s=0.05)
    assert ending.is_set()
    assert capsys.readouterr().err == "imove: left_driver waits for its bus and is left behind\n"
    never.set()
    wind_up(thread, ending)
    assert not thread.is_alive() and capsys.readouterr().err == ""


def test_python_can_is_left_as_it_was():
    before = dict(can.interfaces.BACKENDS)
    with served(b"< ok >", b"< ok >") as server:
        PiperBus(parse_address(f"socketcand:127.0.0.1:{server.port}/left")).close()
    assert before == dict(can.interfaces.BACKENDS)
