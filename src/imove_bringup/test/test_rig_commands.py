"""`imove rig` and `imove doctor --rig` against emulated arms and recorded cameras."""

from __future__ import annotations

import itertools
import json
import math
from contextlib import ExitStack
from datetime import UTC, datetime

import numpy as np
import pytest
from typer.testing import CliRunner

from imove_bringup.cli import app
from imove_bringup.rig_setup import measuring, wizard
from imove_bringup.rig_setup.asking import Nobody
from imove_bringup.rig_setup.finding_cameras import CameraWishes
from imove_core.errors import ImoveError
from imove_core.hardware import CameraProfile
from imove_core.rig import load_rig
from imove_hardware.emulation.piper.arm import EmulatedPiper
from imove_hardware.emulation.piper.faults import LineFaults
from imove_hardware.emulation.piper.feedback import FeedbackRates
from imove_hardware.emulation.piper.line import Line
from imove_hardware.emulation.piper.serving import LineServer
from imove_hardware.emulation.piper.virtual import VirtualTransport
from imove_hardware.emulation.realsense.feed import FeedCamera
from imove_hardware.emulation.realsense.recording import RecordedImage, record

SERIALS = {"static_camera": "311322300001", "left_hand_camera": "218622270002", "right_hand_camera": "218622270003"}
_numbers = itertools.count()


@pytest.fixture(scope="module")
def recordings(tmp_path_factory):
    """Recorded cameras of the rig, as arguments."""
    folder, arguments = tmp_path_factory.mktemp("cameras"), []
    for camera in load_rig("piperx_dual").cameras:
        small = FeedCamera(
            serial=SERIALS[camera.name], model=camera.model, intrinsics=camera.intrinsics.resized(64, 48)
        )
        path = folder / f"{small.serial}.db3"
        rgb, depth = np.full((48, 64, 3), 120, np.uint8), np.full((48, 64), 600, np.uint16)
        record(path, small, [RecordedImage(n, 1e6 + n * 1000 / 30, rgb, depth) for n in range(1, 61)])
        arguments += ["--recording", str(path)]
    return arguments


class Lines:
    """Arms `left` and `right` and the leader of `left`, each on a bus that tells its name."""

    def __init__(self, stack):
        number = next(_numbers)
        self.arms = {name: EmulatedPiper(name, rates=FeedbackRates.light()) for name in ("left", "right")}
        leader = EmulatedPiper("left_leader", rates=FeedbackRates.light(), leading=True)
        self.lines = {
            name: Line(f"rig{number}_{name}", [arm], np.random.default_rng(0))
            for name, arm in {**self.arms, "left_leader": leader}.items()
        }
        for line in self.lines.values():
            stack.enter_context(LineServer(VirtualTransport(line.channel), [line]))

    def bus(self, name):
        return f"virtual:{self.lines[name].channel}"

    @property
    def arguments(self):
        return [word for name in self.lines for word in ("--bus", self.bus(name))]


@pytest.fixture
def lines():
    with ExitStack() as stack:
        yield Lines(stack)


@pytest.fixture(autouse=True)
def short_looks(monkeypatch):
    """Shorter looks than a lab takes."""
    camera, arm = measuring.probe_camera, measuring.probe_arm
    monkeypatch.setattr(measuring, "probe_camera", lambda device: camera(device, watch_s=0.3, start_s=60.0))
    monkeypatch.setattr(measuring, "probe_arm", lambda bus: arm(bus, count_s=0.2))


