"""The safe way home: hands up first, then straight in joint space, slowly, checked before anything moves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from imove_core.errors import ImoveError
from imove_core.kinematics import tool_pose
from imove_core.rig import Arm, Rig
from imove_core.transforms import Array
from imove_motion.safety.guard import SafetyGuard
from imove_motion.safety.settings import SafetySettings
from imove_motion.timing import ease

SPEED_SHARE = 0.25
"""Of the rig's joint speed limits."""
MOST_SPEED_RAD_S = 0.6
LIFT_M = 0.10
"""How far hands go up first; what stands on the table is left below."""
LIFT_STEP_M = 0.01
HIGH_ENOUGH_M = 0.25
"""A tool that high need not go up."""
OPENING_SPEED_M_S = 0.03
SAME_RAD, SAME_M = 0.035, 0.006
"""What counts as being at home: measured positions settle about so near to their targets."""
_DAMPING = 1e-3
_PROBE_RAD = 1e-5
_SECOND_NS = 1_000_000_000


@dataclass(frozen=True, eq=False)
class WayHome:
    """A checked motion.

    Attributes:
        rows: (T, D) targets in rig order, one control period apart; empty where everything is at home.
    """

    rows: Array

    def duration_s(self, rate_hz: float) -> float:
        """How long it takes at a control rate."""
        return len(self.rows) / rate_hz


def away_from_home(rig: Rig, positions: Array) -> str:
    """Which joint is how far from home, "" where all are there.

    Args:
        rig: The embodiment.
        positions: (D,) measured, rad and m, in rig order.
    """
    for name, value, home, is_gripper in zip(
        rig.joint_names, positions, rig.home_positions, _grippers(rig), strict=True
    ):
        # A gripper that holds something open, or was opened a little farther, is no reason to wait.
        if not is_gripper and abs(value - home) > SAME_RAD:
            return f"{name} is {value - home:+.2f} rad from home"
        if is_gripper and home - value > SAME_M:
            return f"{name} is {1000 * (home - value):.0f} mm less open than at home"
    return ""


def way_home(rig: Rig, positions: Array, settings: SafetySettings) -> WayHome:
    """Plans the way home of all arms.

    Grippers stay as they are until the arms are home, so that nothing is dropped on the way, and open there. Both arms
    move at once where that is free, else one after the other.

    Args:
        rig: The embodiment.
        positions: (D,) measured, at rest, in rig order.
        settings: What the guard holds motions to; it looks at the whole way before anything moves.

    Raises:
        ImoveError: No such way is free, or a measured position is out of the joint limits.
    """
    start = _within_limits(rig, positions)
    if not away_from_home(rig, start):
        return WayHome(np.empty((0, rig.size)))
    refusal = ""
    for rows in _ways(rig, start):
        refusal = _refusal(rig, settings, start, rows)
        if not refusal:
            return WayHome(rows)
    raise ImoveError(f"no way home is free: {refusal}; guide the arms by hand")


def _within_limits(rig: Rig, positions: Array) -> Array:
    low, high = np.vstack([arm.limits for arm in rig.arms]).T
    beyond = np.flatnonzero((positions < low - SAME_RAD) | (positions > high + SAME_RAD))
    if len(beyond):
        name = rig.joint_names[beyond[0]]
        raise ImoveError(f"{name} is measured at {positions[beyond[0]]:.3f}, which is out of its limits")
    inside: Array = np.clip(positions, low, high)
    return inside


def _ways(rig: Rig, start: Array) -> Iterator[Array]:
    """Ways to try, the most careful one last."""
    raised = start.copy()
    lifts = {arm.name: _lift(arm, part) for arm, part in zip(rig.arms, rig.split(start).values(), strict=True)}
    columns = _columns(rig)
    up = _together(rig, start, {name: path for name, path in lifts.items() if len(path) > 1})
    if len(up):
        raised = up[-1]
    yield np.vstack([up, *_homewards(rig, raised, [columns])])
    names = [arm.name for arm in rig.arms]
    for order in (names, names[::-1]):
        yield np.vstack([up, *_homewards(rig, raised, [{name: columns[name]} for name in order])])
    # Where raising itself is in the way, e.g. below a camera.
    yield np.vstack([np.empty((0, rig.size)), *_homewards(rig, start, [columns])])


