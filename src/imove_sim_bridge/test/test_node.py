"""The bridge in this process: what it publishes for each control step of one call of /imove/advance."""

import os
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import rclpy
from imove_interfaces.srv import Advance, ResetEpisode
from rclpy.node import Node
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage

from imove_core import contract
from imove_core.randomization import Offset
from imove_core.rig import load_rig
from imove_ros.conversions import joint_trajectory, ns_from_time, positions_of
from imove_ros.qos import ContractTopics
from imove_sim_bridge.node import SimBridge
from imove_tasks.suites import open_suite

STEPS = 15


@pytest.fixture
def bridge() -> Iterator[SimBridge]:
    """A bridge in lockstep, alone in a domain of its own."""
    rclpy.init(domain_id=1 + os.getpid() % 100)
    node = SimBridge()
    yield node
    node.destroy_node()
    rclpy.try_shutdown()


def spin_until(node: Node, done: Callable[[], object], deadline_s: float = 20.0) -> None:
    """Spins a node until `done()` is true; fails when that takes too long."""
    end = time.monotonic() + deadline_s
    while not done():
        assert time.monotonic() < end, "the deadline has passed"
        rclpy.spin_once(node, timeout_sec=0.1)


def test_every_step_of_one_call_has_the_target_that_was_in_force_at_it(bridge: SimBridge) -> None:
    """A ramp of 0.01 rad a step shows as such, though one call ran all of its steps."""
    rig = load_rig("piperx_dual")
    arm = rig.arm("left")
    heard: list[JointState] = []
    listener = rclpy.create_node("listener")
    ContractTopics(listener, rig).subscribe(JointState, contract.joint_target_topic("left"), heard.append)
    spin_until(listener, lambda: bridge._states._targets["left"].get_subscription_count())
    spec = open_suite("pick_category/seen").specs[0]
    reset = bridge._on_reset(
        ResetEpisode.Request(episode_id="e", spec_json=spec.to_json(), condition="normal"), ResetEpisode.Response()
    )
    assert reset.ok, reset.message
    start_ns = ns_from_time(reset.stamp)
    ramp = arm.home_positions + 0.01 * np.arange(1, STEPS + 1)[:, None] * np.eye(arm.size)[0]
    offsets = [round(step * 1e9 / 30) for step in range(1, STEPS + 1)]
    request = Advance.Request(
        episode_id="e", arms=["left"], commands=[joint_trajectory(arm, start_ns, offsets, ramp)], steps=STEPS
    )
    answer = bridge._on_advance(request, Advance.Response())
    assert answer.ok, answer.message
    spin_until(listener, lambda: len(heard) > STEPS)
    listener.destroy_node()
    found = np.array([positions_of(message, arm) for message in heard[1:]])
    np.testing.assert_allclose(found, ramp, atol=1e-9)


def test_static_frames_follow_the_cameras_of_the_episode(bridge: SimBridge) -> None:
    """The camera that an episode moves is announced where its images are taken from, and put back afterwards."""
    rig = load_rig("piperx_dual")
    heard: list[TFMessage] = []
    listener = rclpy.create_node("listener")
    ContractTopics(listener, rig).subscribe(TFMessage, "/tf_static", heard.append)
    spec = open_suite("pick_category/seen").specs[0]
    offset = {"static_camera": Offset(translation_m=(0.0, 0.0, 0.02))}
    moved = spec.model_copy(update={"randomization": spec.randomization.model_copy(update={"camera_offsets": offset})})

    def announced() -> float:
        camera = rig.camera("static_camera").optical_frame
        frames = {item.child_frame_id: item.transform.translation.z for item in heard[-1].transforms}
        return frames[camera]

    height_m = rig.camera("static_camera").parent_from_optical.xyz[2]
    for shown, wanted_m in ((moved, height_m - 0.02), (spec, height_m)):
        before = len(heard)
        request = ResetEpisode.Request(episode_id="e", spec_json=shown.to_json(), condition="normal")
        assert bridge._on_reset(request, ResetEpisode.Response()).ok
        spin_until(listener, lambda before=before: len(heard) > before)
        spin_until(listener, lambda wanted_m=wanted_m: abs(announced() - wanted_m) < 1e-9)
    listener.destroy_node()
