"""The operator's console over a running graph: simulated cameras, a scripted table, a real browser."""

from __future__ import annotations

import http.client
import json
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from imove_interfaces.msg import SafetyEvent, StageEvent, TrialState
from imove_interfaces.srv import OperatorCommand
from std_msgs.msg import Bool
from std_srvs.srv import Trigger

from imove_bringup.arguments import parse_values
from imove_bringup.emulated_table.faults import BUS_CUT, BUS_RESTORE, CAMERA_REPLUG, CAMERA_UNPLUG
from imove_bringup.emulated_table.node import FAULT_SERVICE
from imove_bringup.emulated_table.rig_file import rig_file
from imove_bringup.graphs import graph_definition
from imove_core import contract
from imove_core.hardware import CameraProfile
from imove_core.rig import load_rig
from imove_ros.diagnostics import diagnostic_array
from imove_tasks.suites import open_suite

from .browser import CHROMIUM, Page, browsing
from .graph_helpers import (
    DEADLINE_S,
    Listener,
    NodeProcesses,
    Process,
    listener,
    node_processes,
    small_suite,
    wait_until,
)

pytestmark = [pytest.mark.graph, pytest.mark.skipif(CHROMIUM is None, reason="no chromium is installed")]
HORIZON = 10_000
# A real bus is lost after 0.1 s; the processors of a test may be busy for longer.
BUS_SILENCE_S = 2.0
CAMERAS = 3


