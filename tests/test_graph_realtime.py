"""The graph in real time: an episode, and commands from outside that are followed or refused."""

import numpy as np
import pytest
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from imove_core import contract
from imove_core.episode_rig import episode_rig
from imove_ros.conversions import joint_trajectory, ns_from_time, positions_of
from imove_tasks.suites import open_suite

from .graph_helpers import listener, node_processes, records, small_suite, wait_until

pytestmark = pytest.mark.graph
HORIZON = 60


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    """A suite of one short episode."""
    return small_suite(tmp_path_factory.mktemp("suite") / "small.jsonl", 1, HORIZON)


@pytest.fixture(scope="module")
def nodes(tmp_path_factory):
    """Processes in one domain."""
    with node_processes(tmp_path_factory.mktemp("graph")) as nodes:
        yield nodes


@pytest.fixture(scope="module")
def simulator(nodes, suite):
    """A simulator whose time runs, with an episode set up."""
    return nodes.simulator(clock="realtime", suite=str(suite), start_episode=0)


@pytest.fixture
def ear(nodes, simulator):
    """A listener."""
    with listener(nodes.domain) as ear:
        yield ear


def test_bad_commands_are_refused_by_name_and_the_arm_holds(ear, simulator, suite):
    arm = ear.rig.arm("left")
    commands = ear.topics.publisher(JointTrajectory, contract.joint_trajectory_topic("left"))
    wait_until(commands.get_subscription_count, lambda: "nobody takes commands")
    targets = ear.hear(JointState, contract.joint_target_topic("left"))
    start = open_suite(str(suite)).specs[0].randomization
    home = episode_rig(ear.rig, start).arm("left").home_positions

    def target_now():
        seen = len(targets)
        wait_until(lambda: len(targets) > seen, lambda: "time stands still")
        return positions_of(targets[-1], arm)

    def command(change, duration_s=0.2):
        rows = home[None] + change
        offset_ns = round(duration_s * 1e9)
        return joint_trajectory(arm, ns_from_time(targets[-1].header.stamp), [offset_ns], rows)

    assert target_now() == pytest.approx(home)
    lacks_a_joint = command(0.1)
    lacks_a_joint.joint_names[2] = "left_elbow"
    commands.publish(lacks_a_joint)
    simulator.wait_for("lacks joint 'left_joint3'; all of left_joint1, ")
    not_finite = command(0.1)
    not_finite.points[0].positions[3] = float("nan")
    commands.publish(not_finite)
    simulator.wait_for("has nan for joint 'left_joint4' in point 0; only finite numbers are allowed; arm 'left' holds")
    assert target_now() == pytest.approx(home)

    turn = np.eye(arm.size)[0]
    commands.publish(command(0.1 * turn))
    wait_until(lambda: np.allclose(target_now(), home + 0.1 * turn), lambda: f"the target is {target_now()}")
    # A refused command stops the arm where it is.
    commands.publish(command(-0.2 * turn, duration_s=3.0))
    wait_until(lambda: target_now()[0] < home[0] + 0.09, lambda: f"the target is {target_now()}")
    commands.publish(not_finite)
    wait_until(lambda: np.array_equal(target_now(), target_now()), lambda: "the arm does not hold")
    assert home[0] - 0.19 < target_now()[0] < home[0] + 0.09
    assert "Traceback" not in simulator.err


def test_short_episode(nodes, simulator, suite, tmp_path):
    policy = nodes.policy("expert", clock="realtime")
    run = nodes.evaluator(suite, tmp_path / "run", episodes=1, clock="realtime")
    assert (run.wait(), run.err) == (0, "")
    record = records(tmp_path / "run")[0]
    assert (record["outcome"], record["prompt_verified"]) == ("completed", True)
    assert record["score"]["steps"] == HORIZON
    assert 1 <= record["inferences"] <= HORIZON
    for process in (policy, simulator):
        assert process.interrupt() == 0
        assert "Traceback" not in process.err
