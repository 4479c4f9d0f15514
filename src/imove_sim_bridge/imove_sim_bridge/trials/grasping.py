"""Trial grasps of one asset: a real hand's physics, at places where an arm of the rig could bring the hand."""

from __future__ import annotations

from collections import Counter

import numpy as np

from imove_core.rig import Rig
from imove_core.transforms import Array, apply, inverse, rotation_about_axis, transform
from imove_motion.grasps import Grasp
from imove_sim_bridge.trials.bench import HandBench, hand_spec
from imove_sim_bridge.trials.reach import Chooser
from imove_sim_bridge.trials.report import GripTally, Reason, TrialReport
from imove_sim_bridge.trials.settings import GRASP_SETTINGS, GraspSettings
from imove_tasks.assets.model import Asset

_APPROACH_SHARES = (1.0, 0.5, 0.2, 0.0)
_CHECKS = 6  # times that a lift is looked at, to give up early


def grasp_trials(
    asset: Asset, rig: Rig, rng: np.random.Generator, count: int = 100, settings: GraspSettings = GRASP_SETTINGS
) -> TrialReport:
    """Grasps an object again and again, each time from another place, with another error of the hand.

    A trial puts the object, as it rests, at a drawn place and yaw of the rig's workspace, takes the first candidate
    grasp that fits there, and closes, lifts and shakes it in physics with the scene's own contact settings.

    Args:
        asset: What to grasp.
        rig: Gives workspace, reach and hand.
        rng: Source of all draws.
        count: Number of trials.
        settings: Errors, motion and limits.
    """
    chooser = Chooser(rig, settings)
    grasps, none_reason = chooser.fitting(asset)
    bench: HandBench | None = None
    failures: Counter[Reason] = Counter()
    tried: Counter[int] = Counter()
    held: Counter[int] = Counter()
    largest_slip_m = 0.0
    for _ in range(count):
        place = _drawn_place(rig, rng)
        error = _drawn_error(rng, settings)
        grasp = chooser.first_reachable(grasps, place)
        if grasp is None:
            failures[none_reason] += 1
            continue
        if bench is None:
            model = rig.arms[0].arm_model
            bench = HandBench(asset, model, hand_spec(model), rig.control_rate_hz)
        tried[grasp.grip] += 1
        outcome = _executed(bench, grasp, error, chooser.opening_m(grasp), settings)
        if isinstance(outcome, float):
            held[grasp.grip] += 1
            largest_slip_m = max(largest_slip_m, outcome)
        else:
            failures[outcome] += 1
    return TrialReport(
        trials=count,
        successes=sum(held.values()),
        failures=tuple(failures.most_common()),
        grips=tuple(GripTally(grip, tried[grip], held[grip]) for grip in sorted(tried)),
        slip_m=largest_slip_m,
    )


def _drawn_place(rig: Rig, rng: np.random.Generator) -> Array:
    """(4, 4) world_from_resting somewhere in the workspace."""
    x, y = rng.uniform(*rig.workspace.x), rng.uniform(*rig.workspace.y)
    return transform(rotation_about_axis([0, 0, 1], rng.uniform(-np.pi, np.pi)), [x, y, 0.0])


def _drawn_error(rng: np.random.Generator, settings: GraspSettings) -> Array:
    """(4, 4) planned_from_actual pose of the tool."""
    limits = np.array([settings.position_error_m, settings.position_error_m, settings.height_error_m])
    turns = rng.uniform(-1.0, 1.0, 3) * [settings.tilt_error_rad, settings.tilt_error_rad, settings.yaw_error_rad]
    rotation = rotation_about_axis(turns, float(np.linalg.norm(turns)))
    return transform(rotation, rng.uniform(-limits, limits))


def _executed(
    bench: HandBench, grasp: Grasp, error: Array, opening_m: float, settings: GraspSettings
) -> float | Reason:
    """Slip in m of a grasp that held, or the reason why it did not."""
    world_from_tool = grasp.world_from_tool @ error
    bench.place(world_from_tool, opening_m)
    for share in _APPROACH_SHARES:
        if bench.overlap_m(-share * settings.standoff_m * world_from_tool[:3, 2]) > settings.overlap_m:
            return "blocked"
    closed_m = max(0.0, grasp.width_m - settings.squeeze_m)
    closing = np.arange(opening_m, closed_m, -settings.closing_speed_m_s * bench.step_s)
    bench.run(closing, np.zeros(len(closing)))
    _hold(bench, closed_m, settings.grip_s)
    before = inverse(world_from_tool) @ bench.world_from_object()
    progress = (np.arange(round(settings.lift_s / bench.step_s)) + 0.5) * bench.step_s / settings.lift_s
    for part in np.array_split(progress, _CHECKS):
        bench.run(np.full(len(part), closed_m), 6.0 * settings.lift_m / settings.lift_s * part * (1.0 - part))
        if not bench.held():
            return "not lifted"
    for side in (settings.shake_m_s2, -settings.shake_m_s2):
        bench.push(side)
        _hold(bench, closed_m, settings.shake_s)
    if not bench.held():
        return "not lifted"
    tool = world_from_tool.copy()
    tool[2, 3] += bench.lifted_m
    after = inverse(tool) @ bench.world_from_object()
    held_place = apply(inverse(before), np.zeros(3))
    slip_m = float(np.linalg.norm(apply(after, held_place)))
    turn_rad = float(np.arccos(np.clip((np.trace(after[:3, :3].T @ before[:3, :3]) - 1.0) / 2.0, -1.0, 1.0)))
    if turn_rad > settings.turn_rad:
        return "turned"
    if slip_m > settings.slip_m:
        return "slipped"
    return slip_m if bench.rise_m() >= settings.rise_m else "not lifted"


def _hold(bench: HandBench, opening_m: float, duration_s: float) -> None:
    steps = round(duration_s / bench.step_s)
    bench.run(np.full(steps, opening_m), np.zeros(steps))
