"""An episode bag is played into a graph: what arrives is what was recorded, and its commands drive the simulator."""

from pathlib import Path

import pytest
from imove_interfaces.msg import Episode, ObjectStates
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Image, JointState

from imove_bringup.replay.recorded import read_episode
from imove_bringup.synthesis.job import SynthesisJob
from imove_bringup.synthesis.synthesis import synthesise
from imove_core import contract
from imove_core.bag.messages import rgb_from
from imove_core.bag.reader import EpisodeBag
from imove_ros.conversions import ns_from_time, objects_from
from imove_ros.conversions import rgb_from as rgb_of
from imove_tasks.randomization import load_randomization
from imove_tasks.suites import open_suite

from .graph_helpers import listener, node_processes, wait_until

pytestmark = pytest.mark.graph
SUITE = "pick_category/seen"


@pytest.fixture(scope="module")
def bag(tmp_path_factory: pytest.TempPathFactory) -> EpisodeBag:
    """The bag of one demonstration."""
    out = tmp_path_factory.mktemp("data")
    job = SynthesisJob(
        task="pick_category",
        split="train",
        suite=SUITE,
        rig="piperx_dual",
        sim="mujoco",
        planner="rrt_connect",
        seed=0,
        looks=load_randomization("default"),
        image_size=(32, 24),
        depth=False,
        assets=(),
        out=str(out),
    )
    assert synthesise(job, 1, 1, "", lambda outcome: None).kept == 1
    return EpisodeBag(out / "pick_category" / "episode_000000")


def test_what_is_played_arrives_as_it_was_recorded(bag: EpisodeBag, tmp_path: Path) -> None:
    with node_processes(tmp_path) as nodes, listener(nodes.domain) as hearing:
        player = nodes.start("imove_bringup", "bag_player", bag=str(bag.path), rate=4.0, listeners=1)
        episodes = hearing.hear(Episode, contract.EPISODE_TOPIC)
        clock = hearing.hear(Clock, contract.CLOCK_TOPIC)
        joints = hearing.hear(JointState, contract.joint_states_topic("left"))
        images = hearing.hear(Image, contract.color_topic("static_camera"))
        objects = hearing.hear(ObjectStates, contract.OBJECTS_TOPIC)
        assert player.wait() == 0, player.err
        assert "messages published" in player.out
        recorded = read_episode(bag)
        steps = (objects, joints)
        wait_until(lambda: all(len(heard) == 301 for heard in steps), lambda: f"{[*map(len, steps)]} of 301 arrived")
        for message, state in zip(objects, recorded.states, strict=True):
            pairs = zip(objects_from(message), state.objects, strict=True)
            assert all((now.position == before.position).all() for now, before in pairs)
        assert [message.spec_json for message in episodes] == [open_suite(SUITE).specs[0].to_json()]
        # Of clock and images only the newest are kept for a reader that is late.
        stamps = [ns_from_time(message.clock) for message in clock]
        assert stamps == sorted(stamps) and stamps[-1] <= recorded.states[-1].stamp_ns
        shown = {ns_from_time(message.header.stamp): message for message in images}
        stored = {m.log_time_ns: content for m, content in bag.decoded([contract.color_topic("static_camera")])}
        assert shown
        assert all((rgb_of(message) == rgb_from(stored[stamp])).all() for stamp, message in shown.items())


def test_commands_alone_drive_a_simulator_through_the_same_episode(bag: EpisodeBag, tmp_path: Path) -> None:
    target = open_suite(SUITE).specs[0].instruction("normal").target
    with node_processes(tmp_path) as nodes, listener(nodes.domain) as hearing:
        nodes.simulator(rig="piperx_dual", clock="realtime")
        objects = hearing.hear(ObjectStates, contract.OBJECTS_TOPIC)
        player = nodes.start("imove_bringup", "bag_player", bag=str(bag.path), commands_only=True)
        assert player.wait() == 0, player.err
        assert "2 commands sent" in player.out
        (held,) = [item.held_by for item in objects_from(objects[-1]) if item.id == target]
        assert held


def test_a_player_without_a_bag_or_a_simulator_says_so(bag: EpisodeBag, tmp_path: Path) -> None:
    with node_processes(tmp_path) as nodes:
        player = nodes.start("imove_bringup", "bag_player", bag=str(tmp_path / "none"))
        assert player.wait() == 2
        assert player.err.startswith("imove: bag ") and "does not exist" in player.err