def run(*words, status=0):
    """Output of a command, by its streams."""
    result = CliRunner().invoke(app, [str(word) for word in words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == status, result.output
    return result


def _setup(path, lines, recordings, *more, status=0):
    words = ["rig", "setup", path, *lines.arguments, *recordings, "--mode", "64x48@30", "--json", *more]
    return json.loads(run(*words, status=status).stdout)


def _by_name(findings):
    return {finding["name"]: (finding["status"], finding["detail"]) for finding in findings}


HANDS = ("--camera", f"left_hand_camera={SERIALS['left_hand_camera']}")


def test_a_rig_is_set_up_shown_checked_and_set_up_again(tmp_path, lines, recordings):
    path = tmp_path / "lab.yaml"
    told = _setup(path, lines, recordings, *HANDS, "--exposure-us", "8000")
    assert told["written"] == str(path)
    rig = load_rig(str(path))
    left = rig.arm_device("left")
    assert (left.bus, left.leader_bus, left.firmware) == (lines.bus("left"), lines.bus("left_leader"), "S-V1.8-8")
    assert (rig.arm_device("right").bus, rig.arm_device("right").leader_bus) == (lines.bus("right"), "")
    assert {name: rig.camera_device(name).serial for name in SERIALS} == SERIALS
    findings = _by_name(told["findings"])
    assert "firmware S-V1.8-8" in findings["arm/left"][1] and "leads" in findings["leader/left"][1]
    # A recording takes no exposure: told, and no reason to write nothing.
    assert "exposure cannot be set" in findings["camera/static_camera"][1]

    shown = run("rig", "show", path).stdout
    assert lines.bus("left_leader") in shown and SERIALS["static_camera"] in shown
    assert json.loads(run("rig", "show", path, "--json").stdout)["hardware"] == told["hardware"]

    checked = _by_name(json.loads(run("doctor", "--rig", path, "--json").stdout))
    assert "arm/right" in checked and "ros" in checked
    assert checked["calibrated/left_hand_camera"][0] == "warning"

    calibrated = path.read_text().replace("xyz: [0.32, 0, 0.85]", "xyz: [0.31, 0, 0.86]")
    note = "  calibration: {static_camera: {calibrated_on: 2026-01-01, reprojection_px: 0.31, residual_mm: 1.5}}\n"
    path.write_text(f"# Our own words.\n{calibrated}{note}")
    assert "calibrated on 2026-01-01, residual 1.5 mm, reprojection 0.31 px" in run("rig", "show", path).stdout
    again = run("rig", "setup", path, *lines.arguments, "--yes").stdout
    assert f"{path} was written" in again and "found where the rig file had it" in again
    rig = load_rig(str(path))
    assert rig.camera("static_camera").parent_from_optical.xyz == (0.31, 0, 0.86)
    kept = rig.hardware.model_dump(mode="json")
    assert kept.pop("calibration")["static_camera"]["calibrated_on"] == "2026-01-01"
    assert kept | {"calibration": {}} == told["hardware"]
    assert "# Our own words." in path.read_text()


def test_a_rig_with_a_fault_is_not_written_unless_forced(tmp_path, lines, recordings):
    path = tmp_path / "lab.yaml"
    lines.arms["right"].registers.limits_rad = [(math.radians(-120), math.radians(120))] * 6
    told = _setup(path, lines, recordings, *HANDS, status=1)
    assert told["written"] is None and not path.exists()
    status, detail = _by_name(told["findings"])["arm/right"]
    assert status == "failed" and "has limits -120.0 to 120.0 deg in its controller" in detail
    assert _setup(path, lines, recordings, *HANDS, "--force", status=1)["written"] == str(path)
    assert load_rig(str(path)).arm_device("right").bus == lines.bus("right")


def test_doctor_fails_for_a_rig_with_a_cut_bus_another_firmware_and_a_lost_camera(tmp_path, lines, recordings):
    path = tmp_path / "lab.yaml"
    _setup(path, lines, recordings, *HANDS)
    lines.lines["right"].faults = LineFaults(cut=True)
    lines.arms["left"].registers.firmware = "S-V1.8-9"
    path.write_text(path.read_text().replace(f'"{SERIALS["static_camera"]}"', '"999"'))
    checked = _by_name(json.loads(run("doctor", "--rig", path, "--json", status=1).stdout))
    assert checked["arm/right"] == ("failed", f"nothing is heard on {lines.bus('right')}: is its arm switched on?")
    assert "the rig file says S-V1.8-8: run `imove rig setup` again" in checked["arm/left"][1]
    assert "no camera has the serial number 999" in checked["camera/static_camera"][1]
    assert checked["camera/left_hand_camera"][0] in ("ok", "warning")


def test_what_cannot_be_told_apart_has_to_be_said(tmp_path, lines, recordings):
    with pytest.raises(
        ImoveError, match="is camera 'left_hand_camera' cannot be told; say it with --camera left_hand_camera="
    ):
        _setup(tmp_path / "lab.yaml", lines, recordings)


def test_a_person_tells_cameras_apart_and_nothing_is_written(tmp_path, lines, recordings):
    class Person(Nobody):
        def camera(self, name, devices):
            assert name == "left_hand_camera"
            return max(device.serial for device in devices)

    wishes = wizard.Wishes(
        "piperx_dual",
        tuple(lines.arguments[1::2]),
        tuple(recordings[1::2]),
        cameras=CameraWishes(profile=CameraProfile(width=64, height=48)),
    )
    stages = []
    stage = wizard.Stage(lambda text, count: stages.append((text, count)))
    made = wizard.draft(wishes, Person(), datetime.now(UTC), tmp_path, stage)
    assert made.rig.camera_device("left_hand_camera").serial == SERIALS["right_hand_camera"]
    assert "left_hand_camera: Intel RealSense D405, found by asking" in "\n".join(made.remarks)
    assert stages == [("CAN buses", 3), ("", 0), ("cameras", 3), ("", 0)]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["lab.json"], "rig file lab.json must end in .yaml"),
        (["lab.yaml", "--mode", "large"], "--mode large is not of the form WIDTHxHEIGHT@RATE"),
        (["lab.yaml", "--arm", "left"], "--arm left is not of the form NAME=VALUE"),
        (["lab.yaml", "--from", "piperx_triple"], "unknown rig 'piperx_triple'"),
        (["lab.yaml", "--recording", "gone.db3"], "recorded camera gone.db3 does not exist"),
    ],
)
def test_a_wrong_command_line_is_refused_in_a_sentence(tmp_path, monkeypatch, words, sentence):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ImoveError, match=sentence):
        run("rig", "setup", *words, "--yes")


def test_a_file_that_is_there_is_its_own_beginning(tmp_path):
    path = tmp_path / "lab.yaml"
    path.write_text("name: mine")
    with pytest.raises(ImoveError, match="is there already and keeps its calibration"):
        run("rig", "setup", path, "--from", "piper_dual", "--yes")
