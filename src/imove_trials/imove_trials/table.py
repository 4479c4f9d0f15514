"""Carries out over the graph what a session of trials decides."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from imove_interfaces.msg import Episode, EpisodeResult
from rclpy.duration import Duration
from rclpy.node import Node
from std_msgs.msg import String

from imove_core import contract
from imove_core.rig import Rig
from imove_motion.safety.settings import SafetySettings
from imove_ros.qos import ContractTopics
from imove_trials.arms import RosArms
from imove_trials.conversions import episode_message, verdict_message
from imove_trials.driving import HomeDriver
from imove_trials.homing import away_from_home
from imove_trials.trial import Start, Trial, Verdict

BEGIN_LEAD_S = 0.3
"""So long after it is announced an episode begins: the tracker hears of it before it tells of any later moment, and
stamps never go back."""


class MonotonicClock:
    """The machine's own."""

    def now_s(self) -> float:
        """Seconds since whenever."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Waits."""
        time.sleep(seconds)


class RosTable:
    """The table behind topics and services; see `imove_trials.session.Table`."""

    def __init__(self, node: Node, topics: ContractTopics, rig: Rig, arms: RosArms, settings: SafetySettings) -> None:
        """Creates the publishers.

        Args:
            node: The conductor.
            topics: Of the node.
            rig: The embodiment.
            arms: Of the rig.
            settings: What ways home are held to.
        """
        self._node, self._rig, self._arms = node, rig, arms
        self._driver = HomeDriver(rig, settings, arms, MonotonicClock())
        self._homing = threading.Event()
        self._instruction = topics.publisher(String, contract.INSTRUCTION_TOPIC)
        self._episode = topics.publisher(Episode, contract.EPISODE_TOPIC)
        self._verdict = topics.publisher(EpisodeResult, contract.TRIAL_VERDICT_TOPIC)
        self.on_homed: Callable[[str], None] = lambda fault: None
        """Called from a thread of its own when a way home is over."""
        self.on_unlocked: Callable[[str], None] = lambda fault: None
        """Called from a thread of its own when drivers have answered."""
        self.on_blocked: Callable[[str], None] = lambda fault: None
        """Called from a thread of its own when an arm moves only after a person's word."""

    def home(self) -> None:
        """Moves the arms home in a thread of its own; an older way home ends."""
        self._homing.set()
        cancelled = self._homing = threading.Event()
        _in_background(self._home, cancelled)

    def _home(self, cancelled: threading.Event) -> None:
        fault = self._driver.drive(cancelled.is_set)
        # Whoever cancelled knows, and may have begun another way home.
        if cancelled.is_set():
            return
        if fault:
            self._arms.hold()
        if fault and (blocked := self._arms.blocked()):
            self.on_blocked(blocked)
        self.on_homed(fault)

    def halt(self) -> None:
        """Holds all arms where they are, and ends their way home."""
        self._homing.set()
        self._arms.hold()

    def unlock(self) -> None:
        """Resumes the drivers in a thread of its own."""
        _in_background(lambda: self.on_unlocked(self._arms.resume()))

    def obstacle(self) -> str:
        """Why no run can begin now, "" where it can."""
        if faults := self._arms.faults():
            return faults
        positions = self._arms.positions()
        if positions is None:
            return "no joint states of all arms arrive"
        away = away_from_home(self._rig, positions)
        return f"{away}; move the arms home first" if away else ""

    def announce(self, trial: Trial, settled_pose_hash: str) -> int:
        """Announces instruction and episode, which begins in a moment; returns its stamp, ns."""
        start = self._node.get_clock().now() + Duration(seconds=BEGIN_LEAD_S)
        self._instruction.publish(String(data=trial.instruction))
        self._episode.publish(episode_message(trial, self._rig, start.to_msg(), settled_pose_hash))
        return int(start.nanoseconds)

    def tell(self, trial: Trial, start: Start, verdict: Verdict) -> None:
        """Tells the evaluator what becomes of a trial."""
        self._verdict.publish(verdict_message(trial, start, verdict))


def _in_background(work: Callable[..., Any], *arguments: Any) -> None:
    threading.Thread(target=work, args=arguments, daemon=True).start()
