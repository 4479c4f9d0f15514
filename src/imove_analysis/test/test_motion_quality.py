"""The motion of made-up episodes, whose lengths, speeds and grasps are known."""

from dataclasses import replace

import numpy as np
import pytest

from imove_analysis.motion_quality import motion_quality
from imove_analysis.motion_summary import FIGURES, measure_run, summarise_motion
from imove_analysis.records import make_record
from imove_analysis.runs import EPISODES, PROVENANCE, open_run
from imove_analysis.testing import make_execution, make_score, make_spec
from imove_core.canonical import canonical_json
from imove_core.errors import ImoveError
from imove_core.kinematics import tool_pose
from imove_core.state import ObjectState, RobotState, StepState
from imove_core.step_trace import trace_bytes


def make_states(rig, positions, held_by=None, contacts_known=True):
    """Control steps at joint positions (T, D); `held_by` names the arm that holds the only object at each step."""
    zeros, turn = np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0])
    held_by = held_by or [""] * len(positions)

    def item(arm):
        return ObjectState(
            "object_0", zeros, turn, zeros, zeros, zeros, zeros, held_by=arm, contacts_known=contacts_known
        )

    return [
        StepState(step * 33_333_333, step, RobotState(row, 0 * row, 0 * row), (item(arm),))
        for step, (row, arm) in enumerate(zip(positions, held_by, strict=True))
    ]


def turning(rig, angle_rad, steps, joint=0):
    """The first arm turns one of its joints from home by an angle, with least jerk; the second stands still."""
    t = np.linspace(0, 1, steps + 1)
    positions = np.tile(rig.home_positions, (steps + 1, 1))
    positions[:, joint] += angle_rad * (10 * t**3 - 15 * t**4 + 6 * t**5)
    return positions


def test_a_turn_about_the_base(rig):
    """The tool goes round in a circle about the base's axis, so length and speeds follow from its radius."""
    arm, angle, steps = rig.arms[0], 0.8, 60
    found = motion_quality(rig, make_states(rig, turning(rig, angle, steps)))
    radius_m = float(np.linalg.norm(tool_pose(arm.arm_model, np.array(arm.home))[:2, 3]))
    assert [motion.arm for motion in found.arms] == [arm.name]
    motion = found.arms[0]
    assert found.duration_s == 2.0
    assert motion.tool_path_m == pytest.approx(radius_m * angle, rel=1e-3)
    assert motion.joint_path_rad == pytest.approx(angle)
    assert motion.peak_speed_m_s == pytest.approx(1.875 * radius_m * angle / 2.0, rel=1e-2)
    assert radius_m * angle / 2.0 < motion.mean_speed_m_s < motion.peak_speed_m_s
    assert motion.sparc == pytest.approx(-1.41, abs=0.03)
    assert found.idle_share < 0.2


def test_twice_as_fast_is_as_far_and_as_smooth(rig):
    slow, fast = (motion_quality(rig, make_states(rig, turning(rig, 0.8, steps))).arms[0] for steps in (90, 45))
    assert fast.tool_path_m == pytest.approx(slow.tool_path_m, rel=1e-3)
    assert fast.peak_speed_m_s == pytest.approx(2 * slow.peak_speed_m_s, rel=1e-2)
    assert fast.sparc == pytest.approx(slow.sparc, abs=0.02)
    assert fast.log_dimensionless_jerk == pytest.approx(slow.log_dimensionless_jerk, abs=0.3)


def test_an_episode_in_which_nothing_moves(rig):
    found = motion_quality(rig, make_states(rig, turning(rig, 0.0, 30)))
    assert (found.arms, found.idle_share, found.leading) == ((), 1.0, None)
    figures = found.figures()
    assert (figures["tool_path_m"], figures["peak_speed_m_s"], figures["sparc"]) == (0.0, 0.0, None)
    assert figures.keys() == FIGURES.keys()


def test_idle_share_counts_the_gripper_too(rig):
    positions = np.tile(rig.home_positions, (31, 1))
    positions[10:16, rig.arms[0].size - 1] -= np.linspace(0, 0.03, 6)
    positions[16:, rig.arms[0].size - 1] -= 0.03
    assert motion_quality(rig, make_states(rig, positions)).idle_share == pytest.approx(25 / 30)


