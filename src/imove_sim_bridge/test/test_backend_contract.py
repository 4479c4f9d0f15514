"""What every simulator must do, whatever its engine."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from imove_core.episode_rig import episode_rig
from imove_core.errors import ImoveError
from imove_core.state import pose_hash
from imove_core.trajectory import JointCommand
from imove_sim_bridge.registry import backend_names

pytestmark = pytest.mark.parametrize("engine", backend_names())

PERIOD_NS = 1_000_000_000 / 30
CAMERAS = ("static_camera", "left_hand_camera", "right_hand_camera")


def test_reset_gives_home_and_the_settled_poses(backend, rig, blocks):
    backend.load(blocks)
    state = backend.reset()
    assert np.array_equal(state.robot.positions, rig.home_positions)
    assert not state.robot.velocities.any()
    assert np.array_equal(backend.joint_targets(), rig.home_positions)
    for item, wanted in zip(state.objects, blocks.objects, strict=True):
        assert item.id == wanted.id
        np.testing.assert_allclose(item.position, wanted.position, rtol=0, atol=1e-12)
        np.testing.assert_allclose(item.quaternion_xyzw, wanted.quaternion_xyzw, rtol=0, atol=1e-12)
        assert not item.linear_velocity.any() and not item.angular_velocity.any()
        assert (item.moved, item.held_by, item.touched_by) == (False, "", ())


def test_rotated_objects_keep_their_rotation(backend, drawn):
    backend.load(drawn[0])
    for item, wanted in zip(backend.reset().objects, drawn[0].objects, strict=True):
        np.testing.assert_allclose(item.world_from_object, wanted.world_from_object, rtol=0, atol=1e-12)


def test_objects_at_rest_stay(backend, drawn, rig):
    for spec in drawn:
        backend.load(spec)
        first = backend.reset()
        last = backend.advance({}, 30)[-1]
        for before, after in zip(first.objects, last.objects, strict=True):
            assert np.linalg.norm(after.position - before.position) < 1e-3, after.id
            assert np.linalg.norm(after.linear_velocity) < spec.rubrics.strict.rest_speed_m_s
            assert (after.supported_by, after.moved) == (("table",), False)
        # Nor do the arms sag.
        home = episode_rig(rig, spec.randomization).home_positions
        np.testing.assert_allclose(last.robot.positions, home, rtol=0, atol=2e-3)


def test_advance_returns_one_state_a_step_with_exact_stamps(backend, blocks):
    backend.load(blocks)
    last_ns = 0
    for portions in ((1, 1, 7), (0, 31), (1,)):
        first = backend.reset()
        assert first.step == 0
        assert first.stamp_ns > last_ns and first.stamp_ns % 1_000_000_000 == 0
        states = [first]
        for portion in portions:
            more = backend.advance({}, portion)
            assert len(more) == portion
            states += more
        assert [state.stamp_ns - first.stamp_ns for state in states] == [
            round(k * PERIOD_NS) for k in range(len(states))
        ]
        last_ns = states[-1].stamp_ns + 999_999_999


def test_states_are_values(backend, blocks, rig, bits, sweep):
    """A state that was handed out does not change when the simulation goes on."""
    backend.load(blocks)
    states = sweep(backend, rig, steps=20, portion=20)
    kept = bits(states)
    backend.advance({}, 20)
    backend.reset()
    assert bits(states) == kept


def test_same_commands_give_the_same_bits_after_other_episodes(
    engine, open_backend, blocks, make_spec, rig, bits, push, sweep
):
    """Neither other scenes, nor images, nor how the steps are portioned, nor the clock leaves a trace."""
    backend = open_backend(engine)
    backend.load(blocks)
    states = sweep(backend, rig)
    assert states[-1].objects[0].moved and "left" in states[-1].objects[0].touched_by
    wanted = bits(states)
    others = [make_spec(("block", (0.3, 0.15, 0.025)), ("red ball", (0.25 + 0.01 * k, 0, 0.006))) for k in range(6)]
    for number, other in enumerate(others):
        backend.load(other)
        sweep(backend, rig, steps=12)
        backend.observe(CAMERAS[: number % 4])
        if number in (1, 5):
            # After one other scene the model may still be there, after six of them it may not.
            backend.load(blocks)
            assert bits(sweep(backend, rig)) == wanted
    watched = [backend.reset()]
    commands = push(rig, watched[0].stamp_ns)
    for _ in range(40):
        watched += backend.advance(commands, 1)
        commands = {}
        backend.observe(CAMERAS, CAMERAS)
    assert bits(watched) == wanted
    fresh = open_backend(engine)
    fresh.load(blocks)
    assert bits(sweep(fresh, rig, portion=5)) == wanted


def test_images_do_not_depend_on_what_was_rendered_before(engine, open_backend, blocks, make_spec, rig, sweep):
    backend = open_backend(engine)
    backend.load(blocks)
    sweep(backend, rig, steps=10, portion=10)
    wanted = backend.observe(CAMERAS, CAMERAS)
    backend.load(make_spec(("red ball", (0.3, 0, 0.006)), ("block", (0.3, 0.1, 0.025))))
    backend.reset()
    backend.observe(CAMERAS[:1])
    for again in (backend, open_backend(engine)):
        again.load(blocks)
        sweep(again, rig, steps=10, portion=10)
        frames = again.observe(CAMERAS[::-1], CAMERAS[:1])
        assert set(frames) == set(CAMERAS)
        for name in CAMERAS:
            assert np.array_equal(frames[name].rgb, wanted[name].rgb)
        assert np.array_equal(frames[CAMERAS[0]].depth_mm, wanted[CAMERAS[0]].depth_mm)


FRESH_PROCESS = """
import sys
from imove_core.rig import load_rig
from imove_core.spec import EpisodeSpec
from imove_core.state import pose_hash
from imove_sim_bridge.registry import create_backend
from imove_tasks.assets.library import AssetLibrary
backend = create_backend(sys.argv[1], load_rig("piperx_dual"), AssetLibrary.shipped().get, (64, 48))
backend.load(EpisodeSpec.from_json(sys.stdin.read()))
backend.reset()
print(pose_hash(backend.advance({}, 20)[-1].objects))
"""


def test_another_process_gives_the_same_bits(engine, backend, drawn):
    backend.load(drawn[1])
    backend.reset()
    wanted = pose_hash(backend.advance({}, 20)[-1].objects)
    command = [sys.executable, "-c", FRESH_PROCESS, engine]
    done = subprocess.run(command, input=drawn[1].to_json(), capture_output=True, text=True, check=True)
    assert (done.stdout.strip(), done.stderr) == (wanted, "")


@pytest.mark.parametrize("joint", range(7))
def test_commands_are_followed(backend, rig, blocks, move_to, joint):
    """A move of 0.4 rad (4 cm of opening) in 0.8 s: small lag on the way, none at the end, other joints still."""
    backend.load(blocks)
    first = backend.reset()
    goal = rig.home_positions.copy()
    index = rig.arms[0].size + joint
    goal[index] += -0.04 if joint == 6 else (0.4 if joint in (0, 4, 5) else -0.4)
    if joint == 2:
        goal[index] += 0.7
    command = move_to(first.stamp_ns, rig.split(goal)["right"], 0.8)
    states = backend.advance({"right": command}, 36)
    share = np.clip(np.arange(1, 37) / 24, 0, 1)[:, None]
    wanted = rig.home_positions + share * (goal - rig.home_positions)
    got = np.array([state.robot.positions for state in states])
    lag = np.abs(got - wanted)
    assert lag.max() < 0.03
    assert lag[:, 6::7].max() < 0.01
    np.testing.assert_allclose(got[-1], goal, rtol=0, atol=3e-3)
    np.testing.assert_allclose(backend.joint_targets(), goal, rtol=0, atol=1e-12)
    moving = np.array([state.robot.velocities[index] for state in states[8:20]])
    np.testing.assert_allclose(moving, (goal - rig.home_positions)[index] / 0.8, rtol=0.1)


def test_limits_of_joints_and_speeds_hold(backend, rig, blocks, move_to):
    """Jumps far beyond the limits become motions at the speed limit that end at the joint limit."""
    backend.load(blocks)
    first = backend.reset()
    arm = rig.arms[0]
    # Up and away from everything.
    goal = np.array([9.0, 0.5, -0.5, 0.0, 9.0, -9.0, 9.0])
    targets, states = [rig.home_positions], [first]
    backend.advance({"left": move_to(first.stamp_ns, goal, 0.01)}, 0)
    for _ in range(60):
        states += backend.advance({}, 1)
        targets.append(backend.joint_targets())
    most = np.concatenate([each.velocity_limits for each in rig.arms])
    assert np.all(np.abs(np.diff(targets, axis=0)) <= most / 30 + 1e-12)
    speeds = np.abs([state.robot.velocities for state in states])
    assert np.all(speeds <= 1.25 * most)
    assert np.any(speeds[:, :7] > 0.9 * arm.velocity_limits)
    positions = np.array([state.robot.positions for state in states])[:, :7]
    assert np.all(positions >= arm.limits[:, 0] - 0.01) and np.all(positions <= arm.limits[:, 1] + 0.01)
    np.testing.assert_allclose(positions[-1], np.clip(goal, *arm.limits.T), rtol=0, atol=0.01)


def test_newest_command_wins_and_hold_drops_it(backend, rig, blocks, move_to):
    backend.hold("left")
    backend.load(blocks)
    backend.hold("left")
    first = backend.reset()
    home = rig.arms[0].home_positions
    turn = np.array([0.3, 0, 0, 0, 0, 0, 0])
    backend.advance({"left": move_to(first.stamp_ns, home + turn, 0.5)}, 3)
    later = backend.advance({}, 1)[-1]
    backend.advance({"left": move_to(later.stamp_ns, home - turn, 0.5)}, 5)
    backend.hold("left")
    held = backend.joint_targets()
    assert -0.3 < held[0] < 0.1
    backend.advance({}, 20)
    np.testing.assert_allclose(backend.joint_targets(), held, rtol=0, atol=1e-12)


def test_flags_of_a_grasp(backend, rig, blocks, assets):
    """A planned pick: free, then touched, then held by the arm that does it, then carried by nothing."""
    from imove_motion.grasps import grasp_candidates
    from imove_motion.pick import PickPlanner

    backend.load(blocks)
    first = backend.reset()
    grasps = grasp_candidates(assets["block"], first.objects[0].world_from_object)
    plan = PickPlanner(rig).plan(grasps, first.robot.positions, first.objects[1:])
    assert plan.arm == "left"
    times_ns = first.stamp_ns + np.round(np.arange(1, len(plan.positions) + 1) * PERIOD_NS).astype(np.int64)
    states = backend.advance({"left": JointCommand(first.stamp_ns, times_ns, plan.positions)}, len(times_ns) + 15)
    block = [state.objects[0] for state in states]
    held = [item.held_by for item in block]
    start, height = held.index("left"), np.array([item.position[2] for item in block])
    assert set(held[:start]) == {""} and set(held[start:]) == {"left"}
    assert any(item.touched_by == () and item.supported_by == ("table",) for item in block[:start])
    assert all(item.touched_by == ("left",) for item in block[start:])
    assert not any(item.moved for item in block[:start])
    in_air = height > first.objects[0].position[2] + 0.01
    assert height[-1] > first.objects[0].position[2] + 0.09
    assert all(item.supported_by == () and item.moved for item, up in zip(block, in_air, strict=True) if up)
    assert all(abs(state.robot.efforts[6]) > 1 for state in states[start + 10 :])
    # The block does not slip in the hand.
    assert np.linalg.norm(block[-1].position - block[-15].position) < 2e-3
    for state in states:
        bystander = state.objects[1]
        assert (bystander.moved, bystander.touched_by, bystander.held_by) == (False, (), "")
        assert bystander.supported_by == ("table",)


def test_a_stack_is_carried_from_below(backend, make_spec):
    backend.load(make_spec(("block", (0.3, 0.1, 0.025)), ("other block", (0.3, 0.1, 0.075))))
    backend.reset()
    lower, upper = backend.advance({}, 15)[-1].objects
    assert (lower.supported_by, upper.supported_by) == (("table",), ("object_0",))


def test_a_falling_object_moves_by_gravity(backend, make_spec):
    backend.load(make_spec(("block", (0.3, 0.1, 0.6)), ("red ball", (0.3, -0.1, 0.006))))
    backend.reset()
    states = backend.advance({}, 6)
    time_s = np.arange(1, 7) / 30
    np.testing.assert_allclose([s.objects[0].linear_velocity[2] for s in states], -9.81 * time_s, rtol=1e-3)
    # Semi-implicit integration is half a physics step ahead.
    np.testing.assert_allclose(0.6 - states[-1].objects[0].position[2], 9.81 / 2 * 0.2**2, rtol=0.02)
    assert states[-1].objects[0].supported_by == () and states[-1].objects[0].moved


def test_frames_are_as_asked_for(backend, rig, blocks):
    backend.load(blocks)
    backend.reset()
    frames = backend.observe(CAMERAS[:2], depth=CAMERAS[1:2])
    assert set(frames) == set(CAMERAS[:2])
    for name, frame in frames.items():
        assert frame.rgb.shape == (48, 64, 3) and frame.rgb.dtype == np.uint8
        assert frame.intrinsics == rig.camera(name).intrinsics.resized(64, 48)
        assert frame.rgb.std() > 1
    assert frames[CAMERAS[0]].depth_mm is None
    depth = frames[CAMERAS[1]].depth_mm
    assert depth.shape == (48, 64) and depth.dtype == np.uint16
    assert backend.observe([]) == {}
    assert json.loads(json.dumps(backend.provenance())) == backend.provenance()


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads the memory use from Linux's /proc")
def test_many_scenes_do_not_pile_up_in_memory(engine, open_backend, drawn):
    backend = open_backend(engine, size=(224, 224))
    after_warm_up = 0
    for number in range(60):
        scene = drawn[number % 2].model_dump() | {"seed": number}
        backend.load(type(drawn[0]).model_validate(scene))
        backend.reset()
        backend.advance({}, 1)
        backend.observe(CAMERAS)
        if number == 14:
            after_warm_up = resident_bytes()
    # One scene takes several MB: 45 of them would show.
    assert resident_bytes() - after_warm_up < 40e6


def test_a_recorded_state_is_shown_as_it_was_seen(engine, open_backend, blocks, rig, push):
    backend = open_backend(engine)
    backend.load(blocks)
    first = backend.reset()
    states = backend.advance(push(rig, first.stamp_ns), 40)
    assert states[-1].objects[0].moved
    seen = backend.observe(CAMERAS)
    other = open_backend(engine)
    other.load(blocks)
    other.reset()
    untouched = other.observe(CAMERAS)
    for state, wanted in ((states[-1], seen), (first, untouched), (states[-1], seen)):
        other.show(state)
        for name, frame in other.observe(CAMERAS).items():
            # The second finger of a gripper may lag a little behind the first, which is the one that is recorded.
            difference = np.abs(frame.rgb.astype(int) - wanted[name].rgb)
            assert (difference > 16).mean() < 0.01, name


def test_nothing_goes_on_from_a_state_that_is_shown(backend, blocks, drawn, bits, rig, sweep):
    backend.load(blocks)
    wanted = bits(sweep(backend, rig, steps=10))
    backend.show(backend.reset())
    with pytest.raises(ImoveError, match="shows a recorded state"):
        backend.advance({}, 1)
    assert bits(sweep(backend, rig, steps=10)) == wanted
    backend.load(drawn[0])
    foreign = backend.reset()
    backend.load(blocks)
    backend.reset()
    with pytest.raises(ImoveError, match="cannot be shown"):
        backend.show(foreign)
