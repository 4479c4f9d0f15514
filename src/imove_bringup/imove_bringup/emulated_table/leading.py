"""What the hands at the leaders do while somebody teleoperates."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

import numpy as np
from numpy.random import Generator

from imove_bringup.emulated_table.hands import HandPlant, approach, wander
from imove_bringup.emulated_table.plant import SimulatedArm
from imove_core.errors import ImoveError
from imove_core.rig import Rig
from imove_core.transforms import Array

HOLD, WANDER, EXPERT = "hold", "wander", "expert"
SCRIPTS = (HOLD, WANDER, EXPERT)
#: Phases of teleoperation (TeleopState) in which a hand brings its leader to where the follower is.
ALIGNING = frozenset({"waiting", "ready", "aligning"})
RUNNING = "running"
WAY_POINTS = 6


class LeaderHands:
    """Brings leaders to their followers, and lets them do their script while teleoperation runs."""

    def __init__(
        self,
        rig: Rig,
        hands: Mapping[str, HandPlant],
        followers: Mapping[str, SimulatedArm],
        move: Callable[[str, Array], None],
        script: str,
        rng: Generator,
        demonstrate: Callable[[Array], Array],
        on_error: Callable[[str], None],
    ) -> None:
        """Takes hold of the leaders.

        Args:
            rig: The embodiment.
            hands: Where leaders are, by the arm that follows; may be empty.
            followers: By arm.
            move: Has the hand at the leader of an arm move through rows (T, 7) from now on.
            script: One of `SCRIPTS`.
            rng: Draws way-points.
            demonstrate: Targets (T, D) of an expert from positions (D,) on; raises ImoveError where there are none.
            on_error: Called with a sentence where there is no demonstration.
        """
        self._rig, self._hands, self._followers, self._move = rig, hands, followers, move
        self._script, self._rng = script, rng
        self._demonstrate, self._on_error = demonstrate, on_error
        self._phase = ""

    def see(self, phase: str) -> None:
        """Reacts to a change of the phase of teleoperation."""
        if phase == self._phase or not self._hands:
            return
        self._phase = phase
        if phase in ALIGNING:
            self._bring_to_followers()
        elif phase == RUNNING and self._script == WANDER:
            self._wander()
        elif phase == RUNNING and self._script == EXPERT:
            # Planning takes a while; the hands rest until it is done.
            threading.Thread(target=self._perform, name="demonstration", daemon=True).start()
        else:
            for name, hand in self._hands.items():
                self._move(name, hand.positions[None])

    def _bring_to_followers(self) -> None:
        for name, hand in self._hands.items():
            self._move(name, self._joined(hand.positions, self._followers[name].positions))

    def _wander(self) -> None:
        rate_hz = self._rig.control_rate_hz
        for name, hand in self._hands.items():
            self._move(name, wander(self._rig.arm(name), hand.positions, self._rng, WAY_POINTS, rate_hz))

    def _perform(self) -> None:
        try:
            rows = self._demonstrate(np.concatenate([self._followers[arm.name].positions for arm in self._rig.arms]))
        except ImoveError as error:
            self._on_error(str(error))
            return
        if self._phase != RUNNING:
            return
        for name, motion in self._rig.split(rows).items():
            if name in self._hands:
                self._move(name, np.vstack([self._joined(self._hands[name].positions, motion[0]), motion]))

    def _joined(self, start: Array, goal: Array) -> Array:
        return np.vstack([start, approach(start, goal, self._rig.control_rate_hz)])