@pytest.mark.parametrize(
    ("held", "expected"),
    [
        ("." * 40, {}),
        ("." * 10 + "l" * 30, {"object_0": 0}),
        ("." * 5 + "l" * 10 + "." * 10 + "l" * 15, {"object_0": 1}),
        ("." * 5 + "l" * 10 + "." * 2 + "l" * 23, {"object_0": 0}),
        ("." * 5 + "l" * 2 + "." * 8 + "l" * 25, {"object_0": 0}),
        ("l" * 20 + "r" * 20, {"object_0": 1}),
        ("l" * 10 + "." * 10 + "r" * 10 + "." * 5 + "l" * 5, {"object_0": 2}),
    ],
    ids=["never", "once", "again", "flicker", "brush", "handed over", "three times"],
)
def test_regrasps(rig, held, expected):
    arms = [{"l": "left", "r": "right", ".": ""}[letter] for letter in held]
    states = make_states(rig, turning(rig, 0.5, len(held) - 1), arms)
    assert motion_quality(rig, states).regrasps == expected
    blind = make_states(rig, turning(rig, 0.5, len(held) - 1), arms, contacts_known=False)
    assert motion_quality(rig, blind).regrasps is None
    assert motion_quality(rig, blind).figures()["regrasps"] is None


def test_contacts_with_the_table(rig):
    """Bends the shoulder until the tips are under the table, twice."""
    down = turning(rig, 1.2, 40, joint=1)
    positions = np.concatenate([down, down[::-1], down])
    motion = motion_quality(rig, make_states(rig, positions)).arms[0]
    assert motion.lowest_tip_m < 0
    assert motion.table_contacts == 2
    assert motion_quality(rig, make_states(rig, turning(rig, 0.2, 40))).arms[0].table_contacts == 0


@pytest.fixture
def make_folder(rig, tmp_path):
    """Writes a run in which the episodes turn by different angles, and the even ones lift the target."""

    def make(count, without=0):
        lines = []
        for index in range(count):
            angle = 0.2 + 0.1 * index
            trace = trace_bytes(make_states(rig, turning(rig, angle, 40)))
            stages = ("reach", "lift") if index % 2 == 0 else ()
            score = make_score(*(("strict", stage, "object_0") for stage in stages))
            execution = make_execution(score, trace=trace if index >= without else None)
            record = make_record(make_spec(index), "normal", 0, execution)
            if record["trace"]:
                path = tmp_path / record["trace"]
                path.parent.mkdir(parents=True)
                path.write_bytes(trace)
            lines.append(canonical_json(record) + "\n")
        settings = {"policy": "test", "suite": "test/scene", "suite_hash": "0"}
        (tmp_path / PROVENANCE).write_text(canonical_json({"settings": settings}))
        (tmp_path / EPISODES).write_text("".join(lines))
        return open_run(tmp_path)

    return make


def test_summary_of_a_run(rig, rng, make_folder):
    run, seen = make_folder(8, without=2), []
    measured, missing = measure_run(run, rig, lambda: seen.append(1))
    assert (len(measured), missing, len(seen)) == (6, 2, 8)
    summary = summarise_motion(measured, rng)["normal"]
    assert summary["episodes"] == 6
    assert summary["rates"]["lift"]["k"] == 3
    path = summary["figures"]["joint_path_rad"]
    assert path["value"] == pytest.approx(np.mean(0.2 + 0.1 * np.arange(2, 8)))
    low, high = path["ci95"]
    assert 0.4 < low < path["value"] < high < 0.9
    assert (path["n"], path["unit"]) == (6, "rad")
    # Only where something was reached, at step 1 of 30 a second.
    assert summary["figures"]["first_reach_s"]["n"] == 3
    assert summary["figures"]["first_reach_s"]["value"] == pytest.approx(1 / 30)


def test_damaged_and_foreign_traces_are_refused(rig, make_folder, tmp_path):
    run = make_folder(2)
    path = tmp_path / run.episodes[1].trace
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(ImoveError, match="is no whole trace"):
        measure_run(run, rig)
    outside = replace(run, episodes=(replace(run.episodes[0], trace="../elsewhere.npz"),))
    with pytest.raises(ImoveError, match="lies outside"):
        measure_run(outside, rig)
