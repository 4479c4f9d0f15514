"""The shipped MoveIt files are what the generator writes, and hold against the URDF."""

import json
from itertools import combinations
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np
import pytest
import yaml
from defusedxml import ElementTree
from typer.testing import CliRunner

from imove_bringup.cli import app
from imove_bringup.moveit_config import moveit_rig
from imove_core.errors import ImoveError
from imove_core.rig import Rig, load_rig, rig_names
from imove_description.moveit.files import FILES, moveit_files
from imove_description.urdf import rig_urdf

FOLDER = Path(__file__).resolve().parents[1] / "config" / "moveit"


@pytest.fixture(params=rig_names())
def rig(request: pytest.FixtureRequest) -> Rig:
    return load_rig(request.param)


def urdf_of(rig: Rig) -> Element:
    arms = [(arm.joint_prefix, arm.arm_model, arm.world_from_base.matrix) for arm in rig.arms]
    return ElementTree.fromstring(rig_urdf(rig.name, arms))


def srdf_of(rig: Rig) -> Element:
    return ElementTree.parse(FOLDER / rig.name / "rig.srdf").getroot()


def parameters_of(rig: Rig, name: str) -> dict:
    return yaml.safe_load((FOLDER / rig.name / name).read_text(encoding="utf-8"))


def test_shipped_files_are_what_the_generator_writes(rig: Rig) -> None:
    files = moveit_files(moveit_rig(rig))
    assert sorted(files) == sorted(f"{rig.name}/{name}" for name in FILES)
    for name, content in files.items():
        assert (FOLDER / name).read_bytes() == content, f"run `imove moveit --out {FOLDER}`"


