"""The trial conductor over the graph: objects, arms and drivers are scripted, and a person calls."""

import json
import time

import numpy as np
import pytest
from imove_interfaces.msg import Episode, EpisodeResult, ObjectStates, TrialState
from imove_interfaces.srv import OperatorCommand, ResetEpisode
from sensor_msgs.msg import CameraInfo, CompressedImage, JointState
from std_msgs.msg import Bool, String
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from imove_core import contract
from imove_core.rig import WORLD_FRAME
from imove_core.state import ObjectState, StepState
from imove_ros.conversions import camera_info, joint_command, joint_state, ns_from_time, object_states, time_from_ns
from imove_tasks.suites import open_suite
from imove_trials.layout_view import jpeg_of

from .graph_helpers import listener, node_processes, records, small_suite, wait_until

pytestmark = pytest.mark.graph
SPEC = open_suite("pick_category/seen").first(1)[0]
KEY = f"{SPEC.id}/normal/A"
ZERO = np.zeros(3)


class ScriptedTable:
    """Arms that are where the last command ends, objects that lie where they are put, drivers that resume."""

    def __init__(self, hearing):
        self.hearing, self.rig = hearing, hearing.rig
        self.positions = {arm.name: arm.home_positions.copy() for arm in self.rig.arms}
        self.shift, self.resumed, self.commanded, self._playing = 0.05, [], [], None
        topics, node = hearing.topics, hearing.node
        self._joints = {
            a.name: topics.publisher(JointState, contract.joint_states_topic(a.name)) for a in self.rig.arms
        }
        self._objects = topics.publisher(ObjectStates, contract.OBJECTS_TOPIC)
        self._stop = topics.publisher(Bool, contract.EMERGENCY_STOP_TOPIC)
        self._results = topics.publisher(EpisodeResult, contract.RESULT_TOPIC)
        camera = self.rig.camera("static_camera")
        self._image = topics.publisher(CompressedImage, contract.compressed_topic(camera.name))
        self._info = topics.publisher(CameraInfo, contract.color_info_topic(camera.name))
        self._camera, self._jpeg = camera, jpeg_of(np.full((480, 640, 3), 90, np.uint8))
        for arm in self.rig.arms:
            topic = contract.joint_trajectory_topic(arm.name)
            topics.subscribe(JointTrajectory, topic, lambda message, arm=arm: self._on_command(arm, message))
            node.create_service(
                Trigger, contract.arm_resume_service(arm.name), lambda q, r, name=arm.name: self._on_resume(name, r)
            )
        node.create_timer(0.05, self._tick)

    def play_episodes(self):
        """Publishes from now on the control steps of every episode that is announced."""
        self._playing = None
        self._targets = {
            arm.name: self.hearing.topics.publisher(JointState, contract.joint_target_topic(arm.name))
            for arm in self.rig.arms
        }
        self.hearing.topics.subscribe(Episode, contract.EPISODE_TOPIC, self._on_episode)
        self.hearing.topics.subscribe(EpisodeResult, contract.RESULT_TOPIC, self._on_end)
        self.hearing.node.create_timer(1 / 30, self._step)

    def _on_episode(self, message):
        self._playing = [message.episode_id, ns_from_time(message.header.stamp), 0]

    def _on_end(self, message):
        self._playing = None

    def _step(self):
        if self._playing is None:
            return
        key, start_ns, step = self._playing
        stamp_ns = start_ns + round(step * 1e9 / 30)
        if stamp_ns > time.time_ns():
            return
        self._playing[2] += 1
        for arm in self.rig.arms:
            empty, names = np.zeros(arm.size), arm.joint_names
            message = joint_state(stamp_ns, names, self.positions[arm.name], empty, empty)
            self._joints[arm.name].publish(message)
            self._targets[arm.name].publish(message)
        state = StepState(stamp_ns, step, None, self.lying())
        self._objects.publish(object_states(state, key, WORLD_FRAME))

    def lying(self):
        """Objects as they lie, the first of them a little off its place."""
        return tuple(
            ObjectState(
                item.id, np.array(item.position) + [self.shift if number == 0 else 0.0, 0.0, 0.0],
                np.array(item.quaternion_xyzw), np.array(item.box_min), np.array(item.box_max), ZERO, ZERO,
            )
            for number, item in enumerate(SPEC.objects)
        )  # fmt: skip

    def _on_command(self, arm, message):
        self.commanded.append(arm.name)
        self.positions[arm.name] = joint_command(arm, message).positions[-1]

    def _on_resume(self, name, response):
        self.resumed.append(name)
        response.success = True
        return response

    def _tick(self):
        now_ns = time.time_ns()
        if self._playing is None:
            for arm in self.rig.arms:
                empty = np.zeros(arm.size)
                self._joints[arm.name].publish(
                    joint_state(now_ns, arm.joint_names, self.positions[arm.name], empty, empty)
                )
            self._objects.publish(object_states(StepState(now_ns, 0, None, self.lying()), "", WORLD_FRAME))
        image = CompressedImage(format="jpeg", data=self._jpeg)
        image.header.stamp = time_from_ns(now_ns)
        self._image.publish(image)
        self._info.publish(camera_info(now_ns, self._camera.optical_frame, self._camera.intrinsics))

    def stop(self, on):
        self._stop.publish(Bool(data=on))

    def end(self, outcome):
        self._results.publish(EpisodeResult(episode_id=KEY, outcome=outcome, record_json="{}"))


