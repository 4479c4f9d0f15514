"""A rig, and scenes, scores and results made up."""

from collections.abc import Callable

import numpy as np
import pytest

from imove_analysis import testing
from imove_analysis.records import Execution
from imove_core.rig import Rig, load_rig
from imove_core.spec import EpisodeSpec
from imove_tasks.stages import EpisodeScore

MakeSpec = Callable[..., EpisodeSpec]
MakeScore = Callable[..., EpisodeScore]
MakeExecution = Callable[..., Execution]


@pytest.fixture(scope="session")
def rig() -> Rig:
    """The dual PiPER X."""
    return load_rig("piperx_dual")


@pytest.fixture(scope="session")
def make_spec() -> MakeSpec:
    """Makes episode `index` of a suite: objects at places (x, y)."""
    return testing.make_spec


@pytest.fixture(scope="session")
def make_score() -> MakeScore:
    """Makes the score of an episode in which objects reached (rubric, stage) in a given order."""
    return testing.make_score


@pytest.fixture(scope="session")
def make_execution() -> MakeExecution:
    """Makes what an executor reports of a finished episode."""
    return testing.make_execution


@pytest.fixture
def rng() -> np.random.Generator:
    """A seeded source of randomness."""
    return np.random.default_rng(20240611)
