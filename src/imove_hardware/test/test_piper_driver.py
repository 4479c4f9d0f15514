"""The driver on the vendor's SDK, unchanged, against the emulated arm."""

from __future__ import annotations

import math
import os
import time
from collections import Counter

import can
import numpy as np
import pytest

from imove_core.errors import ImoveError
from imove_core.hardware import ArmDevice
from imove_hardware.emulation.piper.arm import EmulatedPiper
from imove_hardware.emulation.piper.faults import LineFaults
from imove_hardware.emulation.piper.frames import ASK_LIMITS_ID, FIRMWARE_ID, LINKAGE_ID, STOP_ID, Frame
from imove_hardware.emulation.piper.plant import FirstOrderPlant
from imove_hardware.emulation.piper.registers import Registers
from imove_hardware.piper.driver import PiperDriver
from imove_hardware.piper.rounds import DriverOptions

from .piper_table import ARM, NS, PATIENT, command, table, wait_until

ROW = [0.3, 0.8, -0.6, 0.4, 0.2, 0.1, 0.05]
BEYOND = [0.0, 4.0, -0.6, -2.0, 0.2, 0.1, 0.5]
RAISED = (0.0, 1.0, -0.5, 0.0, 0.0, 0.0)
MISSED = {FIRMWARE_ID: 6, ASK_LIMITS_ID: 3}
"""Questions that a busy machine loses."""
ASKEW = (0.0, -0.3, 0.0, 0.0, 0.0, 0.0)


class HardOfHearing(EmulatedPiper):
    """An arm that misses the first questions."""

    def __init__(self) -> None:
        """Is well otherwise."""
        super().__init__("left")
        self.asked: Counter[int] = Counter()

    def receive(self, frame: Frame, now_s: float, from_leader: bool = False) -> list[Frame]:
        """Answers what it has heard."""
        self.asked[frame.id] += 1
        return [] if self.asked[frame.id] <= MISSED.get(frame.id, 0) else super().receive(frame, now_s, from_leader)


def resume_and_move(on) -> None:
    """Unlocks, and sees that commands are carried out again."""
    on.driver.resume()
    on.wait_for("holding")
    on.driver.command(command(ROW))
    wait_until(lambda: on.there(ROW))


@pytest.mark.parametrize("transport", ["virtual", "socketcand"])
def test_it_takes_over_follows_and_leaves_the_arm_powered_where_it_is(transport):
    before = dict(os.environ), dict(can.rc)
    with table(transport=transport) as on:
        on.wait_for("holding")
        half = [value / 2 for value in ROW]
        on.driver.command(command(half, ROW))
        assert on.mode == "following"
        wait_until(lambda: on.there(ROW))
        wait_until(lambda: len(on.readings) > 2 and np.allclose(on.readings[-1].positions, ROW, atol=0.005))
        on.wait_for("holding")
        assert np.allclose(on.driver.target, ROW)
        values = on.driver.report().values
        assert values["firmware"] == "S-V1.8-8" and values["enabled"] == "true" and values["temperature_c"] == "35"
        arm = on.arm
    assert on.there(ROW) and all(arm.report()["powered"])
    heard = arm.report()["heard"]
    assert heard["stops"] == heard["resets"] == heard["refused"] == 0
    # Nothing of where the server is stays behind for others.
    assert (dict(os.environ), dict(can.rc)) == before


def test_an_arm_that_answers_late_is_asked_again_before_it_is_refused():
    arm = HardOfHearing()
    with table(arm=arm) as on:
        on.wait_for("holding")
        assert on.driver.report().firmware == "S-V1.8-8"
        # Each of the six joints once, and again what was missed.
        assert arm.asked[FIRMWARE_ID] >= 7 and arm.asked[ASK_LIMITS_ID] >= 9
        assert "faulted" not in [report.mode for report in on.changes]


def test_readings_are_stamped_on_receipt_and_in_si_units():
    plant = FirstOrderPlant(RAISED, 0.03, fall_speed_rad_s=0.0)
    with table(arm=EmulatedPiper("left", plant=plant)) as on:
        wait_until(lambda: len(on.readings) > 20)
        stamps = np.array([reading.stamp_ns for reading in on.readings])
        assert np.all(np.diff(stamps) > 0) and 0 <= time.time_ns() - stamps[-1] < 60 * NS
        assert np.allclose(on.readings[-1].positions, [*RAISED, 0.03], atol=2e-5)
        # 800 mA at rest, by the SDK's factors of the two kinds of motors.
        wait_until(lambda: on.mode == "holding" and on.readings[-1].efforts[0] > 0)
        assert on.readings[-1].efforts[:6] == pytest.approx([0.945] * 3 + [0.7668] * 3, rel=1e-3)