class Person:
    """Asks for trials and gives commands."""

    def __init__(self, hearing):
        self._hearing = hearing
        self.states = hearing.hear(TrialState, contract.TRIAL_TOPIC)
        self._reset = hearing.node.create_client(ResetEpisode, contract.RESET_EPISODE_SERVICE)

    def ask(self):
        wait_until(self._reset.service_is_ready, lambda: "nobody sets up trials")
        request = ResetEpisode.Request(episode_id=KEY, spec_json=SPEC.to_json(), condition="normal")
        return self._reset.call_async(request)

    def say(self, command, argument=""):
        request = OperatorCommand.Request(command=command, argument_json=argument)
        return self._hearing.call(OperatorCommand, contract.TRIAL_COMMAND_SERVICE, request)

    def sees(self, phase, words=""):
        wait_until(
            lambda: self.states and self.states[-1].phase == phase and words in self.states[-1].message,
            lambda: f"phase {phase} with {words!r}; it is {[(s.phase, s.message) for s in self.states[-3:]]}",
        )
        return self.states[-1]


def test_trial_from_layout_over_an_emergency_stop_to_its_verdict(tmp_path):
    with node_processes(tmp_path / "logs") as nodes, listener(nodes.domain) as hearing:
        nodes.start("imove_trials", "trial_conductor", output=str(tmp_path / "run"), use_sim_time=False, trials=1)
        person, table = Person(hearing), ScriptedTable(hearing)
        table.positions["left"][1] -= 0.3
        verdicts = hearing.hear(EpisodeResult, contract.TRIAL_VERDICT_TOPIC)
        episodes = hearing.hear(Episode, contract.EPISODE_TOPIC)
        instructions = hearing.hear(String, contract.INSTRUCTION_TOPIC)
        pictures = hearing.hear(CompressedImage, contract.LAYOUT_VIEW_TOPIC)
        answer = person.ask()
        state = person.sees("laying_out")
        assert table.commanded.count("left") == 1 and abs(table.positions["left"][1] - 1.1) < 0.01
        assert (state.policy_label, state.instruction, state.trials) == ("A", SPEC.instruction("normal").text, 1)
        wait_until(lambda: pictures, lambda: "no picture of the layout came")
        assert bytes(pictures[-1].data[:2]) == b"\xff\xd8"
        assert person.say("confirm_layout").ok
        person.sees("laying_out", "50 mm off")
        wait_until(lambda: 0.0 < person.states[-1].match < 1.0, lambda: f"match {person.states[-1].match}")
        wrong = [item for item in json.loads(person.states[-1].layout_json) if not item["ok"]]
        assert [item["id"] for item in wrong] == [SPEC.objects[0].id]
        table.shift = 0.0
        wait_until(lambda: person.states[-1].match == 1.0, lambda: f"match {person.states[-1].match}")
        assert person.say("confirm_layout").ok
        person.sees("ready")
        refused = person.say("success")
        assert not refused.ok and "taken now: start" in refused.message
        assert not answer.done()
        assert person.say("start").ok
        wait_until(answer.done, lambda: "the reset was not answered")
        start = answer.result()
        assert start.ok and len(start.settled_pose_hash) == 64
        assert json.loads(start.provenance_json)["engine"] == "real table"
        wait_until(lambda: episodes and instructions, lambda: "the episode was not announced")
        assert (episodes[-1].episode_id, episodes[-1].header.stamp) == (KEY, start.stamp)
        assert instructions[-1].data == SPEC.instruction("normal").text

        table.stop(True)
        person.sees("stopped", "emergency stop")
        assert not person.say("resume").ok
        table.end("aborted: emergency stop")
        table.stop(False)
        person.sees("stopped", "released")
        before = len(table.commanded)
        assert table.resumed == []
        assert person.say("resume").ok
        state = person.sees("asking")
        assert sorted(table.resumed) == ["left", "right"] and len(table.commanded) == before
        assert "fail" in state.commands and "success" not in state.commands
        assert person.say("fail").ok
        wait_until(lambda: verdicts, lambda: "no verdict came")
        assert ns_from_time(verdicts[-1].header.stamp) == ns_from_time(start.stamp)
        told = json.loads(verdicts[-1].record_json)
        assert (told["decision"], told["operator"]["success"], told["operator"]["stopped_by"]) == (
            "keep", False, "emergency stop",
        )  # fmt: skip
        person.sees("done")
    lines = [json.loads(line) for line in (tmp_path / "run/session.jsonl").read_text().splitlines()]
    assert {"trial", "layout", "begun", "emergency_stop", "resumed", "verdict"} <= {line["event"] for line in lines}


