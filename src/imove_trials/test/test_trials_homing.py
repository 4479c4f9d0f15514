"""Ways home: from wherever a trial ends, slowly, hands up first, and nothing that the guard would change."""

import numpy as np
import pytest

from imove_core.errors import ImoveError
from imove_core.inverse_kinematics import inverse_kinematics
from imove_core.kinematics import tool_pose
from imove_core.rig import load_rig
from imove_core.transforms import inverse, transform
from imove_motion.safety.guard import SafetyGuard
from imove_motion.safety.places import Places
from imove_motion.safety.settings import SafetySettings, WorkspaceBox
from imove_trials.homing import MOST_SPEED_RAD_S, away_from_home, way_home

DOWN = np.diag([-1.0, 1.0, -1.0])
SETTINGS = SafetySettings()


def at(rig, arm_name, xyz, opening_m=0.02):
    """Positions (D,) of a rig at home but for one arm, whose tool points down at a place."""
    arm = rig.arm(arm_name)
    base_from_tcp = inverse(arm.world_from_base.matrix) @ transform(DOWN, xyz)
    solutions = inverse_kinematics(arm.arm_model).solve(base_from_tcp)
    joints = min(solutions, key=lambda found: np.abs(found - arm.home).max())
    parts = [
        np.append(joints, opening_m) if other.name == arm_name else other.home_positions for other in rig.arms
    ]  # fmt: skip
    return np.concatenate(parts)


def height_m(rig, arm_name, row):
    arm = rig.arm(arm_name)
    return (arm.world_from_base.matrix @ tool_pose(arm.arm_model, rig.split(row)[arm_name][:-1]))[2, 3]


@pytest.mark.parametrize(
    ("name", "arm", "xyz"),
    [
        ("piperx_dual", "left", (0.30, 0.15, 0.02)),
        ("piperx_dual", "right", (0.40, -0.30, 0.05)),
        ("piperx_dual", "left", (0.35, 0.0, 0.08)),
        ("piper_dual", "right", (0.30, -0.20, 0.03)),
        ("franka_single", "arm", (0.45, 0.20, 0.03)),
    ],
)
def test_way_home_is_slow_free_and_ends_at_home(name, arm, xyz):
    rig = load_rig(name)
    start = at(rig, arm, xyz)
    assert away_from_home(rig, start)
    way = way_home(rig, start, SETTINGS)
    assert not away_from_home(rig, way.rows[-1])
    guard = SafetyGuard(rig, SETTINGS)
    guard.reset(start, 0)
    assert guard.admit(way.rows, 0).events == ()
    grippers = np.cumsum([one.size for one in rig.arms]) - 1
    steps = np.abs(np.diff(np.vstack([start, way.rows]), axis=0)) * rig.control_rate_hz
    assert np.delete(steps, grippers, axis=1).max() <= MOST_SPEED_RAD_S * 1.001
    # Hands go up, and stay closed until they are at home.
    heights = [height_m(rig, arm, row) for row in way.rows]
    assert max(heights[: len(heights) // 2]) > xyz[2] + 0.05
    assert min(heights) > xyz[2] - 0.005
    opening = way.rows[:, grippers[[one.name for one in rig.arms].index(arm)]]
    is_gripper = np.isin(np.arange(rig.size), grippers)
    arrived = [not away_from_home(rig, np.where(is_gripper, rig.home_positions, row)) for row in way.rows]
    assert np.all(opening[: arrived.index(True)] == 0.02)


def test_nothing_moves_where_everything_is_at_home(rig):
    assert len(way_home(rig, rig.home_positions, SETTINGS).rows) == 0


def test_both_arms_find_their_way_from_wherever_they_can_pick_side_by_side(rig):
    rng, places, checked = np.random.default_rng(5), Places(rig, SETTINGS), 0
    while checked < 6:
        spots = [
            (rng.uniform(0.24, 0.38), side * rng.uniform(-0.02, 0.25), rng.uniform(0.02, 0.08)) for side in (1, -1)
        ]
        parts = [rig.split(at(rig, name, xyz))[name] for name, xyz in zip(("left", "right"), spots, strict=True)]
        start = np.concatenate(parts)
        if places.depths(start[None], np.full((1, 2), 0.02)).max() > 0.0:
            continue
        checked += 1
        way = way_home(rig, start, SETTINGS)
        guard = SafetyGuard(rig, SETTINGS)
        guard.reset(start, 0)
        assert guard.admit(way.rows, 0).events == ()
        assert not away_from_home(rig, way.rows[-1])


def test_way_that_is_not_free_is_refused_in_a_sentence(rig):
    low = SafetySettings(workspace=WorkspaceBox(x=rig.table.x, y=rig.table.y, z=(-0.1, 0.1)))
    with pytest.raises(ImoveError, match="no way home is free: .*the workspace ends at.*; guide the arms by hand"):
        way_home(rig, at(rig, "left", (0.30, 0.15, 0.02)), low)


def test_position_out_of_limits_is_refused(rig):
    start = rig.home_positions.copy()
    start[1] = 9.0
    with pytest.raises(ImoveError, match="left_joint2 is measured at 9.000, which is out of its limits"):
        way_home(rig, start, SETTINGS)


def test_what_is_away_is_named(rig):
    positions = rig.home_positions.copy()
    positions[2] += 0.2
    assert away_from_home(rig, positions) == "left_joint3 is +0.20 rad from home"
    positions = rig.home_positions.copy()
    positions[6] = 0.03
    assert away_from_home(rig, positions) == "left_gripper is 40 mm less open than at home"
