"""The node `emulated_table`: what the graph sees of the table beside its devices."""

from __future__ import annotations

import json
from dataclasses import replace

from imove_interfaces.msg import ObjectStates, TeleopState, TrialState
from imove_interfaces.srv import OperatorCommand
from rclpy.node import Node

from imove_bringup.emulated_table.leading import SCRIPTS
from imove_bringup.emulated_table.placing import PlacingErrors
from imove_bringup.emulated_table.table import EmulatedTable, TableSettings, Told
from imove_core import contract
from imove_core.errors import ImoveError
from imove_core.rig import WORLD_FRAME, load_rig
from imove_core.state import StepState
from imove_ros.conversions import object_states
from imove_ros.node_main import run_node
from imove_ros.parameters import declare, declare_choice
from imove_ros.promptness import go_first
from imove_ros.qos import ContractTopics, profile
from imove_tasks.assets.library import folders_from, open_library

TRUTH_TOPIC = "/emulated_table/truth"
FAULT_SERVICE = "/emulated_table/fault"
REPORT = "report"
"""Command of the fault service that breaks nothing and answers with what every arm was told, as JSON."""


class EmulatedTableNode(Node):
    """Lays out what trials ask for, tells the truth about objects, and breaks what it is told to break."""

    def __init__(self) -> None:
        """Reads the parameters and starts the table."""
        super().__init__("emulated_table")
        # What stands for a table must not wait for those who look at it.
        go_first()
        rig = load_rig(declare(self, "rig", "piperx_dual"))
        library = open_library(folders_from(declare(self, "assets", "")))
        settings = TableSettings(
            seed=declare(self, "seed", 0),
            camera_rate_hz=declare(self, "camera_rate_hz", 10.0),
            errors=PlacingErrors(
                position_m=declare(self, "placing_error_m", PlacingErrors.position_m),
                yaw_rad=declare(self, "placing_error_rad", PlacingErrors.yaw_rad),
                pause_s=declare(self, "placing_pause_s", PlacingErrors.pause_s),
            ),
            script=declare_choice(self, "leader_script", SCRIPTS),
        )
        self._episode_id = ""
        topics = ContractTopics(self, rig)
        self._truth = self.create_publisher(ObjectStates, TRUTH_TOPIC, profile(contract.STEPS))
        self._table = EmulatedTable(rig, library, settings, Told(self._tell_truth, self._complain))
        topics.subscribe(TrialState, contract.TRIAL_TOPIC, self._on_trial)
        topics.subscribe(TeleopState, contract.TELEOP_TOPIC, lambda told: self._table.see_teleoperation(told.phase))
        self.create_service(OperatorCommand, FAULT_SERVICE, self._on_fault)
        self._table.start()
        self.get_logger().info(f"the emulated table of rig {rig.name} is ready")

    def _on_trial(self, trial: TrialState) -> None:
        self._episode_id = trial.episode_id
        try:
            self._table.see_trial(trial.phase, trial.episode_id, trial.trial, trial.spec_json)
        except ImoveError as error:
            self.get_logger().error(str(error))

    def _tell_truth(self, stamp_ns: int, state: StepState, laid_out: frozenset[str]) -> None:
        there = tuple(item for item in state.objects if item.id in laid_out)
        told = replace(state, stamp_ns=stamp_ns, objects=there)
        self._truth.publish(object_states(told, self._episode_id, WORLD_FRAME))

    def _complain(self, sentence: str) -> None:
        self.get_logger().error(sentence)

    def _on_fault(
        self, request: OperatorCommand.Request, response: OperatorCommand.Response
    ) -> OperatorCommand.Response:
        try:
            if request.command == REPORT:
                response.message = self._table.report()
            else:
                response.message = self._table.fault(request.command, _argument(request.argument_json))
                self.get_logger().info(response.message)
            response.ok = True
        except ImoveError as error:
            response.message = str(error)
        return response

    def destroy_node(self) -> None:
        """Stops the table with the node."""
        self._table.stop()
        super().destroy_node()


def _argument(text: str) -> dict[str, object]:
    try:
        argument = json.loads(text or "{}")
    except json.JSONDecodeError as error:
        raise ImoveError(f"argument_json is no JSON: {error}") from error
    if not isinstance(argument, dict):
        raise ImoveError(f"argument_json is {text!r}; an object is needed")
    return argument


def main() -> None:
    """Runs the node until it is interrupted."""
    run_node(EmulatedTableNode)
