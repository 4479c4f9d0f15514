"""What can be broken at the emulated table while it runs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from imove_core.errors import ImoveError, unknown_name
from imove_hardware.emulation.piper.arm import EmulatedPiper
from imove_hardware.emulation.piper.faults import ArmFaults, LineFaults
from imove_hardware.emulation.piper.line import Line

BUS_CUT, BUS_UNPLUG, BUS_RESTORE = "bus_cut", "bus_unplug", "bus_restore"
ARM_FAULT, CLEAR_FAULT = "arm_fault", "clear_fault"
CAMERA_UNPLUG, CAMERA_REPLUG = "camera_unplug", "camera_replug"
ARM_COMMANDS = (BUS_CUT, BUS_UNPLUG, BUS_RESTORE, ARM_FAULT, CLEAR_FAULT)
CAMERA_COMMANDS = (CAMERA_UNPLUG, CAMERA_REPLUG)
COMMANDS = (*ARM_COMMANDS, *CAMERA_COMMANDS)
#: Kinds of `arm_fault`; the first one where none is named.
KINDS = {
    "silent_joint": ArmFaults(silent_joints=(3,)),
    "collision": ArmFaults(collided_joints=(2,)),
    "hot_motor": ArmFaults(hot_joints=(2,)),
    "low_voltage": ArmFaults(low_voltage=True),
    "mute": ArmFaults(mute=True),
}
_LINES = {
    BUS_CUT: LineFaults(cut=True),
    BUS_UNPLUG: LineFaults(unplugged=True),
    BUS_RESTORE: LineFaults(),
}


class ArmDesk:
    """Obeys commands about arms, such as `bus_cut` with {"arm": "left"}."""

    def __init__(self, lines: Sequence[Line]) -> None:
        """Speaks for all arms of some lines."""
        self._line_of = {arm.name: line for line in lines for arm in line.arms}
        self._arms = {arm.name: arm for line in lines for arm in line.arms}

    def obey(self, command: str, argument: Mapping[str, Any]) -> str:
        """Does it and returns a sentence about it.

        Raises:
            ImoveError: The command, the arm or the kind of fault is unknown.
        """
        if command not in ARM_COMMANDS:
            raise unknown_name("fault", command, COMMANDS)
        name = named(argument, "arm", self._arms)
        if command in _LINES:
            self._line_of[name].faults = _LINES[command]
            return f"bus of arm {name}: {_LINES[command].model_dump_json(exclude_defaults=True)}"
        arm: EmulatedPiper = self._arms[name]
        kind = str(argument.get("kind", next(iter(KINDS))))
        if command == ARM_FAULT and kind not in KINDS:
            raise unknown_name("kind of arm fault", kind, KINDS)
        arm.faults = KINDS[kind] if command == ARM_FAULT else ArmFaults()
        return f"arm {name}: {arm.faults.model_dump_json(exclude_defaults=True)}"


def named(argument: Mapping[str, Any], key: str, allowed: Collection[str]) -> str:
    """The name under a key of a command's argument.

    Raises:
        ImoveError: There is none, or it is not allowed.
    """
    if key not in argument:
        raise ImoveError(f'argument is {dict(argument)}; {{"{key}": name}} is needed')
    if argument[key] not in allowed:
        raise unknown_name(key, argument[key], allowed)
    return str(argument[key])
