"""How an arm does, for people and for other nodes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from imove_hardware.piper.health import ArmHealth

Level = Literal["ok", "warn", "error"]
LISTENING = "listening"
"""Mode of what only reads."""
_LEVELS: dict[str, Level] = {
    "holding": "ok",
    "following": "ok",
    LISTENING: "ok",
    "faulted": "error",
    "lost": "error",
}


@dataclass(frozen=True)
class ArmReport:
    """How an arm does.

    Attributes:
        bus: Address of its bus.
        mode: What the driver does: an `arm_state.Mode`, or `listening`.
        reason: Why the arm holds, "" where nothing keeps it.
        connected: Whether it is heard.
        health: What it says of itself.
        silent_s: Since it was heard.
        frames_hz: Frames a second.
        mixed: Readings that were refused, since a frame of theirs was lost or late.
        firmware: Of its controller, "" where nobody knows.
    """

    bus: str
    mode: str
    reason: str
    connected: bool
    health: ArmHealth
    silent_s: float
    frames_hz: float
    mixed: int
    firmware: str

    @property
    def level(self) -> Level:
        """How bad it is."""
        return _LEVELS.get(self.mode, "warn")

    @property
    def sentence(self) -> str:
        """All in one sentence."""
        return f"{self.mode}: {self.reason}" if self.reason else self.mode

    @property
    def values(self) -> dict[str, str]:
        """Facts by name, as /diagnostics has them."""
        known = [value for value in self.health.temperatures_c if not math.isnan(value)]
        mode = self.health.mode
        return {
            "connected": _yes(self.connected),
            "enabled": _yes(self.connected and self.health.all_powered),
            "mode": self.mode,
            "bus": self.bus,
            "bus_age_ms": f"{1000.0 * self.silent_s:.0f}",
            "frames_hz": f"{self.frames_hz:.0f}",
            "firmware": self.firmware,
            "fault": self.reason if self.mode in ("faulted", "lost") else "",
            "temperature_c": f"{max(known):.0f}" if known else "",
            "holding": self.reason,
            "control_mode": mode.name.lower() if mode is not None else "",
            "mixed_cycles": str(self.mixed),
        }


def _yes(value: bool) -> str:
    return "true" if value else "false"
