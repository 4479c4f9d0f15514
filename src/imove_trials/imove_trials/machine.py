"""The phases of trials: what may be asked for when, what follows from it, and that nothing moves after a stop.

The machine decides and does nothing itself: every input returns the effects that are to be carried out, in their order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Literal

from imove_core.errors import ImoveError
from imove_trials.trial import Decision, Trial

Phase = Literal[
    "idle", "laying_out", "checking", "ready", "running", "asking", "homing", "paused", "stopped", "done"
]  # fmt: skip
COMPLETED = "completed"
STOPPED_OUTCOMES = ("aborted: trial stopped", "aborted: emergency stop")
"""Outcomes that a person may count as the policy's failure."""
DISCARDED = "discarded by the operator"
"""What an evaluator hears of a trial that was thrown away before it began."""
QUIT = "the operator has ended the session"
EMERGENCY_STOP = "emergency stop"
OPERATOR = "the operator"
REMARKS = ("note", "intervention", "overrule")
"""Commands that change nothing of the course of a trial."""


class Act(Enum):
    """What is to be done."""

    HOME = "move the arms home"
    HALT = "hold all arms where they are"
    UNLOCK = "resume the arms' drivers"
    BEGIN = "announce the episode"
    REFUSE = "tell who asked for the trial that it does not come about"
    CLOSE = "tell the verdict"


@dataclass(frozen=True)
class Effect:
    """One thing to do.

    Attributes:
        act: What.
        trial: Concerned, None for none.
        text: Why a trial is refused.
        decision: Of a verdict.
        success: Of a verdict.
        stopped_by: Who ended the trial early.
    """

    act: Act
    trial: Trial | None = None
    text: str = ""
    decision: Decision = "discard"
    success: bool | None = None
    stopped_by: str = ""


Effects = tuple[Effect, ...]


