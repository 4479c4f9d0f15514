"""Taking over an arm: power for its motors, then the mode in which it takes commands over CAN."""

from __future__ import annotations

from imove_core.errors import ImoveError
from imove_hardware.piper.connection import Connection
from imove_hardware.piper.health import ControlMode
from imove_hardware.piper.sending import Sender

PATIENCE_S = 5.0
"""The vendor's own nodes give the motors as long."""
REPEAT_S = 0.1


class Enabling:
    """One attempt; its rounds belong to the loop of the driver, so that everything else stays watched meanwhile."""

    def __init__(self, arm: str, connection: Connection, sender: Sender, now_s: float) -> None:
        """Begins with an arm of this name.

        Args:
            arm: Name of the arm.
            connection: To the arm.
            sender: To the arm.
            now_s: Steady time.
        """
        self._arm, self._connection, self._sender = arm, connection, sender
        self._end_s, self._next_s = now_s + PATIENCE_S, now_s

    def round(self, now_s: float) -> bool:
        """Whether the arm takes commands now; asks it again where it does not.

        Raises:
            ImoveError: It has taken too long.
        """
        health = self._connection.health
        if health.all_powered and health.mode is ControlMode.CAN:
            return True
        if now_s >= self._end_s:
            raise ImoveError(self._failed())
        if now_s >= self._next_s:
            self._next_s = now_s + REPEAT_S
            if not health.all_powered:
                self._connection.sdk.EnablePiper()
            else:
                self._sender.take_control()
        return False

    def _failed(self) -> str:
        health = self._connection.health
        without = [f"joint{number}" for number, powered in enumerate(health.powered, start=1) if not powered]
        if without:
            return f"arm '{self._arm}' gives no power to {', '.join(without)} within {PATIENCE_S:g} s"
        mode = health.mode.name.lower() if health.mode is not None else "unknown"
        return f"arm '{self._arm}' stays in mode {mode} and takes no commands within {PATIENCE_S:g} s"
