"""Leaders that nobody guides, as a node: to try teleoperation out, and to test it."""

from __future__ import annotations

import time

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import JointState

from imove_core import contract
from imove_core.rig import load_rig
from imove_ros.conversions import joint_state
from imove_ros.node_main import run_node
from imove_ros.parameters import declare
from imove_ros.promptness import go_first
from imove_ros.qos import ContractTopics
from imove_teleop_aloha.leaders.scripted import ScriptedMotion
from imove_teleop_aloha.loop_clock import LoopClock
from imove_teleop_aloha.settings import FollowingSettings


class ScriptedLeader(Node):
    """Publishes the joint states of all leaders of a rig, 200 times a second."""

    def __init__(self) -> None:
        """Reads the parameters and begins to move."""
        super().__init__("scripted_leader")
        self._rig = load_rig(declare(self, "rig", "piperx_dual"))
        self._motion = ScriptedMotion(self._rig, np.random.default_rng(declare(self, "seed", 0)))
        topics = ContractTopics(self, self._rig)
        self._publishers_of = {
            arm.name: topics.publisher(JointState, contract.leader_states_topic(arm.name)) for arm in self._rig.arms
        }
        self._began_s = time.monotonic()
        self._loop = LoopClock(FollowingSettings().period_s, self._on_period)
        self._loop.start()

    def _on_period(self, now_s: float) -> None:
        positions, velocities = (self._rig.split(values) for values in self._motion.at(now_s - self._began_s))
        stamp_ns = self.get_clock().now().nanoseconds
        for arm in self._rig.arms:
            name, efforts = arm.name, np.zeros(arm.size)
            message = joint_state(stamp_ns, arm.joint_names, positions[name], velocities[name], efforts)
            self._publishers_of[name].publish(message)

    def destroy_node(self) -> None:
        """Stands still, then ends the node."""
        self._loop.stop()
        super().destroy_node()


def main() -> None:
    """Runs the node until it is interrupted."""
    go_first()
    run_node(ScriptedLeader)
