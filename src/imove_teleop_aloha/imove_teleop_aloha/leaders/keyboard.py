"""A leader that is jogged: by keys of the console or the axes of a space mouse, joint by joint or hand by hand."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, ValidationError

from imove_core.errors import ImoveError, unknown_name
from imove_core.kinematics import joint_transform
from imove_core.rig import Arm, Rig
from imove_core.transforms import Array
from imove_core.values import FrozenValue, first_fault

JOG_S = 0.3
"""How long a jog is in force: whoever jogs says so again and again, and one that falls silent stops."""
DAMPING = 0.05
"""Of the inverse Jacobian: near a singular pose the hand gets slower instead of the joints faster."""
MOST_JOINT_RAD_S = 0.8

Speed = Annotated[float, Field(ge=-1.0, le=1.0)]


class Jog(FrozenValue):
    """What is asked of one arm.

    Attributes:
        arm: Its name.
        joints: Speeds by joint, rad/s; m/s of the opening for the gripper.
        twist: Speed of the hand in the world frame: x, y, z in m/s, then about x, y, z in rad/s.
        gripper: Speed of the opening, m/s.
        frame: Of the twist: `world`, or `tool` for the tool's own axes.
    """

    arm: str
    joints: dict[str, Speed] = {}
    twist: tuple[Speed, Speed, Speed, Speed, Speed, Speed] | None = None
    gripper: Speed = 0.0
    frame: Literal["world", "tool"] = "world"


@dataclass
class _Going:
    jog: Jog
    until_s: float


class JoggedLeader:
    """Positions of all leaders, moved by jogs; every method may be called from any thread."""

    def __init__(self, rig: Rig) -> None:
        """Is at home."""
        self._rig = rig
        self._low, self._high = np.vstack([arm.limits for arm in rig.arms]).T
        self._positions: Array = rig.home_positions
        self._going: dict[str, _Going] = {}
        self._lock = threading.Lock()

    def sit(self, positions: Array) -> None:
        """Is where the followers are (D,): while they do not follow, nothing is jogged."""
        with self._lock:
            self._positions = np.clip(positions, self._low, self._high)
            self._going.clear()

    def jog(self, asked: Mapping[str, object], now_s: float) -> None:
        """Moves for a moment from now on.

        Args:
            asked: Fields of a `Jog`.
            now_s: Time of the loop's clock.

        Raises:
            ImoveError: It names no arm or joint of the rig, or a speed is out of range.
        """
        try:
            jog = Jog.model_validate(asked)
        except ValidationError as error:
            raise ImoveError(f"jog: {first_fault(error, 'the argument')}") from error
        arm = self._rig.arm(jog.arm)
        for name in jog.joints:
            if name not in arm.joint_names:
                raise unknown_name(f"joint of arm {arm.name}", name, arm.joint_names)
        with self._lock:
            self._going[arm.name] = _Going(jog, now_s + JOG_S)

    def advance(self, now_s: float, period_s: float) -> tuple[Array, Array]:
        """Positions and velocities (D,) a period later."""
        with self._lock:
            parts = self._rig.split(self._positions)
            speeds = np.concatenate([self._speeds(arm, parts[arm.name], now_s) for arm in self._rig.arms])
            before = self._positions
            self._positions = np.clip(before + speeds * period_s, self._low, self._high)
            return self._positions, (self._positions - before) / period_s

    def _speeds(self, arm: Arm, positions: Array, now_s: float) -> Array:
        going = self._going.get(arm.name)
        speeds = np.zeros(arm.size)
        if going is None or now_s > going.until_s:
            return speeds
        jog = going.jog
        if jog.twist is not None:
            speeds[:-1] = _joint_speeds(arm, positions[:-1], np.array(jog.twist), jog.frame == "tool")
        for name, speed in jog.joints.items():
            speeds[arm.joint_names.index(name)] += speed
        speeds[-1] += jog.gripper
        return np.clip(speeds, -arm.velocity_limits, arm.velocity_limits)


def _joint_speeds(arm: Arm, joints_rad: Array, twist: Array, in_tool: bool) -> Array:
    """Joint speeds (n,) of a twist (6,) of the tool; all slower alike where one would be too fast."""
    jacobian, rotation = _jacobian(arm, joints_rad)
    if in_tool:
        twist = np.concatenate([rotation @ twist[:3], rotation @ twist[3:]])
    square = jacobian @ jacobian.T + DAMPING**2 * np.eye(6)
    speeds: Array = jacobian.T @ np.linalg.solve(square, twist)
    return speeds / max(1.0, float(np.abs(speeds).max()) / MOST_JOINT_RAD_S)


def _jacobian(arm: Arm, joints_rad: Array) -> tuple[Array, Array]:
    """Jacobian (6, n) of the tool in the world frame, and the tool's rotation (3, 3)."""
    model = arm.arm_model
    pose, axes, places = arm.world_from_base.matrix, [], []
    for index, angle in enumerate(joints_rad):
        pose = pose @ joint_transform(model, index, angle)
        axes.append(pose[:3, :3] @ np.asarray(model.joint_axes[index]))
        places.append(pose[:3, 3])
    tool = pose @ model.flange_from_tcp
    columns = [
        np.concatenate([np.cross(axis, tool[:3, 3] - place), axis]) for axis, place in zip(axes, places, strict=True)
    ]
    return np.column_stack(columns), tool[:3, :3]