def test_a_target_beyond_limits_is_held_to_them_and_told():
    with table() as on:
        on.wait_for("holding")
        on.driver.command(command(BEYOND))
        lowest, highest = ARM.limits.T
        wait_until(lambda: on.there(np.clip(BEYOND, lowest, highest)))
        assert on.arm.report()["heard"]["refused"] == 0
        told = {event.joint: event.action for event in on.events}
        assert told == {"left_joint2": "clamped", "left_joint4": "clamped", "left_gripper": "clamped"}


def test_no_step_is_larger_than_the_speed_limit_allows():
    with table() as on:
        on.wait_for("holding")
        on.driver.command(command(ROW, seconds=0.02))
        wait_until(lambda: on.there(ROW))
        # Whole thousandths of degrees, of which two may round apart.
        assert on.arm.report()["heard"]["largest_step_rad"] <= 3.0 / PATIENT.rate_hz + 2e-5


def test_the_gripper_closes_on_an_object_and_keeps_it_through_a_stop_and_a_loss():
    plant = FirstOrderPlant(opening_m=0.07, object_width_m=0.03)
    with table(DriverOptions(silence_s=0.5), arm=EmulatedPiper("left", plant=plant)) as on:
        on.wait_for("holding")
        on.driver.command(command([0.0] * 6 + [0.0]))
        wait_until(lambda: on.readings[-1].efforts[-1] > 0.9)
        assert on.readings[-1].positions[-1] == pytest.approx(0.03)
        on.driver.stop(True)
        on.driver.stop(False)
        on.driver.resume()
        on.wait_for("holding")
        assert on.driver.target[-1] < 0.03 and on.arm.state.opening_m == 0.03 and on.arm.state.effort_nm > 0.9
        on.fault(mute=True)
        on.wait_for("lost")
        on.fault()
        on.wait_for("locked")
        on.driver.resume()
        on.wait_for("holding")
        readings = len(on.readings)
        wait_until(lambda: len(on.readings) > readings + 40)
        assert on.arm.state.opening_m == 0.03 and on.arm.state.effort_nm > 0.9


def test_an_emergency_stop_holds_and_locks_until_a_person_resumes():
    with table() as on:
        on.wait_for("holding")
        on.driver.command(command(ROW, seconds=3.0))
        wait_until(lambda: on.arm.state.joints_rad[1] > 0.05)
        on.driver.stop(True)
        assert on.mode == "locked"
        held = on.driver.target
        with pytest.raises(ImoveError, match="locked and takes no command: emergency stop"):
            on.driver.command(command(ROW))
        with pytest.raises(ImoveError, match="the emergency stop is on"):
            on.driver.resume()
        on.driver.stop(False)
        assert on.mode == "locked"
        # It brakes within its limits, and nothing moves after that.
        wait_until(lambda: on.there(on.driver.target) and np.abs(on.driver.target - held).max() < 0.1)
        rest = on.driver.target
        heard = on.arm.report()["heard"]["targets"]
        frames = len(on.readings)
        wait_until(lambda: len(on.readings) > frames + 40)
        assert on.arm.report()["heard"]["targets"] == heard and np.array_equal(on.driver.target, rest)
        assert [event.kind for event in on.events] == ["emergency_stop"]
        resume_and_move(on)
        with pytest.raises(ImoveError, match="is not locked; it is"):
            on.driver.resume()
        assert on.arm.report()["heard"]["stops"] == on.arm.report()["heard"]["resets"] == 0


def test_a_silent_bus_is_noticed_in_time_and_the_arm_stays_locked_when_it_is_back():
    options = DriverOptions(silence_s=0.3)
    with table(options) as on:
        on.wait_for("holding")
        on.driver.command(command(ROW, seconds=5.0))
        on.fault(mute=True)
        on.wait_for("lost")
        # The mode is there a moment before it is told.
        wait_until(lambda: any(report.mode == "lost" for report in on.changes))
        (lost,) = [report for report in on.changes if report.mode == "lost"]
        # How soon is for bench/piper_driver.py to say: this machine may be busy.
        assert lost.silent_s >= options.silence_s
        assert not on.driver.report().connected and lost.level == "error"
        assert [(event.kind, event.action) for event in on.events] == [("fault", "stopped")]
        with pytest.raises(ImoveError, match="stays locked while it is lost"):
            on.driver.resume()
        where = on.arm.state.joints_rad
        on.fault()
        on.wait_for("locked")
        frames = len(on.readings)
        wait_until(lambda: len(on.readings) > frames + 20)
        assert np.allclose(on.arm.state.joints_rad, where, atol=0.02)
        resume_and_move(on)


