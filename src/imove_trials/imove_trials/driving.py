"""Drives the arms home and watches that they get there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from imove_core.errors import ImoveError
from imove_core.rig import Rig
from imove_core.transforms import Array
from imove_motion.safety.settings import SafetySettings
from imove_trials.homing import away_from_home, way_home

POLL_S = 0.1
READY_TIMEOUT_S = 60.0
"""How long drivers may take to find their arms."""
ARRIVAL_TIMEOUT_S = 10.0
"""How much longer than planned a motion may take."""
_SILENT = "the joint states of an arm have ceased"
CANCELLED = "the way home was stopped"


class Arms(Protocol):
    """The arms of a rig behind their drivers."""

    def positions(self) -> Array | None:
        """(D,) measured within the last moment, None where an arm is silent."""
        ...

    def blocked(self) -> str:
        """Why an arm moves only after a person's word, "" where none is so."""
        ...

    def waiting(self) -> str:
        """Why an arm takes no commands now, "" where all do."""
        ...

    def send(self, rows: Array) -> None:
        """Sends targets (T, D), one control period apart, to begin in a moment."""
        ...


class Clock(Protocol):
    """Monotonic time."""

    def now_s(self) -> float:
        """Seconds since whenever."""
        ...

    def sleep(self, seconds: float) -> None:
        """Waits."""
        ...


class HomeDriver:
    """Drives one rig home."""

    def __init__(self, rig: Rig, settings: SafetySettings, arms: Arms, clock: Clock) -> None:
        """Collaborators.

        Args:
            rig: The embodiment.
            settings: What the guard holds motions to.
            arms: To move.
            clock: To wait by.
        """
        self._rig, self._settings, self._arms, self._clock = rig, settings, arms, clock

    def drive(self, cancelled: Callable[[], bool]) -> str:
        """Moves all arms home.

        Args:
            cancelled: Asked again and again; whoever cancels also holds the arms.

        Returns:
            "" once they have arrived, else why they have not.
        """
        if fault := self._wait_until_ready(cancelled):
            return fault
        positions = self._arms.positions()
        if positions is None:
            return _SILENT
        try:
            way = way_home(self._rig, positions, self._settings)
        except ImoveError as error:
            return str(error)
        if not len(way.rows):
            return ""
        if cancelled():
            return CANCELLED
        self._arms.send(way.rows)
        return self._watch(way.duration_s(self._rig.control_rate_hz), cancelled)

    def _wait_until_ready(self, cancelled: Callable[[], bool]) -> str:
        deadline = self._clock.now_s() + READY_TIMEOUT_S
        while True:
            if cancelled():
                return CANCELLED
            if blocked := self._arms.blocked():
                return blocked
            waiting = self._arms.waiting()
            if not waiting and self._arms.positions() is not None:
                return ""
            if self._clock.now_s() > deadline:
                return waiting or "no joint states of all arms arrive; are the drivers running?"
            self._clock.sleep(POLL_S)

    def _watch(self, duration_s: float, cancelled: Callable[[], bool]) -> str:
        start_s = self._clock.now_s()
        while True:
            if cancelled():
                return CANCELLED
            if fault := self._arms.blocked() or self._arms.waiting():
                return fault
            positions = self._arms.positions()
            away = (
                "the joint states of an arm have ceased" if positions is None else away_from_home(self._rig, positions)
            )
            elapsed_s = self._clock.now_s() - start_s
            # Before the end an arm may pass by its home; afterwards what is away has not arrived.
            if not away and elapsed_s >= duration_s:
                return ""
            if elapsed_s > duration_s + ARRIVAL_TIMEOUT_S:
                return away
            self._clock.sleep(POLL_S)
