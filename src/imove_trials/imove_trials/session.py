"""A session of trials: the machine, the journal, the layout and the operator, tied together."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any, Protocol

from imove_core.errors import ImoveError
from imove_core.spec import EpisodeSpec
from imove_core.state import ObjectState, pose_hash
from imove_trials.confirming import AutomaticOperator, Situation
from imove_trials.journal import Journal
from imove_trials.layout_check import LayoutCheck, LayoutReport
from imove_trials.machine import COMPLETED, EMERGENCY_STOP, REMARKS, Act, Effect, Effects, TrialMachine
from imove_trials.remarks import read_remark
from imove_trials.trial import Remarks, Start, Trial, Verdict

CHECK_S = 0.7
"""How long a layout is looked at before it is judged."""
SILENT_S = 5.0
"""After so long without measured objects the tracker is said to be missing."""
MOVED_S = 1.0
"""How long an object must lie wrong before a confirmed layout counts as disturbed."""
REPORT_PERIOD_S = 0.1
_LAYOUT_PHASES = ("laying_out", "checking", "ready")


class Table(Protocol):
    """What the session has done; each call returns at once."""

    def home(self) -> None:
        """Moves the arms home; `TrialSession.homed` is called when that is over."""
        ...

    def halt(self) -> None:
        """Holds all arms where they are, and ends their way home."""
        ...

    def unlock(self) -> None:
        """Resumes the arms' drivers; `TrialSession.unlocked` is called when they have answered."""
        ...

    def obstacle(self) -> str:
        """Why no run can begin now, "" where it can."""
        ...

    def announce(self, trial: Trial, settled_pose_hash: str) -> int:
        """Announces the episode of a trial; returns the stamp of its start, ns."""
        ...

    def tell(self, trial: Trial, start: Start, verdict: Verdict) -> None:
        """Tells the evaluator what becomes of a trial."""
        ...


@dataclass(frozen=True)
class View:
    """What the operator is shown."""

    phase: str
    key: str
    number: int
    trials: int
    label: str
    instruction: str
    message: str
    match: float
    layout: tuple[dict[str, object], ...]
    spec_json: str
    commands: tuple[str, ...]


