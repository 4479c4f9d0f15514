"""Runs synthesis jobs on a Ray cluster, which must see the data set's folder under the same name on every machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from imove_bringup.ray_cluster import connected
from imove_bringup.synthesis.answers import RemoteWorker, RunJobs, report_from
from imove_bringup.synthesis.job import SynthesisJob
from imove_bringup.synthesis.origin import Origin
from imove_bringup.synthesis.worker import Report
from imove_core.errors import ImoveError


@contextmanager
def run_on_ray(job: SynthesisJob, origin: Origin, workers: int, address: str) -> Iterator[RunJobs]:
    """Several workers, each an actor of a Ray cluster that has one processor.

    Args:
        job: What is to be made.
        origin: Of whoever asks.
        workers: Actors side by side.
        address: Of the cluster, see `imove_bringup.ray_cluster.connected`.

    Raises:
        ImoveError: Ray is not installed, or there is no such cluster.
    """
    with connected(address, workers) as ray:
        remote = ray.remote(num_cpus=1)(RemoteWorker)
        actors = [remote.remote(job.to_json(), origin.to_json()) for _ in range(workers)]
        yield lambda indices: _reports(ray, actors, indices)


def _reports(ray: Any, actors: list[Any], indices: Iterable[int]) -> Iterator[Report]:
    from ray.exceptions import RayError
    from ray.util import ActorPool

    try:
        for text in ActorPool(actors).map_unordered(lambda actor, index: actor.run.remote(index), list(indices)):
            yield report_from(text)
    except RayError as error:
        reason = str(error).strip().splitlines()[-1]
        raise ImoveError(
            f"a worker of the Ray cluster was lost ({reason}); the same command goes on from here"
        ) from error
