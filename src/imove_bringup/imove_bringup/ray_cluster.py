"""The connection to a Ray cluster.

Ray pickles what crosses it, so a cluster must be trusted as a whole. What we send and get are texts of JSON, and they
are read as such; nothing of ours depends on unpickling values. Every machine needs imove installed in the same version.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from imove_core.errors import ImoveError

LOCAL = "local"
"""The address that starts a cluster on this machine."""


@contextmanager
def connected(address: str, workers: int) -> Iterator[Any]:
    """Gives the module `ray` while it is connected to a cluster.

    Args:
        address: Of the cluster, e.g. "auto" or "ray://HOST:10001"; `LOCAL` starts one here and ends it afterwards.
        workers: Processors that a cluster started here has.

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
        yield ray
    finally:
        ray.shutdown()


def _environment(address: str) -> dict[str, str]:
    """What a worker needs to render as we do and, on this machine, to find imove where we found it."""
    names = ["MUJOCO_GL"]
    wanted = {}
    if address == LOCAL:
        names.append("AMENT_PREFIX_PATH")
        wanted["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    return wanted | {name: os.environ[name] for name in names if name in os.environ}
