"""Several environments side by side, in this process and in others."""

import functools

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

COUNT, STEPS = 2, 4
make = functools.partial(
    gymnasium.make, "imove_gym:imove/pick_category-v0", cameras=("static_camera",), image_size=(64, 48)
)


def rollout(envs):
    """First observations, and observations, rewards and information of a few steps with seeded actions."""
    envs.action_space.seed(6)
    seen = [envs.reset(seed=[20, 21])]
    seen += [envs.step(envs.action_space.sample()) for _ in range(STEPS)]
    return seen


@pytest.fixture(scope="module")
def in_this_process():
    """What environments in this process come to."""
    envs = SyncVectorEnv([make] * COUNT)
    yield rollout(envs)
    envs.close()


def assert_same(first, second):
    assert type(first) is type(second)
    if isinstance(first, dict):
        assert first.keys() == second.keys()
        for key in first:
            assert_same(first[key], second[key])
    elif isinstance(first, tuple):
        for a, b in zip(first, second, strict=True):
            assert_same(a, b)
    else:
        np.testing.assert_array_equal(first, second)


def test_each_is_the_one_that_it_would_be_alone(in_this_process):
    for index, seed in enumerate((20, 21)):
        env = make()
        observation, info = env.reset(seed=seed)
        (batch, infos), *_ = in_this_process
        np.testing.assert_array_equal(batch["state"][index], observation["state"])
        np.testing.assert_array_equal(batch["images"]["static_camera"][index], observation["images"]["static_camera"])
        assert batch["instruction"][index] == observation["instruction"]
        assert infos["spec_id"][index] == info["spec_id"]
        env.close()


def test_other_processes_change_nothing(in_this_process):
    # A fork would take over this process' graphics, which does not survive it.
    envs = AsyncVectorEnv([make] * COUNT, shared_memory=False, context="spawn")
    try:
        assert_same(tuple(rollout(envs)), tuple(in_this_process))
    finally:
        envs.close()


def test_shared_memory_which_would_lose_the_text_is_refused():
    with pytest.raises(ValueError, match="shared_memory=False"):
        AsyncVectorEnv([make])
