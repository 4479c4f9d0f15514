"""What is found on buses of emulated arms."""

from __future__ import annotations

import itertools
import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from imove_core.errors import ImoveError
from imove_core.rig import load_rig
from imove_hardware.emulation.piper.arm import EmulatedPiper
from imove_hardware.emulation.piper.faults import ArmFaults
from imove_hardware.emulation.piper.feedback import FeedbackRates
from imove_hardware.emulation.piper.line import Line
from imove_hardware.emulation.piper.registers import Registers
from imove_hardware.emulation.piper.serving import LineServer
from imove_hardware.emulation.piper.socketcand import SocketcandServer
from imove_hardware.emulation.piper.virtual import VirtualTransport
from imove_hardware.probing.arms import probe_arm
from imove_hardware.probing.moving import moved_bus

ARM = load_rig("piperx_dual").arm("left")
COUNT_S = 0.3
_numbers = itertools.count()


@contextmanager
def _line(*arms: EmulatedPiper, served: bool = False) -> Iterator[str]:
    """Address of a bus with these arms, within this process or behind a server."""
    channel = f"probing{next(_numbers)}"
    transport = SocketcandServer([channel]) if served else VirtualTransport(channel)
    place = f"socketcand:127.0.0.1:{transport.port}/" if isinstance(transport, SocketcandServer) else "virtual:"
    with LineServer(transport, [Line(channel, arms, np.random.default_rng(0))]):
        yield place + channel


def _arm(name="left", **options):
    return EmulatedPiper(name, rates=FeedbackRates.light(), **options)


@pytest.mark.parametrize("served", [False, True])
def test_a_follower_tells_who_it_is_and_how_often_where(served):
    with _line(_arm(registers=Registers(firmware="S-V1.7-4")), served=served) as bus:
        probe = probe_arm(bus, count_s=COUNT_S)
    assert (probe.role, probe.firmware, probe.problem) == ("follower", "S-V1.7-4", "")
    assert probe.readings_hz > 0 and probe.frames_hz > probe.readings_hz and probe.leader_hz == 0
    assert probe.follower_problem(ARM, "", led=False) == ""
    assert "the rig file says S-V1.8-8" in probe.follower_problem(ARM, "S-V1.8-8", led=False)
    assert probe.follower_problem(ARM, "", led=True).startswith(f"no leader is heard on {bus}")


def test_overwritten_limits_are_told():
    limits = [(math.radians(-120), math.radians(120))] * 6
    with _line(_arm(registers=Registers(limits_rad=limits))) as bus:
        probe = probe_arm(bus, count_s=COUNT_S)
    assert "has limits -120.0 to 120.0 deg in its controller" in probe.follower_problem(ARM, "", led=False)


def test_a_fault_is_told():
    arm = _arm()
    arm.faults = ArmFaults(collided_joints=(2,))
    with _line(arm) as bus:
        probe = probe_arm(bus, count_s=COUNT_S)
    assert "has met an obstacle" in probe.follower_problem(ARM, "", led=False)


def test_a_leader_is_known_by_what_it_sends():
    with _line(_arm(leading=True)) as bus:
        probe = probe_arm(bus, count_s=COUNT_S)
    assert probe.role == "leader" and probe.leader_hz > 0
    assert probe.leader_problem(ARM) == "" and probe.follower_problem(ARM, "", led=False) != ""


def test_a_leader_with_its_follower_on_one_bus_is_a_pair():
    with _line(_arm("left_leader", leading=True), _arm()) as bus:
        probe = probe_arm(bus, count_s=COUNT_S)
    assert probe.role == "pair" and probe.leader_hz > 0 and probe.readings_hz > 0
    assert probe.follower_problem(ARM, "", led=True) == probe.leader_problem(ARM) == ""
    assert probe.follower_problem(ARM, "", led=False) != ""


def test_a_bus_on_which_nobody_speaks_has_nobody():
    probe = probe_arm("virtual:probing_silent", count_s=COUNT_S)
    assert probe.role == "nothing" and "nothing is heard on virtual:probing_silent" in probe.problem
    assert probe.problem == probe.follower_problem(ARM, "", led=False) == probe.leader_problem(ARM)


def test_an_address_of_no_can_bus_is_refused():
    with pytest.raises(ImoveError, match="is none of a PiPER"):
        probe_arm("ros2_control:fr3_arm_controller")


def test_the_arm_that_a_hand_moves_is_told():
    arms = [_arm("left"), _arm("right")]
    with _line(arms[0]) as left, _line(arms[1]) as right:
        ending, state = threading.Event(), arms[1].state

        def guide() -> None:
            # Farther and farther, as the first positions may be read at any time.
            for step in itertools.count():
                if ending.wait(0.05):
                    return
                turned = (state.joints_rad[0] + 0.02 * (step % 50), *state.joints_rad[1:])
                arms[1].guide(turned, state.opening_m)

        hand = threading.Thread(target=guide)
        hand.start()
        try:
            assert moved_bus([left, right], timeout_s=60.0) == right
        finally:
            ending.set()
            hand.join()


def test_arms_that_nobody_moves_are_not_told_apart():
    with _line(_arm()) as bus, pytest.raises(ImoveError, match="was moved by 3 degrees within 0.2 s"):
        moved_bus([bus], timeout_s=0.2)