def _homewards(rig: Rig, start: Array, groups: list[dict[str, slice]]) -> Iterator[Array]:
    """Straight ways of groups of arms, one group after another, then all grippers open."""
    now = start
    for group in groups:
        goal = now.copy()
        for part in group.values():
            joints = slice(part.start, part.stop - 1)
            goal[joints] = rig.home_positions[joints]
        yield (rows := ease(np.vstack([now, goal]), _speeds(rig), rig.control_rate_hz))
        now = rows[-1]
    grippers = _grippers(rig)
    if np.abs(now - rig.home_positions)[grippers].max() > 0.0:
        yield ease(np.vstack([now, rig.home_positions]), _speeds(rig), rig.control_rate_hz)


def _together(rig: Rig, start: Array, paths: dict[str, Array]) -> Array:
    """Paths (k, size) of arms as rows of the whole rig, all at once."""
    if not paths:
        return np.empty((0, rig.size))
    count = max(len(path) for path in paths.values())
    waypoints = np.repeat(start[None], count, axis=0)
    for name, part in _columns(rig).items():
        if name in paths:
            path = paths[name]
            waypoints[:, part] = path[np.minimum(np.arange(count), len(path) - 1)]
    return ease(waypoints, _speeds(rig), rig.control_rate_hz)


def _lift(arm: Arm, positions: Array) -> Array:
    """Waypoints (k, size) that raise the tool straight up with its direction kept, as far as that goes."""
    model, joints = arm.arm_model, positions[:-1].copy()
    low, high = arm.limits[:-1].T
    waypoints = [positions]
    height_m = (arm.world_from_base.matrix @ tool_pose(model, joints))[2, 3]
    up = arm.world_from_base.matrix[:3, :3].T @ np.array([0.0, 0.0, LIFT_STEP_M])
    for _ in range(round(min(LIFT_M, max(0.0, HIGH_ENOUGH_M - height_m)) / LIFT_STEP_M)):
        jacobian = _jacobian(arm, joints)
        wanted = np.concatenate([up, np.zeros(3)])
        step = jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + _DAMPING**2 * np.eye(6), wanted)
        joints = joints + step
        if np.any(joints < low) or np.any(joints > high) or np.abs(step).max() > 10 * LIFT_STEP_M:
            break
        waypoints.append(np.append(joints, positions[-1]))
    return np.array(waypoints)


def _jacobian(arm: Arm, joints: Array) -> Array:
    """(6, n) change of the tool's place and of its turn, in the base frame, by each joint; by differences."""
    pose = tool_pose(arm.arm_model, joints)
    columns = []
    for index in range(len(joints)):
        moved = joints.copy()
        moved[index] += _PROBE_RAD
        other = tool_pose(arm.arm_model, moved)
        turn = other[:3, :3] @ pose[:3, :3].T
        axis = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2
        columns.append(np.concatenate([other[:3, 3] - pose[:3, 3], axis]) / _PROBE_RAD)
    return np.array(columns).T


def _refusal(rig: Rig, settings: SafetySettings, start: Array, rows: Array) -> str:
    """What the guard has against rows, "" for nothing."""
    guard = SafetyGuard(rig, settings)
    guard.reset(start, _SECOND_NS)
    events = guard.admit(rows, _SECOND_NS).events
    return events[0].sentence if events else ""


def _speeds(rig: Rig) -> Array:
    parts = []
    for arm in rig.arms:
        joints = np.minimum(SPEED_SHARE * arm.velocity_limits[:-1], MOST_SPEED_RAD_S)
        parts.append(np.append(joints, min(OPENING_SPEED_M_S, arm.velocity_limits[-1])))
    return np.concatenate(parts)


def _columns(rig: Rig) -> dict[str, slice]:
    ends = np.cumsum([arm.size for arm in rig.arms])
    return {arm.name: slice(int(end) - arm.size, int(end)) for arm, end in zip(rig.arms, ends, strict=True)}


def _grippers(rig: Rig) -> Array:
    mask = np.zeros(rig.size, dtype=bool)
    mask[np.cumsum([arm.size for arm in rig.arms]) - 1] = True
    return mask
