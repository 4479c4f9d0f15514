"""Messages of franka_ros2 and ros2_control to values and back, pure functions."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np
from builtin_interfaces.msg import Duration
from control_msgs.msg import JointTrajectoryControllerState
from franka_msgs.msg import Errors, FrankaRobotState
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from imove_core.errors import ImoveError
from imove_core.transforms import Array
from imove_hardware.franka.hearing import Reading
from imove_hardware.franka.spline import NS, State, Way
from imove_hardware.franka.watching import RobotHealth, RobotMode
from imove_ros.conversions import ns_from_time, time_from_ns


def reading(message: JointState, names: Sequence[str]) -> Reading:
    """Joints (n,) in the order of `names`; raises ImoveError where one is missing."""
    positions = _ordered("joint states", message.name, message.position, names)
    return Reading(
        ns_from_time(message.header.stamp),
        positions,
        _ordered("joint states", message.name, message.velocity, names) if message.velocity else np.zeros(len(names)),
        _ordered("joint states", message.name, message.effort, names) if message.effort else np.zeros(len(names)),
    )


def opening_m(message: JointState) -> float:
    """Opening of a hand: each of its two finger joints has gone half of it; raises ImoveError for another number."""
    if len(message.position) != 2:
        raise ImoveError(f"joint states of the hand have {len(message.position)} fingers; 2 are needed")
    return float(sum(message.position))


def robot_health(message: FrankaRobotState) -> RobotHealth:
    """What the arm says of itself; a mode that has no name here is another one."""
    known = message.robot_mode in set(RobotMode)
    mode = RobotMode(message.robot_mode) if known else RobotMode.OTHER
    return RobotHealth(mode, _set(message.current_errors), _set(message.last_motion_errors))


def robot_state(stamp_ns: int, health: RobotHealth) -> FrankaRobotState:
    """The message of a health; everything else in it is empty."""
    message = FrankaRobotState(robot_mode=int(health.mode))
    message.header.stamp = time_from_ns(stamp_ns)
    message.current_errors = Errors(**dict.fromkeys(health.errors, True))
    message.last_motion_errors = Errors(**dict.fromkeys(health.last_errors, True))
    return message


def reference(message: JointTrajectoryControllerState, names: Sequence[str]) -> State:
    """Where a controller wants the joints, in the order of `names`; raises ImoveError where one is missing."""
    wanted = message.reference
    positions = _ordered("controller state", message.joint_names, wanted.positions, names)
    if not wanted.velocities:
        return positions, np.zeros(len(names))
    return positions, _ordered("controller state", message.joint_names, wanted.velocities, names)


def trajectory(names: Sequence[str], way: Way) -> JointTrajectory:
    """The message of a way of these joints."""
    message = JointTrajectory(joint_names=list(names))
    message.header.stamp = time_from_ns(way.stamp_ns)
    message.points = [
        JointTrajectoryPoint(
            positions=array("d", positions.tobytes()),
            velocities=array("d", velocities.tobytes()),
            time_from_start=Duration(sec=offset // NS, nanosec=offset % NS),
        )
        for offset, positions, velocities in zip(way.offsets_ns.tolist(), way.positions, way.velocities, strict=True)
    ]
    return message


def _ordered(what: str, found: Sequence[str], values: Sequence[float], names: Sequence[str]) -> Array:
    by_name = dict(zip(found, values, strict=False))
    missing = [name for name in names if name not in by_name]
    if missing:
        raise ImoveError(f"{what} lack joint '{missing[0]}'; they have {', '.join(found) or 'none'}")
    return np.array([by_name[name] for name in names])


def _set(errors: Errors) -> tuple[str, ...]:
    return tuple(name for name in errors.get_fields_and_field_types() if getattr(errors, name))
