"""The process of the CAN lines: apart from simulation and rendering, which would hold up frames for long.

Parent and child speak JSON over a pipe, one answer to each question; positions go through mailboxes. The child ends
when the pipe does, however its parent ended.
"""

from __future__ import annotations

import json
import multiprocessing
import signal
import threading
import time
from collections.abc import Mapping
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from imove_bringup.emulated_table.arms import can_port, led_arms, table_lines
from imove_bringup.emulated_table.faults import ArmDesk
from imove_bringup.emulated_table.hands import HandPlant
from imove_bringup.emulated_table.mailbox import NUMBERS, Mailbox
from imove_bringup.emulated_table.plant import TablePlant
from imove_core.errors import ImoveError
from imove_core.rig import Rig
from imove_core.transforms import Array
from imove_hardware.emulation.piper.serving import LineServer
from imove_hardware.emulation.piper.socketcand import SocketcandServer
from imove_ros.promptness import be_prompt, go_first

FOLLOW, FAULT, REPORT = "follow", "fault", "report"


class ArmsProcess:
    """Starts the process, and asks it for things; any thread may ask.

    Attributes:
        mailboxes: By arm; the simulation must have written to each before `start`.
    """

    def __init__(self, rig: Rig, seed: int) -> None:
        """Prepares the mailboxes of a rig with emulated devices."""
        context = multiprocessing.get_context("spawn")
        shared = {arm.name: context.Array("d", NUMBERS) for arm in rig.arms}
        self.mailboxes = {name: Mailbox(array) for name, array in shared.items()}
        self._parent, self._child = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(rig.model_dump_json(), seed, shared, self._child), name="emulated_arms", daemon=True
        )
        self._lock = threading.Lock()

    def start(self) -> None:
        """Starts it and waits until its lines are open.

        Raises:
            ImoveError: The port is taken, or the rig's devices are not emulated ones.
        """
        self._process.start()
        # From here on the pipe ends with the child.
        self._child.close()
        try:
            self._answer()
        except ImoveError:
            self.stop()
            raise

    def stop(self) -> None:
        """Ends it."""
        self._parent.close()
        self._process.join()

    def follow(self, arm: str, start_s: float, rows: Array) -> None:
        """Has the hand at the leader of an arm move through rows (T, 7) at control rate, from `start_s` on."""
        self._ask({"ask": FOLLOW, "arm": arm, "start_s": start_s, "rows": rows.tolist()})

    def fault(self, command: str, argument: Mapping[str, Any]) -> str:
        """Breaks or mends something at the arms; see `ArmDesk`, also for what it raises."""
        return str(self._ask({"ask": FAULT, "command": command, "argument": dict(argument)}))

    def report(self) -> Any:
        """What every arm was told and how it is, as plain data."""
        return self._ask({"ask": REPORT})

    def _ask(self, question: Mapping[str, Any]) -> Any:
        with self._lock:
            try:
                self._parent.send_bytes(json.dumps(question).encode())
            except OSError as error:
                raise ImoveError(
                    f"the process of the emulated arms has ended ({error}); start the table anew"
                ) from error
            return self._answer()

    def _answer(self) -> Any:
        try:
            answer = json.loads(self._parent.recv_bytes())
        except (EOFError, OSError) as error:
            raise ImoveError("the process of the emulated arms has ended; start the table anew") from error
        if "error" in answer:
            raise ImoveError(answer["error"])
        return answer["answer"]


def _serve(rig_json: str, seed: int, shared: Mapping[str, Any], connection: Connection) -> None:
    """The child: serves the lines until the pipe ends."""
    for number in (signal.SIGINT, signal.SIGTERM):
        # Ctrl-C goes to the whole group; the parent decides when the arms go.
        signal.signal(number, signal.SIG_IGN)
    # Real arms have processors of their own.
    go_first()
    rig = Rig.model_validate_json(rig_json)
    plants = {name: TablePlant(Mailbox(array)) for name, array in shared.items()}
    hands = {arm.name: HandPlant(arm.home_positions, rig.control_rate_hz) for arm in led_arms(rig)}
    try:
        lines = table_lines(rig, plants, hands, seed)
        server = LineServer(SocketcandServer([line.channel for line in lines], can_port(rig)), lines, time.monotonic)
    except ImoveError as error:
        connection.send_bytes(json.dumps({"error": str(error)}).encode())
        return
    desk = ArmDesk(lines)
    be_prompt()

    def obey(question: Mapping[str, Any]) -> Any:
        if question["ask"] == FOLLOW:
            return hands[question["arm"]].follow(np.array(question["rows"]), question["start_s"])
        if question["ask"] == FAULT:
            return desk.obey(question["command"], question["argument"])
        return {"arms": [arm.report() for line in lines for arm in line.arms]}

    with server:
        connection.send_bytes(json.dumps({"answer": None}).encode())
        while (question := _next(connection)) is not None:
            try:
                answer = {"answer": obey(question)}
            except ImoveError as error:
                answer = {"error": str(error)}
            connection.send_bytes(json.dumps(answer).encode())


def _next(connection: Connection) -> Any:
    try:
        return json.loads(connection.recv_bytes())
    except (EOFError, OSError):
        return None
