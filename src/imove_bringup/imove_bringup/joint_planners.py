"""The planners of joint motions that a user can choose by name."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from types import MappingProxyType

from imove_bringup.installed import share_file
from imove_core.errors import ImoveError, unknown_name
from imove_core.rig import Rig
from imove_motion.planning.protocol import JointPlanner


def _rrt_connect(rig: Rig) -> JointPlanner:
    from imove_motion.planning.rrt_connect import RrtConnectPlanner

    return RrtConnectPlanner()


def _moveit(rig: Rig) -> JointPlanner:
    from imove_ros.moveit_planner import MoveItPlanner

    return MoveItPlanner(rig, share_file("config/moveit"))


_PLANNERS: Mapping[str, Callable[[Rig], JointPlanner]] = MappingProxyType(
    {"rrt_connect": _rrt_connect, "moveit": _moveit}
)


def check_joint_planner(name: str) -> None:
    """Checks that a planner can be made here, without making it.

    Raises:
        ImoveError: There is no such planner, or what it needs is not installed here.
    """
    if name not in _PLANNERS:
        raise unknown_name("planner", name, _PLANNERS)
    if name == "moveit" and importlib.util.find_spec("moveit") is None:
        raise ImoveError("planner moveit needs MoveItPy, which is not installed here; see docs/moveit.md")


def create_joint_planner(name: str, rig: Rig) -> JointPlanner:
    """The planner of that name.

    Raises:
        ImoveError: See `check_joint_planner`; or it does not start.
    """
    check_joint_planner(name)
    return _PLANNERS[name](rig)
