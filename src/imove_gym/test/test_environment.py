"""One environment: gymnasium's own checks, choice of episodes, actions, ends, refusals."""

import subprocess
import sys
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from imove_core.errors import ImoveError
from imove_core.rig import load_rig
from imove_gym.environment import fixed_camera
from imove_gym.registration import environment_id
from imove_tasks.registry import family_names
from imove_tasks.suites import Suite, open_suite, write_suite

ALONE = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("rclpy", "imove_ros", "imove_interfaces"):
            raise ModuleNotFoundError(f"{name} is blocked", name=name)

sys.meta_path.insert(0, Refuse())
import gymnasium

env = gymnasium.make("imove_gym:imove/pick_category-v0", cameras=("static_camera",), image_size=(64, 48))
observation, info = env.reset(seed=4)
env.step(env.action_space.sample())
print(info["spec_id"], observation["images"]["static_camera"].shape)
env.close()
"""


@pytest.fixture(scope="module")
def short_suite(tmp_path_factory):
    """A file with three scenes that last for five steps, and an instruction with letters that are not ASCII."""
    specs = []
    for spec in open_suite("pick_category/seen").first(3):
        told = spec.instructions["normal"].model_copy(update={"text": "prends la tasse de café"})
        specs.append(spec.model_copy(update={"horizon_steps": 5, "instructions": spec.instructions | {"normal": told}}))
    path = tmp_path_factory.mktemp("suite") / "short.jsonl"
    write_suite(Suite("pick_category/short", 0, "", tuple(specs)), path)
    return str(path)


@pytest.mark.parametrize("task", family_names())
def test_every_family_is_registered(task):
    spec = gymnasium.spec(environment_id(task))
    assert (spec.id, spec.kwargs, spec.nondeterministic) == (f"imove/{task}-v0", {"task": task}, False)


def test_one_import_of_gymnasium_is_enough_and_ros_is_not_needed():
    done = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("pick_category/seen/")
    assert done.stdout.endswith(" (48, 64, 3)\n")


def warnings_of_checker(env):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(env.unwrapped)
    return [str(warning.message) for warning in caught]


def test_gymnasium_has_nothing_to_say(make_env):
    assert warnings_of_checker(make_env(cameras=None, normalized_actions=True)) == []


def test_gymnasium_would_rather_have_normalized_actions(make_env):
    (said,) = warnings_of_checker(make_env())
    assert "we recommend using a symmetric and normalized space" in said


def test_spaces_are_those_of_the_rig(make_env):
    env, rig = make_env(cameras=None), load_rig("piperx_dual")
    assert set(env.observation_space["images"]) == {camera.name for camera in rig.cameras}
    assert env.observation_space["images"]["static_camera"].shape == (48, 64, 3)
    limits = np.concatenate([arm.limits for arm in rig.arms]).astype(np.float32)
    np.testing.assert_array_equal(np.stack([env.action_space.low, env.action_space.high], axis=1), limits)
    assert set(make_env().observation_space) == {"state", "instruction"}


def test_seed_draws_the_scene_and_nothing_else(make_env):
    env = make_env()
    drawn = [env.reset(seed=9)[1]["spec_id"], *(env.reset()[1]["spec_id"] for _ in range(5))]
    assert drawn == [env.reset(seed=9)[1]["spec_id"], *(env.reset()[1]["spec_id"] for _ in range(5))]
    assert len(set(drawn)) > 1
    first = env.reset(seed=1, options={"episode": 3})[0]
    second = env.reset(seed=2, options={"episode": 3})[0]
    assert first["instruction"] == second["instruction"]
    np.testing.assert_array_equal(first["state"], second["state"])


def test_episode_by_number_or_id_under_any_condition(make_env):
    env, suite = make_env(condition="alternative"), open_suite("pick_category/seen")
    for options, index, condition in (
        ({"episode": 7}, 7, "alternative"),
        ({"episode": np.int64(7)}, 7, "alternative"),
        ({"episode": "pick_category/seen/012", "condition": "empty"}, 12, "empty"),
    ):
        observation, info = env.reset(options=options)
        spec = suite.specs[index]
        instruction = spec.instruction(condition)
        assert info == {
            "spec_id": spec.id, "condition": condition, "prompt": instruction.text, "target": instruction.target,
            "destination": None, "step": 0, "stage_events": (),
        }  # fmt: skip
        assert observation["instruction"] == instruction.text


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"episode": 100}, "episode is 100; suite pick_category/seen has 0 to 99, or ids like pick_category/seen/000"),
        ({"episode": -1}, "episode is -1; suite"),
        ({"episode": "other"}, "episode is 'other'; suite"),
        ({"condition": "odd"}, "unknown condition 'odd'"),
        ({"scene": 1}, "unknown reset option 'scene'; allowed: condition, episode"),
    ],
)
def test_options_that_do_not_exist(make_env, options, said):
    with pytest.raises(ImoveError, match=said):
        make_env().reset(options=options)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"rig": "nothing"}, "unknown rig 'nothing'"),
        ({"suite": "pick_category/nothing"}, "unknown suite"),
        ({"condition": "odd"}, "unknown condition 'odd'"),
        ({"cameras": ("top",)}, "unknown camera of rig piperx_dual 'top'"),
        ({"task": "place_a2b", "suite": "pick_category/seen"}, "suite pick_category/seen is of the task pick_category"),
    ],
)
def test_arguments_that_do_not_go_together(make_env, arguments, said):
    with pytest.raises(ImoveError, match=said):
        make_env(**arguments)


def test_an_unknown_simulator_is_refused_when_it_is_needed(make_env):
    env = make_env(sim="other")
    with pytest.raises(ImoveError, match="unknown sim 'other'"):
        env.reset()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda action: action[:3], r"action has the shape \(3,\); rig piperx_dual takes \(14,\)"),
        (lambda action: np.full_like(action, np.nan), "nan for joint 'left_joint1'"),
    ],
)
def test_action_that_is_no_command(make_env, change, said):
    env = make_env().unwrapped
    env.reset(seed=0)
    with pytest.raises(ImoveError, match=said):
        env.step(change(env.action_space.sample()))


def test_targets_beyond_the_limits_are_clipped(make_env):
    env = make_env().unwrapped
    states = []
    for action in (env.action_space.high, env.action_space.high + 1):
        env.reset(options={"episode": 0})
        for _ in range(3):
            env.step(action)
        states.append(env.state.robot.positions)
    np.testing.assert_array_equal(*states)


def test_normalized_actions_span_the_limits(make_env):
    plain, normalized = make_env().unwrapped, make_env(normalized_actions=True).unwrapped
    middle = (plain.action_space.low + plain.action_space.high) / 2
    for action, same in ((plain.action_space.low, -1.0), (middle, 0.0), (plain.action_space.high, 1.0)):
        for env, sent in ((plain, action), (normalized, np.full_like(action, same))):
            env.reset(options={"episode": 0})
            env.step(sent)
        np.testing.assert_allclose(plain.state.robot.positions, normalized.state.robot.positions, atol=1e-6)


def test_episode_ends_at_its_horizon_and_not_before(make_env, short_suite):
    env = make_env(suite=short_suite).unwrapped
    observation, _ = env.reset(options={"episode": 1})
    assert observation["instruction"] == "prends la tasse de café"
    assert observation in env.observation_space
    hold = observation["state"]
    steps = [env.step(hold) for _ in range(5)]
    assert [(terminated, truncated) for _, _, terminated, truncated, _ in steps] == [(False, False)] * 4 + [
        (False, True)
    ]
    assert ["score" in info for *_, info in steps] == [False] * 4 + [True]
    assert steps[-1][-1]["score"]["steps"] == 5
    with pytest.raises(ImoveError, match="no episode is running in the environment; reset it first"):
        env.step(hold)
    assert env.state.step == 5
    env.reset()
    env.step(hold)


def test_render_shows_the_camera_that_stands_still(make_env):
    env = make_env(render_mode="rgb_array", cameras=("static_camera",))
    assert fixed_camera(env.unwrapped.rig).name == "static_camera"
    observation, _ = env.reset(seed=0)
    np.testing.assert_array_equal(env.render(), observation["images"]["static_camera"])
    assert make_env().unwrapped.render() is None


def test_closed_environment_can_be_closed_again_and_reset(make_env):
    env = make_env()
    first, _ = env.reset(seed=3)
    env.close()
    env.close()
    with pytest.raises(ImoveError, match="no episode has begun in the environment"):
        _ = env.unwrapped.state
    again, _ = env.reset(seed=3)
    np.testing.assert_array_equal(first["state"], again["state"])
