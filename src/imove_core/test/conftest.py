"""Shared fixtures: the default rig, message types and a whole episode bag."""

from pathlib import Path

import pytest

from imove_core.bag.types import MessageTypes, message_types
from imove_core.rig import Rig, load_rig

from .bag_episode import write_episode


@pytest.fixture(scope="session")
def rig() -> Rig:
    """The dual PiPER X."""
    return load_rig("piperx_dual")


@pytest.fixture(scope="session")
def types() -> MessageTypes:
    """Message types of ROS 2 and imove_interfaces."""
    return message_types()


@pytest.fixture(scope="session")
def whole_bag(tmp_path_factory: pytest.TempPathFactory, rig: Rig, types: MessageTypes) -> Path:
    """A finished episode bag; tests read it and copy it, and never write to it."""
    folder = tmp_path_factory.mktemp("dataset") / "place_a2b" / "episode_000123"
    write_episode(folder, rig, types)
    return folder
