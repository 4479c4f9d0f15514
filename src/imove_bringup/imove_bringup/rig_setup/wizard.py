"""The set-up of a rig from beginning to end: look, match, ask for what is left, check, write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from imove_bringup.diagnosis import Finding
from imove_bringup.rig_setup.asking import Asker
from imove_bringup.rig_setup.checking import SOCKETCAN, rig_findings
from imove_bringup.rig_setup.finding_arms import ArmWishes, find_arms
from imove_bringup.rig_setup.finding_cameras import CameraWishes, find_cameras, plugged_cameras
from imove_bringup.rig_setup.measuring import ROS_CONTROL, can_buses, measure, probe_buses
from imove_bringup.rig_setup.rig_text import text_of, with_hardware
from imove_core.canonical import write_text_atomically
from imove_core.errors import ImoveError
from imove_core.hardware import RigHardware
from imove_core.rig import Rig, parse_rig
from imove_hardware.probing.interfaces import can_interfaces


@dataclass(frozen=True)
class Wishes:
    """What the wizard is told.

    Attributes:
        source: Shipped rig or rig file that the new file is made from.
        buses: CAN buses to look at besides those of socketcan and of the file.
        recordings: Recorded cameras that stand for devices.
        arms: What is known of the arms.
        cameras: What is known of the cameras.
    """

    source: str
    buses: Sequence[str] = ()
    recordings: Sequence[str] = ()
    arms: ArmWishes = field(default_factory=ArmWishes)
    cameras: CameraWishes = field(default_factory=CameraWishes)


@dataclass(frozen=True)
class Draft:
    """A rig file before it is written.

    Attributes:
        rig: As the file has it.
        text: Of the file.
        findings: About its devices.
        remarks: For people: how devices were told apart, what is not used.
    """

    rig: Rig
    text: str
    findings: Sequence[Finding]
    remarks: Sequence[str]

    @property
    def failed(self) -> tuple[Finding, ...]:
        """What keeps the rig from being used."""
        return tuple(finding for finding in self.findings if finding.status == "failed")


@dataclass(frozen=True)
class Stage:
    """How far the wizard is; for a progress bar.

    Attributes:
        say: Told what is looked at now, and how many devices that are; 0 while a person is asked.
        done: Told of each of them.
    """

    say: Callable[[str, int], None] = lambda text, count: None
    done: Callable[[str], None] = lambda name: None


def draft(wishes: Wishes, asker: Asker, now: datetime, folder: Path, stage: Stage | None = None) -> Draft:
    """Finds all devices of a rig and checks them; nothing is written, moved or changed.

    Args:
        wishes: What is known.
        asker: Asked what cannot be found out.
        now: With a time zone.
        folder: Where recordings will go.
        stage: Told how far it is.

    Raises:
        ImoveError: A device is missing, cannot be told from another, or the source is no rig file.
    """
    stage = stage or Stage()
    text = text_of(wishes.source)
    rig = parse_rig(text, wishes.source)
    recordings = [*wishes.recordings, *(device.playback for device in rig.hardware.cameras.values() if device.playback)]
    plugged, buses = plugged_cameras(tuple(dict.fromkeys(recordings))), _candidates(rig, wishes)
    stage.say("CAN buses", len(buses))
    probes = probe_buses(buses, stage.done)
    stage.say("", 0)
    arms = find_arms(rig, probes, wishes.arms, asker)
    cameras = find_cameras(rig, plugged, wishes.cameras, asker)
    hardware = RigHardware(arms=arms.devices, cameras=cameras.devices, calibration=rig.hardware.calibration)
    made = with_hardware(text, hardware, arms.notes | cameras.notes, Path(wishes.source).name, now)
    rig = parse_rig(made, wishes.source)
    stage.say("cameras", len(cameras.devices))
    findings = rig_findings(rig, measure(rig, stage.done, probes), now, folder)
    stage.say("", 0)
    remarks = [f"{name}: {note}" for name, note in (arms.notes | cameras.notes).items()]
    remarks += [f"not used: {device}" for device in (*arms.unused, *cameras.unused)]
    remarks += [interface.problem for interface in can_interfaces() if interface.problem]
    return Draft(rig, made, findings, remarks)


def write(made: Draft, path: Path) -> None:
    """Writes a rig file under a temporary name, then renames it.

    Raises:
        ImoveError: It cannot be written; an older file is left as it was.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text_atomically(path, made.text)
    except OSError as error:
        raise ImoveError(f"rig file {path} cannot be written: {error.strerror}") from error


def _candidates(rig: Rig, wishes: Wishes) -> tuple[str, ...]:
    """Buses that may be meant, each once."""
    up = [f"{SOCKETCAN}{interface.name}" for interface in can_interfaces() if not interface.problem]
    said = [*wishes.arms.buses.values(), *wishes.arms.leaders.values()]
    every = [*said, *wishes.buses, *can_buses(rig), *up]
    return tuple(dict.fromkeys(bus for bus in every if bus and not bus.startswith(ROS_CONTROL)))
