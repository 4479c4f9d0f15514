"""Phases of trials: the usual course, everything beside it, and that nothing moves after a stop without a resume."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from imove_core.errors import ImoveError
from imove_tasks.suites import open_suite
from imove_trials.machine import COMPLETED, DISCARDED, EMERGENCY_STOP, QUIT, Act, TrialMachine
from imove_trials.trial import Trial


def acts(effects):
    return [effect.act for effect in effects]


@pytest.fixture
def machine():
    return TrialMachine()


def to_running(machine, trial):
    machine.begin(trial)
    machine.homed()
    machine.command("confirm_layout")
    machine.checked()
    return machine.command("start")


def test_usual_course(machine, trial):
    assert acts(machine.begin(trial)) == [Act.HOME]
    assert machine.phase == "homing"
    machine.homed()
    assert machine.phase == "laying_out" and "start" not in machine.commands
    machine.command("confirm_layout")
    assert machine.phase == "checking"
    machine.checked()
    assert machine.phase == "ready"
    assert acts(machine.command("start")) == [Act.BEGIN]
    assert machine.phase == "running" and machine.begun
    assert machine.ended(COMPLETED) == ()
    assert machine.phase == "asking"
    close, home = machine.command("success")
    assert (close.act, close.decision, close.success, close.trial, close.stopped_by) == (
        Act.CLOSE, "keep", True, trial, "",
    )  # fmt: skip
    assert home.act is Act.HOME and machine.phase == "homing" and machine.trial is None
    machine.homed()
    assert machine.phase == "idle"


def test_next_trial_may_be_asked_for_while_the_arms_move_home(machine, trial):
    to_running(machine, trial)
    machine.ended(COMPLETED)
    machine.command("fail")
    assert machine.begin(trial) == ()
    machine.homed()
    assert machine.phase == "laying_out" and machine.trial is trial


def test_wrong_layout_may_be_mended_or_accepted(machine, trial):
    machine.begin(trial)
    machine.homed()
    machine.command("confirm_layout")
    machine.checked("the mug is 40 mm off")
    assert machine.phase == "laying_out" and "40 mm" in machine.message
    assert acts(machine.command("start")) == [Act.BEGIN]


def test_layout_that_is_disturbed_must_be_confirmed_again(machine, trial):
    machine.begin(trial)
    machine.homed()
    machine.command("recheck")
    machine.checked()
    machine.disturbed("the mug was moved")
    assert machine.phase == "laying_out"
    with pytest.raises(ImoveError, match="'start' is not taken while laying out; taken now: confirm_layout"):
        machine.command("start")


def test_stopped_run_can_count_as_a_failure_but_not_as_a_success(machine, trial):
    to_running(machine, trial)
    assert acts(machine.command("stop")) == [Act.HALT]
    assert machine.phase == "asking" and "fail" not in machine.commands
    assert acts(machine.ended("aborted: trial stopped")) == [Act.HALT]
    assert "success" not in machine.commands
    close, _ = machine.command("fail")
    assert (close.decision, close.success, close.stopped_by) == ("keep", False, "the operator")


def test_technical_loss_can_only_be_done_again_or_thrown_away(machine, trial):
    to_running(machine, trial)
    machine.ended("aborted: states lost")
    assert set(machine.commands) == {"redo", "discard", "note", "intervention", "overrule"}
    close, _ = machine.command("redo")
    assert (close.decision, close.success) == ("redo", None)


def test_emergency_stop_in_a_run(machine, trial):
    to_running(machine, trial)
    assert acts(machine.stop(EMERGENCY_STOP)) == [Act.HALT]
    assert machine.phase == "stopped" and "resume" not in machine.commands
    machine.ended("aborted: emergency stop")
    machine.released()
    assert machine.phase == "stopped"
    assert acts(machine.command("resume")) == [Act.UNLOCK]
    assert machine.phase == "stopped"
    machine.unlocked("the left arm has a fault")
    assert machine.phase == "stopped" and "left arm" in machine.message
    machine.command("resume")
    machine.unlocked()
    assert machine.phase == "asking"
    close, home = machine.command("fail")
    assert close.stopped_by == EMERGENCY_STOP and home.act is Act.HOME


def test_arms_do_not_go_on_homing_by_themselves_after_a_stop(machine, trial):
    machine.begin(trial)
    machine.stop(EMERGENCY_STOP)
    machine.released()
    machine.command("resume")
    assert machine.unlocked() == ()
    assert machine.phase == "paused"
    assert acts(machine.command("resume")) == [Act.HOME]


def test_trial_that_is_asked_for_during_a_stop_goes_on_after_it(machine, trial):
    machine.stop(EMERGENCY_STOP)
    assert machine.begin(trial) == ()
    machine.released()
    assert acts(machine.command("resume")) == [Act.UNLOCK]
    machine.unlocked()
    assert machine.phase == "paused"
    assert acts(machine.command("resume")) == [Act.HOME]
    machine.homed()
    assert machine.phase == "laying_out" and machine.trial is trial


def test_way_home_may_be_stopped_and_can_fail(machine, trial):
    machine.begin(trial)
    assert acts(machine.command("stop")) == [Act.HALT]
    assert machine.phase == "paused"
    machine.command("resume")
    machine.homed("left_joint2 is 0.4 rad from home")
    assert machine.phase == "paused" and "left_joint2" in machine.message


@pytest.mark.parametrize("command", ["discard", "quit"])
def test_trial_that_never_began_is_refused(machine, trial, command):
    machine.begin(trial)
    machine.homed()
    (effect,) = machine.command(command)
    assert (effect.act, effect.text) == (Act.REFUSE, {"discard": DISCARDED, "quit": QUIT}[command])
    assert machine.trial is None


def test_nothing_is_set_up_after_the_end(machine, trial):
    machine.command("quit")
    assert machine.phase == "done"
    (effect,) = machine.begin(trial)
    assert (effect.act, effect.text) == (Act.REFUSE, QUIT)


def test_trial_of_an_evaluator_that_is_gone_is_closed(machine, trial):
    to_running(machine, trial)
    (close,) = machine.give_up("another trial was asked for")
    assert (close.act, close.decision) == (Act.CLOSE, "discard")
    assert acts(machine.begin(trial)) == [Act.HOME]


def test_pause_keeps_everything(machine, trial):
    machine.begin(trial)
    machine.homed()
    machine.command("pause")
    assert machine.phase == "paused"
    assert machine.command("resume") == ()
    assert machine.phase == "laying_out" and machine.trial is trial


SPEC = open_suite("pick_category/seen").first(1)[0]
REASONS = st.sampled_from([EMERGENCY_STOP, "the bus of the left arm is silent"])
FAULTS = st.sampled_from(["", "something is wrong"])


class Course(RuleBasedStateMachine):
    """Any inputs in any order."""

    def __init__(self):
        super().__init__()
        self.machine = TrialMachine()
        self.stopped, self.stop_on, self.asked = False, False, False
        self.open = set()
        self.number = 0

    def see(self, effects):
        for effect in effects:
            if effect.act in (Act.HOME, Act.BEGIN):
                assert not self.stopped, f"{effect.act} after a stop without a resume"
            if effect.act in (Act.CLOSE, Act.REFUSE):
                # Every trial is answered exactly once.
                self.open.remove(effect.trial.key)

    @rule()
    def begin(self):
        self.number += 1
        trial = Trial(f"{SPEC.id}/normal/{self.number}", SPEC, "normal", self.number)
        self.see(self.machine.give_up("another trial was asked for"))
        self.open.add(trial.key)
        self.see(self.machine.begin(trial))

    @rule(fault=FAULTS)
    def homed(self, fault):
        self.see(self.machine.homed(fault))

    @rule(fault=FAULTS)
    def checked(self, fault):
        self.see(self.machine.checked(fault))

    @rule()
    def disturbed(self):
        self.see(self.machine.disturbed("moved"))

    @rule(outcome=st.sampled_from([COMPLETED, "aborted: trial stopped", "aborted: states lost"]))
    def ended(self, outcome):
        self.see(self.machine.ended(outcome))

    @rule(reason=REASONS)
    def stop(self, reason):
        self.stopped, self.asked = True, False
        self.stop_on = self.stop_on or reason == EMERGENCY_STOP
        self.see(self.machine.stop(reason))

    @rule()
    def released(self):
        self.stop_on = False
        self.see(self.machine.released())

    @precondition(lambda self: self.asked)
    @rule(fault=FAULTS)
    def unlocked(self, fault):
        self.see(self.machine.unlocked(fault))
        self.asked = False
        if not fault and not self.stop_on:
            self.stopped = False

    @rule(data=st.data())
    def command(self, data):
        name = data.draw(st.sampled_from(self.machine.commands))
        effects = self.machine.command(name)
        if Act.UNLOCK in acts(effects):
            assert not self.stop_on
            self.asked = True
        self.see(effects)

    @invariant()
    def nothing_runs_while_stopped(self):
        if self.stopped:
            assert self.machine.phase == "stopped"
        if self.machine.phase in ("running", "asking"):
            assert self.machine.begun
        if self.machine.trial is not None:
            assert self.open == {self.machine.trial.key}
        else:
            assert not self.open

    @invariant()
    def people_can_always_go_on(self):
        assert self.machine.commands and self.machine.message


TestCourse = Course.TestCase
TestCourse.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
