"""Simulators by name; listing the names imports none of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from imove_core.errors import unknown_name

if TYPE_CHECKING:
    from imove_core.rig import Rig
    from imove_sim_bridge.backend import SimBackend
    from imove_tasks.assets.model import Asset

    FindAsset = Callable[[str], Asset]


def _mujoco(rig: Rig, find_asset: FindAsset, image_size: tuple[int, int]) -> SimBackend:
    from imove_sim_bridge.mujoco_backend import MujocoBackend

    return MujocoBackend(rig, find_asset, image_size)


_BACKENDS = {"mujoco": _mujoco}


def backend_names() -> tuple[str, ...]:
    """Names of all simulators."""
    return tuple(_BACKENDS)


def create_backend(name: str, rig: Rig, find_asset: FindAsset, image_size: tuple[int, int]) -> SimBackend:
    """The simulator of that name; raises ImoveError for an unknown one."""
    if name not in _BACKENDS:
        raise unknown_name("sim", name, _BACKENDS)
    return _BACKENDS[name](rig, find_asset, image_size)
