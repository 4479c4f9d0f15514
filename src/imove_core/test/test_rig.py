"""Loading of rigs, what is refused, and intrinsics of cropped and scaled images."""

import copy
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from imove_core.errors import ImoveError
from imove_core.rig import Intrinsics, Rig, load_rig, parse_rig, rig_names

SHIPPED = yaml.safe_load((resources.files("imove_description") / "rigs" / "piperx_dual.yaml").read_text())


def parse_changed(change: Callable[[dict[str, Any]], object]) -> Rig:
    document = copy.deepcopy(SHIPPED)
    change(document)
    return parse_rig(yaml.safe_dump(document), where="mine.yaml")


@pytest.mark.parametrize("name", rig_names())
def test_every_shipped_rig_loads_under_its_name(name: str) -> None:
    rig = load_rig(name)
    assert rig.name == name
    assert rig.size == len(rig.joint_names) == len(rig.home_positions)
    limits = np.vstack([arm.limits for arm in rig.arms])
    assert np.all(limits[:, 0] <= rig.home_positions) and np.all(rig.home_positions <= limits[:, 1])
    assert all(np.all(arm.velocity_limits > 0) and len(arm.velocity_limits) == arm.size for arm in rig.arms)


def test_default_rig_has_the_joints_and_cameras_of_the_contract(rig: Rig) -> None:
    arm = [*(f"joint{number}" for number in range(1, 7)), "gripper"]
    assert rig.joint_names == (*(f"left_{name}" for name in arm), *(f"right_{name}" for name in arm))
    assert rig.size == 14
    assert [camera.name for camera in rig.cameras] == ["static_camera", "left_hand_camera", "right_hand_camera"]
    assert [camera.arm_and_link for camera in rig.cameras] == [None, ("left", "link6"), ("right", "link6")]
    assert rig.camera("static_camera").optical_frame == "static_camera_color_optical_frame"
    assert rig.arm("right").tool_frame == "right_tcp"
    # World: +y to the robot's left.
    assert rig.arm("left").world_from_base.matrix[1, 3] > 0 > rig.arm("right").world_from_base.matrix[1, 3]


def test_split_cuts_the_last_axis_in_rig_order(rig: Rig) -> None:
    parts = rig.split(np.arange(28).reshape(2, 14))
    assert list(parts) == ["left", "right"]
    np.testing.assert_array_equal(parts["left"], [range(7), range(14, 21)])
    np.testing.assert_array_equal(parts["right"], [range(7, 14), range(21, 28)])


def test_file_by_path_equals_the_shipped_one(rig: Rig, tmp_path: Path) -> None:
    path = tmp_path / "lab.yaml"
    path.write_text(yaml.safe_dump(SHIPPED))
    loaded = load_rig(str(path))
    # With cached arrays on both sides.
    assert np.array_equal(loaded.arms[0].limits, rig.arms[0].limits)
    assert loaded == rig
    assert hash(loaded.cameras[0]) == hash(rig.cameras[0])
    assert parse_changed(lambda document: document.update(description="other")) != rig


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda rig: rig.update(colour="red"), "rig mine.yaml: the rig: unknown key 'colour'; allowed: name, descr"),
        (lambda rig: rig["arms"][1].update(tool=1), "arms.1: unknown key 'tool'; allowed: name, model, joint_prefix"),
        (lambda rig: rig["arms"][0].pop("home"), "arms.0.home: Field required"),
        (lambda rig: rig.update(arms=[]), r"arms: .* at least 1 item .*, got \[\]"),
        (
            lambda rig: rig["cameras"].pop(0),
            "camera 'static_camera' is missing; the file has left_hand_camera, right_hand_camera",
        ),
        (
            lambda rig: rig["arms"][0].update(home=[0.0, 1.0]),
            "home of arm 'left' has 2 values; model piper_x has 6 joints",
        ),
        (
            lambda rig: rig["arms"][1].update(home=[0, -1.0, -1, 0, 0, 0]),
            "home of joint 'right_joint2' is -1; 0 to 3.14159 is allowed",
        ),
        (
            lambda rig: rig["arms"][1].update(home_opening_m=0.2),
            "home of joint 'right_gripper' is 0.2; 0 to 0.07 is allowed",
        ),
        (lambda rig: rig["arms"][0].update(model="piper_z"), "unknown arm model 'piper_z'; allowed are .*piper_x"),
        (lambda rig: rig["arms"][1].update(name="left"), r"arm names \['left', 'left'\] are not unique"),
        (
            lambda rig: rig["arms"][1].update(joint_prefix="left_"),
            "joint names left_joint1, .* are not unique; each arm needs its own prefix",
        ),
        (
            lambda rig: rig["cameras"][1].update(parent="third/link6"),
            "camera 'left_hand_camera' sits on arm 'third', which is not one of left, right",
        ),
        (
            lambda rig: rig["cameras"][1].update(parent="left/link9"),
            "camera 'left_hand_camera' sits on link 'link9' of arm 'left', which is not one of base_link, link1",
        ),
        (lambda rig: rig["cameras"][1].update(name="static_camera"), "camera names .* are not unique"),
        (lambda rig: rig["cameras"][0].update(depth_range_m=[6, 0.4]), r"depth_range_m: interval is \[6.0, 0.4\]; its"),
        (lambda rig: rig["workspace"].update(x=[0.4, 0.2]), r"workspace.x: interval is \[0.4, 0.2\]; its second"),
        (lambda rig: rig["workspace"].update(x=[0.2, float("nan")]), "workspace.x.1: .* finite number, got nan"),
        (lambda rig: rig["cameras"][0]["intrinsics"].update(fx=0), "intrinsics.fx: .* greater than 0, got 0"),
        (lambda rig: rig.update(control_rate_hz=25), "control_rate_hz: Input should be 30, got 25"),
        (lambda rig: rig["arms"][0]["world_from_base"].update(xyz="here"), "world_from_base.xyz: .* tuple, got 'here'"),
    ],
)
def test_a_fault_in_the_file_is_named(change: Callable[[dict[str, Any]], object], sentence: str) -> None:
    with pytest.raises(ImoveError, match=sentence) as caught:
        parse_changed(change)
    assert str(caught.value).startswith("rig mine.yaml: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", ["arms: [", "a: b: c", b"\xff\xfe\x00", "\x07"])
