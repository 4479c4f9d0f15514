"""Runs synthesis jobs on a Ray cluster.

Ray pickles what crosses it, so a cluster must be trusted as a whole. What we send and get are texts of JSON, and they
are read as such; nothing of ours depends on unpickling values. Every machine needs imove installed in the same version,
and must see the data set's folder under the same name.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from imove_bringup.synthesis.answers import RemoteWorker, RunJobs, report_from
from imove_bringup.synthesis.job import SynthesisJob
from imove_bringup.synthesis.origin import Origin
from imove_bringup.synthesis.worker import Report
from imove_core.errors import ImoveError

LOCAL = "local"
"""The address that starts a cluster on this machine."""


@contextmanager
def run_on_ray(job: SynthesisJob, origin: Origin, workers: int, address: str) -> Iterator[RunJobs]:
    """Several workers, each an actor of a Ray cluster that has one processor.

    Args:
        job: What is to be made.
        origin: Of whoever asks.
        workers: Actors side by side.
        address: Of the cluster, e.g. "auto" or "ray://HOST:10001"; `LOCAL` starts one here and ends it afterwards.

    Raises:
        ImoveError: Ray is not installed, or there is no such cluster.
    """
    try:
        import ray
    except ImportError as error:
        raise ImoveError("--ray needs the package ray, which is not installed here; run ./imove setup --ray") from error
    # A cluster of this machine is as large as what is asked of it, and shows nothing to the network.
    own = {"num_cpus": workers, "include_dashboard": False} if address == LOCAL else {}
    try:
        ray.init(address=address, log_to_driver=False, runtime_env={"env_vars": _environment(address)}, **own)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise ImoveError(f"no Ray cluster at {address}: {' '.join(str(error).split())}") from error
    try:
        remote = ray.remote(num_cpus=1)(RemoteWorker)
        actors = [remote.remote(job.to_json(), origin.to_json()) for _ in range(workers)]
        yield lambda indices: _reports(ray, actors, indices)
    finally:
        ray.shutdown()


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


def _environment(address: str) -> dict[str, str]:
    """What a worker needs to render as we do and, on this machine, to find imove where we found it."""
    names = ["MUJOCO_GL"]
    wanted = {}
    if address == LOCAL:
        names.append("AMENT_PREFIX_PATH")
        wanted["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    return wanted | {name: os.environ[name] for name in names if name in os.environ}