def test_blinded_trials_run_from_start_to_report_without_a_person(tmp_path):
    suite, output = small_suite(tmp_path / "small.jsonl", 1, horizon_steps=20), tmp_path / "run"
    with node_processes(tmp_path / "logs") as nodes, listener(nodes.domain) as hearing:
        real = {"use_sim_time": False}
        nodes.start("imove_trials", "trial_conductor", output=str(output), trials=2, confirm="auto", **real)
        for label in "AB":
            nodes.policy("hold", label=label, clock="realtime", domain="real", **real)
        table = ScriptedTable(hearing)
        table.shift = 0.0
        table.play_episodes()
        told = {"policies": "hold,hold", "episodes": 1, "clock": "realtime", "domain": "real", "sim": "real table"}
        run = nodes.evaluator(suite, output, **told, **real)
        assert (run.wait(), run.err) == (0, "")
    for label in "AB":
        (record,) = records(output / label)
        assert record["outcome"] == "completed" and record["score"]["steps"] == 20
        assert record["operator"]["layout_match"] == 1.0 and record["operator"]["success"] is None
        provenance = json.loads((output / label / "provenance.json").read_text())
        assert (provenance["domain"], provenance["simulator"]["engine"]) == ("real", "real table")
    comparison = json.loads((output / "comparison.json").read_text())
    assert comparison["paired"]["normal"][0]["outcomes"]["strict/lift"]["neither"] == 1
    events = [json.loads(line)["event"] for line in (output / "session.jsonl").read_text().splitlines()]
    assert events.count("verdict") == events.count("begun") == 2
