"""How an episode's motion was, told from its control steps: how far, how fast, how smooth, and what was grasped anew.

All of it is measured at control steps, a period of the rig's control rate apart. docs/motion-quality.md describes the
figures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

import numpy as np

from imove_analysis.smoothness import Floats, log_dimensionless_jerk, movement, sparc
from imove_core.kinematics import tool_pose
from imove_core.rig import Arm, Rig
from imove_core.state import StepState

MOVED_M = 0.01
"""An arm whose tool never is farther than this from where it was at first has not moved."""
IDLE_RAD_S = 0.02
IDLE_M_S = 0.002
"""Below the first, of arm joints, and the second, of grippers, nothing moves: a person sees it stand still."""
TIP_BEYOND_TOOL_M = 0.010
"""How far finger tips reach beyond the tool centre, by the convention of the tool frame (docs/contracts.md)."""
TABLE_MARGIN_M = 0.001
"""Finger tips lower than this touch the table: a planned grasp stays 3 mm above it."""
BRIEF_S = 0.1
"""A contact that is broken for less than this goes on, and a grasp that lasts for less has brushed the object."""


@dataclass(frozen=True)
class ArmMotion:
    """The motion of one arm in an episode.

    Attributes:
        arm: Its name.
        tool_path_m: Length of the tool centre's path.
        joint_path_rad: Length of the path in the space of the arm's joints, without its gripper.
        peak_speed_m_s: Of the tool centre, between two control steps.
        mean_speed_m_s: Of the tool centre, while it moves: from the first to the last step above 5 % of the peak.
        sparc: Spectral arc length of the tool's speed over the episode, see `imove_analysis.smoothness`.
        log_dimensionless_jerk: Of the tool's speed while it moves.
        table_contacts: How often the finger tips came to the table.
        lowest_tip_m: Least height of the finger tips above the table.
    """

    arm: str
    tool_path_m: float
    joint_path_rad: float
    peak_speed_m_s: float
    mean_speed_m_s: float
    sparc: float | None
    log_dimensionless_jerk: float | None
    table_contacts: int
    lowest_tip_m: float


@dataclass(frozen=True)
class MotionQuality:
    """The motion of an episode.

    Attributes:
        duration_s: Of the episode.
        arms: The arms that moved, in rig order.
        idle_share: Share of the steps between which no joint moved.
        regrasps: By object that was held, how often an arm took it after the first time; None where nothing senses
            contacts.
        first_reach_s: When the first object was reached under the strict rubric, None for never.
    """

    duration_s: float
    arms: tuple[ArmMotion, ...]
    idle_share: float
    regrasps: Mapping[str, int] | None
    first_reach_s: float | None = None

    @property
    def leading(self) -> ArmMotion | None:
        """The arm whose tool went farthest, None where no arm moved."""
        return max(self.arms, key=lambda arm: arm.tool_path_m, default=None)

    def figures(self) -> dict[str, float | None]:
        """One number a figure: sums over arms of what adds up, the leading arm's speed and smoothness.

        None where an episode does not have it: smoothness of what stands still, regrasps without contact sensing.
        """
        lead = self.leading
        return {
            "first_reach_s": self.first_reach_s,
            "tool_path_m": sum(arm.tool_path_m for arm in self.arms),
            "joint_path_rad": sum(arm.joint_path_rad for arm in self.arms),
            "peak_speed_m_s": max((arm.peak_speed_m_s for arm in self.arms), default=0.0),
            "mean_speed_m_s": lead.mean_speed_m_s if lead else None,
            "sparc": lead.sparc if lead else None,
            "log_dimensionless_jerk": lead.log_dimensionless_jerk if lead else None,
            "idle_share": self.idle_share,
            "regrasps": None if self.regrasps is None else float(sum(self.regrasps.values())),
            "table_contacts": float(sum(arm.table_contacts for arm in self.arms)),
        }

    def to_record(self) -> dict[str, Any]:
        """The values as plain data."""
        return asdict(self)


def motion_quality(rig: Rig, states: Sequence[StepState], first_reach_step: int | None = None) -> MotionQuality:
    """Measures the motion of an episode.

    Args:
        rig: The embodiment.
        states: Every control step from the first observation on, at least two.
        first_reach_step: When the first object was reached, None for never.
    """
    rate_hz = rig.control_rate_hz
    positions = np.array([state.robot.positions for state in states])
    parts = rig.split(positions)
    arms = tuple(motion for arm in rig.arms if (motion := _arm_motion(arm, parts[arm.name], rate_hz)) is not None)
    return MotionQuality(
        duration_s=(len(states) - 1) / rate_hz,
        arms=arms,
        idle_share=_idle_share(rig, positions, rate_hz),
        regrasps=_regrasps(states, rate_hz),
        first_reach_s=None if first_reach_step is None else first_reach_step / rate_hz,
    )


def _arm_motion(arm: Arm, joints: Floats, rate_hz: float) -> ArmMotion | None:
    base = arm.world_from_base.matrix
    tools = np.array([base @ tool_pose(arm.arm_model, row) for row in joints[:, :-1]])
    places = tools[:, :3, 3]
    if np.linalg.norm(places - places[0], axis=1).max() <= MOVED_M:
        return None
    speed = np.linalg.norm(np.diff(places, axis=0), axis=1) * rate_hz
    moving = movement(speed)
    tips_m = places[:, 2] + TIP_BEYOND_TOOL_M * tools[:, 2, 2]
    return ArmMotion(
        arm=arm.name,
        tool_path_m=float(speed.sum() / rate_hz),
        joint_path_rad=float(np.linalg.norm(np.diff(joints[:, :-1], axis=0), axis=1).sum()),
        peak_speed_m_s=float(speed.max()),
        mean_speed_m_s=float(moving.mean()),
        sparc=sparc(speed, rate_hz),
        log_dimensionless_jerk=log_dimensionless_jerk(moving, rate_hz),
        table_contacts=len(_spells(["down" if tip < TABLE_MARGIN_M else "" for tip in tips_m], rate_hz)),
        lowest_tip_m=float(tips_m.min()),
    )


def _idle_share(rig: Rig, positions: Floats, rate_hz: float) -> float:
    still = np.concatenate([np.append(np.full(arm.size - 1, IDLE_RAD_S), IDLE_M_S) for arm in rig.arms])
    idle = (np.abs(np.diff(positions, axis=0)) * rate_hz < still).all(axis=1)
    return float(idle.mean())


def _regrasps(states: Sequence[StepState], rate_hz: float) -> dict[str, int] | None:
    if not all(item.contacts_known for item in states[0].objects):
        return None
    columns = zip(*(state.objects for state in states), strict=True)
    spells = {column[0].id: _spells([item.held_by for item in column], rate_hz) for column in columns}
    grasps = {name: sum(steps >= BRIEF_S * rate_hz for steps in found) for name, found in spells.items()}
    return {name: count - 1 for name, count in grasps.items() if count}


def _spells(words: Sequence[str], rate_hz: float) -> list[int]:
    """Lengths in steps of the times in which one word goes on; "" is none, and a short gap in one word is bridged."""
    spells: list[int] = []
    last, gap_steps = "", 0
    for word, group in groupby(words):
        steps = len(list(group))
        if not word:
            gap_steps = steps
        elif word == last and gap_steps < BRIEF_S * rate_hz:
            spells[-1] += gap_steps + steps
            gap_steps = 0
        else:
            spells.append(steps)
            last, gap_steps = word, 0
    return spells
