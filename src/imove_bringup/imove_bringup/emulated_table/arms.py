"""The CAN lines of an emulated table: which arms are on them, as the rig file says."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from imove_bringup.emulated_table.hands import HandPlant
from imove_bringup.emulated_table.plant import TablePlant
from imove_bringup.emulated_table.rig_file import LEADER_SUFFIX
from imove_core.errors import ImoveError
from imove_core.rig import Arm, Rig
from imove_hardware.emulation.piper.arm import EmulatedPiper
from imove_hardware.emulation.piper.feedback import FeedbackRates
from imove_hardware.emulation.piper.line import Line
from imove_hardware.emulation.piper.registers import Registers

_LOCAL_BUS = re.compile(r"socketcand:127\.0\.0\.1:(\d+)/([\w.-]+)", re.ASCII)


def led_arms(rig: Rig) -> tuple[Arm, ...]:
    """Arms that have a leader."""
    return tuple(arm for arm in rig.arms if rig.arm_device(arm.name).leader_bus)


def can_port(rig: Rig) -> int:
    """The one port of all lines.

    Raises:
        ImoveError: Buses are not local, or at several ports.
    """
    devices = [rig.arm_device(arm.name) for arm in rig.arms]
    ports = {_local(bus)[0] for device in devices for bus in (device.bus, device.leader_bus) if bus}
    if len(ports) != 1:
        raise ImoveError(f"emulated arms of rig {rig.name} are at ports {sorted(ports)}; one port for all is needed")
    return ports.pop()


def table_lines(rig: Rig, plants: Mapping[str, TablePlant], hands: Mapping[str, HandPlant], seed: int) -> list[Line]:
    """Makes the arms and wires them.

    Args:
        rig: With emulated devices.
        plants: By arm.
        hands: Mechanics of leaders by the arm that follows, for all of `led_arms`.
        seed: Of lost frames and jitter; each line has a stream of its own.
    """
    wired: dict[str, list[EmulatedPiper]] = {}
    for arm in rig.arms:
        device = rig.arm_device(arm.name)
        if arm.name in hands:
            # Before its follower, so that what it says is heard in the same round.
            leader = _emulated(arm, arm.name + LEADER_SUFFIX, hands[arm.name], device.firmware, leading=True)
            wired.setdefault(_local(device.leader_bus)[1], []).append(leader)
        follower = _emulated(arm, arm.name, plants[arm.name], device.firmware, leading=False)
        wired.setdefault(_local(device.bus)[1], []).append(follower)
    streams = np.random.default_rng(seed).spawn(len(wired))
    return [Line(channel, arms, stream) for (channel, arms), stream in zip(wired.items(), streams, strict=True)]


def _emulated(arm: Arm, name: str, plant: TablePlant | HandPlant, firmware: str, *, leading: bool) -> EmulatedPiper:
    model = arm.arm_model
    registers = Registers(limits_rad=[(float(low), float(high)) for low, high in model.joint_limits])
    registers.firmware = firmware or registers.firmware
    registers.stroke_m = model.gripper.max_opening_m
    rates = FeedbackRates.light()
    return EmulatedPiper(name, plant=plant, registers=registers, rates=rates, leading=leading, model=model.name)


def _local(bus: str) -> tuple[int, str]:
    found = _LOCAL_BUS.fullmatch(bus)
    if found is None:
        raise ImoveError(f"bus of an emulated arm is '{bus}'; socketcand:127.0.0.1:PORT/CHANNEL is needed")
    return int(found[1]), found[2]
