"""Environments that are closed when a test ends."""

from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import pytest

import imove_gym

gymnasium.register_envs(imove_gym)

MakeEnv = Callable[..., gymnasium.Env]
ID = "imove/pick_category-v0"
SIZE = (64, 48)


@pytest.fixture
def make_env() -> Iterator[MakeEnv]:
    """Makes an environment with small images, or with none by default."""
    opened = []

    def make(**arguments: Any) -> gymnasium.Env:
        opened.append(gymnasium.make(ID, **{"image_size": SIZE, "cameras": ()} | arguments))
        return opened[-1]

    yield make
    for env in opened:
        env.close()
