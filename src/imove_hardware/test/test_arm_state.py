"""Modes of the driver: no way leads from a stop to a motion but by a person's word."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from imove_core.errors import ImoveError
from imove_hardware.arm_state import ArmState, Mode

TAKEN_OVER = (Mode.HOLDING, Mode.FOLLOWING, Mode.LOCKED)


class Story(RuleBasedStateMachine):
    """Whatever happens to an arm, in any order that can be."""

    def __init__(self) -> None:
        """Begins without an arm."""
        super().__init__()
        self.state = ArmState("left")
        self.must_resume = False

    def is_one_of(*modes):
        """Whether the arm is in one of these modes."""
        return precondition(lambda self: self.state.mode in modes)

    @is_one_of(Mode.CONNECTING)
    @rule(powered=st.booleans(), enable=st.booleans())
    def finds(self, powered, enable):
        """The arm is found and well."""
        self.state.found(powered, enable)

    @is_one_of(Mode.CONNECTING)
    @rule()
    def refuses(self):
        """A check refuses it."""
        self.state.refuse("another arm")

    @precondition(lambda self: self.state.refused)
    @rule(powered=st.booleans())
    def mends(self, powered):
        """What a check refused is mended."""
        self.state.found(powered, enable=True)

    @is_one_of(Mode.ENABLING)
    @rule()
    def takes_over(self):
        """The arm takes commands."""
        self.state.taken_over()

    @rule()
    def commands(self):
        """Somebody sends a command."""
        if self.state.may_follow:
            self.state.commanded()
        else:
            with pytest.raises(ImoveError, match="takes no command"):
                self.state.commanded()

    @rule()
    def runs_out(self):
        """No command is left."""
        self.state.ran_out("no command is left")

    @rule(on=st.booleans())
    def stops(self, on):
        """The emergency stop comes on or goes off."""
        self.state.stop(on)
        self.must_resume |= on

    @is_one_of(Mode.DISABLED, Mode.ENABLING, *TAKEN_OVER)
    @rule()
    def fails(self):
        """Something breaks."""
        self.state.fail("broken")
        self.must_resume = True

    @precondition(lambda self: self.state.mode is Mode.FAULTED and not self.state.refused)
    @rule(powered=st.booleans())
    def recovers(self, powered):
        """It is whole again."""
        self.state.recover(powered)

    @is_one_of(Mode.DISABLED, Mode.ENABLING, Mode.FAULTED, *TAKEN_OVER)
    @rule()
    def loses(self):
        """The bus falls silent."""
        self.must_resume = self.must_resume or not self.state.refused
        self.state.lose("silent")

    @is_one_of(Mode.LOST)
    @rule()
    def hears(self):
        """It speaks again."""
        self.state.reconnect()

    @is_one_of(*TAKEN_OVER)
    @rule(asked=st.booleans())
    def loses_power(self, asked):
        """The motors lose power."""
        self.state.unpowered("no power", asked)
        self.must_resume |= not asked

    @rule()
    def is_enabled(self):
        """A person powers the motors."""
        if self.state.mode is Mode.DISABLED and not self.state.stopped:
            self.state.enable()
        else:
            with pytest.raises(ImoveError):
                self.state.enable()

    @rule(passing=st.booleans())
    def is_resumed(self, passing):
        """A person lets it go on."""
        before, refused = self.state.mode, self.state.refused
        try:
            self.state.resume(passing)
        except ImoveError:
            return
        assert not self.state.stopped and not refused and before in (Mode.LOCKED, Mode.FAULTED)
        self.must_resume = False

    @invariant()
    def moves_only_when_it_may(self):
        """After a stop, a fault or a loss nothing is taken before a person's word."""
        assert self.state.locked is self.must_resume
        if self.must_resume:
            assert not self.state.may_follow
        if self.state.mode in (Mode.LOCKED, Mode.LOST, Mode.DISABLED):
            assert self.state.reason


Story.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
TestStory = Story.TestCase


def test_a_way_that_cannot_be_is_an_error():
    state = ArmState("left")
    with pytest.raises(RuntimeError, match="cannot go from connecting to lost"):
        state.lose("silent")


def test_what_a_person_is_told():
    state = ArmState("left")
    with pytest.raises(ImoveError, match="arm 'left' is not locked; it is connecting"):
        state.resume()
    state.found(powered=False, enable=False)
    state.stop(True)
    with pytest.raises(ImoveError, match="is not enabled while the emergency stop is on"):
        state.enable()
    state.stop(False)
    with pytest.raises(ImoveError, match="has no power"):
        state.resume()
    state.enable()
    with pytest.raises(ImoveError, match="only one that is disabled can be enabled"):
        state.enable()
    state.taken_over()
    assert state.mode is Mode.LOCKED and state.reason == "emergency stop"
    state.resume()
    state.taken_over()
    assert state.mode is Mode.HOLDING and state.reason == ""
