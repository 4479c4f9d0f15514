"""Which camera that is plugged in is which of a rig."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from imove_bringup.rig_setup.asking import Asker
from imove_bringup.rig_setup.matching import Match, match
from imove_core.errors import ImoveError
from imove_core.hardware import CameraDevice, CameraProfile
from imove_core.rig import Rig
from imove_hardware.realsense.finding import CameraFacts, DeviceContext


@dataclass(frozen=True)
class CameraWishes:
    """What is known of cameras before anything is looked for.

    Attributes:
        serials: Serial numbers by camera, as somebody said.
        before: What the rig file said.
        profile: Mode of all cameras, None for what the file said or the usual one.
        exposure_us: Of all cameras, None for what the file said or the cameras' own control.
        distrust: Whether what the file said is not believed.
    """

    serials: Mapping[str, str] = field(default_factory=dict)
    before: Mapping[str, CameraDevice] = field(default_factory=dict)
    profile: CameraProfile | None = None
    exposure_us: float | None = None
    distrust: bool = False


@dataclass(frozen=True)
class PluggedCamera:
    """A camera that is there.

    Attributes:
        facts: What it says of itself.
        playback: The recording that stands for it, "" for a device.
    """

    facts: CameraFacts
    playback: str = ""


@dataclass(frozen=True)
class FoundCameras:
    """Which camera is which.

    Attributes:
        devices: By the rig's name.
        notes: How that is known, by the rig's name.
        unused: Serial numbers of cameras that the rig does not need.
    """

    devices: dict[str, CameraDevice]
    notes: dict[str, str]
    unused: tuple[str, ...]


def plugged_cameras(recordings: Sequence[str] = ()) -> tuple[PluggedCamera, ...]:
    """All cameras on USB, and those of recordings; raises ImoveError where the library or a recording fails."""
    context = DeviceContext()
    found = {facts.serial: PluggedCamera(facts) for facts in context.cameras()}
    for path in recordings:
        context.load(path)
        for facts in context.cameras():
            found.setdefault(facts.serial, PluggedCamera(facts, path))
    return tuple(found.values())


def find_cameras(rig: Rig, plugged: Sequence[PluggedCamera], wishes: CameraWishes, asker: Asker) -> FoundCameras:
    """Finds a device for each camera of a rig, by its model first.

    Args:
        rig: Whose cameras.
        plugged: Cameras that are there.
        wishes: What is known already.
        asker: Asked where several of a model are left.

    Raises:
        ImoveError: A camera is missing, or nobody answers.
    """
    for name in wishes.serials:
        rig.camera(name)
    by_serial = {camera.facts.serial: camera for camera in plugged}
    emulated = {name: device for name, device in wishes.before.items() if device.feed and name not in wishes.serials}
    found: dict[str, Match] = {}
    for model in dict.fromkeys(camera.model for camera in rig.cameras):
        names = [camera.name for camera in rig.cameras if camera.model == model and camera.name not in emulated]
        known = _known(names, by_serial, wishes)
        of_model = [serial for serial, camera in by_serial.items() if model in camera.facts.model]
        free = [serial for serial in of_model if serial not in wishes.serials.values()]

        def ask(name: str, serials: Sequence[str]) -> str:
            return asker.camera(name, [_device(name, by_serial[serial], wishes) for serial in serials])

        found |= match(f"{model} camera", names, known, free, ask)
    devices, notes = {}, {}
    for camera in rig.cameras:
        if camera.name in emulated:
            devices[camera.name], notes[camera.name] = emulated[camera.name], "emulated"
            continue
        there = by_serial[found[camera.name].device]
        devices[camera.name] = _device(camera.name, there, wishes)
        words = [there.facts.model, f"found {found[camera.name].why}"]
        words += [f"firmware {there.facts.firmware}"] if there.facts.firmware else []
        words += [f"USB {there.facts.usb}"] if there.facts.usb else []
        notes[camera.name] = ", ".join(words)
    used = {device.serial for device in devices.values()}
    return FoundCameras(devices, notes, tuple(serial for serial in by_serial if serial not in used))


def _known(
    names: Sequence[str], there: Mapping[str, PluggedCamera], wishes: CameraWishes
) -> tuple[dict[str, Match], dict[str, Match]]:
    """What somebody said, and what the rig file said."""
    for name, serial in wishes.serials.items():
        if serial not in there:
            raise ImoveError(
                f"camera '{name}' with serial number {serial} is not there; there are {', '.join(there) or 'none'}"
            )
    said = {name: Match(wishes.serials[name], "on the command line") for name in names if name in wishes.serials}
    if wishes.distrust:
        return said, {}
    before = {name: wishes.before[name].serial for name in names if name in wishes.before}
    return said, {
        name: Match(serial, "where the rig file had it") for name, serial in before.items() if serial in there
    }


def _device(name: str, camera: PluggedCamera, wishes: CameraWishes) -> CameraDevice:
    before = wishes.before.get(name)
    return CameraDevice(
        serial=camera.facts.serial,
        profile=wishes.profile or (before.profile if before is not None else CameraProfile()),
        exposure_us=wishes.exposure_us or (before.exposure_us if before is not None else None),
        playback=camera.playback,
    )
