"""Leaders are read, and so are followers that they drive; nothing is sent but an emergency stop."""

from __future__ import annotations

import itertools
from contextlib import contextmanager

import numpy as np
import pytest

from imove_core.errors import ImoveError
from imove_hardware.emulation.piper.arm import EmulatedPiper
from imove_hardware.emulation.piper.faults import ArmFaults
from imove_hardware.emulation.piper.line import Line
from imove_hardware.emulation.piper.serving import LineServer
from imove_hardware.emulation.piper.virtual import VirtualTransport
from imove_hardware.piper.listening import PiperListener

from .piper_table import ARM, command, wait_until

GUIDED = (0.3, 0.5, -0.4, 0.2, 0.1, 0.0)
ROW = [*GUIDED, 0.04]
_numbers = itertools.count()


class Heard:
    """A listener and what it has told."""

    def __init__(self, bus, drives):
        """Starts it."""
        self.follower, self.leader = [], []
        self.listener = PiperListener(ARM, bus, drives, 0.5, self.follower.append, self.leader.append)
        self.listener.start()

    def at(self, readings, row):
        """Whether the newest reading is at a row."""
        return bool(readings) and np.allclose(readings[-1].positions, row, atol=0.01)


@contextmanager
def listening(arms, drives):
    """A listener on a line of these arms."""
    channel = f"piper_listening{next(_numbers)}"
    line = Line(channel, arms, np.random.default_rng(0))
    with LineServer(VirtualTransport(channel), [line]):
        heard = Heard(f"virtual:{channel}", drives)
        try:
            yield heard
        finally:
            heard.listener.close()


def nothing_was_sent(arm):
    """Whether the arm was told nothing by a computer."""
    heard = arm.report()["heard"]
    return not heard["stops"] and not heard["resets"] and not heard["refused"]


def test_a_leader_drives_its_follower_and_both_are_told():
    leader, follower = EmulatedPiper("left_leader", leading=True), EmulatedPiper("left")
    with listening([follower, leader], drives=True) as heard:
        wait_until(lambda: heard.listener.report().mode == "listening")
        leader.guide(GUIDED, 0.04)
        wait_until(lambda: heard.at(heard.leader, ROW) and heard.at(heard.follower, ROW))
        assert np.allclose(heard.listener.target, ROW, atol=0.01)
        assert nothing_was_sent(follower) and nothing_was_sent(leader)
        follower.faults = ArmFaults(silent_joints=(2,))
        wait_until(lambda: heard.listener.report().mode == "faulted")
        assert "has lost the connection to a joint (joint2)" in heard.listener.report().sentence
        follower.faults = ArmFaults()
        leader.faults = ArmFaults(mute=True)
        wait_until(lambda: heard.listener.report().sentence == "listening: the leader is silent")
        # The one thing that overrides a leader.
        heard.listener.stop(True)
        wait_until(lambda: follower.report()["stopped"])
        for ask, answer in (
            (lambda: heard.listener.command(command(ROW)), "takes no command from this computer"),
            (heard.listener.resume, "nothing here can release it"),
            (lambda: heard.listener.enable(True), "its power cannot be switched on from here"),
        ):
            with pytest.raises(ImoveError, match=f"drives arm 'left': .*{answer}"):
                ask()
        assert follower.report()["heard"]["stops"] == 1 and follower.report()["heard"]["resets"] == 0


def test_a_leader_alone_is_told_and_a_stop_does_not_concern_it():
    leader = EmulatedPiper("left_leader", leading=True)
    with listening([leader], drives=False) as heard:
        leader.guide(GUIDED, 0.04)
        wait_until(lambda: heard.at(heard.leader, ROW))
        heard.listener.stop(True)
        assert heard.listener.target is None and not heard.follower
        leader.faults = ArmFaults(mute=True)
        wait_until(lambda: heard.listener.report().mode == "lost")
        assert not heard.listener.report().connected
        leader.faults = ArmFaults()
        wait_until(lambda: heard.listener.report().mode == "listening")
        assert nothing_was_sent(leader)


def test_an_arm_that_is_taught_by_hand_serves_as_a_leader():
    arm = EmulatedPiper("left_leader")
    with listening([arm], drives=False) as heard:
        arm.guide(GUIDED, 0.04)
        wait_until(lambda: len(heard.leader) > 5)
        assert heard.leader[-1].positions[-1] == 0.04 and nothing_was_sent(arm)
