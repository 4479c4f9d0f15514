"""Which device is which, without any device: names, what the file said, elimination, questions; and the file's text."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from imove_bringup.rig_setup.asking import Nobody, Person
from imove_bringup.rig_setup.calibration import uncalibrated
from imove_bringup.rig_setup.checking import rig_findings
from imove_bringup.rig_setup.finding_arms import ArmWishes, find_arms
from imove_bringup.rig_setup.finding_cameras import CameraWishes, PluggedCamera, find_cameras
from imove_bringup.rig_setup.matching import Match, match, named, settle
from imove_bringup.rig_setup.measuring import Measurement, can_buses
from imove_bringup.rig_setup.rig_text import text_of, with_hardware
from imove_core.errors import ImoveError
from imove_core.hardware import ArmDevice, Calibrated, CameraDevice, RigHardware
from imove_core.rig import load_rig, parse_rig
from imove_hardware.piper.checks import ArmFacts
from imove_hardware.piper.health import ArmHealth
from imove_hardware.piper.reading import FEEDBACK_IDS, LEADER_IDS
from imove_hardware.probing.arms import ArmProbe
from imove_hardware.probing.cameras import CameraProbe
from imove_hardware.probing.interfaces import CanInterface
from imove_hardware.probing.usb import UsbCamera
from imove_hardware.realsense.finding import CameraFacts

RIG = load_rig("piperx_dual")
NOW = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
IDS = {"follower": FEEDBACK_IDS, "leader": LEADER_IDS, "pair": (*FEEDBACK_IDS, *LEADER_IDS)}
SILENT = ArmProbe("virtual:dead", "nothing is heard on virtual:dead: is its arm switched on?")


def _probes(**roles):
    """Probes by the channel's name."""
    found = {}
    for channel, role in roles.items():
        facts = ArmFacts("S-V1.8-8", frozenset(IDS[role]), ArmHealth(), (None,) * 6, None)
        found[f"virtual:{channel}"] = ArmProbe(f"virtual:{channel}", "", facts, 3000.0, 200.0)
    return found


