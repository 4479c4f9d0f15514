"""The text of a lab's rig file: all of the file that it is made from, with the devices that were found."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path

import yaml

from imove_core.errors import ImoveError
from imove_core.hardware import ArmDevice, Calibrated, CameraDevice, RigHardware
from imove_core.rig import Rig, parse_rig, rig_names

_HEAD = "# Set up "
_DEVICES = "# Devices that `imove rig setup` found."
# A key of the top level, with all that belongs to it: what is indented below it, or blank.
_HARDWARE = re.compile(r"^hardware:.*\n(?:(?:[ \t].*)?\n)*", re.MULTILINE)


def text_of(rig: str) -> str:
    """The text of a shipped rig, or of a rig file; raises ImoveError where it cannot be read."""
    try:
        if rig in rig_names():
            return (resources.files("imove_description") / "rigs" / f"{rig}.yaml").read_text(encoding="utf-8")
        return Path(rig).read_text(encoding="utf-8")
    except OSError as error:
        raise ImoveError(f"rig file {rig} cannot be read: {error.strerror}") from error


def with_hardware(text: str, hardware: RigHardware, notes: Mapping[str, str], source: str, now: datetime) -> str:
    """The same rig file with other devices; poses, intrinsics and comments stay letter by letter.

    Args:
        text: Of the file that it is made from.
        hardware: The devices.
        notes: What people want to know of a device, by the name of its arm or camera.
        source: Name of the file that it is made from.
        now: With a time zone.

    Raises:
        ImoveError: The text is no rig file, or the devices do not fit it.
    """
    before = parse_rig(text, source)
    kept = [line for line in text.splitlines() if not line.startswith(_HEAD) and line != _DEVICES]
    body = _HARDWARE.sub("", "\n".join(kept) + "\n").strip("\n")
    head = f"{_HEAD}{now.astimezone(UTC):%Y-%m-%d %H:%M} UTC by `imove rig setup` from {source}."
    made = f"{head}\n{body}\n\n{_DEVICES}\n{_hardware(hardware, notes)}"
    _check(before, parse_rig(made, source), hardware, source)
    return made


def _check(before: Rig, after: Rig, hardware: RigHardware, source: str) -> None:
    if after.hardware != hardware or before.model_dump(exclude={"hardware"}) != after.model_dump(exclude={"hardware"}):
        raise ImoveError(
            f"the devices of {source} cannot be replaced; write its key `hardware` at the start of a line, and what "
            "belongs to it indented below"
        )


def _hardware(hardware: RigHardware, notes: Mapping[str, str]) -> str:
    lines = ["hardware:", "  arms:" if hardware.arms else "  arms: {}"]
    for name, arm in hardware.arms.items():
        lines += [*_note(name, notes), *_arm(arm)]
    lines.append("  cameras:" if hardware.cameras else "  cameras: {}")
    for name, camera in hardware.cameras.items():
        lines += [*_note(name, notes), *_camera(camera)]
    if hardware.calibration:
        lines.append("  calibration:  # as the console's wizard measured it")
        lines += [f"    {name}: {_calibrated(note)}" for name, note in hardware.calibration.items()]
    return "\n".join(lines) + "\n"


def _note(name: str, notes: Mapping[str, str]) -> list[str]:
    note = " ".join(notes.get(name, "").split())
    return [f"    {name}:" + (f"  # {note}" if note else "")]


def _arm(arm: ArmDevice) -> list[str]:
    lines = [f"      bus: {_quoted(arm.bus)}"]
    if arm.leader_bus:
        meaning = "the leader drives this arm over it" if arm.leader_bus == arm.bus else "this computer passes it on"
        lines.append(f"      leader_bus: {_quoted(arm.leader_bus)}  # {meaning}")
    if arm.firmware:
        lines.append(f"      firmware: {_quoted(arm.firmware)}  # the driver refuses an arm with another one")
    return [*lines, f"      speed_percent: {arm.speed_percent}  # of the controller's own top speed"]


def _camera(camera: CameraDevice) -> list[str]:
    profile = camera.profile
    exposure = "null  # the camera's own control" if camera.exposure_us is None else f"{camera.exposure_us:g}"
    lines = [
        f"      serial: {_quoted(camera.serial)}",
        f"      profile: {{width: {profile.width}, height: {profile.height}, rate_hz: {profile.rate_hz}}}",
        f"      exposure_us: {exposure}",
    ]
    for key, value in (("playback", camera.playback), ("feed", camera.feed)):
        if value:
            lines.append(f"      {key}: {_quoted(value)}")
    return lines


def _calibrated(note: Calibrated) -> str:
    fields = note.model_dump(exclude_none=True)
    return str(yaml.safe_dump(fields, default_flow_style=True, sort_keys=False, width=float("inf"))).strip()


def _quoted(text: str) -> str:
    # A JSON string is a YAML string, whatever is in it; digits stay text.
    return json.dumps(text, ensure_ascii=False)
