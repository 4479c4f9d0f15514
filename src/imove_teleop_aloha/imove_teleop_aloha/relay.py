"""Ties leaders, followers, limits and phases together: what each period of the loop commands."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from imove_core.rig import Rig
from imove_core.transforms import Array
from imove_teleop_aloha.alignment import StartGate
from imove_teleop_aloha.deadman import Deadman
from imove_teleop_aloha.limiting import Limiter, Pace
from imove_teleop_aloha.machine import IN_EPISODE, MOVING, Machine, Phase, Situation
from imove_teleop_aloha.mapping import follower_positions
from imove_teleop_aloha.settings import LEADER_DRIVES, FollowingSettings
from imove_teleop_aloha.staleness import Freshness


@dataclass(frozen=True)
class View:
    """What there is to be told of teleoperation at a moment.

    Attributes:
        phase: See `machine.Phase`.
        enabled: Whether the deadman is held, or none is asked for.
        misalignment_rad: By arm, largest difference of a joint between leader and follower; infinite before both were
            heard of.
        leader_age_s: By arm, age of the leader's newest state.
        message: One sentence for the operator.
        interruptions: Why the arms held, each time since the episode began.
    """

    phase: Phase
    enabled: bool
    misalignment_rad: dict[str, float]
    leader_age_s: dict[str, float]
    message: str
    interruptions: tuple[str, ...]


class Relay:
    """Follows leaders while a person wants it and nothing is wrong; every method may be called from any thread.

    While it holds it brakes the arms on the shortest way and then says nothing: drivers hold where commands run out.
    """

    def __init__(self, rig: Rig, wiring: str, deadman: Deadman, settings: FollowingSettings) -> None:
        """Waits for leaders and followers.

        Args:
            rig: Of the arms that follow.
            wiring: See `settings.WIRINGS`; where the leader drives its follower nothing is ever commanded.
            deadman: Held by a person.
            settings: Limits of following.
        """
        names = [arm.name for arm in rig.arms]
        speeds = np.concatenate([arm.velocity_limits for arm in rig.arms])
        self._rig, self._settings, self._deadman = rig, settings, deadman
        self._grippers = np.cumsum([arm.size for arm in rig.arms]) - 1
        self._commands = wiring != LEADER_DRIVES
        self._gate = StartGate(rig, settings)
        self._pace = Pace.of(rig, settings.rate_hz, speeds * settings.speed_scale)
        self._machine = Machine()
        self._limiter = Limiter(rig.home_positions)
        self._leader_ages = Freshness(names, settings.stale_s)
        self._follower_ages = Freshness(names, settings.follower_stale_s)
        self._leaders = dict.fromkeys(names, np.zeros(0))
        self._followers = dict.fromkeys(names, np.zeros(0))
        self._faults: dict[str, str] = {}
        self._apart_since_s: float | None = None
        self._now_s = 0.0
        self._lock = threading.RLock()

    def hear_leader(self, arm: str, names: Sequence[str], positions: Sequence[float], at_s: float) -> None:
        """Takes a leader's state; one that is not whole is not taken, so that the arms hold before long.

        Args:
            arm: Name of the arm that follows.
            names: See `mapping.follower_positions`.
            positions: The same.
            at_s: When it was true, on the loop's clock.

        Raises:
            ImoveError: The state is not whole.
        """
        wanted = follower_positions(self._rig.arm(arm), names, positions)
        with self._lock:
            self._leaders[arm] = wanted
            self._leader_ages.heard(arm, at_s)

    def hear_follower(self, arm: str, positions: Array, at_s: float) -> None:
        """Takes the measured positions (size,) of an arm that follows."""
        with self._lock:
            self._followers[arm] = positions
            self._follower_ages.heard(arm, at_s)

    def forget_followers(self) -> None:
        """Waits for new states of the followers: those that came so far are of another episode."""
        with self._lock:
            self._follower_ages.forget()
            self._limiter.reset(self._limiter.target)
            self._machine.observe(self._situation(self._now_s))

    def set_fault(self, source: str, sentence: str) -> None:
        """Says what is wrong with something, "" for nothing."""
        with self._lock:
            self._faults[source] = sentence

    def hold_deadman(self, hold_s: float) -> None:
        """Holds the deadman for so long from now on."""
        with self._lock:
            self._deadman.hold(self._now_s, hold_s)

    def release_deadman(self) -> None:
        """Lets go of the deadman."""
        with self._lock:
            self._deadman.release()

    def begin(self) -> None:
        """Begins to follow, through the start gate; raises ImoveError with what is wrong."""
        with self._lock:
            self._machine.begin(self._situation(self._now_s))
            self._limiter.reset(self._all(self._followers))
            self._apart_since_s = None

    def resume(self) -> None:
        """Goes on after a pause or a hold, through the start gate; raises ImoveError with what is wrong."""
        with self._lock:
            self._machine.resume(self._situation(self._now_s))
            self._take_over()

    def pause(self) -> None:
        """Holds; raises ImoveError where nothing moves."""
        with self._lock:
            self._machine.pause()

    def end(self, message: str) -> None:
        """Ends the episode; the arms hold until `settle`."""
        with self._lock:
            self._machine.end(message)

    def settle(self) -> None:
        """The episode has been judged."""
        with self._lock:
            self._machine.settle()

    def tick(self, now_s: float) -> dict[str, Array] | None:
        """What is to be commanded in this period of the loop.

        Args:
            now_s: Time of the loop's clock.

        Returns:
            Positions (size,) by arm; None where nothing is commanded.
        """
        with self._lock:
            self._now_s = now_s
            before = self._machine.phase
            self._machine.observe(self._situation(now_s))
            phase = self._machine.phase
            if phase in MOVING and before not in MOVING:
                self._take_over()
            if not self._commands:
                return None
            if phase in MOVING:
                pace = self._gate.pace if phase is Phase.ALIGNING else self._pace
                return self._rig.split(self._limiter.advance(self._all(self._leaders), pace))
            if self._broken(now_s):
                self._limiter.reset(self._limiter.target)
            if self._limiter.at_rest:
                return None
            return self._rig.split(self._limiter.brake(self._pace))

    def view(self) -> View:
        """What there is to be told."""
        with self._lock:
            apart = {arm.name: np.inf for arm in self._rig.arms}
            if self._heard_all(self._leaders, self._followers):
                apart = self._gate.misalignment_rad(self._all(self._leaders), self._all(self._followers))
            message = self._machine.message
            if self._machine.phase is Phase.ALIGNING:
                message = f"{message}; {self._gate.worst(self._all(self._leaders), self._reached())}"
            return View(
                self._machine.phase,
                self._deadman.held(self._now_s),
                apart,
                self._leader_ages.ages_s(self._now_s),
                message,
                tuple(self._machine.interruptions),
            )

    @property
    def phase(self) -> Phase:
        """See `machine.Phase`."""
        return self._machine.phase

    def where(self) -> Array | None:
        """Where the followers are (D,), None before all were heard of.

        In an episode a gripper that holds something is where it is told to be.
        """
        with self._lock:
            if not self._heard_all(self._followers):
                return None
            return self._reached() if self._machine.phase in IN_EPISODE else self._all(self._followers)

    def leader_times_s(self) -> dict[str, float]:
        """By arm, when the leader's newest state was true."""
        with self._lock:
            return dict(self._leader_ages.newest_s)

    def _take_over(self) -> None:
        """Goes on from where the arms are; a gripper keeps its target, or it would let go of what it holds."""
        self._apart_since_s = None
        if self._limiter.at_rest:
            self._limiter.reset(self._reached())

    def _reached(self) -> Array:
        """Where the arms are (D,); a gripper that holds something is where it is told to be."""
        followers = self._all(self._followers)
        followers[self._grippers] = self._limiter.target[self._grippers]
        return followers

    def _situation(self, now_s: float) -> Situation:
        enabled = self._deadman.held(now_s)
        fault = self._broken(now_s) or self._stale(now_s)
        if fault:
            return Situation(fault, enabled, False)
        leaders, followers = self._all(self._leaders), self._all(self._followers)
        fault = self._strayed(leaders, followers, now_s)
        aligned = not self._commands or self._gate.is_open(leaders, self._limiter.target, self._reached())
        return Situation(fault, enabled, aligned)

    def _broken(self, now_s: float) -> str:
        """What keeps arms from being commanded at all, "" for nothing."""
        said = next((sentence for sentence in self._faults.values() if sentence), "")
        if not said and (lost := self._follower_ages.stale(now_s)):
            said = f"arm '{lost[0]}' has said nothing for more than {self._settings.follower_stale_s:g} s"
        return said

    def _stale(self, now_s: float) -> str:
        lost = self._leader_ages.stale(now_s)
        return (
            f"the leader of arm '{lost[0]}' has said nothing for more than {self._settings.stale_s:g} s" if lost else ""
        )

    def _strayed(self, leaders: Array, followers: Array, now_s: float) -> str:
        """Whether leader, target and follower belong together while the arms follow; "" where they do."""
        settings, phase = self._settings, self._machine.phase
        if not self._commands or phase not in MOVING:
            self._apart_since_s = None
            return ""
        lead = np.abs(leaders - self._limiter.target)
        if phase is Phase.RUNNING and np.max(lead) > settings.lead_rad:
            joint = self._rig.joint_names[int(np.argmax(lead))]
            return f"the leader of {joint} is {np.max(lead):.2f} rad ahead; {settings.lead_rad:g} rad is allowed"
        apart = np.abs(followers - self._limiter.target)
        if np.max(apart) <= settings.apart_rad:
            self._apart_since_s = None
        elif self._apart_since_s is None:
            self._apart_since_s = now_s
        elif now_s - self._apart_since_s > settings.apart_s:
            joint = self._rig.joint_names[int(np.argmax(apart))]
            return f"{joint} is {np.max(apart):.2f} rad from where it is told to be: it does not follow"
        return ""

    def _heard_all(self, *groups: dict[str, Array]) -> bool:
        return all(len(values) for group in groups for values in group.values())

    def _all(self, by_arm: dict[str, Array]) -> Array:
        return np.concatenate([by_arm[arm.name] for arm in self._rig.arms])
