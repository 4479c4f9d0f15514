"""The arm model reader accepts the packaged files and names what it refuses."""

from importlib import resources

import numpy as np
import pytest

from imove_description.arm_model import arm_names, load_arm_model, parse_arm_model
from imove_description.reading import DescriptionError

PIPER_X = (resources.files("imove_description") / "arms" / "piper_x.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", arm_names())
def test_packaged_arms_are_whole(name: str) -> None:
    model = load_arm_model(name)
    n = len(model.joints)
    assert model.name == name
    assert model.parent_from_joint.shape == (n, 4, 4)
    assert model.joint_axes.shape == (n, 3)
    assert np.all(model.joint_limits[:, 0] < model.joint_limits[:, 1])
    assert len(model.effort_limits) == len(model.velocity_limits) == n
    assert len(model.acceleration_limits) == len(model.jerk_limits) == n
    assert np.all(model.acceleration_limits < model.jerk_limits)
    assert model.gripper.velocity_m_s < model.gripper.acceleration_m_s2 < model.gripper.jerk_m_s3
    for pose in (*model.parent_from_joint, model.flange_from_tcp):
        np.testing.assert_allclose(pose[:3, :3] @ pose[:3, :3].T, np.eye(3), atol=1e-12)
        assert np.linalg.det(pose[:3, :3]) == pytest.approx(1.0)


def test_piper_x_tool_frame() -> None:
    """The approach is the flange's z; the jaws close along the flange's x."""
    flange_from_tcp = load_arm_model("piper_x").flange_from_tcp
    np.testing.assert_allclose(flange_from_tcp[:3, 2], [0, 0, 1], atol=1e-12)
    np.testing.assert_allclose(flange_from_tcp[:3, 1], [-1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(flange_from_tcp[:3, 3], [0, 0, 0.1258], atol=1e-12)


def test_an_arm_may_have_the_shapes_of_another() -> None:
    fr3, panda = load_arm_model("fr3"), load_arm_model("panda")
    for link in fr3.links:
        assert link.solids is panda.link(link.name).solids and link.collision is panda.link(link.name).collision
    assert fr3.link("link6").mass_kg != panda.link("link6").mass_kg
    text = (resources.files("imove_description") / "arms" / "fr3.yaml").read_text(encoding="utf-8")
    for old, new, message in (
        ("shapes_of: panda", "shapes_of: fr3", "shapes_of must be another arm than 'fr3' itself"),
        ("shapes_of: panda", "shapes_of: nosuch", "unknown arm model 'nosuch'"),
        ("shapes_of: panda", "shapes_of: piper_x", "piper_x has no link 'link7'"),
        ("shapes_of: panda\n", "", "links.base_link lacks 'solids'"),
        ("link7: {mass", "link7: {solids: [], mass", "links.link7 has unknown key 'solids'"),
    ):
        assert old in text
        with pytest.raises(DescriptionError, match=message):
            parse_arm_model(text.replace(old, new, 1), where="arm")


def test_limits_of_planned_motions_must_be_above_zero() -> None:
    text = (resources.files("imove_description") / "arms" / "fr3.yaml").read_text(encoding="utf-8")
    for old, new, message in (
        ("accelerations: [10,", "accelerations: [0,", "arm.accelerations must be above 0"),
        ("jerks: [5000, 5000,", "jerks: [5000,", "arm.jerks must be"),
        ("  acceleration: 4 ", "  acceleration: -4 ", "gripper.acceleration"),
    ):
        assert old in text
        with pytest.raises(DescriptionError, match=message):
            parse_arm_model(text.replace(old, new, 1), where="arm")


def test_arrays_are_read_only() -> None:
    model = load_arm_model("piper_x")
    for array in (model.home, model.joint_limits, model.flange_from_tcp, model.joints[0].parent_from_joint):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


@pytest.mark.parametrize("name", ["panda", "fr3"])
def test_franka_tool_frame(name: str) -> None:
    """The hand is turned by -45 degrees; the tool lies 10 mm behind finger tips 112.3 mm before the hand's frame."""
    flange_from_tcp = load_arm_model(name).flange_from_tcp
    half = np.sqrt(0.5)
    np.testing.assert_allclose(flange_from_tcp[:3, 1], [half, half, 0], atol=1e-12)
    np.testing.assert_allclose(flange_from_tcp[:3, 2], [0, 0, 1], atol=1e-12)
    np.testing.assert_allclose(flange_from_tcp[:3, 3], [0, 0, 0.107 + 0.1123 - 0.010], atol=1e-12)


def test_unknown_arm_lists_the_allowed_ones() -> None:
    with pytest.raises(DescriptionError, match=r"'nosuch'; allowed are .*piper_x"):
        load_arm_model("nosuch")


def test_unknown_links_list_the_allowed_ones() -> None:
    model = load_arm_model("piper_x")
    with pytest.raises(DescriptionError, match=r"no link 'link9'; allowed are base_link, link1"):
        model.link("link9")
    with pytest.raises(DescriptionError, match=r"no link 'link2'; allowed are link6, gripper_base, tcp"):
        model.flange_from_mount("link2")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("name: piper_x\n", "name: piper_x\ncolour: red\n", "arm has unknown key 'colour'"),
        ("velocity: 3.0, effort: 100}", "velocity: 3.0, torque: 1}", r"joints\[0\] has unknown key 'torque'"),
        ("velocity: 3.0, effort: 100}", "velocity: 3.0}", r"joints\[0\] lacks 'effort'"),
        ("mass: 1.02", "weight: 1\n    mass: 1.02", r"links.base_link has unknown key 'weight'"),
        ("width: 0.020,", "width: 0.020, depth: 1,", r"gripper.pad has unknown key 'depth'"),
        ("mass: 1.02", "mass: -1.02", "mass must be above 0, got -1.02"),
        ("range: [0, 3.1415926]", "range: [3.1415926, 0]", "must rise"),
        ("axis: [0, 0, 1]", "axis: [0, 0, 2]", "must have length 1"),
        ("xyz: [0, 0, 0.123]", "xyz: [0, 0, .nan]", "must be finite numbers"),
        ("xyz: [0, 0, 0.123]", "xyz: high", "must be numeric"),
        ("parent: link1, child: link2", "parent: link3, child: link2", "serial chain"),
        ("flange_link: link6", "flange_link: link5", "must be 'link6'"),
        ("parent: link6, child: gripper_base", "parent: link5, child: gripper_base", "hangs on 'link5'"),
        ("child: tcp", "child: tool", "must place 'tcp'"),
        ("  finger2:\n", "  finger3:\n", "links must be exactly"),
        ("opening: [0, 0.070]", "opening: [0, 0.080]", "fingers' travel 0.07, got 0.08"),
        ("home: [0, ", "home: [9, ", r"home\[0\] must lie in the range"),
        ("name: piper_x\n", "name: 3\n", "must be a non-empty string, got 3"),
        ("inertia: [0.00141, 0.00169, 0.00140]", "inertia: [1, 1, 3]", "triangle inequality"),
    ],
)
def test_broken_files_are_refused(old: str, new: str, message: str) -> None:
    assert old in PIPER_X
    with pytest.raises(DescriptionError, match=message):
        parse_arm_model(PIPER_X.replace(old, new, 1), where="arm")
