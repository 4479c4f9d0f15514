"""Teleoperation over the graph: episodes kept, thrown away and taken back; leaders that fall silent; the stop."""

import json
import signal

import pytest
from imove_interfaces.msg import EpisodeResult, TeleopState
from imove_interfaces.srv import OperatorCommand
from std_msgs.msg import Bool

from imove_core import contract
from imove_core.bag.reader import EpisodeBag
from imove_core.bag.verify import verify

from .graph_helpers import listener, node_processes, small_suite, wait_until

pytestmark = pytest.mark.graph
SCENES = 2


class Person:
    """Sees what teleoperation does and commands it."""

    def __init__(self, hearing):
        self._hearing = hearing
        self._states = hearing.hear(TeleopState, contract.TELEOP_TOPIC)

    @property
    def state(self):
        return self._states[-1] if self._states else TeleopState()

    def see(self, phase, told=""):
        """Waits until teleoperation is in a phase and says something."""
        wait_until(
            lambda: self.state.phase == phase and told in self.state.message,
            lambda: f"phase is {self.state.phase}, not {phase}: {self.state.message}",
        )

    def ask(self, command, **argument):
        request = OperatorCommand.Request(command=command, argument_json=json.dumps(argument) if argument else "")
        return self._hearing.call(OperatorCommand, contract.TELEOP_COMMAND_SERVICE, request)

    def do(self, command, **argument):
        wait_until(lambda: command in self.state.commands, lambda: f"{command}: {self.state}")
        answer = self.ask(command, **argument)
        assert answer.ok, answer.message

    def drive(self):
        """Starts an episode and has it followed for a while."""
        self.do("start")
        self.see("running")
        self.travel()

    def travel(self):
        seen = len(self._states)
        wait_until(lambda: len(self._states) > seen + 5, lambda: "no more states of teleoperation")

    def kept(self, count):
        wait_until(lambda: self.state.episodes_kept == count, lambda: f"not {count} kept: {self.state}")
        self.see("ready")


@pytest.fixture
def output(tmp_path):
    """Folder of the run."""
    return tmp_path / "run"


@pytest.fixture
def graph(tmp_path):
    """Processes in one domain."""
    with node_processes(tmp_path / "graph") as nodes:
        yield nodes


@pytest.fixture
def suite(tmp_path):
    """A suite of two scenes."""
    return str(small_suite(tmp_path / "small.jsonl", SCENES))


@pytest.fixture
def start(graph, suite, output):
    """Starts the whole graph; how busy this machine is does not count."""

    def go(**parameters):
        graph.simulator(clock="realtime", suite=suite, start_episode=0, watchdog=False)
        graph.start("imove_recorder", "recorder", dataset=str(output / "bags"), reserve_mb=1, clock="realtime")
        leader = graph.start("imove_teleop_aloha", "scripted_leader", seed=3)
        teleop = graph.start(
            "imove_teleop_aloha", "teleop", suite=suite, output=str(output), operator="Ada", least_rate=0.0,
            align_speed=1.5, stale_s=5.0, **parameters,
        )  # fmt: skip
        return leader, teleop

    return go


def bags(output):
    return sorted(path.relative_to(output / "bags").as_posix() for path in (output / "bags").glob("*/episode_*"))


def test_episodes_are_kept_thrown_away_and_taken_back(graph, start, output):
    _, teleop = start()
    with listener(graph.domain) as hearing:
        person = Person(hearing)
        results = hearing.hear(EpisodeResult, contract.RESULT_TOPIC)
        person.see("ready")
        assert not person.ask("success").ok
        person.drive()
        assert person.state.episode_id.endswith("/normal")
        assert not person.ask("start").ok
        assert not person.ask("stop").ok
        person.do("stop", success=True)
        person.kept(1)
        person.drive()
        person.do("discard")
        wait_until(lambda: person.state.episodes_discarded == 1, lambda: str(person.state))
        person.drive()
        person.do("fail")
        person.kept(2)
        person.do("undo")
        person.kept(1)
        person.drive()
        person.do("redo")
        person.see("running")
        person.travel()
        person.do("success")
        person.kept(2)
        person.do("quit")
        assert (teleop.wait(), teleop.err) == (0, "")
    assert bags(output) == ["pick_category/episode_000000", "pick_category/episode_000001"]
    assert [path.name for path in (output / "bags").glob("*/.undone/*")] == ["episode_000001.0"]
    assert not list((output / "bags").glob("*/.partial/*"))
    log = [json.loads(line) for line in (output / "teleop.jsonl").read_text().splitlines()]
    assert [line["outcome"] for line in log] == ["kept", "discarded", "kept", "undone", "discarded", "kept"]
    assert [message.outcome for message in results] == [
        "completed", "aborted: discarded", "completed", "aborted: discarded", "completed",
    ]  # fmt: skip
    for name, line in zip(bags(output), (log[0], log[5]), strict=True):
        assert verify(output / "bags" / name) == []
        bag = EpisodeBag(output / "bags" / name)
        facts, counts = bag.custom_data, bag.message_counts
        assert (facts["success"], facts["operator"], facts["source"]) == ("true", "Ada", "teleop")
        assert (facts["success_rubric"], facts["lost_messages"], facts["dropped_messages"]) == ("false", "0", "0")
        assert facts["target"] and facts["instruction"] == line["instruction"]
        labels = bag.attached_json("labels.json")
        assert (labels["operator"], labels["success"]) == ({"name": "Ada", "success": True}, False)
        steps = line["last_step"] + 1
        assert labels["phases"][-1]["last_step"] == line["last_step"]
        assert counts["/imove/phase"] == steps
        # A recorder that is busy hears of the end a little after it.
        assert min(counts[name] for name in ("/imove/objects", "/left/joint_target")) >= steps
        assert counts["/left_leader/joint_states"] > steps and counts["/left/joint_trajectory"] > steps


def test_silent_leader_and_stop_hold_until_a_person_resumes(graph, start, output):
    leader, teleop = start()
    with listener(graph.domain) as hearing:
        person = Person(hearing)
        stop = hearing.topics.publisher(Bool, contract.EMERGENCY_STOP_TOPIC)
        person.see("ready")
        person.drive()
        leader.signal(signal.SIGSTOP)
        person.see("holding", "has said nothing")
        assert person.ask("resume").ok
        person.see("holding", "not resumed")
        leader.signal(signal.SIGCONT)
        person.travel()
        assert person.state.phase == "holding"
        person.do("resume")
        person.see("running")
        stop.publish(Bool(data=True))
        person.see("holding", "emergency stop")
        stop.publish(Bool(data=False))
        person.travel()
        person.do("resume")
        person.see("holding", "discard or redo")
        person.do("discard")
        person.see("ready")
        person.drive()
        person.do("success")
        person.kept(1)
        assert teleop.interrupt() == 130
    log = [json.loads(line) for line in (output / "teleop.jsonl").read_text().splitlines()]
    assert [line["outcome"] for line in log] == ["discarded", "kept"]
    assert len(log[0]["interruptions"]) == 2
    assert verify(output / "bags" / bags(output)[0]) == []