class Scripted:
    """Answers from a list."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []

    def arm(self, name, buses):
        self.asked.append(name)
        return self.answers.pop(0)

    leader = arm

    def camera(self, name, devices):
        self.asked.append(name)
        return self.answers.pop(0)

    def agrees(self, question):
        return True


def _buses(found):
    return {name: device.bus.removeprefix("virtual:") for name, device in found.devices.items()}


def _leaders(found):
    return {name: device.leader_bus.removeprefix("virtual:") for name, device in found.devices.items()}


def test_names_of_buses_tell_arms_and_leaders_apart_without_a_question():
    probes = _probes(can_right="follower", can_left="follower", can_left_leader="follower", right_leader="leader")
    found = find_arms(RIG, probes, ArmWishes(), Nobody())
    assert _buses(found) == {"left": "can_left", "right": "can_right"}
    assert _leaders(found) == {"left": "can_left_leader", "right": "right_leader"}
    assert found.devices["left"].firmware == "S-V1.8-8" and found.unused == ()


def test_one_question_tells_two_nameless_arms_apart():
    asker = Scripted("virtual:can1")
    found = find_arms(RIG, _probes(can0="follower", can1="follower"), ArmWishes(), asker)
    assert asker.asked == ["left"] and _buses(found) == {"left": "can1", "right": "can0"}
    assert found.notes["right"].startswith("found by elimination")


def test_nameless_leaders_are_asked_for_after_the_arms():
    asker = Scripted("virtual:can3")
    probes = _probes(can_left="follower", can_right="follower", can2="leader", can3="leader")
    found = find_arms(RIG, probes, ArmWishes(), asker)
    assert asker.asked == ["left"] and _leaders(found) == {"left": "can3", "right": "can2"}
    with pytest.raises(ImoveError, match="leads arm 'left' cannot be told; say it with --leader left=ADDRESS"):
        find_arms(RIG, probes, ArmWishes(), Nobody())


def test_what_the_file_said_is_believed_unless_it_is_distrusted():
    before = {"left": ArmDevice(bus="virtual:can1", speed_percent=40), "right": ArmDevice(bus="virtual:gone")}
    probes = _probes(can0="follower", can1="follower")
    found = find_arms(RIG, probes, ArmWishes(before=before), Nobody())
    assert _buses(found) == {"left": "can1", "right": "can0"} and found.devices["left"].speed_percent == 40
    swapped = find_arms(RIG, probes, ArmWishes(before=before, distrust=True), Scripted("virtual:can0"))
    assert _buses(swapped) == {"left": "can0", "right": "can1"} and swapped.devices["left"].speed_percent == 40


def test_what_is_said_on_the_command_line_wins():
    probes = _probes(can_left="follower", can_right="follower")
    found = find_arms(RIG, probes, ArmWishes({"left": "virtual:can_right", "right": "virtual:can_left"}), Nobody())
    assert _buses(found) == {"left": "can_right", "right": "can_left"}


def test_a_pair_on_one_bus_is_led_over_it_and_a_leader_can_be_left_out():
    probes = _probes(can_left="pair", can_right="follower", spare="leader")
    found = find_arms(RIG, probes, ArmWishes(), Nobody())
    assert _leaders(found) == {"left": "can_left", "right": "spare"}
    without = find_arms(RIG, probes, ArmWishes(leaders={"right": ""}), Nobody())
    assert _leaders(without) == {"left": "can_left", "right": ""} and without.unused == ("virtual:spare",)


@pytest.mark.parametrize(
    ("probes", "wishes", "sentence"),
    [
        (
            _probes(can0="follower", can1="follower"),
            {},
            "which of virtual:can0, virtual:can1 is arm 'left' cannot be told; ",
        ),
        (_probes(can_left="follower") | {SILENT.bus: SILENT}, {}, "arm 'right' is missing: 1 wanted, 0 found; nothing"),
        (_probes(a_left="follower", a_right="follower", x="leader"), {}, "say whose it is with --leader ARM=ADDRESS"),
        (_probes(can0="follower"), {"buses": {"middle": "virtual:can0"}}, "unknown arm of rig piperx_dual 'middle'"),
        (_probes(can0="follower"), {"buses": {"left": "virtual:other"}}, "unknown bus of arm 'left' 'virtual:other'"),
        ({SILENT.bus: SILENT}, {"buses": {"left": SILENT.bus}}, "arm 'left' cannot be looked at: nothing is heard"),
        (
            _probes(can0="follower", can1="follower"),
            {"buses": {"left": "virtual:can0", "right": "virtual:can0"}},
            "arm 'right' and arm 'left' cannot both be virtual:can0",
        ),
    ],
)
def test_what_cannot_be_told_is_an_error_that_says_what_to_do(probes, wishes, sentence):
    with pytest.raises(ImoveError, match="^.*" + sentence.replace("(", r"\(")):
        find_arms(RIG, probes, ArmWishes(**wishes), Nobody())


def test_frankas_are_behind_their_controller_and_other_arms_have_no_driver():
    found = find_arms(load_rig("fr3_single"), {}, ArmWishes(), Nobody())
    assert [device.bus for device in found.devices.values()] == ["ros2_control:fr3_arm_controller"]
    with pytest.raises(ImoveError, match="arm 'left' is a vx300s; piper_x and piper are driven over CAN"):
        find_arms(load_rig("aloha_dual"), {}, ArmWishes(), Nobody())


def test_matching_takes_no_device_twice():
    found = match("arm", ["a", "b", "c"], [{"b": Match("2", "known")}], ["1", "2", "3"], lambda name, free: free[-1])
    assert {name: one.device for name, one in found.items()} == {"a": "3", "b": "2", "c": "1"}


def test_a_weaker_source_yields():
    said, guessed = {"a": Match("1", "said")}, {"a": Match("2", "guessed"), "b": Match("1", "guessed")}
    assert settle("arm", [said, guessed]) == said
    assert settle("arm", [{}, guessed, said]) == guessed


def test_a_name_that_two_buses_have_says_nothing():
    buses = ["socketcan:can_left", "socketcand:10.0.0.1:29536/left", "virtual:right_leader"]
    assert named(["left", "right"], buses, leading=False) == {}
    assert named(["left", "right"], buses, leading=True) == {"right": Match("virtual:right_leader", "by its name")}


def _camera(serial, model):
    return PluggedCamera(CameraFacts(serial, f"Intel RealSense {model}", "5.16", "3.2"))


CAMERAS = (_camera("1", "D455"), _camera("2", "D405"), _camera("3", "D405"))


def test_cameras_are_told_apart_by_model_and_then_by_one_question():
    asker = Scripted("3")
    found = find_cameras(RIG, [*CAMERAS, _camera("9", "D435")], CameraWishes(exposure_us=8000), asker)
    serials = {name: device.serial for name, device in found.devices.items()}
    assert serials == {"static_camera": "1", "left_hand_camera": "3", "right_hand_camera": "2"}
    assert asker.asked == ["left_hand_camera"] and found.unused == ("9",)
    assert {device.exposure_us for device in found.devices.values()} == {8000}


def test_cameras_of_the_file_and_of_the_command_line_need_no_question():
    before = {"left_hand_camera": CameraDevice(serial="3", exposure_us=500)}
    found = find_cameras(RIG, CAMERAS, CameraWishes(before=before), Nobody())
    assert (found.devices["left_hand_camera"].serial, found.devices["left_hand_camera"].exposure_us) == ("3", 500)
    said = find_cameras(RIG, CAMERAS, CameraWishes({"right_hand_camera": "3"}, before), Nobody())
    assert said.devices["right_hand_camera"].serial == "3"


@pytest.mark.parametrize(
    ("plugged", "serials", "sentence"),
    [
        (
            CAMERAS,
            {},
            "which of 2, 3 is camera 'left_hand_camera' cannot be told; say it with --camera left_hand_camera=SERIAL",
        ),
        (CAMERAS[1:], {}, "D455 camera 'static_camera' is missing: 1 wanted, 0 found; is everything plugged in"),
        (CAMERAS, {"static_camera": "7"}, "'static_camera' with serial number 7 is not there; there are 1, 2, 3"),
        (CAMERAS, {"side_camera": "1"}, "unknown camera of rig piperx_dual 'side_camera'"),
    ],
)
def test_cameras_that_cannot_be_told_are_an_error_that_says_what_to_do(plugged, serials, sentence):
    with pytest.raises(ImoveError, match=sentence):
        find_cameras(RIG, plugged, CameraWishes(serials), Nobody())


def test_a_person_who_touches_nothing_is_asked_for_a_number():
    said, answers = [], iter(["7", "x", "2"])
    person = Person(said.append, lambda text: next(answers), patience_s=0.1)
    assert person.arm("left", ["virtual:matching_a", "virtual:matching_b"]) == "virtual:matching_b"
    assert "nothing is heard on virtual:matching_a" in said[1] and "'7' is no number from 1 to 2." in said


HARDWARE = RigHardware(
    arms={"left": ArmDevice(bus="socketcan:can_left", leader_bus="socketcan:can_left", firmware="S-V1.8-8")},
    cameras={"static_camera": CameraDevice(serial="0123", exposure_us=8000)},
    calibration={
        "static_camera": Calibrated(calibrated_on=date(2026, 2, 1), reprojection_px=1e-5, residual_mm=1.25),
        "table": Calibrated(calibrated_on=date(2026, 2, 3)),
    },
)


def test_devices_are_put_into_a_file_that_keeps_the_rest_letter_by_letter():
    shipped = text_of("piperx_dual")
    made = with_hardware(shipped, HARDWARE, {"left": "by its name"}, "piperx_dual", NOW)
    assert made.startswith("# Set up 2026-03-01 09:30 UTC by `imove rig setup` from piperx_dual.\n" + shipped)
    assert "left:  # by its name" in made and parse_rig(made, "made").hardware == HARDWARE


def test_another_set_up_replaces_the_devices_and_nothing_else():
    made = with_hardware(text_of("piperx_dual"), HARDWARE, {}, "piperx_dual", NOW)
    calibrated = "# Written by the console.\n" + made.replace("0.85]", "0.87]")
    # Also where the devices are not last.
    first, _, last = calibrated.partition("\nhardware:\n")
    moved = f"hardware:\n{last}\n{first}\n"
    other = RigHardware(arms={"right": ArmDevice(bus="virtual:r")})
    for text in (calibrated, moved):
        again = with_hardware(text, other, {}, "lab.yaml", NOW + timedelta(days=1))
        rig = parse_rig(again, "again")
        assert rig.hardware == other and rig.camera("static_camera").parent_from_optical.xyz[2] == 0.87
        assert again.count("# Set up ") == again.count("# Devices ") == again.count("# Written ") == 1
        assert "# Optical axis down" in again


def test_devices_that_stand_where_they_cannot_be_replaced_are_left_alone():
    text = text_of("piperx_dual") + "hardware:\n  arms:\n# Mine.\n    left: {bus: 'virtual:l'}\n"
    with pytest.raises(ImoveError, match="lab.yaml"):
        with_hardware(text, HARDWARE, {}, "lab.yaml", NOW)


def test_a_camera_where_the_shipped_rig_has_it_was_never_calibrated():
    moved = parse_rig(text_of("piperx_dual").replace("0.85]", "0.87]"), "moved")
    assert uncalibrated(moved) == ("left_hand_camera", "right_hand_camera")
    assert uncalibrated(moved.model_copy(update={"name": "ours"})) == ()


WELL = CameraProbe("1", "", "", RIG.cameras[0].intrinsics, 30.0, 30, 0, "global_time", 120.0, 0.0, 0.9)
LAB = RIG.model_copy(
    update={
        "hardware": RigHardware(
            arms={"left": ArmDevice(bus="socketcan:can_left"), "right": ArmDevice(bus="ros2_control:jtc")},
            cameras={"static_camera": CameraDevice(serial="1"), "left_hand_camera": CameraDevice(serial="2")},
            calibration={
                "table": Calibrated(calibrated_on=date(2026, 2, 27), reprojection_px=0.312),
                "static_camera": Calibrated(calibrated_on=date(2025, 12, 1), reprojection_px=0.3, residual_mm=1.26),
            },
        )
    }
)
NOBODY = ArmProbe("socketcan:can_left", "nothing is heard on socketcan:can_left: is its arm switched on?")


def _findings(tmp_path, **changes):
    measured = Measurement(
        interfaces=(CanInterface("can_left", True, 1_000_000, "ERROR-ACTIVE"),),
        arms={NOBODY.bus: NOBODY},
        cameras={"static_camera": WELL, "left_hand_camera": replace(WELL, rate_hz=12.0)},
        usb=(UsbCamera("2-1", "RealSense 455", 5000),),
        clock_kept=True,
    )
    found = rig_findings(LAB, replace(measured, **changes), NOW, tmp_path)
    return {finding.name: (finding.status, finding.detail) for finding in found}


def test_findings_name_every_device_and_say_what_is_wrong(tmp_path):
    found = _findings(tmp_path)
    assert found["bus/left"] == ("ok", "up, 1000000 bit/s, ERROR-ACTIVE")
    assert found["arm/left"] == ("failed", NOBODY.problem)
    assert found["arm/right"][0] == "ok" and "behind controller jtc" in found["arm/right"][1]
    assert found["camera/static_camera"][0] == "ok" and "30 images a second" in found["camera/static_camera"][1]
    assert found["camera/left_hand_camera"][1].startswith("only 12 images a second where 30 should come")
    assert found["camera/right_hand_camera"][0] == "failed"
    assert found["calibrated/table"] == ("ok", "2 days ago, to 0.31 px")
    assert found["calibrated/static_camera"] == ("warning", "90 days ago, to 1.3 mm and 0.3 px; do it again")
    assert found["calibrated/left_hand_camera"][1].startswith("never calibrated")
    assert found["usb"] == ("ok", "1 on port 2-1 (5000 Mbit/s)") and found["clock"][0] == "ok"
    assert can_buses(LAB) == ("socketcan:can_left",)


@pytest.mark.parametrize(
    ("changes", "name", "status", "detail"),
    [
        ({"interfaces": ()}, "bus/left", "failed", "CAN interface can_left is not there; there is none"),
        ({"interfaces": (CanInterface("can_left", False),)}, "bus/left", "failed", "can_left is down"),
        ({"clock_kept": False}, "clock", "warning", "no time server"),
        ({"clock_kept": None}, "clock", "absent", "the kernel does not say"),
        ({"usb": ()}, "usb", "absent", "no camera is seen"),
        ({"usb": (UsbCamera("1-1", "RealSense 455", 480),)}, "usb", "warning", "480 Mbit/s"),
    ],
)
def test_what_a_machine_lacks_is_found(tmp_path, changes, name, status, detail):
    found = _findings(tmp_path, **changes)[name]
    assert found[0] == status and detail in found[1]


@pytest.mark.parametrize(
    ("changes", "status", "detail"),
    [
        ({"problem": "camera 1 is busy"}, "failed", "camera 1 is busy"),
        ({"refused": "exposure 3 was refused"}, "warning", "exposure 3 was refused"),
        ({"brightness": 3.0}, "warning", "its image is dark"),
        ({"intrinsics": RIG.cameras[0].intrinsics.resized(320, 240)}, "ok", "30 images a second"),
        ({"intrinsics": RIG.cameras[1].intrinsics}, "warning", "its focal length is 433 px; the rig file says 384"),
    ],
)
def test_what_is_wrong_with_a_camera_is_found(tmp_path, changes, status, detail):
    found = _findings(tmp_path, cameras={"static_camera": replace(WELL, **changes)})["camera/static_camera"]
    assert found[0] == status and detail in found[1]
