"""Recording over the graph: whole bags in lockstep, refusals, signals, a lost recorder, cameras in real time."""

import json
import signal
import sys
from pathlib import Path

import pytest
from imove_interfaces.msg import ObjectStates
from imove_interfaces.srv import StartRecording, StopRecording

from imove_core import contract
from imove_core.bag.reader import EpisodeBag
from imove_core.bag.topics import bag_topics
from imove_core.bag.verify import verify
from imove_core.rig import load_rig

from .graph_helpers import busy_processor, listener, node_processes, records, small_suite, wait_until

pytestmark = pytest.mark.graph
EPISODES = 2
HORIZON = 60
STEPS = HORIZON + 1
BENCH = Path(__file__).parents[1] / "bench" / "recording.py"
RIG = load_rig("piperx_dual")
EVENTS = {"/imove/stage_events", "/imove/policy_status", "/left/joint_trajectory", "/right/joint_trajectory"}
NEVER = {
    "/imove/safety_events",
    "/imove/emergency_stop",
    "/left_leader/joint_states",
    "/right_leader/joint_states",
}
"""On which nothing comes while nothing is out of order and no person leads."""
ONCE = {"/tf_static", "/robot_description", "/imove/episode", "/imove/instruction", "/imove/result"}


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    """A suite of a few short episodes."""
    return small_suite(tmp_path_factory.mktemp("suite") / "small.jsonl", EPISODES, HORIZON)


@pytest.fixture
def graph(tmp_path):
    """Processes in one domain."""
    with node_processes(tmp_path / "graph") as nodes:
        yield nodes


@pytest.fixture
def output(tmp_path):
    """Results of this test."""
    return tmp_path / "run"


def recorder(graph, output, **parameters):
    return graph.start("imove_recorder", "recorder", dataset=str(output / "bags"), reserve_mb=1, **parameters)


@pytest.fixture
def evaluate(graph, suite, output):
    """Starts an evaluator that has its episodes recorded."""
    return lambda: graph.evaluator(suite, output, episodes=EPISODES, record=True)


def bags(output):
    return [output / record["bag"] for record in records(output)]


def unfinished(output):
    return sorted((output / "bags").glob("*/.partial/*"))


def test_every_message_of_every_step_is_in_the_bag_also_on_a_busy_machine(graph, evaluate, output, suite):
    graph.simulator(), graph.policy(), recorder(graph, output)
    with busy_processor():
        run = evaluate()
        assert (run.wait(), run.err) == (0, "")
    folders = bags(output)
    assert folders == [output / f"bags/pick_category/episode_{number:06d}" for number in range(EPISODES)]
    assert unfinished(output) == []
    for folder, record in zip(folders, records(output), strict=True):
        assert verify(folder) == []
        bag = EpisodeBag(folder)
        counts = dict(bag.message_counts)
        assert {name: counts.pop(name) for name in ONCE} == dict.fromkeys(ONCE, 1)
        events = {name: counts.pop(name) for name in EVENTS}
        assert events["/left/joint_trajectory"] >= 1
        assert events["/imove/policy_status"] == record["inferences"]
        assert {name: counts.pop(name) for name in NEVER} == dict.fromkeys(NEVER, 0)
        simulated = {topic.name for topic in contract.topics_of(RIG, "sim")}
        expected = {topic.name for topic in bag_topics(RIG, depth=True)} & simulated - ONCE - EVENTS - NEVER
        assert counts == dict.fromkeys(expected, STEPS)
        facts = bag.custom_data
        assert (facts["episode_id"], facts["dropped_messages"], facts["lost_messages"]) == (
            record["episode_id"],
            "0",
            "0",
        )
        assert facts["engine"].startswith("mujoco ")
        labels = json.loads(bag.attachments["labels.json"])
        assert facts["success"] == str(labels["success"]).lower()
        assert labels["rubrics"] == record["score"]["rubrics"]
        assert labels["phases"][-1]["last_step"] == HORIZON
        provenance = json.loads(bag.attachments["provenance.json"])
        assert provenance["settings"]["clock"] == "lockstep"
        phases = [message.phase for _, message in bag.decoded([contract.PHASE_TOPIC])]
        assert [span["phase"] for span in labels["phases"]] == [
            phase for before, phase in zip([None, *phases], phases, strict=False) if phase != before
        ]
        (result,) = [message for _, message in bag.decoded([contract.RESULT_TOPIC])]
        assert json.loads(result.record_json)["bag"] == record["bag"]


def test_recording_changes_no_result(graph, evaluate, output, suite, tmp_path):
    graph.simulator(), graph.policy(), recorder(graph, output)
    assert evaluate().wait() == 0
    plain = graph.evaluator(suite, tmp_path / "plain", episodes=EPISODES)
    assert plain.wait() == 0
    assert [{**record, "bag": None} for record in records(output)] == records(tmp_path / "plain")


