"""One worker of a synthesis: a simulator and a planner that turn one spec after another into an outcome."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from imove_bringup.joint_planners import create_joint_planner
from imove_bringup.synthesis.job import SynthesisJob
from imove_bringup.synthesis.judging import judge_rollout, planned_beyond
from imove_bringup.synthesis.origin import Origin
from imove_bringup.synthesis.outcome import Asked, Motion, Outcome, Rejection, asked_by
from imove_bringup.synthesis.recording import Recorder
from imove_bringup.synthesis.rollout import CONDITION, Rollout, rendered, roll_out
from imove_bringup.synthesis.source import SpecSource, open_source
from imove_core.errors import ImoveError
from imove_core.rig import Rig, load_rig
from imove_core.spec import EpisodeSpec
from imove_core.values import FrozenValue
from imove_motion.actions import Errand
from imove_motion.demonstration import Demonstration, DemonstrationPlanner
from imove_motion.planning.protocol import PlanningError
from imove_motion.spots import IN
from imove_sim_bridge.backend import SimBackend
from imove_sim_bridge.registry import create_backend
from imove_tasks.assets.library import AssetLibrary, open_library
from imove_tasks.assets.model import Asset
from imove_tasks.seeds import generator

SMALL = (64, 48)
"""Image size of a simulator that renders nothing."""


class Report(FrozenValue):
    """What a worker sends back.

    Attributes:
        outcome: What became of the spec; the same whoever worked on it.
        spec_cpu_s: Processor time of drawing and certifying the spec.
        plan_cpu_s: Processor time of planning.
        roll_out_cpu_s: Processor time of the rollout and its validation.
        record_cpu_s: Processor time of rendering and writing.
    """

    outcome: Outcome
    spec_cpu_s: float = 0.0
    plan_cpu_s: float = 0.0
    roll_out_cpu_s: float = 0.0
    record_cpu_s: float = 0.0

    @property
    def cpu_s(self) -> float:
        """Processor time of all."""
        return self.spec_cpu_s + self.plan_cpu_s + self.roll_out_cpu_s + self.record_cpu_s


class Worker:
    """Makes demonstrations; the same number gives the same outcome and the same bag, whatever was made before."""

    def __init__(
        self,
        job: SynthesisJob,
        rig: Rig,
        library: AssetLibrary,
        source: SpecSource,
        backend: SimBackend,
        planner: DemonstrationPlanner,
        recorder: Recorder,
    ) -> None:
        """Works for a job with the given parts; see `open_worker`."""
        self._job, self._rig, self._library = job, rig, library
        self._source, self._backend, self._planner, self._recorder = source, backend, planner, recorder

    def run(self, index: int) -> Report:
        """Makes the demonstration of a spec, or says why there is none."""
        clock = _Clock()
        try:
            spec = self._source.spec(index)
        except ImoveError as error:
            rejection = Rejection(at="scene", kind="no certified spec", reason=str(error))
            return Report(outcome=Outcome(index=index, asked=None, rejection=rejection), spec_cpu_s=clock.lap())
        costs = {"spec_cpu_s": clock.lap()}
        asked = asked_by(spec, self._rig.workspace)
        assets = {item.id: self._library.get(item.asset) for item in spec.objects}
        outcome = self._outcome(index, spec, asked, assets, lambda name: costs.update({name: clock.lap()}))
        return Report(outcome=outcome, **costs)

    def _outcome(
        self, index: int, spec: EpisodeSpec, asked: Asked, assets: Mapping[str, Asset], note: Callable[[str], None]
    ) -> Outcome:
        try:
            demonstration = self._planned(index, spec, assets)
        except PlanningError as error:
            unplanned = Rejection(at="plan", kind=error.constraint, reason=error.sentence)
            return Outcome(index=index, asked=asked, rejection=unplanned)
        finally:
            note("plan_cpu_s")
        motion = _figures(demonstration)
        rollout = self._rolled_out(spec, demonstration)
        note("roll_out_cpu_s")
        if isinstance(rollout, Rejection):
            return Outcome(index=index, asked=asked, motion=motion, rejection=rollout)
        bag = f"{spec.family}/episode_{index:06d}"
        self._record(self._job.folder / bag, rollout, assets)
        note("record_cpu_s")
        return Outcome(index=index, asked=asked, motion=motion, bag=bag)

    def _planned(self, index: int, spec: EpisodeSpec, assets: Mapping[str, Asset]) -> Demonstration:
        self._backend.load(spec)
        first = self._backend.reset()
        asked = spec.instruction(CONDITION)
        place = asked.meaning.place if asked.meaning is not None else None
        assert asked.target is not None  # every spec has one
        errand = Errand(asked.target, asked.destination, IN if place is None else place.relation)
        rng = generator("motion", self._job.seed, index)
        return self._planner.plan(errand, first.objects, assets, first.robot.positions, rng)

    def _rolled_out(self, spec: EpisodeSpec, demonstration: Demonstration) -> Rollout | Rejection:
        beyond = planned_beyond(self._rig, demonstration.positions)
        if beyond is not None:
            return beyond
        try:
            rollout = roll_out(self._rig, self._backend, spec, demonstration.positions)
        except ImoveError as error:
            return Rejection(at="physics", kind="the simulation broke down", reason=str(error))
        return judge_rollout(self._rig, rollout) or rollout

    def _record(self, folder: Path, rollout: Rollout, assets: Mapping[str, Asset]) -> None:
        # A run that was killed between the end of a bag and the line about it has left it behind.
        shutil.rmtree(folder, ignore_errors=True)
        if self._job.image_size is None:
            self._recorder.write(folder, rollout, ((step, {}) for step in rollout.steps), assets)
        else:
            shown = rendered(self._rig, self._backend, rollout, self._job.depth)
            self._recorder.write(folder, rollout, shown, assets)

    def close(self) -> None:
        """Closes the simulator."""
        self._backend.close()


def open_worker(job: SynthesisJob, origin: Origin) -> Worker:
    """A worker for a job; raises ImoveError where a part of it cannot be made here."""
    rig, library = load_rig(job.rig), open_library(job.asset_folders)
    backend = create_backend(job.sim, rig, library.get, job.image_size or SMALL)
    recorder = Recorder(rig, job.image_size is not None, job.depth, job.seed, origin.to_record())
    planner = DemonstrationPlanner(rig, create_joint_planner(job.planner, rig))
    return Worker(job, rig, library, open_source(job, library), backend, planner, recorder)


def _figures(demonstration: Demonstration) -> Motion:
    smooth = demonstration.smoothness
    return Motion(
        arm=demonstration.arm,
        steps=len(demonstration.positions),
        peak_speed_rad_s=round(smooth.peak_speed_rad_s, 6),
        peak_acceleration_rad_s2=round(smooth.peak_acceleration_rad_s2, 6),
        peak_jerk_rad_s3=round(smooth.peak_jerk_rad_s3, 6),
        path_length_rad=round(smooth.path_length_rad, 6),
    )


class _Clock:
    """Processor time of this process between calls."""

    def __init__(self) -> None:
        self._before_s = time.process_time()

    def lap(self) -> float:
        now_s = time.process_time()
        passed_s, self._before_s = now_s - self._before_s, now_s
        return passed_s
