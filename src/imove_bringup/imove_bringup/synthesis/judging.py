"""Whether a rollout is a demonstration: the validators of its spec, and what a trainer may rely on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from imove_bringup.synthesis.outcome import Rejection
from imove_bringup.synthesis.rollout import CONDITION, Rollout
from imove_core.rig import Rig
from imove_core.state import ObjectState
from imove_core.transforms import Array
from imove_tasks.stages import stage_title, stages_of
from imove_tasks.stages.zones import zones_of

DISTURBED_M = 0.03
"""Other objects, the destination among them, end no farther than this from where they stood: the hand may brush one,
and a container shifts a little when something is let go in it; what the instruction is about stays true."""
TILTED_RAD = 0.35
"""And their upright axes lean no more than this beyond what they did: nothing is knocked over."""
LIMIT_SLACK = 2e-3
"""Joint limits are soft in physics: measured joints may be this far beyond them (rad, or m of a gripper)."""
ROUNDING = 1e-9
"""Targets are beyond them by no more than a rounding of the last digits."""


def judge_rollout(rig: Rig, rollout: Rollout) -> Rejection | None:
    """The first reason why a rollout is no demonstration, None where it is one."""
    checks: tuple[Callable[[Rig, Rollout], Rejection | None], ...] = (_limits, _stages, _end, _disturbed)
    return next((found for found in (check(rig, rollout) for check in checks) if found is not None), None)


def planned_beyond(rig: Rig, positions: Array) -> Rejection | None:
    """The rejection of targets (T, D) that leave the joint limits, None where they stay within them."""
    return _beyond(rig, positions, ROUNDING, "planned")


def _limits(rig: Rig, rollout: Rollout) -> Rejection | None:
    measured = np.array([step.state.robot.positions for step in rollout.steps])
    targets = np.array([step.targets for step in rollout.steps])
    return _beyond(rig, targets, ROUNDING, "commanded") or _beyond(rig, measured, LIMIT_SLACK, "measured")


def _beyond(rig: Rig, positions: Array, slack: float, what: str) -> Rejection | None:
    low, high = np.vstack([arm.limits for arm in rig.arms]).T
    outside = np.argwhere((positions < low - slack) | (positions > high + slack))
    if not len(outside):
        return None
    row, column = outside[0]
    return Rejection(
        at="limits",
        kind=f"{what} joint limit",
        reason=f"joint '{rig.joint_names[column]}' is {what} at {positions[row, column]:.4f} in step {row}; "
        f"{low[column]:.4f} to {high[column]:.4f} is allowed",
    )


def _stages(rig: Rig, rollout: Rollout) -> Rejection | None:
    stages = stages_of(rollout.spec.primitive)
    missing = next((stage for stage in stages if not rollout.score.reached_stage("strict", stage)), None)
    if missing is None:
        return None
    reached = [stage_title(stage) for stage in stages if rollout.score.reached_stage("strict", stage)]
    return Rejection(
        at="stages",
        kind=f"no {stage_title(missing)}",
        reason=f"the target did not reach {stage_title(missing)} under the strict rubric; it reached "
        f"{', '.join(reached) or 'nothing'}",
    )


def _end(rig: Rig, rollout: Rollout) -> Rejection | None:
    spec = rollout.spec
    asked, last = spec.instruction(CONDITION), rollout.steps[-1].state
    target = next(item for item in last.objects if item.id == asked.target)
    if spec.primitive == "pick":
        start = rollout.steps[0].state.objects[last.objects.index(target)]
        rise_m = float(target.position[2] - start.position[2])
        if target.held_by and rise_m >= spec.rubrics.strict.lift_height_m:
            return None
        reason = f"at the end the target is {rise_m * 1e3:.0f} mm up and held by {target.held_by or 'nothing'}"
        return Rejection(at="end", kind="not held at the end", reason=reason)
    destination = next(item for item in last.objects if item.id == asked.destination)
    zone = next(zone for zone in zones_of(spec, CONDITION) if zone.destination_id == asked.destination)
    centre = target.world_from_object[:3, :3] @ ((target.box_min + target.box_max) / 2) + target.position
    there = zone.holds(centre, target.position, destination.world_from_object)
    if there and not target.held_by and not target.touched_by:
        return None
    where = "where it was to be put" if there else "not where it was to be put"
    reason = f"at the end the target is {where} and touched by {', '.join(target.touched_by) or 'nothing'}"
    return Rejection(at="end", kind="not placed at the end", reason=reason)


def _disturbed(rig: Rig, rollout: Rollout) -> Rejection | None:
    target = rollout.spec.instruction(CONDITION).target
    pairs = zip(rollout.steps[0].state.objects, rollout.steps[-1].state.objects, strict=True)
    for before, after in pairs:
        shift_m, lean_rad = float(np.linalg.norm(after.position - before.position)), _lean_rad(before, after)
        if before.id != target and (shift_m > DISTURBED_M or lean_rad > TILTED_RAD):
            return Rejection(
                at="disturbed",
                kind="another object moved",
                reason=f"{before.id} was moved by {shift_m * 1e3:.0f} mm and tilted by {np.rad2deg(lean_rad):.0f} "
                f"degrees; {DISTURBED_M * 1e3:.0f} mm and {np.rad2deg(TILTED_RAD):.0f} degrees are allowed",
            )
    return None


def _lean_rad(before: ObjectState, after: ObjectState) -> float:
    """Angle between what was up of an object and what is up of it now; a turn about the vertical is none."""
    up = before.world_from_object[2, :3]
    return float(np.arccos(np.clip(up @ after.world_from_object[2, :3], -1.0, 1.0)))
