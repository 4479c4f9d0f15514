"""The trial conductor: sets up episodes on the real table with a person's help, and hears what the person says."""

import time
from pathlib import Path

from imove_interfaces.msg import EpisodeResult, ObjectStates
from imove_interfaces.srv import OperatorCommand, ResetEpisode
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node
from std_msgs.msg import Bool

from imove_core import contract
from imove_core.errors import ImoveError
from imove_core.rig import load_rig
from imove_motion.safety.settings import DEFAULT, load_safety
from imove_ros.by_hand import Newest
from imove_ros.conversions import objects_from, time_from_ns
from imove_ros.node_main import run_node
from imove_ros.parameters import declare, declare_choice
from imove_ros.qos import ContractTopics
from imove_tasks.assets.library import folders_from, open_library
from imove_trials.arms import RosArms
from imove_trials.confirming import AutomaticOperator
from imove_trials.journal import JOURNAL, Journal
from imove_trials.layout_check import Tolerance, check_maker
from imove_trials.origin import origin_json
from imove_trials.picture import LayoutPicture, fixed_camera
from imove_trials.publishing import StatePublisher
from imove_trials.session import TrialSession
from imove_trials.table import RosTable
from imove_trials.trial import Trial, judged_by_person

OPERATOR, AUTO = "operator", "auto"
TICK_S, PICTURE_S, HEALTH_S = 0.1, 0.2, 1.0
ENDED = "the trial conductor was told to end"


class TrialConductor(Node):
    """Serves /imove/reset_episode and /imove/trial/command."""

    def __init__(self) -> None:
        """Reads the parameters and waits for a first trial."""
        super().__init__("trial_conductor")
        self._rig = load_rig(declare(self, "rig", "piperx_dual"))
        library = open_library(folders_from(declare(self, "assets", "")))
        safety = load_safety(declare(self, "safety", DEFAULT), self._rig)
        tolerance = Tolerance(declare(self, "tolerance_m", 0.015), declare(self, "tolerance_rad", 0.26))
        automatic = declare_choice(self, "confirm", (OPERATOR, AUTO)) == AUTO
        self._origin = origin_json(self._rig, declare(self, "operator", ""), automatic)
        journal = Journal(Path(declare(self, "output", "runs/trials")).expanduser() / JOURNAL, time.time_ns)
        topics, group = ContractTopics(self, self._rig), ReentrantCallbackGroup()
        self._arms = RosArms(self, topics, self._rig, group)
        table = RosTable(self, topics, self._rig, self._arms, safety)
        self._session = TrialSession(
            table,
            journal,
            check_maker(library.get, tolerance),
            lambda sentence: self.get_logger().error(sentence),
            declare(self, "trials", 0),
            AutomaticOperator() if automatic else None,
        )
        table.on_homed, table.on_unlocked = self._session.homed, self._session.unlocked
        table.on_blocked = self._session.fault
        self._picture = LayoutPicture(self, topics, fixed_camera(self._rig), library.get)
        self._state = StatePublisher(self, topics, self._rig, self._session)
        self._stopped = False
        self._objects = Newest(self, ObjectStates, contract.OBJECTS_TOPIC)
        self._measured: ObjectStates | None = None
        topics.subscribe(Bool, contract.EMERGENCY_STOP_TOPIC, self._on_stop, callback_group=group)
        topics.subscribe(EpisodeResult, contract.RESULT_TOPIC, self._on_result, callback_group=group)
        self.create_service(ResetEpisode, contract.RESET_EPISODE_SERVICE, self._on_reset, callback_group=group)
        commands = contract.TRIAL_COMMAND_SERVICE
        self.create_service(OperatorCommand, commands, self._on_command, callback_group=group)
        # A tick that takes long is not overtaken by the next.
        self.create_timer(TICK_S, self._tick, callback_group=MutuallyExclusiveCallbackGroup())
        self.create_timer(PICTURE_S, self._draw, callback_group=MutuallyExclusiveCallbackGroup())
        self.create_timer(HEALTH_S, self._state.report, callback_group=group)

    def _on_reset(self, request: ResetEpisode.Request, response: ResetEpisode.Response) -> ResetEpisode.Response:
        try:
            trial = Trial.of_request(request.episode_id, request.spec_json, request.condition)
            if trial.spec.rig != self._rig.name:
                raise ImoveError(f"episode {trial.key} is for rig {trial.spec.rig}; the table has {self._rig.name}")
            # As long as a person takes; other callbacks have other threads.
            start = self._session.begin(trial).result()
            response.ok, response.stamp = True, time_from_ns(start.stamp_ns)
            response.settled_pose_hash, response.provenance_json = start.settled_pose_hash, self._origin
        except ImoveError as error:
            response.message = str(error)
        return response

    def _on_command(
        self, request: OperatorCommand.Request, response: OperatorCommand.Response
    ) -> OperatorCommand.Response:
        try:
            response.message = self._session.command(request.command, request.argument_json, time.monotonic())
            response.ok = True
        except ImoveError as error:
            response.message = str(error)
        self._state.show()
        return response

    def _take_objects(self) -> None:
        message = self._objects.get()
        if message is self._measured:
            return
        self._measured = message
        if not message.episode_id:
            self._session.measured(objects_from(message), time.monotonic())

    def _on_stop(self, message: Bool) -> None:
        if message.data != self._stopped:
            self._stopped = message.data
            self._session.emergency_stop(message.data)
            self._state.show()

    def _on_result(self, message: EpisodeResult) -> None:
        self._session.ended(message.episode_id, message.outcome, judged=judged_by_person(message.record_json))
        self._state.show()

    def _tick(self) -> None:
        self._take_objects()
        if self._session.view().phase == "running" and (faults := self._arms.faults()):
            self._session.fault(faults)
        self._session.tick(time.monotonic())
        self._state.show()

    def _draw(self) -> None:
        if (layout := self._session.layout()) is not None:
            self._picture.show(*layout)

    def wind_up(self) -> None:
        """Tells whoever waits for a trial that none comes about."""
        self._session.close(ENDED)


def main() -> None:
    """Runs the node until it is interrupted."""
    run_node(TrialConductor, lambda: MultiThreadedExecutor(num_threads=6), TrialConductor.wind_up)
