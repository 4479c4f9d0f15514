"""Says in a sentence and in figures how a camera does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from imove_hardware.realsense.camera import CameraState

# Below that share of its nominal rate a camera is worth a warning.
_SLOW = 0.8


def health_of(state: CameraState) -> tuple[Literal["ok", "warn", "error"], str, Mapping[str, str]]:
    """Level, sentence and values of a camera's health.

    Args:
        state: How it does.
    """
    counts = state.counts
    values = {
        "serial": state.serial,
        "connected": str(state.connected).lower(),
        "rate_hz": f"{state.rate_hz:.1f}",
        "dropped": str(counts.dropped),
        "duplicated": str(counts.duplicated),
        "late": str(counts.late),
        "timestamp_domain": state.domain.value if state.domain else "",
        "images": str(counts.images),
        "clock_jumps": str(counts.jumps),
        "restarts": str(counts.restarts),
    }
    if not state.connected:
        return "error", state.problem, values
    if state.problem:
        return "warn", f"camera {state.serial}: {state.problem}", values
    if state.rate_hz < _SLOW * state.nominal_hz:
        return "warn", f"camera {state.serial} gives {state.rate_hz:.1f} of {state.nominal_hz} images a second", values
    return "ok", f"camera {state.serial} gives {state.rate_hz:.1f} images a second", values
