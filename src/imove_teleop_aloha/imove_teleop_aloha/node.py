"""The teleoperation node: leaders are followed, episodes recorded, as a person at the table asks for it."""

from __future__ import annotations

from pathlib import Path

from diagnostic_msgs.msg import DiagnosticArray
from imove_interfaces.msg import TeleopState
from imove_interfaces.srv import OperatorCommand
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from imove_core import contract, provenance
from imove_core.errors import ImoveError
from imove_ros.node_main import run_work
from imove_ros.promptness import be_prompt, go_first
from imove_ros.qos import ContractTopics
from imove_ros.recorder_client import RecorderClient
from imove_ros.safety import EmergencyStop
from imove_tasks.assets.library import open_library
from imove_teleop_aloha.command_loop import CommandLoop
from imove_teleop_aloha.commands import Commands
from imove_teleop_aloha.conversions import health, teleop_state
from imove_teleop_aloha.deadman import Deadman
from imove_teleop_aloha.dossier import Run
from imove_teleop_aloha.episodes import Episodes
from imove_teleop_aloha.hearing import Hearing, expected_rates
from imove_teleop_aloha.inputs.pedal import Pedal
from imove_teleop_aloha.leaders.keyboard import JoggedLeader
from imove_teleop_aloha.log import EpisodeLog
from imove_teleop_aloha.loop_clock import Figures
from imove_teleop_aloha.node_settings import NodeSettings
from imove_teleop_aloha.rates import RateMeter
from imove_teleop_aloha.relay import Relay
from imove_teleop_aloha.ros_world import RosWorld
from imove_teleop_aloha.scenes import Scenes
from imove_teleop_aloha.settings import SIM

STATE_PERIOD_S = 0.1
STATES_A_HEALTH = 10


class Teleop(Node):
    """Puts the parts together and tells of them."""

    def __init__(self) -> None:
        """Reads the parameters; raises ImoveError when one of them is wrong."""
        super().__init__("teleop")
        given = NodeSettings.declared(self)
        rig, simulated = given.rig, given.wiring == SIM
        self._rig = rig
        self._relay = Relay(rig, given.wiring, Deadman(given.deadman), given.following)
        rates = RateMeter(expected_rates(rig, simulated=simulated, camera_hz=given.camera_hz))
        jogged = JoggedLeader(rig) if given.jogged else None
        topics = ContractTopics(self, rig)
        hearing = Hearing(self, rig, self._relay, rates, jogged=given.jogged)
        stop = EmergencyStop(topics)
        self.loop = CommandLoop(self, rig, self._relay, stop, jogged, given.following, hearing.take_leaders)
        world = RosWorld(
            self,
            rig,
            hearing,
            self.loop,
            rates,
            stop,
            simulated=simulated,
            least_share=given.least_share,
            set_up_timeout_s=given.set_up_timeout_s,
        )
        self._log = EpisodeLog(given.output)
        self.episodes = Episodes(
            Scenes(given.suite, given.condition, given.horizon_steps, given.seed),
            Run(given.operator, "sim" if simulated else "real", given.wiring, self._provenance(given)),
            self._relay,
            world,
            RecorderClient(self) if given.record else None,
            self._log,
            open_library(given.asset_folders).get,
            given.output,
            given.episodes,
        )
        self._commands = Commands(self.episodes, self._relay, given.deadman, jogged)
        self.pedal = self._pedal(given.pedal)
        self._states = topics.publisher(TeleopState, contract.TELEOP_TOPIC)
        self._health = topics.publisher(DiagnosticArray, contract.DIAGNOSTICS_TOPIC)
        self._told, self._until_health = ("", ""), 0
        self._figures = self._measure()
        self.create_service(OperatorCommand, contract.TELEOP_COMMAND_SERVICE, self._on_command)
        # Simulated time may stand still; a person wants to know all the same.
        self.create_timer(STATE_PERIOD_S, self._on_timer, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def _measure(self) -> tuple[float, Figures, Figures]:
        """Rate of the loop, jitter and lag; they cost the loop's own time, so they are made once a second."""
        loop = self.loop.loop
        return loop.rate_hz, loop.jitter.figures(), self.loop.lag.figures()

    def _provenance(self, given: NodeSettings) -> dict[str, object]:
        return {**provenance.collect(), "suite": given.suite.name, "suite_hash": given.suite.content_hash}

    def _pedal(self, device: str) -> Pedal | None:
        if not device:
            return None
        tell = self.get_logger().warning
        return Pedal(
            Path(device),
            lambda pressed: self._commands.pedal(pressed, tell),
            lambda said: self._relay.set_fault("pedal", said),
        )

    def _on_command(
        self, request: OperatorCommand.Request, response: OperatorCommand.Response
    ) -> OperatorCommand.Response:
        try:
            response.message = self._commands.take(request.command, request.argument_json)
            response.ok = True
        except ImoveError as error:
            response.message = str(error)
        # Whoever jogs or holds the deadman says so many times a second.
        if request.command not in ("jog", "enable"):
            self._tell()
        return response

    def _on_timer(self) -> None:
        if self._until_health <= 1:
            self._figures = self._measure()
        state = self._tell()
        said = (state.phase, state.message)
        self._until_health -= 1
        if said != self._told or self._until_health <= 0:
            self._told, self._until_health = said, STATES_A_HEALTH
            self._health.publish(health(state))

    def _tell(self) -> TeleopState:
        state = teleop_state(self._rig, self._relay.view(), *self._figures)
        state.header.stamp = self.get_clock().now().to_msg()
        state.episode_id = self.episodes.episode_id
        state.episodes_kept, state.episodes_discarded = self._log.kept, self._log.discarded
        state.message, state.commands = self.episodes.sentence, list(self._commands.taken)
        self._states.publish(state)
        return state


def work(node: Teleop) -> int:
    """Carries out commands until a person quits, while another thread spins the node."""
    be_prompt()
    node.loop.loop.start()
    if node.pedal is not None:
        node.pedal.start()
    try:
        node.episodes.run()
    finally:
        if node.pedal is not None:
            node.pedal.stop()
        node.loop.loop.stop()
    return 0


def main() -> None:
    """Runs the node until a person quits."""
    go_first()
    run_work(Teleop, work)
