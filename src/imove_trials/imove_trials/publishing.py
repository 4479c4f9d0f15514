"""Publishes where a trial stands, and that the conductor is well."""

from __future__ import annotations

import time
from dataclasses import replace

from diagnostic_msgs.msg import DiagnosticArray
from imove_interfaces.msg import TrialState
from rclpy.node import Node

from imove_core import contract
from imove_core.rig import Rig
from imove_ros.diagnostics import diagnostic_array
from imove_ros.qos import ContractTopics
from imove_trials.conversions import trial_state
from imove_trials.session import TrialSession, View

LAYOUT_PERIOD_S = 0.5
"""How often a state is published of which the measured layout alone has changed."""


class StatePublisher:
    """Publishes the state of one session, from any thread."""

    def __init__(self, node: Node, topics: ContractTopics, rig: Rig, session: TrialSession) -> None:
        """Creates the publishers."""
        self._node, self._rig, self._session = node, rig, session
        self._state = topics.publisher(TrialState, contract.TRIAL_TOPIC)
        self._diagnostics = topics.publisher(DiagnosticArray, contract.DIAGNOSTICS_TOPIC)
        self._shown: tuple[View, float] | None = None

    def show(self) -> None:
        """Publishes where the trial stands, where that is not what was published last."""
        view, now_s = self._session.view(), time.monotonic()
        if self._shown is not None:
            shown, at_s = self._shown
            same = replace(view, match=shown.match, layout=shown.layout) == shown
            if same and (view == shown or now_s - at_s < LAYOUT_PERIOD_S):
                return
        self._shown = (view, now_s)
        self._state.publish(trial_state(view, self._node.get_clock().now().to_msg()))

    def report(self) -> None:
        """Publishes the conductor's health."""
        view = self._session.view()
        values = {"phase": view.phase, "trial": str(view.number), "episode_id": view.key, "match": f"{view.match:.2f}"}
        level = "warn" if view.phase == "stopped" else "ok"
        message = diagnostic_array("trial", self._rig.name, level, view.message, values)
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._diagnostics.publish(message)
