"""Where a lab's devices are, in its rig file."""

from datetime import date

import pytest
import yaml

from imove_core.errors import ImoveError
from imove_core.hardware import TABLE, ArmDevice, Calibrated, CameraProfile
from imove_core.rig import load_rig, parse_rig


def rig_text(hardware: object, rig: str = "piperx_dual") -> str:
    return yaml.safe_dump(load_rig(rig).model_dump(mode="json") | {"hardware": hardware})


def test_rig_file_says_where_arms_and_cameras_are() -> None:
    rig = parse_rig(
        rig_text(
            {
                "arms": {"left": {"bus": "socketcan:can_left", "leader_bus": "socketcan:can_left"}},
                "cameras": {"static_camera": {"serial": "0123", "profile": {"rate_hz": 15}, "exposure_us": 8000}},
            }
        ),
        "lab.yaml",
    )
    assert rig.arm_device("left") == ArmDevice(bus="socketcan:can_left", leader_bus="socketcan:can_left")
    assert rig.camera_device("static_camera").profile == CameraProfile(width=640, height=480, rate_hz=15)
    with pytest.raises(ImoveError, match="does not say where arm 'right' is connected; `imove rig setup` writes"):
        rig.arm_device("right")
    with pytest.raises(ImoveError, match="does not say where camera 'left_hand_camera' is connected"):
        rig.camera_device("left_hand_camera")


def test_rig_file_says_when_what_was_calibrated_and_how_well() -> None:
    notes = {
        "static_camera": {"calibrated_on": "2026-03-01", "reprojection_px": 0.31, "residual_mm": 1.2},
        "table": {"calibrated_on": "2026-03-02"},
    }
    found = parse_rig(rig_text({"calibration": notes}), "lab.yaml").hardware.calibration
    assert found["static_camera"] == Calibrated(calibrated_on=date(2026, 3, 1), reprojection_px=0.31, residual_mm=1.2)
    assert found[TABLE] == Calibrated(calibrated_on=date(2026, 3, 2))
    # As a person types it, without quotation marks.
    plain = rig_text({"calibration": {"table": {"calibrated_on": date(2026, 3, 2)}}})
    assert "calibrated_on: 2026-03-02\n" in plain
    assert parse_rig(plain, "lab.yaml").hardware.calibration == {TABLE: found[TABLE]}


@pytest.mark.parametrize(
    ("notes", "sentence"),
    [
        ({"top": {"calibrated_on": "2026-03-01"}}, "hardware.calibration names 'top'; the rig has .*camera, table"),
        ({"table": {"calibrated_on": "soon"}}, "hardware.calibration.table.calibrated_on: .*got 'soon'"),
        ({"table": {"calibrated_on": "2026-03-01", "reprojection_px": -1}}, "reprojection_px: .*got -1"),
        ({"table": {}}, "hardware.calibration.table.calibrated_on: Field required"),
    ],
)
def test_note_of_a_calibration_that_cannot_be_is_refused(notes: object, sentence: str) -> None:
    with pytest.raises(ImoveError, match=sentence):
        parse_rig(rig_text({"calibration": notes}), "lab.yaml")


def test_shipped_rig_has_no_devices() -> None:
    with pytest.raises(ImoveError, match="hardware.arms"):
        load_rig("piperx_dual").arm_device("left")


@pytest.mark.parametrize("bus", ["can0", "socketcan:", "socketcand:127.0.0.1/left", "virtual:a b", "slcan:/dev/x;rm"])
def test_address_of_no_known_form_is_refused(bus: str) -> None:
    with pytest.raises(ImoveError, match="hardware.arms.left.bus: bus is .*; allowed: socketcan:INTERFACE, "):
        parse_rig(rig_text({"arms": {"left": {"bus": bus}}}), "lab.yaml")


@pytest.mark.parametrize("bus", ["socketcan:can0", "socketcand:127.0.0.1:29536/left", "virtual:left", ""])
def test_addresses_of_every_form_are_taken(bus: str) -> None:
    assert ArmDevice(bus=bus).bus == bus


def test_device_of_an_arm_that_the_rig_has_not_is_refused() -> None:
    with pytest.raises(ImoveError, match="hardware.arms names 'middle'; the rig has left, right"):
        parse_rig(rig_text({"arms": {"middle": {"bus": "virtual:m"}}}), "lab.yaml")