def test_start_is_refused_until_everything_is_there(graph, output):
    node = recorder(graph, output)
    with listener(graph.domain) as heard:
        request = StartRecording.Request(episode_id="e", task="t", number=0)
        refused = heard.call(StartRecording, contract.START_RECORDING_SERVICE, request)
        assert (refused.ok, refused.bag) == (False, "")
        assert refused.message.startswith("required topic /static_camera/color/image_raw has no publisher")
        nothing = heard.call(StopRecording, contract.STOP_RECORDING_SERVICE, StopRecording.Request(keep=True))
        assert (nothing.ok, nothing.message) == (False, "nothing is being recorded")
        graph.simulator()
        wait_until(
            lambda: heard.call(StartRecording, contract.START_RECORDING_SERVICE, request).ok,
            lambda: "never ready to record",
        )
    assert node.interrupt() == 0
    assert "Traceback" not in node.err
    assert list((output / "bags").rglob("*.mcap")) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_recorder_that_is_told_to_end_closes_its_bag_and_the_run_goes_on_later(graph, evaluate, output, number):
    graph.simulator(), graph.policy()
    node = recorder(graph, output)
    run = evaluate()
    wait_until(lambda: list((output / "bags").glob("*/.partial/*/*.mcap")), lambda: f"nothing is written\n{run.err}")
    node.signal(number)
    assert node.wait() == 0
    assert "Traceback" not in node.err
    assert run.wait() == 1
    assert run.err.startswith("imove: the recorder node was lost in episode pick_category/seen/000/normal; ")
    assert run.err.count("\n") == 1
    (cut,) = unfinished(output)
    bag = EpisodeBag(cut)
    assert "told to end" in bag.custom_data["incomplete"]
    assert bag.message_counts[contract.OBJECTS_TOPIC] > 0
    assert records(output)[-1]["outcome"] == "aborted: recorder lost"
    assert records(output)[-1]["bag"] is None
    recorder(graph, output)
    again = evaluate()
    assert (again.wait(), again.err) == (0, "")
    assert [verify(folder) for folder in bags(output)] == [[]] * EPISODES
    assert unfinished(output) == []


def test_aborted_episode_leaves_no_bag(graph, evaluate, output):
    graph.simulator()
    policy = graph.policy()
    recorder(graph, output)
    run = evaluate()
    wait_until(lambda: list((output / "bags").glob("*/.partial/*/*.mcap")), lambda: f"nothing is written\n{run.err}")
    policy.kill()
    assert run.wait() == 1
    assert run.err.startswith("imove: the policy node ")
    assert list((output / "bags").rglob("*.mcap")) == []


def test_recorder_of_a_simulator_that_nobody_evaluates(graph, output, suite):
    node = recorder(graph, output, clock="realtime", autostart=True)
    graph.simulator(clock="realtime", suite=str(suite), start_episode=1)
    wait_until(lambda: list((output / "bags").glob("*/.partial/*/*.mcap")), lambda: f"nothing is written\n{node.err}")
    with listener(graph.domain) as heard:
        steps = heard.hear(ObjectStates, contract.OBJECTS_TOPIC)
        wait_until(lambda: len(steps) > 20, lambda: "the simulator does not go on")
    assert node.interrupt() == 0
    (folder,) = (output / "bags/pick_category").glob("episode_*")
    bag = EpisodeBag(folder)
    assert bag.custom_data["episode_id"] == "pick_category/seen/001/normal"
    assert bag.custom_data["success"] == "unknown"
    assert bag.message_counts[contract.OBJECTS_TOPIC] > 20


@pytest.mark.slow
def test_three_cameras_and_fast_joints_are_recorded_and_every_loss_is_counted(graph, tmp_path):
    # Real time on a machine that does something else as well may lose messages, but never unseen.
    for attempt in ("first", "second"):
        (tmp_path / attempt).mkdir()
        words = ["--seconds", "5", "--out", str(tmp_path / attempt), "--json"]
        bench = graph.run(attempt, [sys.executable, str(BENCH), *words])
        status = bench.wait()
        assert "Traceback" not in bench.err
        report = json.loads(bench.out) if bench.out else {"missing": -1, "dropped": -1}
        assert report["missing"] == report["dropped"]
        assert (status == 0) == (report["dropped"] == 0)
        if status == 0:
            assert report["sent"] > 5 * (2 * 200 + 3 * 4 * 30)
            assert report["image_hz"] == pytest.approx(30, abs=1)
            return
    pytest.skip("this machine is too busy for real time")