class TrialMachine:
    """One trial after another.

    Attributes:
        phase: As in TrialState.
        trial: That is set up, None for none.
        message: One sentence for the operator.
    """

    def __init__(self) -> None:
        """Waits for a first trial."""
        self.phase: Phase = "idle"
        self.trial: Trial | None = None
        self.message = "waiting for a trial"
        self._begun = False
        self._accepts = False
        self._outcome = ""
        self._stopped_by = ""
        self._stop_on = False
        self._quit = False
        self._back: Phase = "idle"

    @property
    def commands(self) -> tuple[str, ...]:
        """What is taken now."""
        before_start = ("discard", "pause", "home", "note", "quit")
        match self.phase:
            case "idle" | "done":
                return ("home", "note", "quit")
            case "laying_out":
                start = ("start",) if self._accepts else ()
                return ("confirm_layout", "recheck", *start, *before_start)
            case "checking":
                return ("discard", "pause", "note", "quit")
            case "ready":
                return ("start", "recheck", *before_start)
            case "running":
                return ("stop", *REMARKS)
            case "asking":
                return (*self._verdicts(), "discard", *REMARKS)
            case "homing":
                return ("stop", "note")
            case "paused":
                return ("resume", *(("discard",) if self._waits else ()), "note", "quit")
            case "stopped":
                resume = () if self._stop_on else ("resume",)
                return (*resume, *(("discard",) if self.trial else ()), "note", "quit")

    def _verdicts(self) -> tuple[str, ...]:
        if self._outcome == COMPLETED:
            return ("success", "fail", "accept", "redo")
        if self._outcome in STOPPED_OUTCOMES:
            return ("fail", "redo")
        return ("redo",) if self._outcome else ()

    @property
    def begun(self) -> bool:
        """Whether the trial has been started and not judged yet."""
        return self._begun

    @property
    def outcome(self) -> str:
        """What came of the run that is to be judged, "" before it ended."""
        return self._outcome

    @property
    def _waits(self) -> bool:
        """Whether a trial is set up that has not begun."""
        return self.trial is not None and not self._begun

    def give_up(self, reason: str) -> Effects:
        """Lets go of the trial that is set up, if one is: whoever asked for it is gone."""
        if self.trial is None:
            return ()
        dropped = self._drop(reason)
        if self.phase not in ("homing", "paused", "stopped"):
            self._enter("idle", reason)
        elif self.phase == "paused":
            self._back = "homing"
        return dropped

    def begin(self, trial: Trial) -> Effects:
        """A trial is asked for, and no other one is set up."""
        if self._quit:
            return (Effect(Act.REFUSE, trial, QUIT),)
        self.trial, self._accepts = trial, False
        if self.phase in ("homing", "stopped"):
            return ()
        if self.phase == "paused":
            self._back = "homing"
            return ()
        return self._go_home()

    def homed(self, fault: str = "") -> Effects:
        """The arms are at home, or cannot get there for a reason."""
        if self.phase != "homing":
            return ()
        if fault:
            self._enter("paused", f"{fault}; clear the way, then resume")
            self._back = "homing"
        elif self._waits:
            self._lay_out()
        else:
            self._enter("idle", "the arms are at home; waiting for a trial")
        return ()

    def checked(self, fault: str = "") -> Effects:
        """The layout was measured; `fault` says what is wrong with it."""
        if self.phase != "checking":
            return ()
        if fault:
            self._lay_out(f"{fault}; mend it and confirm, or start to accept it as it is")
            self._accepts = True
        else:
            self._enter("ready", "the layout is right; keep clear of the arms and start")
        return ()

    def disturbed(self, fault: str) -> Effects:
        """Something was moved after the layout was found to be right."""
        if self.phase == "ready":
            self._lay_out(f"{fault}; mend it and confirm")
        return ()

    def ended(self, outcome: str) -> Effects:
        """The run of the trial has ended."""
        if not self._begun or self._outcome:
            return ()
        self._outcome = outcome
        if self.phase not in ("running", "asking"):
            return (Effect(Act.HALT),)
        early = f"ended early ({self._stopped_by or outcome})"
        self._enter("asking", "say what came of it" if outcome == COMPLETED else f"{early}; say what becomes of it")
        return () if outcome == COMPLETED else (Effect(Act.HALT),)

    def stop(self, reason: str) -> Effects:
        """The emergency stop came on, or an arm or a camera failed: whatever moves is to hold."""
        self._stop_on = self._stop_on or reason == EMERGENCY_STOP
        if self.phase != "stopped":
            match self.phase:
                case "running" | "asking":
                    self._back = "asking"
                    self._stopped_by = self._stopped_by or (reason if self.phase == "running" else "")
                case "homing":
                    self._back = "paused"
                case "laying_out" | "checking" | "ready":
                    self._back = "laying_out"
                case "paused":
                    self._back = "paused" if self._back == "homing" else self._back
                case _:
                    self._back = self.phase
        release = "release it, then resume" if self._stop_on else "resume when the table is safe"
        self._enter("stopped", f"{reason}: every arm holds; {release}")
        return (Effect(Act.HALT),)

    def released(self) -> Effects:
        """The emergency stop is off; nothing moves for that."""
        if self._stop_on:
            self._stop_on = False
            self.message = "the emergency stop is released; resume when the table is safe"
        return ()

    def unlocked(self, fault: str = "") -> Effects:
        """The arms' drivers take commands again, or do not for a reason."""
        if self.phase != "stopped" or self._stop_on:
            return ()
        if fault:
            self.message = f"{fault}; resume once more when that is mended"
        elif self._back == "laying_out" and self._waits:
            self._lay_out()
        elif self._back in ("idle", "done") and not self._waits:
            self._enter(self._back, "the arms take commands")
        elif self._back == "paused" or not self._begun:
            self._enter("paused", "the arms take commands; clear the way, then resume to move them home")
            self._back = "homing"
        else:
            waits = "say what becomes of it; the arms move home then" if self._outcome else "the run is being ended"
            self._enter("asking", f"ended early ({self._stopped_by or self._outcome}); {waits}")
        return ()

    def finish(self) -> None:
        """Every trial that there was to be is kept."""
        if self.phase == "idle":
            self._enter("done", "all trials are done")

    def command(self, name: str) -> Effects:
        """A person's command.

        Raises:
            ImoveError: It is not taken now.
        """
        if name not in self.commands:
            allowed = ", ".join(self.commands)
            raise ImoveError(f"{name!r} is not taken while {self.phase.replace('_', ' ')}; taken now: {allowed}")
        if name in REMARKS:
            return ()
        actions: dict[str, Callable[[], Effects]] = {
            "confirm_layout": self._check,
            "recheck": self._check,
            "start": self._start,
            "stop": self._stop,
            "success": lambda: self._close("keep", True),
            "fail": lambda: self._close("keep", False),
            "accept": lambda: self._close("keep", None),
            "redo": lambda: self._close("redo", None),
            "discard": self._discard,
            "pause": self._pause,
            "resume": self._resume,
            "home": self._go_home,
            "quit": self._end,
        }
        return actions[name]()

    def _enter(self, phase: Phase, message: str) -> None:
        self.phase, self.message = phase, message

    def _lay_out(self, message: str = "put each object at its place, then confirm") -> None:
        self._accepts = False
        self._enter("laying_out", message)

    def _check(self) -> Effects:
        self._enter("checking", "the layout is being measured")
        return ()

    def _start(self) -> Effects:
        self._begun, self._outcome, self._stopped_by = True, "", ""
        self._enter("running", "the policy runs; stop it if it is about to do harm")
        return (Effect(Act.BEGIN, self.trial),)

    def _stop(self) -> Effects:
        if self.phase == "homing":
            self._enter("paused", "the arms hold on their way home; resume to go on")
            self._back = "homing"
        else:
            self._stopped_by = OPERATOR
            self._enter("asking", "stopped by the operator; the run is being ended")
        return (Effect(Act.HALT),)

    def _go_home(self) -> Effects:
        self._enter("homing", "keep clear: the arms move home and open their grippers there")
        return (Effect(Act.HOME),)

    def _pause(self) -> Effects:
        self._back = "laying_out"
        self._enter("paused", "paused; nothing moves until you resume")
        return ()

    def _resume(self) -> Effects:
        if self.phase == "stopped":
            self.message = "the arms' drivers are being resumed"
            return (Effect(Act.UNLOCK),)
        if self._back == "homing":
            return self._go_home()
        self._lay_out()
        return ()

    def _close(self, decision: Decision, success: bool | None) -> Effects:
        return (*self._told(decision, success), *self._go_home())

    def _discard(self) -> Effects:
        if self.phase == "asking":
            return self._close("discard", None)
        dropped = self._drop(DISCARDED)
        if self.phase == "stopped":
            self._back = "paused"
        elif self.phase == "paused" and self._back == "homing":
            self.message = "discarded; resume to move the arms home"
        else:
            self._enter("idle", "discarded; waiting for the next trial")
        return dropped

    def _end(self) -> Effects:
        self._quit = True
        dropped = self._drop(QUIT)
        if self.phase == "stopped":
            self._back = "idle"
        else:
            self._enter("done", QUIT)
        return dropped

    def _drop(self, reason: str) -> Effects:
        """Takes the trial away that is set up, if one is."""
        if self.trial is None:
            return ()
        if self._begun:
            return self._told("discard", None)
        trial, self.trial = self.trial, None
        return (Effect(Act.REFUSE, trial, reason),)

    def _told(self, decision: Decision, success: bool | None) -> Effects:
        effect = Effect(Act.CLOSE, self.trial, "", decision, success, self._stopped_by)
        self.trial, self._begun, self._outcome, self._stopped_by = None, False, "", ""
        return (effect,)
