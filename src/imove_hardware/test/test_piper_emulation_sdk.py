"""The vendor's own SDK, unchanged, against the emulated arm."""

from __future__ import annotations

import itertools
import json
import math
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from piper_sdk import C_PiperInterface_V2, LogLevel

from imove_hardware.emulation.piper.arm import EmulatedPiper
from imove_hardware.emulation.piper.faults import ArmFaults, LineFaults
from imove_hardware.emulation.piper.line import Line
from imove_hardware.emulation.piper.plant import FirstOrderPlant
from imove_hardware.emulation.piper.serving import LineServer
from imove_hardware.emulation.piper.socketcand import SocketcandServer
from imove_hardware.emulation.piper.virtual import VirtualTransport

_numbers = itertools.count()


def _wait(condition: Callable[[], bool], timeout_s: float = 60.0) -> None:
    end_s = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end_s, "never came true"
        time.sleep(0.005)


def _sdk(channel: str, transport: str) -> C_PiperInterface_V2:
    sdk = C_PiperInterface_V2(
        can_name=channel,
        judge_flag=False,
        can_auto_init=False,
        logger_level=LogLevel.SILENT,
        start_sdk_joint_limit=False,
    )
    sdk.CreateCanBus(channel, bustype=transport, expected_bitrate=1000000, judge_flag=False)
    sdk.ConnectPort()
    return sdk


def _joints(sdk: C_PiperInterface_V2) -> list[int]:
    state = sdk.GetArmJointMsgs().joint_state
    return [getattr(state, f"joint_{number}") for number in range(1, 7)]


def _move(sdk: C_PiperInterface_V2, joints_mdeg: list[int]) -> None:
    def there() -> bool:
        sdk.MotionCtrl_2(1, 1, 100, 0)
        sdk.JointCtrl(*joints_mdeg)
        return max(abs(a - b) for a, b in zip(joints_mdeg, _joints(sdk), strict=True)) < 100

    _wait(there)


@pytest.fixture
def channel() -> str:
    """A name that no other test has: the SDK keeps one interface a name for the whole process."""
    return f"emulated{next(_numbers)}"


@pytest.fixture(params=["virtual", "socketcand"])
def table(
    request: pytest.FixtureRequest, channel: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[C_PiperInterface_V2, EmulatedPiper, Line]]:
    """The SDK, the arm it is connected to, and the line between them."""
    arm = EmulatedPiper("left", plant=FirstOrderPlant(object_width_m=0.03, opening_m=0.07))
    line = Line(channel, [arm], np.random.default_rng(1))
    if request.param == "virtual":
        transport: VirtualTransport | SocketcandServer = VirtualTransport(channel)
    else:
        transport = SocketcandServer([channel])
        monkeypatch.setenv("CAN_CONFIG", json.dumps({"host": "127.0.0.1", "port": transport.port, "tcp_tune": True}))
    with LineServer(transport, [line]):
        sdk = _sdk(channel, request.param)
        yield sdk, arm, line
        sdk.DisconnectPort()


def test_sdk_enables_moves_and_grips(table: tuple[C_PiperInterface_V2, EmulatedPiper, Line]) -> None:
    """Firmware, limits, enabling, a motion and a grip on an object come through as on an arm."""
    sdk, arm, _ = table
    _wait(lambda: sdk.GetPiperFirmwareVersion() == "S-V1.8-8")
    sdk.SearchMotorMaxAngleSpdAccLimit(5, 1)
    limits = sdk.GetCurrentMotorAngleLimitMaxVel().current_motor_angle_limit_max_vel
    _wait(lambda: limits.motor_num == 5)
    assert (limits.max_angle_limit, limits.min_angle_limit) == (890, -890)
    _wait(lambda: bool(sdk.EnablePiper()))
    _move(sdk, [30000, 60000, -45000, 20000, 30000, -40000])
    assert math.degrees(arm.state.joints_rad[2]) == pytest.approx(-45.0, abs=0.1)
    sdk.GripperCtrl(0, 1000, 0x01, 0)
    _wait(lambda: sdk.GetArmGripperMsgs().gripper_state.grippers_effort > 900)
    assert sdk.GetArmGripperMsgs().gripper_state.grippers_angle == 30000


def test_sdk_sees_faults_stops_and_silence(table: tuple[C_PiperInterface_V2, EmulatedPiper, Line]) -> None:
    """A target past a limit, a silent joint, an emergency stop, a cut and a reset read as the protocol says."""
    sdk, arm, line = table
    _wait(lambda: bool(sdk.EnablePiper()))
    _move(sdk, [0, 20000, -20000, 0, 0, 0])
    status = sdk.GetArmStatus().arm_status
    sdk.JointCtrl(0, 20000, -20000, 0, 95000, 0)
    _wait(lambda: status.arm_status == 4 and status.err_status.joint_5_angle_limit)
    _move(sdk, [0, 20000, -20000, 0, 0, 0])
    arm.faults = ArmFaults(silent_joints=(3,))
    _wait(lambda: status.arm_status == 5 and status.err_status.communication_status_joint_3)
    arm.faults = ArmFaults()
    sdk.EmergencyStop(0x01)
    _wait(lambda: status.arm_status == 1)
    line.faults = LineFaults(cut=True)
    time.sleep(0.1)
    stamp_s = sdk.GetArmJointMsgs().time_stamp
    time.sleep(0.2)
    assert sdk.GetArmJointMsgs().time_stamp == stamp_s
    line.faults = LineFaults()
    _wait(lambda: sdk.GetArmJointMsgs().time_stamp > stamp_s)
    sdk.EmergencyStop(0x02)
    _wait(lambda: status.arm_status == 0 and not any(sdk.GetArmEnableStatus()))
    _wait(lambda: max(abs(angle) for angle in _joints(sdk)) < 100)


def test_leader_on_the_followers_line_moves_it_and_overrides_the_pc(channel: str) -> None:
    """The vendor's own wiring: one SDK reads both arms, and what it commands has no effect."""
    leader, follower = EmulatedPiper("left_leader", leading=True), EmulatedPiper("left")
    line = Line(channel, [leader, follower], np.random.default_rng(1))
    guided_mdeg = [10000, 20000, -30000, 4000, 5000, 6000]
    with LineServer(VirtualTransport(channel), [line]):
        sdk = _sdk(channel, "virtual")
        leader.guide(tuple(math.radians(angle / 1000.0) for angle in guided_mdeg), 0.033)
        _wait(lambda: max(abs(a - b) for a, b in zip(guided_mdeg, _joints(sdk), strict=True)) < 100)
        _wait(lambda: sdk.GetArmGripperMsgs().gripper_state.grippers_angle == pytest.approx(33000, abs=100))
        assert sdk.GetArmJointCtrl().joint_ctrl.joint_1 == 10000
        assert sdk.GetArmStatus().arm_status.ctrl_mode == 1
        heard = follower.report()["heard"]["targets"]
        for _ in range(20):
            sdk.JointCtrl(0, 0, 0, 0, 0, 0)
            time.sleep(0.005)
        _wait(lambda: follower.report()["heard"]["targets"] > heard + 20)
        assert max(abs(a - b) for a, b in zip(guided_mdeg, _joints(sdk), strict=True)) < 100
        sdk.DisconnectPort()
