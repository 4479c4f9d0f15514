"""Phases of teleoperation: when arms may move, and what must happen before they may move again."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from imove_core.errors import ImoveError


class Phase(StrEnum):
    """What teleoperation does.

    Attributes:
        WAITING: Something is missing or wrong; nothing moves.
        READY: All is there; nothing moves.
        ALIGNING: Followers are brought to their leaders, slowly.
        RUNNING: Followers follow.
        PAUSED: A person has interrupted; the arms hold.
        HOLDING: Something has gone wrong; the arms hold until a person resumes.
        STOPPED: The episode is over; the arms hold until a person has judged it.
    """

    WAITING = "waiting"
    READY = "ready"
    ALIGNING = "aligning"
    RUNNING = "running"
    PAUSED = "paused"
    HOLDING = "holding"
    STOPPED = "stopped"


MOVING = frozenset({Phase.ALIGNING, Phase.RUNNING})
"""The only phases in which a follower goes anywhere."""
IN_EPISODE = frozenset({*MOVING, Phase.PAUSED, Phase.HOLDING})
TRANSITIONS: dict[Phase, frozenset[Phase]] = {
    Phase.WAITING: frozenset({Phase.READY}),
    Phase.READY: frozenset({Phase.WAITING, Phase.ALIGNING, Phase.PAUSED}),
    Phase.ALIGNING: frozenset({Phase.RUNNING, Phase.PAUSED, Phase.HOLDING, Phase.STOPPED}),
    Phase.RUNNING: frozenset({Phase.PAUSED, Phase.HOLDING, Phase.STOPPED}),
    Phase.PAUSED: frozenset({Phase.ALIGNING, Phase.HOLDING, Phase.STOPPED}),
    Phase.HOLDING: frozenset({Phase.ALIGNING, Phase.STOPPED}),
    Phase.STOPPED: frozenset({Phase.READY}),
}
"""From each phase, those that may come next; into a moving one always through the start gate."""
LET_GO = "the deadman is let go of: hold it to go on"


@dataclass(frozen=True)
class Situation:
    """What is true at a period of the loop.

    Attributes:
        fault: Why nothing may move, as a sentence without a full stop; "" where all is well.
        enabled: Whether the deadman is held, or none is asked for.
        aligned: Whether all followers are within the tolerance of their leaders.
    """

    fault: str
    enabled: bool
    aligned: bool


class Machine:
    """Holds the phase; only the methods of this class change it, and only as `TRANSITIONS` allows."""

    def __init__(self) -> None:
        """Waits."""
        self.phase = Phase.WAITING
        self.message = "waiting for leaders and followers"
        """One sentence for the operator."""
        self.interruptions: list[str] = []
        """Why the arms held, each time since the episode began."""
        self._deadman_paused = False

    def observe(self, now: Situation) -> None:
        """Takes what is true now; goes from phase to phase where that follows from it."""
        if self.phase in (Phase.WAITING, Phase.READY):
            self._idle(now)
        elif self.phase is not Phase.STOPPED:
            self._in_episode(now)

    def begin(self, now: Situation) -> None:
        """Begins to follow, through the start gate.

        Raises:
            ImoveError: Something is missing or wrong, or an episode runs.
        """
        self.observe(now)
        if self.phase is not Phase.READY:
            raise ImoveError(f"teleoperation cannot begin while it is {self.phase.value}: {self.message}")
        self.interruptions = []
        self._align(now)

    def pause(self) -> None:
        """Holds, on a person's word; raises ImoveError where nothing moves."""
        if self.phase not in MOVING:
            raise ImoveError(f"nothing moves that could be paused: teleoperation is {self.phase.value}")
        self._deadman_paused = False
        self._interrupt(Phase.PAUSED, "paused: resume to go on")

    def resume(self, now: Situation) -> None:
        """Goes on after a pause or a hold, through the start gate.

        Raises:
            ImoveError: Nothing is held, or what was wrong still is.
        """
        if self.phase not in (Phase.PAUSED, Phase.HOLDING):
            raise ImoveError(f"nothing is held that could be resumed: teleoperation is {self.phase.value}")
        if now.fault:
            raise ImoveError(f"not resumed: {now.fault}")
        if not now.enabled:
            raise ImoveError("not resumed: the deadman is not held")
        self._align(now)

    def end(self, message: str) -> None:
        """Ends the episode, whatever it does; the arms hold until `settle`."""
        if self.phase in IN_EPISODE:
            self._to(Phase.STOPPED, message)

    def settle(self) -> None:
        """The episode has been judged: the next one may begin."""
        if self.phase is Phase.STOPPED:
            self._to(Phase.READY, "ready")

    def _idle(self, now: Situation) -> None:
        if now.fault:
            if self.phase is Phase.READY:
                self._to(Phase.WAITING, now.fault)
            self.message = now.fault
        elif self.phase is Phase.WAITING:
            self._to(Phase.READY, "ready: start begins an episode")

    def _in_episode(self, now: Situation) -> None:
        if self.phase is Phase.HOLDING:
            return
        if now.fault:
            self._interrupt(Phase.HOLDING, f"{now.fault}: the arms hold until resume")
        elif self.phase is Phase.PAUSED:
            if self._deadman_paused and now.enabled:
                self._align(now)
        elif not now.enabled:
            self._deadman_paused = True
            self._interrupt(Phase.PAUSED, LET_GO)
        elif self.phase is Phase.ALIGNING and now.aligned:
            self._to(Phase.RUNNING, "following")

    def _align(self, now: Situation) -> None:
        if now.enabled:
            self._to(Phase.ALIGNING, "aligning: the arms come to their leaders slowly")
        else:
            # Out of READY only: everywhere else a deadman that is not held keeps the phase.
            self._deadman_paused = True
            self._to(Phase.PAUSED, LET_GO)

    def _interrupt(self, phase: Phase, message: str) -> None:
        self.interruptions.append(message)
        self._to(phase, message)

    def _to(self, phase: Phase, message: str) -> None:
        if phase not in TRANSITIONS[self.phase]:
            raise ValueError(f"teleoperation cannot go from {self.phase.value} to {phase.value}")
        self.phase, self.message = phase, message