class TrialSession:
    """Conducts trials; every method may be called from any thread."""

    def __init__(
        self,
        table: Table,
        journal: Journal,
        make_check: Callable[[EpisodeSpec], LayoutCheck],
        complain: Callable[[str], None],
        trials: int = 0,
        automatic: AutomaticOperator | None = None,
    ) -> None:
        """Begins a session, or goes on with one.

        Args:
            table: Has things done.
            journal: Keeps what happens.
            make_check: Prepares the check of a scene's layout.
            complain: Tells people what went wrong with the journal.
            trials: How many there are to be, 0 where nobody knows.
            automatic: Stands in for the operator, None for a person.
        """
        self._table, self._journal, self._make_check = table, journal, make_check
        self._complain, self._trials, self._automatic = complain, trials, automatic
        self._lock = threading.RLock()
        self._machine = TrialMachine()
        self._answer: Future[Start] | None = None
        self._start: Start | None = None
        self._remarks = Remarks()
        self._check: LayoutCheck | None = None
        self._objects: tuple[ObjectState, ...] = ()
        self._report: LayoutReport | None = None
        self._reported_s, self._checking_s, self._started_s = 0.0, 0.0, 0.0
        self._wrong_since_s: float | None = None
        self._note("session", kept=len(journal.kept))

    def begin(self, trial: Trial) -> Future[Start]:
        """Asks for a trial.

        Returns:
            Its start, once a person has laid it out and started it; an ImoveError says why it does not come about.
        """
        with self._lock:
            numbered = replace(
                trial,
                number=self._journal.number_of(trial.key),
                attempt=self._journal.attempts[trial.key] + 1,
            )
            self._carry_out(self._machine.give_up("another trial was asked for"))
            answer: Future[Start] = Future()
            self._answer, self._start, self._remarks = answer, None, Remarks()
            self._check, self._report, self._objects = self._make_check(trial.spec), None, ()
            self._note("trial", numbered, condition=trial.condition, instruction=trial.instruction)
            self._carry_out(self._machine.begin(numbered))
            return answer

    def command(self, name: str, argument_json: str = "", now_s: float = 0.0) -> str:
        """A person's command.

        Args:
            name: One of `View.commands`.
            argument_json: Its argument, "" for none.
            now_s: Monotonic time.

        Returns:
            What was done, in one sentence.

        Raises:
            ImoveError: It is not taken, or its argument is wrong.
        """
        with self._lock:
            return self._command(name, argument_json, now_s, by="operator")

    def _command(self, name: str, argument_json: str, now_s: float, by: str) -> str:
        remark = read_remark(name, argument_json) if name in REMARKS and name in self._machine.commands else {}
        trial, phase = self._machine.trial, self._machine.phase
        if name == "start" and name in self._machine.commands and (obstacle := self._table.obstacle()):
            raise ImoveError(f"the run cannot begin: {obstacle}; 'home' unlocks, checks and moves the arms")
        if name == "start" and phase in _LAYOUT_PHASES:
            self._remarks.layout_accepted = phase == "laying_out"
            self._remarks.match = self._match
            self._started_s = now_s
        effects = self._machine.command(name)
        facts = {**remark, "phase": phase, **({"by": by} if by != "operator" else {})}
        self._note(name, trial, **facts)
        if remark:
            self._remember(name, remark, now_s)
            return f"{name} noted"
        if self._machine.phase == "checking":
            self._checking_s = now_s
        self._carry_out(effects)
        return self._machine.message

    def _remember(self, name: str, remark: dict[str, Any], now_s: float) -> None:
        match name:
            case "note":
                self._remarks.notes.append(remark["text"])
            case "intervention":
                elapsed_s = round(now_s - self._started_s, 3)
                self._remarks.interventions.append({**remark, "elapsed_s": elapsed_s})
            case _:
                self._remarks.overruled.append(remark)

    def measured(self, objects: Sequence[ObjectState], now_s: float) -> None:
        """Takes what the tracker sees of the table while no episode runs."""
        with self._lock:
            self._objects = tuple(objects)
            if self._check is None or self._machine.phase not in _LAYOUT_PHASES:
                return
            if now_s - self._reported_s >= REPORT_PERIOD_S:
                self._report, self._reported_s = self._check.report(objects), now_s

    def tick(self, now_s: float) -> None:
        """Goes on with what time brings; call it some times a second."""
        with self._lock:
            if self._machine.phase == "checking":
                self._judge_layout(now_s)
            elif self._machine.phase == "ready":
                self._watch_layout(now_s)
            elif self._machine.phase == "idle" and 0 < self._trials <= len(self._journal.kept):
                self._machine.finish()
            if self._automatic is not None:
                self._go_on_automatically(self._automatic, now_s)

    @property
    def _match(self) -> float:
        """Share of the objects that lie right, 0 before they were measured."""
        return self._report.match if self._report else 0.0

    def _judge_layout(self, now_s: float) -> None:
        if now_s - self._checking_s < CHECK_S:
            return
        fresh = self._report is not None and self._reported_s > self._checking_s
        if not fresh and now_s - self._checking_s < SILENT_S:
            return
        fault = self._report.fault if fresh and self._report else "the tracker measures nothing; is it running?"
        record = [item.to_record() for item in self._report.objects] if self._report else []
        self._note("layout", self._machine.trial, match=self._match, objects=record)
        self._carry_out(self._machine.checked(fault))

    def _watch_layout(self, now_s: float) -> None:
        # An object behind a person's arm is not seen, which means nothing.
        wrong = (
            [item for item in self._report.objects if not item.ok and item.error_m is not None] if self._report else []
        )
        if not wrong:
            self._wrong_since_s = None
        elif self._wrong_since_s is None:
            self._wrong_since_s = now_s
        elif now_s - self._wrong_since_s > MOVED_S:
            self._wrong_since_s = None
            self._carry_out(self._machine.disturbed(wrong[0].fault))

    def _go_on_automatically(self, automatic: AutomaticOperator, now_s: float) -> None:
        trial, machine = self._machine.trial, self._machine
        attempt = trial.attempt if trial else 1
        seen = Situation(machine.phase, machine.commands, self._match, machine.outcome, attempt)
        if name := automatic.command(seen, now_s):
            try:
                self._command(name, "", now_s, by="rule")
            except ImoveError as error:
                machine.message = str(error)

    def ended(self, key: str, outcome: str, *, judged: bool = False) -> None:
        """Whoever ran an episode has announced its end.

        Args:
            key: Of the episode.
            outcome: What came of it.
            judged: Whether a person has said already what it was worth, as one who teleoperates does.
        """
        with self._lock:
            trial = self._machine.trial
            if trial is None or trial.key != key:
                return
            self._note("ended", trial, outcome=outcome)
            self._carry_out(self._machine.ended(outcome))
            if judged and self._machine.phase == "asking":
                name = "accept" if outcome == COMPLETED else "discard"
                self._command(name, "", time.monotonic(), by="who ran it")

    def emergency_stop(self, on: bool) -> None:
        """The emergency stop came on, or was released."""
        with self._lock:
            self._note("emergency_stop", self._machine.trial, on=on)
            self._carry_out(self._machine.stop(EMERGENCY_STOP) if on else self._machine.released())

    def fault(self, sentence: str) -> None:
        """An arm or a camera has failed; what moves is to stop, and what stands waits for its next motion."""
        with self._lock:
            if self._machine.phase in ("running", "homing"):
                self._note("fault", self._machine.trial, reason=sentence)
                self._carry_out(self._machine.stop(sentence))

    def homed(self, fault: str) -> None:
        """The way home is over; see `Table.home`."""
        with self._lock:
            self._note("homed", self._machine.trial, fault=fault)
            self._carry_out(self._machine.homed(fault))

    def unlocked(self, fault: str) -> None:
        """The drivers have answered; see `Table.unlock`."""
        with self._lock:
            self._note("resumed", self._machine.trial, fault=fault)
            self._carry_out(self._machine.unlocked(fault))

    def view(self) -> View:
        """What the operator is shown now."""
        with self._lock:
            trial, machine = self._machine.trial, self._machine
            report = self._report if trial and not machine.begun else None
            return View(
                phase=machine.phase,
                key=trial.key if trial else "",
                number=trial.number if trial else len(self._journal.attempts),
                trials=self._trials,
                label=trial.label if trial else "",
                instruction=trial.instruction if trial else "",
                message=machine.message,
                match=report.match if report else 0.0,
                layout=tuple(item.to_record() for item in report.objects) if report else (),
                spec_json=trial.spec_json if trial else "",
                commands=machine.commands,
            )

    def layout(self) -> tuple[EpisodeSpec, LayoutReport] | None:
        """The scene that is being laid out and what lies where, None at other times."""
        with self._lock:
            trial, report = self._machine.trial, self._report
            if trial is None or report is None or self._machine.phase not in _LAYOUT_PHASES:
                return None
            return trial.spec, report

    def close(self, reason: str) -> None:
        """Ends the session: whoever waits for a trial is told."""
        with self._lock:
            if self._answer is not None and not self._answer.done():
                self._answer.set_exception(ImoveError(reason))

    def _carry_out(self, effects: Effects) -> None:
        for effect in effects:
            self._do(effect)

    def _do(self, effect: Effect) -> None:
        match effect.act:
            case Act.HOME:
                self._table.home()
            case Act.HALT:
                self._table.halt()
            case Act.UNLOCK:
                self._table.unlock()
            case Act.BEGIN if effect.trial is not None:
                self._begin_run(effect.trial)
            case Act.REFUSE if effect.trial is not None:
                self._note("refused", effect.trial, reason=effect.text)
                self._refuse(effect.text)
            case Act.CLOSE if effect.trial is not None:
                self._close_trial(effect.trial, effect)

    def _begin_run(self, trial: Trial) -> None:
        settled = pose_hash(self._objects)
        self._note("begun", trial, match=self._remarks.match, layout_accepted=self._remarks.layout_accepted)
        self._start = Start(self._table.announce(trial, settled), settled)
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(self._start)

    def _refuse(self, reason: str) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(ImoveError(reason))

    def _close_trial(self, trial: Trial, effect: Effect) -> None:
        record = self._remarks.to_record(effect.success, effect.stopped_by)
        verdict = Verdict(effect.decision, record)
        self._note("verdict", trial, decision=verdict.decision, operator=record)
        if self._start is not None:
            self._table.tell(trial, self._start, verdict)

    def _note(self, event: str, trial: Trial | None = None, **facts: Any) -> None:
        try:
            if trial is None:
                self._journal.write(event, **facts)
            else:
                self._journal.write_trial(event, trial, **facts)
        except ImoveError as error:
            # Arms must be stopped and people answered all the same.
            self._complain(str(error))
