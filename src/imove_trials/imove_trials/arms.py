"""The arms of a rig behind their drivers, as the conductor hears and moves them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from imove_core import contract
from imove_core.errors import ImoveError
from imove_core.rig import Arm, Rig
from imove_core.transforms import Array
from imove_ros.by_hand import Newest
from imove_ros.conversions import joint_trajectory, ns_from_time, positions_of
from imove_ros.presence import POLL_S, wait_for
from imove_ros.qos import ContractTopics

NS = 1_000_000_000
FRESH_NS = NS
"""Measured positions that are older count for nothing."""
STATUS_FRESH_S = 5.0
"""What a driver said of itself longer ago counts for nothing."""
LEAD_NS = 100_000_000
"""So long after a command is sent it begins: it is with every driver by then."""
RESUME_TIMEOUT_S = 20.0
UNLOCKED_TIMEOUT_S = 5.0
"""How long a driver may take to say that its arm is no longer locked."""
LOCKED = "locked"
"""What drivers call an arm that moves only after a person's word."""


class RosArms:
    """Joint states in, trajectories out, what drivers say of themselves, and the word that resumes them."""

    def __init__(self, node: Node, topics: ContractTopics, rig: Rig, group: Any) -> None:
        """Subscribes.

        Args:
            node: The conductor.
            topics: Of the conductor.
            rig: The embodiment.
            group: Callback group that runs beside long callbacks.
        """
        self._node, self._rig = node, rig
        self._lock = threading.Lock()
        # They come at 200 Hz an arm, and are read only when somebody asks.
        self._joints = {arm.name: Newest(node, JointState, contract.joint_states_topic(arm.name)) for arm in rig.arms}
        self._said: dict[str, tuple[DiagnosticStatus, float]] = {}
        self._commands = {
            arm.name: topics.publisher(JointTrajectory, contract.joint_trajectory_topic(arm.name)) for arm in rig.arms
        }
        self._resumes = {
            arm.name: node.create_client(Trigger, contract.arm_resume_service(arm.name), callback_group=group)
            for arm in rig.arms
        }
        topics.subscribe(DiagnosticArray, contract.DIAGNOSTICS_TOPIC, self._on_diagnostics, callback_group=group)

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        now_s = time.monotonic()
        with self._lock:
            self._said.update((status.name, (status, now_s)) for status in message.status)

    def positions(self) -> Array | None:
        """(D,) measured within the last moment, None where an arm is silent."""
        parts = [self._positions(arm) for arm in self._rig.arms]
        return None if any(part is None for part in parts) else np.concatenate([p for p in parts if p is not None])

    def _positions(self, arm: Arm) -> Array | None:
        message = self._joints[arm.name].get()
        if message is None or self._node.get_clock().now().nanoseconds - ns_from_time(message.header.stamp) > FRESH_NS:
            return None
        try:
            return positions_of(message, arm)
        except ImoveError as error:
            self._node.get_logger().warning(str(error), throttle_duration_sec=5.0)
            return None

    def blocked(self) -> str:
        """Why an arm moves only after a person's word, "" where none is so."""
        return self._first(lambda status: _mode_of(status) == LOCKED)

    def waiting(self) -> str:
        """Why an arm takes no commands now, "" where all do, or say nothing of themselves."""
        return self._first(lambda status: status.level != DiagnosticStatus.OK)

    def _first(self, matches: Callable[[DiagnosticStatus], bool]) -> str:
        for arm in self._rig.arms:
            status = self._status(f"arm/{arm.name}")
            if status is not None and matches(status):
                return f"arm {arm.name} is {status.message}"
        return ""

    def faults(self) -> str:
        """What of arms and cameras has failed, "" for nothing."""
        if waiting := self.waiting():
            return waiting
        for camera in self._rig.cameras:
            status = self._status(f"camera/{camera.name}")
            if status is not None and status.level == DiagnosticStatus.ERROR:
                return f"{camera.name}: {status.message}"
        return ""

    def _status(self, name: str) -> DiagnosticStatus | None:
        with self._lock:
            status, heard_s = self._said.get(name, (None, 0.0))
        return status if status is not None and time.monotonic() - heard_s < STATUS_FRESH_S else None

    def send(self, rows: Array) -> None:
        """Sends targets (T, D), one control period apart, to begin in a moment."""
        stamp_ns = self._node.get_clock().now().nanoseconds + LEAD_NS
        offsets_ns = [round((row + 1) * NS / self._rig.control_rate_hz) for row in range(len(rows))]
        for arm in self._rig.arms:
            part = self._rig.split(rows)[arm.name]
            self._commands[arm.name].publish(joint_trajectory(arm, stamp_ns, offsets_ns, part))

    def hold(self) -> None:
        """Tells every arm to stay where it is measured; drivers that are locked take no notice."""
        for arm in self._rig.arms:
            positions = self._positions(arm)
            if positions is not None:
                stamp_ns = self._node.get_clock().now().nanoseconds
                self._commands[arm.name].publish(joint_trajectory(arm, stamp_ns, [LEAD_NS], positions[None]))

    def resume(self) -> str:
        """Has every driver resumed, from a thread that is not the executor's.

        Returns:
            "" where all take commands again, else why one does not.
        """
        for name, client in self._resumes.items():
            status = self._status(f"arm/{name}")
            # A driver refuses to resume what is not locked.
            if status is not None and status.level == DiagnosticStatus.OK:
                continue
            if not client.wait_for_service(timeout_sec=1.0):
                return f"the driver of arm {name} is not there"
            response = wait_for(client.call_async(Trigger.Request()), RESUME_TIMEOUT_S, client.service_is_ready)
            if response is None:
                return f"the driver of arm {name} did not answer"
            if not response.success:
                return f"arm {name}: {response.message}"
        return self._unlocked()

    def _unlocked(self) -> str:
        """Waits until no driver calls its arm locked any more; why one still does, "" where none does."""
        deadline = time.monotonic() + UNLOCKED_TIMEOUT_S
        while (blocked := self.blocked()) and time.monotonic() < deadline:
            time.sleep(POLL_S)
        return blocked


def _mode_of(status: DiagnosticStatus) -> str:
    """What a driver does, "" where it does not say."""
    return next((item.value for item in status.values if item.key == "mode"), "")
