"""The program `piper_emulator`: emulated PiPER X arms for drivers in other processes, over socketcand."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import threading
from collections.abc import Sequence

from imove_core.errors import ImoveError
from imove_hardware.emulation.piper.control import ControlServer, Desk
from imove_hardware.emulation.piper.feedback import FeedbackRates
from imove_hardware.emulation.piper.serving import LineServer
from imove_hardware.emulation.piper.socketcand import SocketcandServer
from imove_hardware.emulation.piper.wiring import Wiring, build_lines

USER_ERROR = 2


def main(arguments: Sequence[str] | None = None) -> None:
    """Serves until it is interrupted; prints its ports as one line of JSON when it is ready."""
    given = _parser().parse_args(arguments)
    try:
        _serve(given)
    except ImoveError as error:
        print(f"piper_emulator: {error}", file=sys.stderr)
        sys.exit(USER_ERROR)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="piper_emulator", description="Emulated PiPER X arms behind socketcand.")
    parser.add_argument(
        "channels", nargs="*", default=["left", "right"], help="NAME, NAME:leader or NAME:pair (leader and follower)"
    )
    parser.add_argument("--port", type=int, default=0, help="of socketcand on 127.0.0.1; 0 takes a free one")
    parser.add_argument("--control-port", type=int, default=0, help="for faults and guiding, JSON a line")
    parser.add_argument("--seed", type=int, default=0, help="of lost frames and jitter")
    parser.add_argument("--light", action="store_true", help="less feedback, for four arms on a small machine")
    return parser


def _serve(given: argparse.Namespace) -> None:
    wirings = [Wiring.parse(text) for text in given.channels]
    lines = build_lines(wirings, given.seed, FeedbackRates.light() if given.light else FeedbackRates())
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    transport = SocketcandServer([wiring.channel for wiring in wirings], given.port)
    with LineServer(transport, lines), ControlServer(Desk(lines), given.control_port) as control:
        print(json.dumps({"port": transport.port, "control_port": control.port}), flush=True)
        ended.wait()
