"""Has episodes recorded by the recorder node."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from imove_interfaces.srv import StartRecording, StopRecording
from rclpy.client import Client
from rclpy.node import Node

from imove_core import contract
from imove_core.errors import ImoveError
from imove_core.recording import BagName, Dossier
from imove_ros.presence import Presence, same_server, wait_for

MEET_TIMEOUT_S = 60.0
# Nodes that have just been started do not know each other's topics at once.
READY_TIMEOUT_S = 20.0
RETRY_S = 0.2
ANSWER_TIMEOUT_S = 60.0


class RecorderClient:
    """Calls /recorder/start and /recorder/stop from a thread that is not the executor's."""

    def __init__(self, node: Node) -> None:
        """Creates the clients on `node`, which must be spinning while they are used."""
        self._node = node
        self._start = node.create_client(StartRecording, contract.START_RECORDING_SERVICE)
        self._stop = node.create_client(StopRecording, contract.STOP_RECORDING_SERVICE)
        self._there: Callable[[], bool] = lambda: True

    def start(self, key: str, name: BagName) -> Path:
        """See `EpisodeRecorder`; asks again for a while when the recorder is not ready yet."""
        if not self._start.wait_for_service(timeout_sec=MEET_TIMEOUT_S):
            raise ImoveError(f"the recorder node is not there; episode {key} was not started")
        self._there = Presence(
            same_server(self._node, self._stop.service_is_ready, contract.RECORDER_STATUS_TOPIC)
        ).there
        request = StartRecording.Request(episode_id=key, task=name.task, number=name.number, replace=True)
        deadline = time.monotonic() + READY_TIMEOUT_S
        while not (response := self._answer(self._start, request, key)).ok:
            if time.monotonic() > deadline:
                raise ImoveError(f"episode {key} was not started: {response.message}")
            time.sleep(RETRY_S)
        return Path(response.bag)

    def finish(self, key: str, dossier: Dossier) -> None:
        """See `EpisodeRecorder`."""
        request = StopRecording.Request(
            keep=True,
            facts_json=json.dumps(dict(dossier.facts)),
            labels_json=dossier.labels_json,
            provenance_json=dossier.provenance_json,
        )
        response = self._answer(self._stop, request, key)
        if not response.ok:
            raise ImoveError(f"episode {key} was not recorded: {response.message}")
        if response.dropped:
            self._node.get_logger().warning(f"{response.dropped} messages of episode {key} are missing in its bag")

    def discard(self) -> None:
        """See `EpisodeRecorder`."""
        self._answer(self._stop, StopRecording.Request(keep=False), "that was to be thrown away")

    def _answer(self, client: Client, request: Any, key: str) -> Any:
        response = wait_for(client.call_async(request), ANSWER_TIMEOUT_S, self._there)
        if response is None:
            raise ImoveError(f"the recorder node was lost in episode {key}")
        return response