def test_no_other_files_are_shipped() -> None:
    shipped = {path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*") if path.is_file()}
    assert shipped == {f"{rig}/{name}" for rig in rig_names() for name in FILES}


def test_names_of_the_srdf_are_in_the_urdf(rig: Rig) -> None:
    urdf, srdf = urdf_of(rig), srdf_of(rig)
    assert srdf.get("name") == urdf.get("name")
    links = {link.get("name") for link in urdf.iter("link")}
    joints = {joint.get("name") for joint in urdf.findall("joint")}
    groups = {group.get("name") for group in srdf.findall("group")}
    for name in ("base_link", "tip_link", "link1", "link2", "parent_link", "child_link"):
        assert {element.get(name) for element in srdf.iter() if element.get(name)} <= links
    assert {joint.get("name") for joint in srdf.iter("joint")} <= joints
    assert {element.get("group") for element in srdf.iter() if element.get("group")} <= groups
    assert {group.get("name") for group in srdf.iter("group")} == groups


def test_chains_hold_the_arms_joints_in_order(rig: Rig) -> None:
    parents = {joint.find("child").get("link"): joint for joint in urdf_of(rig).findall("joint")}
    for arm in rig.arms:
        chain = srdf_of(rig).find(f"group[@name='{arm.name}']/chain")
        link, moving = chain.get("tip_link"), []
        while link != chain.get("base_link"):
            joint = parents[link]
            moving += [joint.get("name")] * (joint.get("type") != "fixed")
            link = joint.find("parent").get("link")
        assert tuple(reversed(moving)) == arm.joint_names[:-1]


def test_hands_are_joined_to_their_arms(rig: Rig) -> None:
    """A hand's parent link is in its arm's chain, and no link is in both groups."""
    srdf, parents = srdf_of(rig), {joint.find("child").get("link"): joint for joint in urdf_of(rig).findall("joint")}
    for arm in rig.arms:
        hand = srdf.find(f"end_effector[@parent_group='{arm.name}']")
        chain = srdf.find(f"group[@name='{arm.name}']/chain")
        links, link = set(), chain.get("tip_link")
        while link != chain.get("base_link"):
            links.add(link)
            link = parents[link].find("parent").get("link")
        assert hand.get("parent_link") in links
        joints = [joint.get("name") for joint in srdf.findall(f"group[@name='{hand.get('group')}']/joint")]
        assert arm.joint_names[-1] in joints and len(joints) == 3
        assert not links & {child for child, joint in parents.items() if joint.get("name") in joints}


def test_named_states_are_complete_and_within_limits(rig: Rig) -> None:
    limits = {name: limit for arm in rig.arms for name, limit in zip(arm.joint_names, arm.limits, strict=True)}
    states = {(s.get("group"), s.get("name")): s.findall("joint") for s in srdf_of(rig).findall("group_state")}
    values = {key: {j.get("name"): float(j.get("value")) for j in joints} for key, joints in states.items()}
    for arm in rig.arms:
        assert tuple(values[arm.name, "home"]) == arm.joint_names[:-1]
        np.testing.assert_allclose(list(values[arm.name, "home"].values()), arm.home, atol=1e-9)
        openings = [values[f"{arm.name}_hand", state][arm.joint_names[-1]] for state in ("closed", "open", "home")]
        np.testing.assert_allclose(openings, [*arm.limits[-1], arm.home_opening_m])
    for state in values.values():
        assert all(limits[name][0] <= value <= limits[name][1] for name, value in state.items())
    assert (("arms", "home") in values) == (len(rig.arms) > 1)


def test_pairs_are_named_once_and_leave_something_to_check(rig: Rig) -> None:
    pairs = [frozenset((e.get("link1"), e.get("link2"))) for e in srdf_of(rig).findall("disable_collisions")]
    assert len(set(pairs)) == len(pairs) and all(len(pair) == 2 for pair in pairs)
    shaped = [link.get("name") for link in urdf_of(rig).iter("link") if link.find("collision") is not None]
    assert set().union(*pairs) <= set(shaped)
    assert len(pairs) < 0.75 * len(list(combinations(shaped, 2)))


def test_limits_are_the_rigs(rig: Rig) -> None:
    limits = parameters_of(rig, "joint_limits.yaml")["joint_limits"]
    assert tuple(limits) == rig.joint_names
    for arm in rig.arms:
        rows = zip(arm.velocity_limits, arm.acceleration_limits, arm.jerk_limits, strict=True)
        for joint, (velocity, acceleration, jerk) in zip(arm.joint_names, rows, strict=True):
            assert limits[joint] == {
                "has_velocity_limits": True, "max_velocity": velocity,
                "has_acceleration_limits": True, "max_acceleration": acceleration,
                "has_jerk_limits": True, "max_jerk": jerk,
            }  # fmt: skip


def test_ros_reads_numbers_as_numbers(rig: Rig) -> None:
    """A limit that is written as a whole number would be of another type than MoveIt asks for; aliases are refused."""
    for limit in parameters_of(rig, "joint_limits.yaml")["joint_limits"].values():
        assert all(type(value) is float for name, value in limit.items() if name.startswith("max_"))
    for name in FILES[1:]:
        tokens = yaml.scan((FOLDER / rig.name / name).read_text(encoding="utf-8"))
        assert not any(isinstance(token, yaml.AliasToken | yaml.AnchorToken) for token in tokens)


def test_every_arm_has_a_solver_and_planners(rig: Rig) -> None:
    groups = [arm.name for arm in rig.arms] + ["arms"] * (len(rig.arms) > 1)
    assert list(parameters_of(rig, "kinematics.yaml")) == [arm.name for arm in rig.arms]
    pipelines, node = parameters_of(rig, "ompl_planning.yaml"), parameters_of(rig, "moveit_py.yaml")
    assert list(pipelines) == node["planning_pipelines"]["pipeline_names"]
    for pipeline in pipelines.values():
        for group in groups:
            assert set(pipeline[group]["planner_configs"]) == set(pipeline["planner_configs"])
            assert pipeline[group]["default_planner_config"] in pipeline["planner_configs"]
    request = node["plan_request_params"]
    assert request["planner_id"] in pipelines[request["planning_pipeline"]]["planner_configs"]


def test_nothing_is_executed_by_moveit(rig: Rig) -> None:
    node = parameters_of(rig, "moveit_py.yaml")
    assert not any("controller_manager" in name for name in node)
    assert node["moveit_manage_controllers"] is False
    assert node["planning_scene_monitor_options"]["wait_for_initial_state_timeout"] == 0.0


def test_command_writes_what_check_asks_for(tmp_path: Path) -> None:
    run = CliRunner().invoke
    words = ["moveit", "--rig", "piperx_single", "--out", str(tmp_path), "--json"]
    assert sorted(json.loads(run(app, words).stdout)["written"]) == sorted(f"piperx_single/{name}" for name in FILES)
    (tmp_path / "piperx_single" / "left_over.yaml").touch()
    checked = run(app, [*words, "--check"])
    assert (checked.exit_code, json.loads(checked.stdout)) == (1, {"stale": ["piperx_single/left_over.yaml"]})


def test_two_groups_of_one_name_are_refused() -> None:
    rig = load_rig("piperx_dual")
    arms = (rig.arms[0], rig.arms[1].model_copy(update={"name": "left_hand"}))
    with pytest.raises(ImoveError, match="left_hand"):
        moveit_rig(rig.model_copy(update={"arms": arms, "cameras": (), "required_cameras": ()}))
