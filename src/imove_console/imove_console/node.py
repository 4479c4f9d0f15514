"""The console node: topics to the page, people's commands to services."""

from __future__ import annotations

from pathlib import Path

from diagnostic_msgs.msg import DiagnosticArray
from imove_interfaces.msg import (
    Episode,
    EpisodeResult,
    RecorderStatus,
    SafetyEvent,
    StageEvent,
    TeleopState,
    TrackerStatus,
    TrialState,
)
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from std_msgs.msg import String

from imove_console.app import Parts
from imove_console.board import Board
from imove_console.calibration import Calibration
from imove_console.camera_inputs import CameraInputs
from imove_console.conversions import (
    episode_from,
    health_from,
    recorder_from,
    result_line,
    stage_from,
    teleop_from,
    tracker_from,
    trial_from,
)
from imove_console.episodes import EpisodeShelf, dataset_folder
from imove_console.frames import LAYOUT_VIEW, Frames
from imove_console.security import access_for
from imove_console.service_calls import ServiceControls
from imove_console.serving import WebServer
from imove_console.stop_switch import StopSwitch
from imove_console.view_inputs import ViewInputs
from imove_core import contract
from imove_core.rig import load_rig
from imove_ros.node_main import run_node
from imove_ros.parameters import declare
from imove_ros.qos import ContractTopics

POLL_S = 0.5
INPUT_POLL_S = 0.2
DEFAULT_PORT = 8765
WATCHED_STRICT = "strict"


class ConsoleNode(Node):
    """Hears what there is to show, and serves the page."""

    def __init__(self) -> None:
        """Reads the parameters, subscribes and serves; raises ImoveError when one of them is wrong."""
        super().__init__("console")
        rig_name = declare(self, "rig", "piperx_dual")
        rig = load_rig(rig_name)
        host, port = declare(self, "host", "127.0.0.1"), declare(self, "port", DEFAULT_PORT)
        dataset = dataset_folder(declare(self, "dataset", ""))
        topics = ContractTopics(self, rig)
        self._views = ViewInputs(self, rig, topics)
        calibration = Calibration(rig, _calibrated_folder(rig_name, dataset), self._views)
        self._board = Board(rig, simulated=self.get_parameter("use_sim_time").value)
        frames = Frames([*(camera.name for camera in rig.cameras), LAYOUT_VIEW])
        self._cameras = CameraInputs(self, rig, topics, frames)
        controls = ServiceControls(self, rig, StopSwitch(self, topics, self._board))
        self._subscribe(topics)
        # Simulated time stands still while nothing moves; the console goes on.
        wall = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(POLL_S, self._on_poll, clock=wall)
        self.create_timer(INPUT_POLL_S, self._cameras.update, clock=wall)
        self.create_timer(INPUT_POLL_S, self._views.update, clock=wall)
        shelf = EpisodeShelf(dataset) if dataset else None
        parts = Parts(self._board, frames, controls, shelf, access_for(host), calibration)
        self._server = WebServer(parts, host, port)
        self._server.start()
        print(f"console: {self._server.url}", flush=True)

    def _subscribe(self, topics: ContractTopics) -> None:
        board = self._board
        for kind, topic, take in (
            (DiagnosticArray, contract.DIAGNOSTICS_TOPIC, lambda message: board.take_health(health_from(message))),
            (TrialState, contract.TRIAL_TOPIC, lambda message: board.take_trial(trial_from(message))),
            (TeleopState, contract.TELEOP_TOPIC, lambda message: board.take_teleop(teleop_from(message))),
            (TrackerStatus, contract.TRACKER_TOPIC, lambda message: board.take_tracker(tracker_from(message))),
            (
                RecorderStatus,
                contract.RECORDER_STATUS_TOPIC,
                lambda message: board.take_recorder(recorder_from(message)),
            ),
            (String, contract.INSTRUCTION_TOPIC, lambda message: board.take_instruction(message.data)),
            (Episode, contract.EPISODE_TOPIC, lambda message: board.take_episode(episode_from(message))),
            (StageEvent, contract.STAGE_EVENTS_TOPIC, self._on_stage),
            (SafetyEvent, contract.SAFETY_EVENTS_TOPIC, lambda message: board.tell("warn", message.sentence)),
            (EpisodeResult, contract.RESULT_TOPIC, lambda message: board.tell(*result_line(message))),
        ):
            topics.subscribe(kind, topic, take)

    def _on_stage(self, message: StageEvent) -> None:
        if message.rubric == WATCHED_STRICT:
            self._board.take_stage(stage_from(message))

    def _on_poll(self) -> None:
        self._board.take_publishers(
            trial=self.count_publishers(contract.TRIAL_TOPIC) > 0,
            episode=self.count_publishers(contract.EPISODE_TOPIC) > 0,
        )

    def destroy_node(self) -> None:
        """Ends the web server with the node."""
        self._server.close()
        super().destroy_node()


def _calibrated_folder(rig: str, dataset: Path | None) -> Path:
    """Where calibrated rig files go: beside the lab's rig file, else beside the recordings."""
    if rig.endswith((".yaml", ".yml")):
        return Path(rig).expanduser().absolute().parent
    return (dataset.parent if dataset else Path.cwd()) / "rigs"


def main() -> None:
    """Runs the node until it is interrupted."""
    run_node(ConsoleNode)
