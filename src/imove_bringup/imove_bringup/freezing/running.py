"""Makes scenes in one process or in several; what comes does not depend on how many."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

from imove_bringup.freezing.feasibility import PickFeasibility
from imove_bringup.freezing.scene_maker import Made, Refusal, SceneMaker
from imove_core.meaning import Meaning
from imove_core.randomization import Randomization
from imove_core.rig import load_rig
from imove_core.values import FrozenValue
from imove_motion.pick import PickPlanner
from imove_sim_bridge.registry import create_backend
from imove_tasks.assets.library import open_library
from imove_tasks.assets.model import Asset
from imove_tasks.drawing import SceneDrawer
from imove_tasks.families.model import Turn
from imove_tasks.randomization import RandomizationConfig, draw_randomization
from imove_tasks.registry import get_family
from imove_tasks.scenes import Scene

_Answer = TypeVar("_Answer")


@dataclass(frozen=True)
class SceneJob:
    """What a process needs to make scenes, small enough to be sent to it.

    Attributes:
        family: Name of the task family.
        split: One of its splits.
        rig: Shipped rig, or path of a .yaml file.
        sim: Name of the simulator.
        looks: What of the domain randomisation is drawn.
        assets: Corpus folders beside the shipped library.
    """

    family: str
    split: str
    rig: str
    sim: str
    looks: RandomizationConfig
    assets: tuple[Path, ...] = ()

    def maker(self) -> SceneMaker:
        """Opens library, rig and simulator; raises ImoveError when one of them cannot be."""
        rig, library = load_rig(self.rig), open_library(self.assets)
        feasibility = PickFeasibility(rig, PickPlanner(rig))

        def draw_looks(assets: Mapping[str, Asset], meanings: Sequence[Meaning], seed: int) -> Randomization:
            return draw_randomization(self.looks, rig, assets, library, seed, meanings)

        drawer = SceneDrawer(get_family(self.family), self.split, rig, library, feasibility, draw_looks)
        return SceneMaker(drawer, rig, library, create_backend(self.sim, rig, library.get, (64, 48)))

    def identity(self, seed: int, rig_name: str, asset_snapshot: str) -> dict[str, Any]:
        """Everything that decides which scenes come, as plain data."""
        return {
            "family": self.family,
            "split": self.split,
            "rig": rig_name,
            "seed": seed,
            "asset_snapshot": asset_snapshot,
            "sim": self.sim,
            "looks": self.looks.model_dump(mode="json"),
        }


class Draw(FrozenValue):
    """One draw and what it cost.

    Attributes:
        index: Number of the episode that it was for.
        cpu_s: Processor time that it took.
        scene: The scene, where it holds.
        refusal: Why there is none, where it does not.
    """

    index: int
    cpu_s: float
    scene: Scene | None = None
    refusal: Refusal | None = None


def make_scenes(job: SceneJob, seed: int, indices: Sequence[int], workers: int) -> Iterator[Made]:
    """Yields the scene of each episode, as they come.

    Raises:
        ImoveError: The job cannot be done here, or no draw of an episode holds.
    """
    yield from _each(job, _make, [(seed, index) for index in indices], workers)


def try_draws(job: SceneJob, seed: int, indices: Sequence[int], workers: int) -> Iterator[Draw]:
    """Yields what came of the first draw of each episode, as they come; see `make_scenes`."""
    turns = [(Turn(split=job.split, seed=seed, index=index, attempt=0),) for index in indices]
    yield from _each(job, _try, turns, workers)


_makers: list[SceneMaker] = []


def _start(job: SceneJob) -> None:
    _makers[:] = [job.maker()]


def _make(seed: int, index: int) -> Made:
    return _makers[0].make(seed, index)


def _try(turn: Turn) -> Draw:
    before = time.process_time()
    result = _makers[0].attempt(turn)
    cpu_s = time.process_time() - before
    if isinstance(result, Refusal):
        return Draw(index=turn.index, cpu_s=cpu_s, refusal=result)
    return Draw(index=turn.index, cpu_s=cpu_s, scene=result)


def _each(
    job: SceneJob, call: Callable[..., _Answer], arguments: Sequence[tuple[object, ...]], workers: int
) -> Iterator[_Answer]:
    if workers == 1:
        _start(job)
        yield from (call(*given) for given in arguments)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_start, initargs=(job,)) as pool:
        futures = [pool.submit(call, *given) for given in arguments]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