def test_what_is_not_yaml_is_refused_in_one_line(content: str | bytes) -> None:
    with pytest.raises(ImoveError, match="rig mine.yaml is not YAML: ") as caught:
        parse_rig(content, where="mine.yaml")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "just words", "- a\n- list"])
def test_yaml_that_is_no_mapping_is_refused(text: str) -> None:
    with pytest.raises(ImoveError, match="rig mine.yaml: the rig: .*, got "):
        parse_rig(text, where="mine.yaml")


def test_unknown_names_list_the_allowed_ones(rig: Rig, tmp_path: Path) -> None:
    with pytest.raises(ImoveError, match="unknown rig 'piper'; allowed: .*piperx_dual"):
        load_rig("piper")
    with pytest.raises(ImoveError, match=r"rig file .*lab.yaml does not exist"):
        load_rig(str(tmp_path / "lab.yaml"))
    with pytest.raises(ImoveError, match="unknown arm of rig piperx_dual 'middle'; allowed: left, right"):
        rig.arm("middle")
    with pytest.raises(ImoveError, match="unknown camera of rig piperx_dual 'top'; allowed: left_hand_camera, "):
        rig.camera("top")


def test_a_rig_cannot_be_changed(rig: Rig) -> None:
    with pytest.raises(ValueError, match="frozen"):
        rig.name = "other"


INTRINSICS = Intrinsics(width=640, height=480, fx=400.0, fy=410.0, cx=330.0, cy=235.0)


def test_halving_keeps_pixel_centres() -> None:
    half = INTRINSICS.resized(320, 240)
    # Pixel (0, 0) of the small image covers pixels 0 and 1 of the large one: centre 0 is 0.5 there.
    assert (half.fx, half.fy, half.cx, half.cy) == (200.0, 205.0, (330.0 - 0.5) / 2, (235.0 - 0.5) / 2)


def test_square_crop_takes_the_middle_at_full_height() -> None:
    square = INTRINSICS.resized(480, 480)
    assert (square.fx, square.fy, square.cx, square.cy) == (400.0, 410.0, 330.0 - 80.0, 235.0)
    wide = INTRINSICS.resized(640, 240)
    assert (wide.fx, wide.fy, wide.cx, wide.cy) == (400.0, 410.0, 330.0, 235.0 - 120.0)


@given(
    width=st.integers(16, 2000),
    height=st.integers(16, 2000),
    point=st.tuples(st.floats(-1, 1), st.floats(-1, 1), st.floats(0.2, 3)),
)
@settings(deadline=None, derandomize=True)
def test_resized_intrinsics_see_what_crop_and_scale_of_the_image_show(
    width: int, height: int, point: tuple[float, float, float]
) -> None:
    resized = INTRINSICS.resized(width, height)
    assert (resized.width, resized.height) == (width, height)
    large = INTRINSICS.matrix @ point / point[2]
    small = resized.matrix @ point / point[2]
    # In edge coordinates (pixel centres at one half) crop and scale are about the image's middle.
    scale = max(width / 640, height / 480)
    expected = (large[:2] + 0.5 - [320, 240]) * scale + [width / 2, height / 2] - 0.5
    np.testing.assert_allclose(small[:2], expected, atol=1e-6)
    assert width / scale <= 640 + 1e-9 and height / scale <= 480 + 1e-9
