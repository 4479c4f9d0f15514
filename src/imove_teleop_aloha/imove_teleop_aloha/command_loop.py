"""The loop that commands: takes what the relay says and publishes it, 200 times a second."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from imove_core import contract
from imove_core.rig import Rig
from imove_ros.conversions import NS, joint_state, joint_trajectory
from imove_ros.qos import ContractTopics
from imove_ros.safety import EMERGENCY_STOP, EmergencyStop
from imove_teleop_aloha.leaders.keyboard import JoggedLeader
from imove_teleop_aloha.loop_clock import Durations, LoopClock
from imove_teleop_aloha.machine import MOVING
from imove_teleop_aloha.relay import Relay
from imove_teleop_aloha.settings import FollowingSettings


class CommandLoop:
    """Publishes short commands, and leaders that are jogged; measures its periods and the lag of commands."""

    def __init__(
        self,
        node: Node,
        rig: Rig,
        relay: Relay,
        stop: EmergencyStop,
        jogged: JoggedLeader | None,
        settings: FollowingSettings,
        take_leaders: Callable[[], None],
    ) -> None:
        """Does not run yet.

        Args:
            node: Which publishes.
            rig: The embodiment.
            relay: Says what is commanded.
            stop: While it is on nothing is.
            jogged: The leaders, None where they are arms.
            settings: Of following.
            take_leaders: Tells the relay what leaders have said by now.
        """
        topics = ContractTopics(node, rig)
        self._clock, self._rig, self._relay, self._stop, self._jogged = node.get_clock(), rig, relay, stop, jogged
        self._commands = {
            arm.name: topics.publisher(JointTrajectory, contract.joint_trajectory_topic(arm.name)) for arm in rig.arms
        }
        self._leaders = (
            {a.name: topics.publisher(JointState, contract.leader_states_topic(a.name)) for a in rig.arms}
            if jogged
            else {}
        )
        self._take_leaders = take_leaders
        self._ahead_ns = round(settings.ahead_s * NS)
        self._period_s = settings.period_s
        self._followed_s = {arm.name: -math.inf for arm in rig.arms}
        self.loop = LoopClock(settings.period_s, self._on_period)
        self.since_ns = 0
        """Stamp of the episode's first observation: simulated time is heard of a little later than that."""
        self.lag = Durations()
        """From a leader's state to the command that it leads to, s."""

    def _on_period(self, now_s: float) -> None:
        self._take_leaders()
        self._relay.set_fault("emergency_stop", f"{EMERGENCY_STOP} is on" if self._stop.on else "")
        if self._jogged is not None:
            self._lead(self._jogged, now_s)
        commands = self._relay.tick(now_s)
        if commands is None:
            return
        stamp_ns = max(self.since_ns, self._clock.now().nanoseconds)
        for arm in self._rig.arms:
            message = joint_trajectory(arm, stamp_ns, [self._ahead_ns], commands[arm.name][None])
            self._commands[arm.name].publish(message)
        self._measure()

    def _lead(self, jogged: JoggedLeader, now_s: float) -> None:
        where = self._relay.where()
        if where is None:
            return
        if self._relay.phase not in MOVING:
            jogged.sit(where)
        positions, velocities = (self._rig.split(values) for values in jogged.advance(now_s, self._period_s))
        stamp_ns = self._clock.now().nanoseconds
        for arm in self._rig.arms:
            name, empty = arm.name, np.zeros(arm.size)
            self._relay.hear_leader(name, arm.joint_names, positions[name].tolist(), now_s)
            self._leaders[name].publish(
                joint_state(stamp_ns, arm.joint_names, positions[name], velocities[name], empty)
            )

    def _measure(self) -> None:
        """Notes the lag of each state of a leader that this period is the first to follow."""
        now_s = time.monotonic()
        for name, heard_s in self._relay.leader_times_s().items():
            if heard_s > self._followed_s[name]:
                self._followed_s[name] = heard_s
                self.lag.add(now_s - heard_s)
