"""Where the specs of demonstrations come from: a frozen suite, or draws that are certified as they come."""

from __future__ import annotations

from typing import Protocol

from imove_bringup.freezing.running import SceneJob
from imove_bringup.freezing.scene_maker import SceneMaker
from imove_bringup.joint_planners import check_joint_planner
from imove_bringup.synthesis.job import SynthesisJob
from imove_core.errors import ImoveError
from imove_core.rig import load_rig
from imove_core.spec import EpisodeSpec
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.registry import get_family
from imove_tasks.scenes import episode_spec
from imove_tasks.seeds import generator
from imove_tasks.suites import Suite, open_suite


class SpecSource(Protocol):
    """Specs by number; the same number always gives the same spec."""

    def spec(self, index: int) -> EpisodeSpec:
        """The spec of that number, from 0; raises ImoveError where there is none."""
        ...


class SuiteSpecs:
    """The specs of a suite in their order."""

    def __init__(self, suite: Suite) -> None:
        """Takes specs from a suite."""
        self._suite = suite

    def spec(self, index: int) -> EpisodeSpec:
        """The spec of that number; raises ImoveError when the suite has fewer."""
        return self._suite.first(index + 1)[index]


class DrawnSpecs:
    """Certified specs that are drawn; each asks for a goal that is drawn among all that were proved on its scene."""

    def __init__(self, maker: SceneMaker, library: AssetLibrary, seed: int) -> None:
        """Draws with a seed."""
        self._maker, self._library, self._seed = maker, library, seed

    def spec(self, index: int) -> EpisodeSpec:
        """The spec of that number; raises ImoveError when no draw of it holds."""
        scene = self._maker.make(self._seed, index).scene
        goals = scene.canonical
        number = goals[int(generator("demonstration", self._seed, index).integers(len(goals)))]
        return episode_spec(scene, number, {item.id: self._library.get(item.asset) for item in scene.objects})


def open_source(job: SynthesisJob, library: AssetLibrary) -> SpecSource:
    """The source of a job's specs; raises ImoveError where suite, task, split or rig are not there."""
    if job.suite:
        return SuiteSpecs(open_suite(job.suite))
    maker = SceneJob(job.task, job.split, job.rig, job.sim, job.looks, job.asset_folders).maker()
    return DrawnSpecs(maker, library, job.seed)


def check_job(job: SynthesisJob, episodes: int) -> None:
    """Checks that the specs and the planner of a job can be had, before anything is written.

    Args:
        job: The job.
        episodes: Number of specs.

    Raises:
        ImoveError: Task, split, suite, rig or planner is unknown or not installed; or the suite is for another rig, is
            of another task, or has fewer specs.
    """
    check_joint_planner(job.planner)
    if not job.suite:
        get_family(job.task).library_split(job.split)
        load_rig(job.rig)
        return
    suite = open_suite(job.suite)
    families = {spec.family for spec in suite.first(episodes)}
    if families != {job.task}:
        raise ImoveError(f"suite {suite.name} is of the task {', '.join(sorted(families))}; task {job.task} was given")
    suite.open_rig(job.rig)
