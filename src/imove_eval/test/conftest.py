"""A rig, specs of scenes that need no assets, scores, and settings of a run."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from imove_analysis import testing
from imove_analysis.records import Execution
from imove_core.rig import Rig, load_rig
from imove_core.spec import EpisodeSpec
from imove_eval.settings import Run, RunSettings
from imove_tasks.stages import EpisodeScore
from imove_tasks.suites import Suite

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
def settings() -> RunSettings:
    """Settings of a run."""
    return RunSettings(
        suite="test/scene",
        suite_hash="a" * 64,
        policy="expert",
        rig="piperx_dual",
        seed=0,
        clock="lockstep",
        scheduler="receding",
        sim="mujoco",
        image_size=(224, 224),
    )


@pytest.fixture
def make_run(rig: Rig, settings: RunSettings) -> Callable[..., Run]:
    """Makes a run of the first of some specs under conditions."""

    def make(
        specs: Sequence[EpisodeSpec], episodes: int, conditions: Sequence[str] = ("normal",), seed: int = 5
    ) -> Run:
        suite = Suite("test/scene", 0, "", tuple(specs))
        return Run(replace(settings, seed=seed), suite, rig, tuple(specs[:episodes]), tuple(conditions))

    return make


@pytest.fixture
def rng() -> np.random.Generator:
    """A seeded source of randomness."""
    return np.random.default_rng(20240611)
