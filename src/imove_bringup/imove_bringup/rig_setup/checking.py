"""What a measurement says about a rig file: the findings that `imove rig setup` and `imove doctor --rig` print."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from imove_bringup.diagnosis import Finding, Status
from imove_bringup.rig_setup.calibration import uncalibrated
from imove_bringup.rig_setup.measuring import ROS_CONTROL, Measurement
from imove_core.hardware import TABLE, Calibrated, CameraDevice, CameraProfile
from imove_core.rig import Arm, Camera, Rig
from imove_hardware.probing.cameras import CameraProbe
from imove_hardware.probing.usb import usb_problem, usb_summary

JOINTS_HZ = 200
"""How often a PiPER tells where its joints are."""
FULL_SHARE = 0.8
"""Share of a nominal rate below which something is slow."""
OLD_CALIBRATION = timedelta(days=30)
"""Cameras on a stand that people work beside move within weeks."""
FOCAL_SHARE = 0.05
"""By how much a camera's focal length may differ from the rig file's, with which simulation renders."""
RECORDED_BYTES_PER_PIXEL = 2.1
"""Measured with JPEG colour and depth of three cameras (docs/recording.md)."""
LITTLE_RECORDING_S = 20 * 60
SOCKETCAN = "socketcan:"


def rig_findings(rig: Rig, measured: Measurement, now: datetime, folder: Path) -> list[Finding]:
    """Everything about a rig, in the order in which it is printed.

    Args:
        rig: As the file has it.
        measured: What was found.
        now: With a time zone.
        folder: Where recordings go.
    """
    findings = []
    for arm in rig.arms:
        findings += _arm_findings(rig, arm, measured)
    findings += [_camera_finding(rig, camera, measured) for camera in rig.cameras]
    return [
        *findings,
        *_calibration_findings(rig, now),
        *_usb(rig, measured),
        _clock(measured),
        _disk(rig, folder),
    ]


def _arm_findings(rig: Rig, arm: Arm, measured: Measurement) -> list[Finding]:
    name = f"arm/{arm.name}"
    device = rig.hardware.arms.get(arm.name)
    if device is None:
        return [Finding(name, "failed", "the rig file does not say where it is connected; run `imove rig setup`")]
    if device.bus.startswith(ROS_CONTROL):
        controller = device.bus.removeprefix(ROS_CONTROL)
        return [Finding(name, "ok", f"behind controller {controller} of ROS, which is looked at once it runs")]
    found = [_bus(f"bus/{arm.name}", device.bus, measured), _follower(rig, arm, measured)]
    if device.leader_bus:
        if device.leader_bus != device.bus:
            found.append(_bus(f"bus/{arm.name}_leader", device.leader_bus, measured))
        found.append(_leader(arm, device.leader_bus, measured))
    return [finding for finding in found if finding is not None]


def _bus(name: str, bus: str, measured: Measurement) -> Finding | None:
    """What the kernel says of an interface; other buses show how they are by the arm on them."""
    if not bus.startswith(SOCKETCAN):
        return None
    interfaces = {interface.name: interface for interface in measured.interfaces}
    interface = interfaces.get(bus.removeprefix(SOCKETCAN))
    if interface is None:
        there = ", ".join(interfaces) or "none"
        return Finding(name, "failed", f"CAN interface {bus.removeprefix(SOCKETCAN)} is not there; there is {there}")
    return Finding(name, "failed" if interface.problem else "ok", interface.problem or interface.summary)


def _follower(rig: Rig, arm: Arm, measured: Measurement) -> Finding:
    device = rig.arm_device(arm.name)
    probe = measured.arms[device.bus]
    problem = probe.follower_problem(arm, device.firmware, led=device.leader_bus == device.bus)
    if problem:
        return Finding(f"arm/{arm.name}", "failed", problem)
    detail = f"{device.bus}, firmware {probe.firmware}, limits of a {arm.model}, no fault"
    return _arm_rate(f"arm/{arm.name}", probe.readings_hz, detail)


def _leader(arm: Arm, bus: str, measured: Measurement) -> Finding:
    probe = measured.arms[bus]
    problem = probe.leader_problem(arm)
    if problem:
        return Finding(f"leader/{arm.name}", "failed", problem)
    mode = "leads" if probe.leader_hz else "is taught by hand"
    rate_hz = probe.leader_hz or probe.readings_hz
    return _arm_rate(f"leader/{arm.name}", rate_hz, f"{bus}, {mode}")


def _camera_finding(rig: Rig, camera: Camera, measured: Measurement) -> Finding:
    name = f"camera/{camera.name}"
    probe = measured.cameras.get(camera.name)
    if probe is None:
        return Finding(name, "failed", "the rig file does not say which one it is; run `imove rig setup`")
    if probe.problem:
        return Finding(name, "failed", probe.problem)
    device = rig.camera_device(camera.name)
    profile = device.profile
    detail = f"{probe.serial}, {profile.width}x{profile.height}, {probe.dropped} dropped, stamps in {probe.domain}"
    warnings = [
        _slowness(probe.rate_hz, probe.nominal_hz, "images"),
        probe.refused,
        probe.exposure_problem,
        _other_optics(camera, probe),
    ]
    return _warned(name, warnings, f"{detail}, {probe.rate_hz:.0f} images a second")


def _arm_rate(name: str, rate_hz: float, detail: str) -> Finding:
    slow = _slowness(rate_hz, JOINTS_HZ, "joint angles")
    return _warned(name, [slow], f"{detail}, {rate_hz:.0f} joint angles a second")


def _slowness(rate_hz: float, nominal_hz: int, what: str) -> str:
    return (
        f"only {rate_hz:.0f} {what} a second where {nominal_hz} should come"
        if rate_hz < FULL_SHARE * nominal_hz
        else ""
    )


def _warned(name: str, warnings: Sequence[str], detail: str) -> Finding:
    told = "; ".join(warning for warning in warnings if warning)
    return Finding(name, "warning", f"{told} ({detail})") if told else Finding(name, "ok", detail)


def _other_optics(camera: Camera, probe: CameraProbe) -> str:
    if probe.intrinsics is None:
        return ""
    expected = camera.intrinsics.resized(probe.intrinsics.width, probe.intrinsics.height)
    if abs(probe.intrinsics.fx / expected.fx - 1.0) <= FOCAL_SHARE:
        return ""
    return (
        f"its focal length is {probe.intrinsics.fx:.0f} px; the rig file says {expected.fx:.0f}, with which simulation "
        "renders"
    )


def _calibration_findings(rig: Rig, now: datetime) -> list[Finding]:
    # An emulated camera is where the rig says that it is.
    real = {name for name, device in rig.hardware.cameras.items() if not device.feed}
    notes, as_shipped, found = rig.hardware.calibration, uncalibrated(rig), []
    for what in [*(camera.name for camera in rig.cameras if camera.name in real), *([TABLE] if TABLE in notes else [])]:
        status: Status = "ok"
        if what in notes:
            age = now.astimezone(UTC).date() - notes[what].calibrated_on
            old = age > OLD_CALIBRATION
            status = "warning" if old else "ok"
            detail = f"{age.days} days ago{_how_well(notes[what])}" + ("; do it again" if old else "")
        elif what in as_shipped:
            status, detail = "warning", "never calibrated: its place is that of the shipped rig"
        else:
            detail = "at a time that the rig file does not tell"
        found.append(Finding(f"calibrated/{what}", status, detail))
    return found


def _how_well(note: Calibrated) -> str:
    figures = ((note.residual_mm, "mm"), (note.reprojection_px, "px"))
    told = [f"{value:.2g} {unit}" for value, unit in figures if value is not None]
    return f", to {' and '.join(told)}" if told else ""


def _usb(rig: Rig, measured: Measurement) -> list[Finding]:
    real = [device for device in rig.hardware.cameras.values() if _on_usb(device)]
    if not real:
        return []
    if not measured.usb:
        return [Finding("usb", "absent", "no camera is seen in the tree of USB devices")]
    largest = max((device.profile for device in real), key=_pixels_a_second)
    problem = usb_problem(measured.usb, largest)
    return [Finding("usb", "warning" if problem else "ok", problem or usb_summary(measured.usb))]


def _on_usb(device: CameraDevice) -> bool:
    return not device.feed and not device.playback


def _clock(measured: Measurement) -> Finding:
    if measured.clock_kept is None:
        return Finding("clock", "absent", "the kernel does not say whether the clock is kept right")
    if not measured.clock_kept:
        return Finding("clock", "warning", "no time server keeps the clock right; recordings are dated by it")
    return Finding("clock", "ok", "kept right by a time server")


def _disk(rig: Rig, folder: Path) -> Finding:
    free = shutil.disk_usage(folder).free
    pixels_a_second = sum(_pixels_a_second(device.profile) for device in rig.hardware.cameras.values())
    recording_s = free / (RECORDED_BYTES_PER_PIXEL * pixels_a_second) if pixels_a_second else float("inf")
    status: Status = "warning" if recording_s < LITTLE_RECORDING_S else "ok"
    room = f"room for {recording_s / 60:.0f} min of recorded episodes" if pixels_a_second else "no camera to record"
    return Finding("recordings", status, f"{free / 1e9:.0f} GB free in {folder}: {room}")


def _pixels_a_second(profile: CameraProfile) -> int:
    return profile.width * profile.height * profile.rate_hz
