"""The state of teleoperation as messages."""

from __future__ import annotations

import math

from diagnostic_msgs.msg import DiagnosticArray
from imove_interfaces.msg import TeleopState

from imove_core.rig import Rig
from imove_ros.diagnostics import diagnostic_array
from imove_teleop_aloha.loop_clock import Figures
from imove_teleop_aloha.machine import Phase
from imove_teleop_aloha.relay import View

UNKNOWN = -1.0
"""Of what has not been heard of yet."""


def teleop_state(rig: Rig, view: View, loop_rate_hz: float, jitter_s: Figures, lag_s: Figures) -> TeleopState:
    """The state without a stamp, and without what is said of episodes."""
    return TeleopState(
        phase=view.phase.value,
        enabled=view.enabled,
        arms=[arm.name for arm in rig.arms],
        misalignment=[_known(view.misalignment_rad[arm.name]) for arm in rig.arms],
        leader_age_s=[_known(view.leader_age_s[arm.name]) for arm in rig.arms],
        loop_rate_hz=loop_rate_hz,
        loop_jitter_p99_s=jitter_s.p99,
        lag_p99_s=lag_s.p99,
    )


def health(state: TeleopState) -> DiagnosticArray:
    """What /diagnostics says of teleoperation."""
    bad = state.phase in (Phase.WAITING.value, Phase.HOLDING.value)
    values = {
        "phase": state.phase,
        "episode_id": state.episode_id,
        "loop_rate_hz": f"{state.loop_rate_hz:.1f}",
        "loop_jitter_p99_ms": f"{state.loop_jitter_p99_s * 1e3:.2f}",
        "lag_p99_ms": f"{state.lag_p99_s * 1e3:.2f}",
        "kept": str(state.episodes_kept),
        "discarded": str(state.episodes_discarded),
    }
    array = diagnostic_array("teleop", "leaders", "warn" if bad else "ok", state.message, values)
    array.header.stamp = state.header.stamp
    return array


def _known(value: float) -> float:
    return value if math.isfinite(value) else UNKNOWN
