"""Which bus each arm of a rig is on, and its leader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from imove_bringup.emulated_table.rig_file import MODELS as PIPER_MODELS
from imove_bringup.rig_setup.asking import Asker
from imove_bringup.rig_setup.matching import Match, match, named, settle
from imove_bringup.rig_setup.measuring import ROS_CONTROL
from imove_core.errors import ImoveError, unknown_name
from imove_core.hardware import ArmDevice
from imove_core.rig import Arm, Rig
from imove_hardware.probing.arms import ArmProbe

_FRANKA_CONTROLLER = f"{ROS_CONTROL}fr3_arm_controller"
"""As franka_ros2 names it."""
_FRANKA_MODELS = frozenset({"panda", "fr3"})


@dataclass(frozen=True)
class ArmWishes:
    """What is known of arms before anything is looked for.

    Attributes:
        buses: Addresses by arm, as somebody said.
        leaders: Addresses of leaders by arm, as somebody said; "" for none.
        before: What the rig file said.
        distrust: Whether neither names nor what the file said are believed.
    """

    buses: Mapping[str, str] = field(default_factory=dict)
    leaders: Mapping[str, str] = field(default_factory=dict)
    before: Mapping[str, ArmDevice] = field(default_factory=dict)
    distrust: bool = False


@dataclass(frozen=True)
class FoundArms:
    """Where the arms are.

    Attributes:
        devices: By arm.
        notes: How that is known, by arm.
        unused: Buses on which somebody speaks whom the rig does not need.
    """

    devices: dict[str, ArmDevice]
    notes: dict[str, str]
    unused: tuple[str, ...]


def find_arms(rig: Rig, probes: Mapping[str, ArmProbe], wishes: ArmWishes, asker: Asker) -> FoundArms:
    """Finds a bus for each arm of a rig.

    Args:
        rig: Whose arms.
        probes: What is on each bus that may be meant.
        wishes: What is known already.
        asker: Asked where several buses are left.

    Raises:
        ImoveError: An arm has no driver, no bus is left for one, or nobody answers.
    """
    for name in (*wishes.buses, *wishes.leaders):
        rig.arm(name)
    pipers = [arm.name for arm in rig.arms if arm.model in PIPER_MODELS]
    followers = _followers(pipers, probes, wishes, asker)
    leaders = _leaders(followers, probes, wishes, asker)
    devices, notes = {}, {}
    for arm in rig.arms:
        before = wishes.before.get(arm.name)
        speed_percent = before.speed_percent if before is not None else 100
        if arm.name in followers:
            bus, leader = followers[arm.name], leaders.get(arm.name)
            probe = probes[bus.device]
            devices[arm.name] = ArmDevice(
                bus=bus.device,
                leader_bus=leader.device if leader is not None else "",
                firmware=probe.firmware,
                speed_percent=speed_percent,
            )
            notes[arm.name] = f"found {bus.why}, {probe.readings_hz:.0f} sets of joint angles a second"
        else:
            devices[arm.name] = ArmDevice(bus=_controller(arm, wishes), speed_percent=speed_percent)
            notes[arm.name] = "behind a controller of ROS"
    used = {bus for device in devices.values() for bus in (device.bus, device.leader_bus)}
    unused = tuple(bus for bus, probe in probes.items() if bus not in used and probe.role != "nothing")
    return FoundArms(devices, notes, unused)


def _followers(
    names: Sequence[str], probes: Mapping[str, ArmProbe], wishes: ArmWishes, asker: Asker
) -> dict[str, Match]:
    there = [bus for bus, probe in probes.items() if probe.role in ("follower", "pair")]
    free = [bus for bus in there if bus not in wishes.leaders.values()]
    believed: list[Mapping[str, Match]] = []
    if not wishes.distrust:
        # A leader that is taught by hand speaks as a follower does; its name says what it is for.
        leading = {one.device for one in named(names, free, leading=True).values()}
        free = [bus for bus in free if bus not in leading]
        believed = [_before({name: device.bus for name, device in wishes.before.items()}, free)]
        believed += [named(names, free, leading=False)]
    hint = "; ".join(probe.problem for probe in probes.values() if probe.problem)
    return match("arm", names, [_given(wishes.buses, probes), *believed], free, asker.arm, hint)


def _leaders(
    followers: Mapping[str, Match], probes: Mapping[str, ArmProbe], wishes: ArmWishes, asker: Asker
) -> dict[str, Match]:
    """Leaders are optional; those that speak are matched."""
    names = [name for name in followers if wishes.leaders.get(name) != ""]
    taken = {follower.device for follower in followers.values()}
    apart = [bus for bus, probe in probes.items() if bus not in taken and probe.role != "nothing"]
    known: list[Mapping[str, Match]] = [
        _given({name: bus for name, bus in wishes.leaders.items() if bus}, probes),
        {
            name: Match(followers[name].device, "on the bus of its follower")
            for name in names
            if probes[followers[name].device].role == "pair"
        },
    ]
    if not wishes.distrust:
        known += [_before({name: device.leader_bus for name, device in wishes.before.items()}, apart)]
        known += [named(names, apart, leading=True)]
    found = {name: one for name, one in settle("leader of", known).items() if name in names}
    open_names = [name for name in names if name not in found]
    used = {one.device for one in found.values()}
    left = [bus for bus in apart if probes[bus].role == "leader" and bus not in used]
    if not left or not open_names:
        return found
    if len(left) < len(open_names):
        raise ImoveError(
            f"a leader is on {', '.join(left)}, and arms {', '.join(open_names)} have none: say whose it is with "
            "--leader ARM=ADDRESS, or --leader ARM= for none"
        )
    return found | match("leader of", open_names, [], left, asker.leader)


def _before(buses: Mapping[str, str], there: Sequence[str]) -> dict[str, Match]:
    """What the rig file said of buses that are there."""
    return {name: Match(bus, "where the rig file had it") for name, bus in buses.items() if bus in there}


def _given(buses: Mapping[str, str], probes: Mapping[str, ArmProbe]) -> dict[str, Match]:
    for name, bus in buses.items():
        if bus.startswith(ROS_CONTROL):
            continue
        if bus not in probes:
            raise unknown_name(f"bus of arm '{name}'", bus, probes)
        if probes[bus].problem:
            raise ImoveError(f"arm '{name}' cannot be looked at: {probes[bus].problem}")
    return {name: Match(bus, "on the command line") for name, bus in buses.items() if not bus.startswith(ROS_CONTROL)}


def _controller(arm: Arm, wishes: ArmWishes) -> str:
    before = wishes.before.get(arm.name)
    said = wishes.buses.get(arm.name, before.bus if before is not None else "")
    if said.startswith(ROS_CONTROL):
        return said
    if said or arm.model not in _FRANKA_MODELS:
        raise ImoveError(
            f"arm '{arm.name}' is a {arm.model}{f' on {said}' if said else ''}; {' and '.join(PIPER_MODELS)} are "
            f"driven over CAN, any other by {ROS_CONTROL}CONTROLLER"
        )
    return _FRANKA_CONTROLLER