def test_a_pulled_adapter_and_a_server_that_is_gone_are_found_again():
    with table(DriverOptions(silence_s=0.5), transport="socketcand") as on:
        on.wait_for("holding")
        on.line.faults = LineFaults(unplugged=True)
        on.wait_for("lost")
        on.line.faults = LineFaults()
        on.wait_for("locked")
        resume_and_move(on)


def test_lost_frames_break_readings_and_nothing_else():
    with table() as on:
        on.wait_for("holding")
        on.line.faults = LineFaults(loss=0.1)
        wait_until(lambda: on.driver.report().mixed > 5)
        on.driver.command(command(ROW))
        wait_until(lambda: on.there(ROW))
        assert on.mode in ("holding", "following")


@pytest.mark.parametrize(
    ("faults", "sentence"),
    [
        ({"silent_joints": (3,)}, "arm 'left' has lost the connection to a joint (joint3)"),
        ({"low_voltage": True}, "reports too little voltage"),
    ],
)
def test_a_fault_holds_and_locks_and_is_told_until_it_is_gone(faults, sentence):
    with table() as on:
        on.wait_for("holding")
        on.driver.command(command(ROW, seconds=3.0))
        on.fault(**faults)
        on.wait_for("faulted")
        report = on.driver.report()
        assert sentence in report.values["fault"] and report.level == "error"
        assert [(event.kind, event.action) for event in on.events] == [("fault", "stopped")]
        with pytest.raises(ImoveError, match="stays locked while it is faulted"):
            on.driver.resume()
        on.fault()
        on.wait_for("locked")
        resume_and_move(on)


def test_an_arm_that_loses_power_is_locked_and_enabled_by_a_person_only():
    with table() as on:
        on.wait_for("holding")
        # A reset at the arm: the vendor's, not ours.
        on.arm.receive(Frame(STOP_ID, bytes([2, 0, 0, 0, 0, 0, 0, 0])), 0.0)
        on.wait_for("disabled")
        with pytest.raises(ImoveError, match="has no power"):
            on.driver.resume()
        on.driver.enable(True)
        on.wait_for("locked")
        resume_and_move(on)


def test_power_is_taken_away_only_where_the_arm_lies_on_itself():
    with table() as on:
        on.wait_for("holding")
        on.driver.command(command(ROW))
        with pytest.raises(ImoveError, match="is following; its power is taken away only"):
            on.driver.enable(False)
        wait_until(lambda: on.there(ROW))
        on.wait_for("holding")
        with pytest.raises(ImoveError, match=r"would fall: left_joint2 is at 0\.[78]\d rad"):
            on.driver.enable(False)
        on.driver.command(command([0.0] * 7))
        wait_until(lambda: on.there([0.0] * 7))
        on.wait_for("holding")
        on.driver.enable(False)
        on.wait_for("disabled")
        assert not any(on.arm.report()["powered"])
        on.driver.enable(True)
        on.wait_for("holding")


def test_without_auto_enable_a_person_powers_the_motors():
    with table(DriverOptions(silence_s=2.0, auto_enable=False)) as on:
        on.wait_for("disabled")
        assert not any(on.arm.report()["powered"])
        with pytest.raises(ImoveError, match="disabled and takes no command: the motors have no power"):
            on.driver.command(command(ROW))
        on.driver.enable(True)
        on.wait_for("holding")


