"""How a Franka does, for people and for other nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from imove_hardware.franka.watching import RobotHealth, RobotMode

Level = Literal["ok", "warn", "error"]
_LEVELS: dict[str, Level] = {"holding": "ok", "following": "ok", "faulted": "error", "lost": "error"}


@dataclass(frozen=True)
class FrankaReport:
    """How an arm does.

    Attributes:
        bus: Its controller's address.
        mode: What the adapter does, a `Mode`.
        reason: Why the arm holds, "" where nothing keeps it.
        connected: Whether arm, hand and controller are heard.
        health: What the arm says of itself, None before it has said anything.
        silent_s: For how long the one that has been silent longest is.
        states_hz: Joint states a second.
        hand: What the hand does, or why it failed.
    """

    bus: str
    mode: str
    reason: str
    connected: bool
    health: RobotHealth | None
    silent_s: float
    states_hz: float
    hand: str

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
        """Facts by name, as /diagnostics has them; a Franka tells neither its firmware nor a temperature."""
        health = self.health
        powered = self.connected and health is not None and health.mode in (RobotMode.IDLE, RobotMode.MOVE)
        return {
            "connected": _yes(self.connected),
            "enabled": _yes(powered),
            "mode": self.mode,
            "bus": self.bus,
            "bus_age_ms": f"{1000.0 * self.silent_s:.0f}",
            "frames_hz": f"{self.states_hz:.0f}",
            "firmware": "",
            "fault": self.reason if self.mode in ("faulted", "lost") else "",
            "temperature_c": "",
            "holding": self.reason,
            "robot_mode": health.mode.name.lower() if health is not None else "",
            "errors": ", ".join(health.errors) if health is not None else "",
            "last_motion_errors": ", ".join(health.last_errors) if health is not None else "",
            "hand": self.hand,
        }


def _yes(value: bool) -> str:
    return "true" if value else "false"