class Conductor:
    """Says what a trial conductor and arm drivers say, and takes what an operator asks for."""

    def __init__(self, hearing: Listener) -> None:
        self.commands: list[tuple[str, str]] = []
        self.resumed: list[str] = []
        self.speaks = threading.Event()
        self.speaks.set()
        node, topics = hearing.node, hearing.topics
        self._health = topics.publisher(DiagnosticArray, contract.DIAGNOSTICS_TOPIC)
        self._trial = topics.publisher(TrialState, contract.TRIAL_TOPIC)
        self.stages = topics.publisher(StageEvent, contract.STAGE_EVENTS_TOPIC)
        node.create_service(OperatorCommand, contract.TRIAL_COMMAND_SERVICE, self._on_command)
        node.create_service(Trigger, contract.arm_resume_service("left"), self._on_resume)
        node.create_timer(0.5, self._tell)
        self.publish("running", ["stop", "success", "fail"])

    def publish(self, phase: str, commands: list[str]) -> None:
        """Says where the trial stands."""
        self._trial.publish(TrialState(phase=phase, trial=3, trials=20, policy_label="B", commands=commands))

    def _tell(self) -> None:
        if not self.speaks.is_set():
            return
        for arm, holding in (("left", "emergency stop"), ("right", "")):
            values = {"frames_hz": "2680", "holding": holding, "firmware": "S-V1.8-8"}
            self._health.publish(diagnostic_array(f"arm/{arm}", f"can_{arm}", "ok", "follows", values))
        self._health.publish(diagnostic_array("trial", "", "ok", "runs", {}))

    def _on_command(
        self, request: OperatorCommand.Request, response: OperatorCommand.Response
    ) -> OperatorCommand.Response:
        self.commands.append((request.command, request.argument_json))
        response.ok, response.message = True, f"{request.command} taken"
        return response

    def _on_resume(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self.resumed.append("left")
        response.success, response.message = False, "refused while the stop is on"
        return response


def start_console(nodes: NodeProcesses, port: int = 0) -> tuple[Process, str]:
    """The console and the address that it prints."""
    process = nodes.start("imove_console", "console", port=port)
    process.wait_for("console: http://")
    return process, process.out.split("console: ")[1].split()[0]


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    """A headless browser."""
    with browsing(tmp_path / "profile") as opened:
        yield opened


def test_an_operator_sees_and_commands_a_running_graph(tmp_path: Path, page: Page) -> None:
    """Live images, arms, instruction and stages; commands, stop and release; what is lost; a console that restarts."""
    suite = small_suite(tmp_path / "small.jsonl", 1, HORIZON)
    text = open_suite(str(suite)).first(1)[0].instruction("normal").text
    with node_processes(tmp_path / "log") as nodes, listener(nodes.domain) as hearing:
        nodes.simulator(suite=str(suite), start_episode=0, clock="realtime", watchdog=False)
        conductor = Conductor(hearing)
        console, url = start_console(nodes)
        stops = hearing.hear(Bool, contract.EMERGENCY_STOP_TOPIC)
        page.resize(1024, 768)
        page.open(url)
        page.wait(f"document.querySelector('#instruction')?.textContent.includes({json.dumps(text)})")
        page.wait(f"document.querySelectorAll('.camera:not(.dark)').length === {CAMERAS}")
        page.wait("document.querySelector('[data-part=left].ok') !== null")
        assert "2680" in page.text("[data-part=left]")

        episode_id = page.text("#where").split("·")[-1].strip()
        conductor.stages.publish(
            StageEvent(episode_id=episode_id, rubric="strict", stage="reach", object_id="object_0", is_target=True)
        )
        page.wait("document.querySelector('#stages li.done, #stages li.wrong') !== null")

        page.wait("!document.querySelector('[data-command=success]').disabled")
        page.click("[data-command=success]")
        page.wait("document.querySelector('#toasts').textContent.includes('success taken')")
        assert conductor.commands == [("success", "")]

        events = hearing.hear(SafetyEvent, contract.SAFETY_EVENTS_TOPIC)
        page.press("Escape")
        wait_until(lambda: [event for event in events if event.kind == "emergency_stop"], lambda: "arms did not hold")
        page.wait("!document.querySelector('#stop-banner').hidden")
        wait_until(lambda: stops and stops[-1].data, lambda: "no stop was heard")
        page.mouse_down("[data-part=left] .hold")
        page.wait("document.querySelector('#toasts').textContent.includes('refused while the stop is on')")
        page.mouse_up()
        assert conductor.resumed == ["left"]

        conductor.speaks.clear()
        page.wait("document.querySelector('[data-part=left].lost') !== null")
        page.wait("document.querySelector('#message b').textContent === 'Trial conductor lost'")
        conductor.speaks.set()
        page.wait("document.querySelector('[data-part=left].ok') !== null")

        # A console that is killed stops nothing and starts nothing, and the page finds the next one by itself.
        heard = len(stops)
        console.signal(signal.SIGKILL)
        page.wait("document.body.classList.contains('offline')")
        start_console(nodes, port=int(url.rstrip("/").rpartition(":")[2]))
        page.wait("!document.body.classList.contains('offline')")
        page.wait(f"document.querySelectorAll('.camera:not(.dark)').length === {CAMERAS}")
        assert len(stops) == heard
        assert conductor.commands == [("success", "")]

        page.press("Escape")
        page.wait("!document.querySelector('#stop-banner').hidden")
        page.mouse_down("#release")
        wait_until(lambda: not stops[-1].data, lambda: "no release was heard")
        page.mouse_up()
        page.wait("document.querySelector('#stop-banner').hidden")


def test_an_operator_watches_and_stops_an_evaluation_in_simulation(tmp_path: Path, page: Page) -> None:
    """The whole graph in lockstep, without a conductor: images and instruction as the episode runs, and the stop."""
    suite = small_suite(tmp_path / "small.jsonl", 1, HORIZON)
    text = open_suite(str(suite)).first(1)[0].instruction("normal").text
    definition = graph_definition("sim_eval")
    texts = {"suite": str(suite), "policy": "hold", "episodes": "1", "image_size": "64x48"}
    texts |= {"console": "true", "console_port": "0", "output": str(tmp_path / "run")}
    graph = definition.build(definition.complete(parse_values(definition.arguments, texts)))
    with node_processes(tmp_path / "log") as nodes:
        started = {node.name: nodes.start_described(node) for node in graph.nodes}
        console, evaluator = started["console"], started["evaluator"]
        console.wait_for("console: http://")
        page.open(console.out.split("console: ")[1].split()[0])
        page.wait(f"document.querySelector('#instruction')?.textContent.includes({json.dumps(text)})")
        page.wait(f"document.querySelectorAll('.camera:not(.dark)').length === {CAMERAS}")
        page.press("Escape")
        page.wait("!document.querySelector('#stop-banner').hidden")
        assert evaluator.wait() == 1
        assert "emergency stop" in evaluator.out + evaluator.err
        assert page.troubles() == []


def fault(hearing: Listener, command: str, **argument: str) -> None:
    """Breaks or mends the emulated table."""
    request = OperatorCommand.Request(command=command, argument_json=json.dumps(argument))
    assert hearing.call(OperatorCommand, FAULT_SERVICE, request).ok


def test_an_operator_sees_and_unlocks_an_emulated_arm(tmp_path: Path, page: Page) -> None:
    """The vendor's libraries behind the page: an arm's firmware and faults, a camera's JPEG; stop, release, unlock."""
    rig = rig_file(load_rig("piperx_dual"), tmp_path, profile=CameraProfile(width=160, height=120))
    real = {"rig": str(rig), "use_sim_time": False}
    left, main = "document.querySelector('[data-part=left]')", "document.querySelector('#main-camera .camera')"
    with node_processes(tmp_path / "log") as nodes, listener(nodes.domain) as hearing:
        table = nodes.start("imove_bringup", "emulated_table", **real)
        table.wait_for("is ready")
        nodes.start("imove_hardware", "piper_driver", arm="left", bus_silence_s=BUS_SILENCE_S, **real)
        nodes.start(
            "imove_hardware", "realsense_driver", camera="static_camera", image_width=160, image_height=120, **real
        )
        process = nodes.start("imove_console", "console", port=0, **real)
        process.wait_for("console: http://")
        page.resize(1024, 768)
        page.open(process.out.split("console: ")[1].split()[0])
        page.wait(f"{left}?.classList.contains('ok') && {left}.textContent.includes('S-V')")
        page.wait(f"{main} && !{main}.classList.contains('dark')")
        page.wait("document.querySelector('[data-part=right].absent') !== null")

        page.press("Escape")
        page.wait(f"{left}.textContent.includes('emergency stop')")
        page.mouse_down("#release")
        page.wait("document.querySelector('#stop-banner').hidden")
        page.mouse_up()
        # Released, and locked all the same, until a person says so.
        assert "emergency stop" in page.text("[data-part=left]")
        page.mouse_down("[data-part=left] .hold")
        page.wait(f"!{left}.textContent.includes('emergency stop')")
        page.mouse_up()

        fault(hearing, BUS_CUT, arm="left")
        fault(hearing, CAMERA_UNPLUG, camera="static_camera")
        page.wait(f"{left}.classList.contains('error')")
        page.wait(f"{main}.classList.contains('dark') && {main}.querySelector('.caption .error') !== null")
        fault(hearing, BUS_RESTORE, arm="left")
        fault(hearing, CAMERA_REPLUG, camera="static_camera")
        page.wait(f"!{main}.classList.contains('dark')")
        assert page.troubles() == []


def calibrate(url: str, what: str, **body: str) -> dict[str, object]:
    """What the calibration wizard answers."""
    connection = http.client.HTTPConnection(url.removeprefix("http://").rstrip("/"), timeout=DEADLINE_S)
    connection.request("POST", f"/api/calibration/{what}", json.dumps(body), {"X-Imove-Console": "test"})
    answer = json.loads(connection.getresponse().read())
    connection.close()
    return answer


def test_a_stop_is_kept_for_who_comes_later_and_views_are_measured(tmp_path: Path) -> None:
    """A stop of a program that is gone reaches a driver that starts later; the wizard sees arms and images."""
    suite = small_suite(tmp_path / "small.jsonl", 1, HORIZON)
    with node_processes(tmp_path / "log") as nodes:
        _, url = start_console(nodes)
        with listener(nodes.domain) as program:
            publisher = program.topics.publisher(Bool, contract.EMERGENCY_STOP_TOPIC)
            wait_until(publisher.get_subscription_count, lambda: "the console does not listen")
            publisher.publish(Bool(data=True))
            # The console says it too.
            wait_until(lambda: program.node.count_publishers(contract.EMERGENCY_STOP_TOPIC) == 2, lambda: "no console")
            heard = program.hear(Bool, contract.EMERGENCY_STOP_TOPIC)
            wait_until(lambda: len(heard) >= 2, lambda: "the console does not repeat the stop")
        with listener(nodes.domain) as driver:
            heard = driver.hear(Bool, contract.EMERGENCY_STOP_TOPIC)
            wait_until(lambda: heard and heard[-1].data, lambda: "the stop is forgotten")

        assert calibrate(url, "begin", kind="hand_eye", camera="static_camera", arm="left")["needed"] == 5
        wait_until(lambda: "sends no images" in str(calibrate(url, "take")["error"]), lambda: "images of nobody")
        nodes.simulator(
            suite=str(suite), start_episode=0, clock="realtime", watchdog=False, image_width=640, image_height=480
        )
        wait_until(
            lambda: str(calibrate(url, "take")["error"]).startswith("0 corners of the board are seen"),
            lambda: f"the wizard says {calibrate(url, 'take')}",
        )
