"""The emulator as a program of its own."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
from typing import Any

import can
import pytest

from imove_hardware.emulation.piper import frames

PROGRAM = [sys.executable, "-c", "from imove_hardware.emulation.piper.server import main; main()"]


def _ask(port: int, *requests: dict[str, Any]) -> list[dict[str, Any]]:
    with socket.create_connection(("127.0.0.1", port), timeout=60.0) as connection, connection.makefile("rw") as lines:
        answers = []
        for request in requests:
            print(json.dumps(request), file=lines, flush=True)
            answers.append(json.loads(lines.readline()))
        return answers


def _first(bus: can.BusABC, number: int) -> can.Message:
    for message in bus:
        if message.arbitration_id == number:
            return message
    raise AssertionError("the bus ended")


def _opened(where: dict[str, Any]) -> can.BusABC:
    """A connection that is tried until it is let in."""
    end_s = time.monotonic() + 60.0
    while True:
        try:
            return can.Bus(**where)
        except can.CanError:
            assert time.monotonic() < end_s, "never let in"
            time.sleep(0.05)


def test_program_serves_arms_and_obeys_requests() -> None:
    """A host in another process hears the arm; faults and a guiding hand come by the control port; SIGINT ends it."""
    with subprocess.Popen([*PROGRAM, "left:pair", "right", "--light"], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            ports = json.loads(process.stdout.readline())
            joints = [0.1, 0.2, -0.3, 0.0, 0.0, 0.5]
            report, wrong, unknown, broken = _ask(
                ports["control_port"],
                {"arm": "left_leader", "guide": {"joints_rad": joints, "opening_m": 0.02}},
                {"arm": "middle", "arm_faults": {"mute": True}},
                {"arm": "left", "arm_fault": {}},
                {"line": "right", "line_faults": {"loss": 2.0}},
            )
            assert [arm["name"] for arm in report["arms"]] == ["left_leader", "left", "right"]
            assert report["arms"][0]["joints_rad"] == pytest.approx(joints)
            assert "'middle'" in wrong["error"] and "left_leader" in wrong["error"]
            assert "arm_fault" in unknown["error"] and "loss" in broken["error"]
            with can.Bus(interface="socketcand", host="127.0.0.1", port=ports["port"], channel="left") as bus:
                heard = frames.pair(bytes(_first(bus, frames.JOINTS_12_ID).data))
                assert heard == (frames.millidegrees(0.1), frames.millidegrees(0.2))
            process.send_signal(signal.SIGINT)
            assert process.wait(60.0) == 0
        finally:
            process.kill()


def test_program_refuses_what_it_does_not_know() -> None:
    """A wrong role ends it with one sentence."""
    ended = subprocess.run([*PROGRAM, "left:boss"], capture_output=True, text=True, timeout=60.0, check=False)
    assert ended.returncode == 2
    assert "'boss'; allowed: follower, leader, pair" in ended.stderr


def test_clients_of_a_pulled_adapter_are_thrown_out_and_let_in_again() -> None:
    """Pulling the plug ends connections; the channel can be opened again once it is back."""
    with subprocess.Popen([*PROGRAM, "left"], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            ports = json.loads(process.stdout.readline())
            where = {"interface": "socketcand", "host": "127.0.0.1", "port": ports["port"], "channel": "left"}
            with can.Bus(**where) as bus:
                _first(bus, frames.STATUS_ID)
                _ask(ports["control_port"], {"line": "left", "line_faults": {"unplugged": True}})
                with pytest.raises((can.CanError, OSError)):
                    while True:
                        bus.send(can.Message(arbitration_id=0x4AF, data=[1], is_extended_id=False))
            _ask(ports["control_port"], {"line": "left", "line_faults": {}})
            with _opened(where) as bus:
                _first(bus, frames.STATUS_ID)
        finally:
            process.kill()
