"""A rig, settings of a run, and runs; scenes and results come from `imove_analysis.testing`."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from imove_core.rig import Rig, load_rig
from imove_core.spec import EpisodeSpec
from imove_eval.settings import Run, RunSettings
from imove_tasks.suites import Suite


@pytest.fixture(scope="session")
def rig() -> Rig:
    """The dual PiPER X."""
    return load_rig("piperx_dual")


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
