"""The recorder node: everything that happens in an episode, in one bag."""

from __future__ import annotations

import time
from pathlib import Path

from imove_interfaces.msg import RecorderStatus
from imove_interfaces.srv import StartRecording, StopRecording
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.task import Future

from imove_core import contract
from imove_core.bag.types import message_types
from imove_core.bag.writer import WriterSettings
from imove_core.errors import ImoveError
from imove_core.rig import load_rig
from imove_recorder.conversions import attachments_of, facts_of, request_of, status_message
from imove_recorder.recorder import Recorder
from imove_recorder.settings import CLOCKS, COLOURS, RecorderSettings
from imove_recorder.topic_inputs import TopicInputs
from imove_ros.node_main import run_node
from imove_ros.parameters import declare, declare_choice, declare_count
from imove_ros.qos import ContractTopics

STATUS_PERIOD_S = 0.5
DRAIN_PERIOD_S = 0.05
DRAIN_TIMEOUT_S = 10.0
MOST_MEGABYTES = 1_000_000
CUT = "the recorder was told to end before the episode had ended"


class RecorderNode(Node):
    """Serves /recorder/start and /recorder/stop, or records whatever episode is set up."""

    def __init__(self) -> None:
        """Reads the parameters and subscribes; raises ImoveError when one of them is wrong."""
        super().__init__("recorder")
        settings = self._settings()
        self._autostart = settings.autostart
        self._recorder = Recorder(settings, message_types())
        self._inputs = TopicInputs(self, self._recorder.topics, self._recorder.receive)
        self._status = ContractTopics(self, settings.rig).publisher(RecorderStatus, contract.RECORDER_STATUS_TOPIC)
        self._draining: Future | None = None
        self._deadline_s, self._told = 0.0, ""
        self.create_service(StartRecording, contract.START_RECORDING_SERVICE, self._on_start)
        # Not in the group of the rest: it awaits what the other callbacks bring.
        group = ReentrantCallbackGroup()
        self.create_service(StopRecording, contract.STOP_RECORDING_SERVICE, self._on_stop, callback_group=group)
        # Simulated time stands still while nothing moves; a recorder goes on.
        wall = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(STATUS_PERIOD_S, self._on_status, clock=wall)
        self.create_timer(DRAIN_PERIOD_S, self._on_drain, clock=wall)

    def _settings(self) -> RecorderSettings:
        domain = declare_choice(self, "domain", contract.DOMAINS)
        # Rendered images shrink to a twentieth; those of real cameras hardly shrink and cost the processor dearly.
        compressions = ("zstd", "none") if domain == contract.SIM else ("none", "zstd")
        writer = WriterSettings(
            compression=declare_choice(self, "compression", compressions),
            reserve_bytes=declare_count(self, "reserve_mb", 268, MOST_MEGABYTES) * 1_000_000,
            replace_partial=True,
        )
        return RecorderSettings(
            rig=load_rig(declare(self, "rig", "piperx_dual")),
            dataset=Path(declare(self, "dataset", "bags")).expanduser().absolute(),
            domain=domain,
            clock=declare_choice(self, "clock", CLOCKS),
            colour=declare_choice(self, "colour", COLOURS),
            depth=declare(self, "depth", True),
            writer=writer,
            queue_bytes=declare_count(self, "queue_mb", 256, MOST_MEGABYTES) * 1_000_000,
            autostart=declare(self, "autostart", False),
        )

    def _on_start(self, request: StartRecording.Request, response: StartRecording.Response) -> StartRecording.Response:
        try:
            response.bag = str(self._recorder.start(request_of(request), self._inputs.offers()))
            response.ok = True
        except ImoveError as error:
            response.message = str(error)
        return response

    async def _on_stop(
        self, request: StopRecording.Request, response: StopRecording.Response
    ) -> StopRecording.Response:
        try:
            if self._draining is not None:
                raise ImoveError("the recording is being finished already")
            if not request.keep:
                self._recorder.discard()
            else:
                facts = facts_of(request)
                await self._drained()
                finished = self._recorder.finish(facts, attachments_of(request))
                response.bag, response.messages = str(finished.folder), finished.messages
                response.dropped = finished.dropped
            response.ok = True
        except ImoveError as error:
            response.message = str(error)
        return response

    async def _drained(self) -> None:
        """Waits until the episode's end has come in, or will not come any more."""
        self._draining = Future()
        self._deadline_s = time.monotonic() + DRAIN_TIMEOUT_S
        await self._draining
        self._draining = None

    def _on_drain(self) -> None:
        if (draining := self._draining) is None or draining.done():
            return
        if self._recorder.message or not self._recorder.missing() or time.monotonic() > self._deadline_s:
            draining.set_result(None)

    def _on_status(self) -> None:
        if self._autostart and self._recorder.is_idle:
            try:
                self._recorder.start_next(self._inputs.offers())
            except ImoveError as error:
                self._tell(f"not recording yet: {error}")
        elif self._recorder.message:
            self._tell(self._recorder.message)
        message = status_message(self._recorder.status(), "" if self._draining is None else "finishing")
        message.header.stamp = self.get_clock().now().to_msg()
        self._status.publish(message)

    def _tell(self, message: str) -> None:
        if message != self._told:
            self.get_logger().warning(message)
        self._told = message

    def destroy_node(self) -> None:
        """Closes the bag that is being written, then the node."""
        try:
            if said := self._recorder.close(CUT):
                self.get_logger().warning(said)
        except ImoveError as error:
            self.get_logger().error(str(error))
        super().destroy_node()


def main() -> None:
    """Runs the node until it is interrupted."""
    run_node(RecorderNode)
