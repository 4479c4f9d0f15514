"""Keys of a terminal as commands for teleoperation: a process of its own, so that it has the terminal to itself."""

from __future__ import annotations

import sys

from imove_interfaces.msg import TeleopState
from imove_interfaces.srv import OperatorCommand
from rclpy.node import Node

from imove_core import contract
from imove_core.rig import load_rig
from imove_ros.node_main import run_work
from imove_ros.parameters import declare
from imove_ros.presence import wait_for
from imove_ros.qos import ContractTopics
from imove_teleop_aloha.inputs.keys import KEYS, Terminal, help_text

POLL_S = 0.1
ANSWER_TIMEOUT_S = 5.0
NOBODY = "teleoperation is not there; start `./imove launch teleop.launch.py` in another terminal"


class TeleopKeys(Node):
    """Sends what keys ask for, and shows what teleoperation does."""

    def __init__(self) -> None:
        """Creates the client and the subscription."""
        super().__init__("teleop_keys")
        self.terminal = Terminal()
        self._client = self.create_client(OperatorCommand, contract.TELEOP_COMMAND_SERVICE)
        self.shown = ""
        topics = ContractTopics(self, load_rig(declare(self, "rig", "piperx_dual")))
        topics.subscribe(TeleopState, contract.TELEOP_TOPIC, self._on_state)

    def send(self, key: str) -> str:
        """Sends what a key asks for; returns what there is to be said, "" for nothing."""
        if key not in KEYS:
            return f"no command has the key {key!r}"
        if not self._client.service_is_ready():
            return NOBODY
        asked = KEYS[key]
        request = OperatorCommand.Request(command=asked.command, argument_json=asked.argument_json)
        answer = wait_for(self._client.call_async(request), ANSWER_TIMEOUT_S, self._client.service_is_ready)
        return NOBODY if answer is None else answer.message

    def _on_state(self, message: TeleopState) -> None:
        self.shown = (
            f"[{message.phase}] {message.message} | kept {message.episodes_kept}, thrown away "
            f"{message.episodes_discarded}"
        )


def work(node: TeleopKeys) -> int:
    """Reads keys until Ctrl-C, or until `quit` was taken."""
    print(help_text(), flush=True)
    shown = ""
    with node.terminal as terminal:
        while True:
            key = terminal.key(POLL_S)
            if key:
                said = node.send(key)
                # A key that is kept down is not worth a line each time.
                if key != " ":
                    print(said, flush=True)
                if key == "q":
                    return 0
            if node.shown != shown:
                shown = node.shown
                print(shown, flush=True)


def main() -> None:
    """Runs until it is interrupted."""
    sys.exit(run_work(TeleopKeys, work))
