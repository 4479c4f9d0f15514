"""What surrounds teleoperated episodes in a ROS graph: scene provider, recorder's word, drivers, scoring."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from imove_interfaces.msg import EpisodeResult, Phase, RecorderStatus, StageEvent
from imove_interfaces.srv import ResetEpisode
from rclpy.node import Node
from std_srvs.srv import Trigger

from imove_core import contract
from imove_core.canonical import canonical_json
from imove_core.errors import ImoveError
from imove_core.rig import Rig
from imove_core.state import StepState
from imove_core.transforms import Array
from imove_ros.assembly import StateAssembler
from imove_ros.by_hand import Batches
from imove_ros.conversions import ns_from_time, phase_message, stage_event_message
from imove_ros.presence import Presence, same_server, wait_for
from imove_ros.qos import ContractTopics
from imove_ros.safety import EMERGENCY_STOP, EmergencyStop
from imove_tasks.stages.scoring import Arrivals
from imove_teleop_aloha.command_loop import CommandLoop
from imove_teleop_aloha.dossier import Measured
from imove_teleop_aloha.hearing import Hearing
from imove_teleop_aloha.judge import EpisodeJudge
from imove_teleop_aloha.rates import RateMeter, too_slow
from imove_teleop_aloha.scenes import Scene

MEET_TIMEOUT_S = 30.0
UNLOCK_TIMEOUT_S = 5.0
COMPLETED = "completed"


class RosWorld:
    """See `episodes.World`; its methods are called from a thread that is not the executor's."""

    def __init__(
        self,
        node: Node,
        rig: Rig,
        hearing: Hearing,
        commands: CommandLoop,
        rates: RateMeter,
        stop: EmergencyStop,
        *,
        simulated: bool,
        least_share: float,
        set_up_timeout_s: float,
    ) -> None:
        """Creates clients, publishers and subscriptions.

        Args:
            node: Which must be spinning while the methods are called.
            rig: The embodiment.
            hearing: Of followers.
            commands: The loop.
            rates: Of topics.
            stop: The emergency stop.
            simulated: Whether the followers are.
            least_share: Of a nominal rate that is enough.
            set_up_timeout_s: Longest that a scene takes to be set up.
        """
        self._node, self._rig, self._hearing, self._commands, self._rates = node, rig, hearing, commands, rates
        self._stop, self._simulated, self._least_share = stop, simulated, least_share
        self._set_up_timeout_s = set_up_timeout_s
        topics = ContractTopics(node, rig)
        self._reset = node.create_client(ResetEpisode, contract.RESET_EPISODE_SERVICE)
        self._unlock = {
            arm.name: node.create_client(Trigger, contract.arm_resume_service(arm.name)) for arm in rig.arms
        }
        self._results = topics.publisher(EpisodeResult, contract.RESULT_TOPIC)
        self._events = topics.publisher(StageEvent, contract.STAGE_EVENTS_TOPIC)
        self._phases = topics.publisher(Phase, contract.PHASE_TOPIC)
        self._arrivals: Arrivals = Arrivals()
        batches = None if simulated else Batches(node, rig.control_rate_hz)
        self._assembler = StateAssembler(topics, rig, self._on_state, batches)
        self._key, self._recording_trouble, self._stops = "", "", 0
        self._provider = Presence(lambda: True)
        topics.subscribe(RecorderStatus, contract.RECORDER_STATUS_TOPIC, self._on_recorder)

    def set_up(self, scene: Scene) -> Mapping[str, Any]:
        """Asks the scene provider."""
        if not self._reset.wait_for_service(timeout_sec=MEET_TIMEOUT_S):
            raise ImoveError(f"nobody serves {contract.RESET_EPISODE_SERVICE}: episode {scene.key} was not set up")
        self._key, self._recording_trouble, self._stops = scene.key, "", self._stop.count
        self._provider = Presence(same_server(self._node, self._reset.service_is_ready, contract.EPISODE_TOPIC))
        while not self._arrivals.empty():
            self._arrivals.get_nowait()
        request = ResetEpisode.Request(episode_id=scene.key, spec_json=scene.spec.to_json(), condition=scene.condition)
        response = wait_for(self._reset.call_async(request), self._set_up_timeout_s, self._provider.there)
        if response is None:
            raise ImoveError(f"episode {scene.key} was not set up: whoever sets up scenes does not answer")
        if not response.ok:
            raise ImoveError(f"episode {scene.key} was not set up: {response.message}")
        self._commands.since_ns = ns_from_time(response.stamp)
        self._hearing.ignore_before(self._commands.since_ns)
        facts: Mapping[str, Any] = json.loads(response.provenance_json or "{}")
        return facts

    def judge(self, scene: Scene) -> EpisodeJudge:
        """Scores what comes from now on, and publishes what is found."""
        return EpisodeJudge(
            self._rig,
            scene,
            self._arrivals,
            lambda stamp_ns, event: self._events.publish(stage_event_message(scene.key, stamp_ns, asdict(event))),
            lambda state, phase: self._phases.publish(phase_message(scene.key, state, phase)),
        )

    def announce(self, record: Mapping[str, Any]) -> None:
        """Publishes the result."""
        kept = record["outcome"] == "kept"
        outcome = COMPLETED if kept else f"aborted: {record['outcome'].removeprefix('aborted: ')}"
        message = EpisodeResult(
            episode_id=record["episode_id"], outcome=outcome, record_json=canonical_json(dict(record))
        )
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._results.publish(message)

    def unlock(self) -> None:
        """Asks drivers to let their arms be commanded again; a simulator does so with the next episode only."""
        if self._simulated:
            if self._stop.count != self._stops:
                raise ImoveError(f"{EMERGENCY_STOP}: the simulator holds until another episode; discard or redo")
            return
        for arm, client in self._unlock.items():
            if not client.wait_for_service(timeout_sec=UNLOCK_TIMEOUT_S):
                raise ImoveError(f"the driver of arm '{arm}' is not there")
            response = wait_for(client.call_async(Trigger.Request()), UNLOCK_TIMEOUT_S, client.service_is_ready)
            if response is None or not response.success:
                why = "it does not answer" if response is None else response.message
                raise ImoveError(f"arm '{arm}' stays locked: {why}")

    def trouble(self) -> str:
        """See `episodes.World`."""
        if not self._commands.loop.runs:
            return "the loop that commands the arms has ended"
        if not self._provider.there():
            return "whoever set up the scene was lost"
        return self._recording_trouble

    def too_slow(self) -> str:
        """See `episodes.World`."""
        return too_slow(self._rates.lately(time.monotonic()), self._rates.expected_hz, self._least_share)

    def begin_measuring(self) -> None:
        """See `episodes.World`."""
        self._rates.begin()
        loop = self._commands.loop
        for durations in (loop.periods, loop.jitter, self._commands.lag):
            durations.clear()

    def measured(self) -> tuple[Measured, str]:
        """See `episodes.World`."""
        loop = self._commands.loop
        rates_hz = {**self._rates.of_episode(), "the loop": loop.rate_hz}
        expected_hz = {**self._rates.expected_hz, "the loop": 1.0 / loop.period_s}
        measured = Measured(rates_hz, self._commands.lag.figures(), loop.jitter.figures(), loop.rate_hz)
        return measured, too_slow(rates_hz, expected_hz, self._least_share)

    def _on_state(self, episode_id: str, state: StepState, targets: Array) -> None:
        self._rates.note(contract.OBJECTS_TOPIC, state.stamp_ns, time.monotonic())
        self._arrivals.put((episode_id, state, targets))

    def _on_recorder(self, message: RecorderStatus) -> None:
        if message.episode_id == self._key:
            self._recording_trouble = message.message and f"the recording has failed: {message.message}"