@pytest.mark.parametrize(
    ("arm", "device", "sentence"),
    [
        ({"registers": Registers(firmware="X-V1.8-8")}, {}, "arm 'left' does not answer when asked for its firmware"),
        ({}, {"firmware": "S-V1.7-4"}, "arm 'left' has firmware S-V1.8-8; the rig file says S-V1.7-4"),
        (
            {"registers": Registers(limits_rad=[(math.radians(-120), math.radians(120))] * 6)},
            {},
            "left_joint1 of arm 'left' has limits -120.0 to 120.0 deg in its controller",
        ),
        ({"leading": True}, {}, "an arm on the bus of arm 'left' was left as a leader"),
        ({"plant": FirstOrderPlant(ASKEW, fall_speed_rad_s=0.0)}, {}, "left_joint2 of arm 'left' is at -17.2 deg"),
    ],
)
def test_an_arm_that_is_not_as_it_should_be_is_not_taken_over(arm, device, sentence):
    emulated = EmulatedPiper("left", **arm)
    with table(arm=emulated, **device) as on:
        on.wait_for("faulted")
        assert on.driver.report().reason.startswith(sentence)
        assert not any(emulated.report()["powered"]) and emulated.report()["heard"]["targets"] == 0


def test_an_arm_whose_limits_were_mended_is_taken_over_by_itself():
    registers = Registers(limits_rad=[(math.radians(-120), math.radians(120))] * 6)
    with table(arm=EmulatedPiper("left", registers=registers)) as on:
        on.wait_for("faulted")
        registers.limits_rad = Registers().limits_rad
        on.wait_for("holding")


def test_an_arm_that_was_left_as_a_leader_is_taken_over_after_it_was_set_right_and_switched_off_and_on():
    with table(DriverOptions(silence_s=0.5), arm=EmulatedPiper("left", leading=True)) as on:
        on.wait_for("faulted")
        on.fault(mute=True)
        on.wait_for("lost")
        on.fault()
        on.arm.receive(Frame(LINKAGE_ID, bytes([0xFC, 0, 0, 0, 0, 0, 0, 0])), 0.0)
        on.wait_for("holding")


def test_a_leader_on_the_bus_is_refused_unless_the_rig_file_says_so():
    with table(others=[EmulatedPiper("left_leader", leading=True)]) as on:
        on.wait_for("faulted")
        assert "leader" in on.driver.report().reason


def test_commands_out_of_time_are_refused():
    with table() as on:
        on.wait_for("holding")
        with pytest.raises(ImoveError, match="ended 0.7.? s ago"):
            on.driver.command(command(ROW, begin_s=-1.0))
        with pytest.raises(ImoveError, match="begins 5.00 s ahead"):
            on.driver.command(command(ROW, begin_s=5.0001))
        assert on.mode == "holding"


def test_an_arm_that_does_not_follow_is_locked_and_stops_to_push():
    with table(arm=EmulatedPiper("left", plant=_Blocked())) as on:
        on.wait_for("holding")
        on.driver.command(command([0.0, 1.2, 0, 0, 0, 0, 0], seconds=0.5))
        on.wait_for("faulted")
        assert "does not follow: left_joint2" in on.driver.report().reason
        wait_until(lambda: abs(on.driver.target[1] - 0.3) < 0.05)
        on.wait_for("locked")


class _Blocked(FirstOrderPlant):
    """Its second joint meets a wall."""

    def step(self, drive, dt_s):
        """Goes on, up to the wall."""
        state = super().step(drive, dt_s)
        if state.joints_rad[1] > 0.3:
            joints = (state.joints_rad[0], 0.3, *state.joints_rad[2:])
            super().guide(joints, state.opening_m)
        return self.state


def test_options_that_no_arm_can_be_driven_with_are_refused():
    with pytest.raises(ImoveError, match="silence of a bus counts after 0 s; allowed: 0.02 to 10 s"):
        DriverOptions(silence_s=0.0)
    with pytest.raises(ImoveError, match="the gripper's effort is 9 N m; allowed: 0 to 5 N m"):
        DriverOptions(gripper_effort_nm=9.0)


def test_what_a_bus_that_is_not_there_says():
    for bus, sentence in (
        ("socketcan:can_nowhere", "CAN interface can_nowhere is not there or not up"),
        ("socketcand:127.0.0.1:9/left", "no CAN server answers at 127.0.0.1:9 for channel left"),
        ("virtual:nobody", "nothing is heard on virtual:nobody"),
    ):
        driver = PiperDriver(ARM, ArmDevice(bus=bus), PATIENT)
        driver.start()
        wait_until(lambda driver=driver, sentence=sentence: sentence in driver.report().reason)
        assert driver.report().mode == "connecting" and not driver.report().connected
        driver.close()
    with pytest.raises(ImoveError, match="bus 'ros2_control:x' is none of a PiPER"):
        PiperDriver(ARM, ArmDevice(bus="ros2_control:x"), PATIENT)
