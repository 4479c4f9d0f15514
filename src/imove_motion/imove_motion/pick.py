"""The atomic action Pick: approach, close, lift, as timed joint targets for one arm."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from imove_core.errors import ImoveError
from imove_core.inverse_kinematics import inverse_kinematics
from imove_core.kinematics import tool_pose
from imove_core.rig import Arm, Rig
from imove_core.state import ObjectState
from imove_core.transforms import Array, apply, inverse
from imove_motion.clearance import Boxes
from imove_motion.grasps import Grasp
from imove_motion.hand import Hand
from imove_motion.paths import shortest_path
from imove_motion.timing import ease, hold

MOST_STEP_RAD = 1.0
"""Joint travel between neighbouring points of a straight motion beyond which the arm would change its branch."""
STRAIGHT_WEIGHT = 2.0
"""Straight motions are made at half the speed."""


@dataclass(frozen=True)
class PickSettings:
    """Geometry and speed of a pick.

    Attributes:
        standoff_m: Distance before the grasp from which the approach is straight.
        lift_m: Height by which the object is lifted.
        opening_margin_m: Extra opening beyond what the fingers need to pass.
        squeeze_m: How far below the object's width the gripper is told to close.
        clearance_m: Least distance of the hand from other objects on approach.
        table_clearance_m: Least height of the finger tips above the table.
        joint_speed_rad_s: Peak joint speed.
        close_s: Time for closing.
        settle_s: Pause between motions.
        approach_points: Straight approach and lift are solved at this many points.
    """

    standoff_m: float = 0.09
    lift_m: float = 0.10
    opening_margin_m: float = 0.012
    squeeze_m: float = 0.02
    clearance_m: float = 0.004
    table_clearance_m: float = 0.002
    joint_speed_rad_s: float = 1.2
    close_s: float = 0.5
    settle_s: float = 0.2
    approach_points: int = 4


@dataclass(frozen=True)
class PickPlan:
    """A pick by one arm.

    Attributes:
        arm: Name of the arm.
        grasp: The grasp that was chosen.
        positions: (T, size) float64 targets of the arm at control rate, first row one period after the start.
        cost: Joint travel in rad plus penalties; lower is better.
    """

    arm: str
    grasp: Grasp
    positions: Array
    cost: float


class PickPlanner:
    """Plans picks for a rig; keeps the inverse kinematics of its arms."""

    def __init__(self, rig: Rig, settings: PickSettings = PickSettings()) -> None:
        """Measures the arms of `rig`.

        Raises:
            ImoveError: An arm has no closed-form inverse kinematics.
        """
        self._rig = rig
        self._settings = settings
        self._solvers = {arm.name: inverse_kinematics(arm.arm_model) for arm in rig.arms}
        self._hands = {arm.name: Hand(arm.arm_model) for arm in rig.arms}

    def plan(
        self,
        grasps: Iterable[Grasp],
        positions: Array,
        neighbours: Sequence[ObjectState],
        arms: Sequence[str] = (),
    ) -> PickPlan:
        """Chooses the cheapest feasible grasp and times the motion.

        Args:
            grasps: Candidates; see `grasp_candidates`.
            positions: (D,) present joint positions in rig order.
            neighbours: The other objects, which the hand must not touch on its way in.
            arms: Arms that may do it; all of the rig when empty.

        Raises:
            ImoveError: No candidate is feasible; the message counts the reasons. Or the rig has no such arm.
        """
        boxes = Boxes.of(neighbours)
        parts = self._rig.split(positions)
        reasons: Counter[str] = Counter()
        candidates = list(grasps)
        # Straight grasps and near arms first: tilted or far ones are tried only where those fail.
        for tilt in sorted({grasp.tilt_rad for grasp in candidates}):
            group = [grasp for grasp in candidates if grasp.tilt_rad == tilt]
            for arm in self._nearest_arms(group[0], arms):
                best: tuple[float, Grasp, Array] | None = None
                for grasp in group:
                    found = self._joint_path(arm, grasp, parts[arm.name], boxes)
                    if isinstance(found, str):
                        reasons[found] += 1
                    elif best is None or found[0] < best[0]:
                        best = (found[0], grasp, found[1])
                if best is not None:
                    cost, grasp, path = best
                    return PickPlan(arm.name, grasp, self._timed(arm, path, grasp, parts[arm.name]), cost)
        counted = ", ".join(f"{name} {count}" for name, count in sorted(reasons.items())) or "no candidate"
        raise ImoveError(f"no feasible grasp: {counted}")

    def _nearest_arms(self, grasp: Grasp, names: Sequence[str]) -> list[Arm]:
        allowed = [self._rig.arm(name) for name in names] or self._rig.arms
        place = grasp.world_from_tool[:2, 3]
        return sorted(allowed, key=lambda arm: float(np.linalg.norm(arm.world_from_base.matrix[:2, 3] - place)))

    def _opening(self, grasp: Grasp, arm: Arm) -> float:
        return float(min(grasp.opening_m + self._settings.opening_margin_m, arm.limits[-1, 1]))

    def _joint_path(self, arm: Arm, grasp: Grasp, start: Array, boxes: Boxes) -> tuple[float, Array] | str:
        """Cost and joint waypoints standoff -> grasp -> lifted (2 n - 1, joints), or the reason why there are none."""
        settings = self._settings
        opening = self._opening(grasp, arm)
        if opening < grasp.opening_m:
            return "too wide"
        points = self._hands[arm.name].points(opening)
        in_world = apply(grasp.world_from_tool, points)
        if in_world[:, 2].min() < settings.table_clearance_m:
            return "table"
        shares = np.linspace(1.0, 0.0, settings.approach_points)
        approach = grasp.world_from_tool[:3, 2]
        backs = [-approach * settings.standoff_m * share for share in shares]
        ups = [np.array([0.0, 0.0, settings.lift_m * share]) for share in shares[::-1][1:]]
        clearance = min(boxes.distance(in_world + offset) for offset in backs)
        if clearance < settings.clearance_m:
            return "neighbour"
        choices: list[Array] = []
        base_from_world = inverse(arm.world_from_base.matrix)
        for offset in (*backs, *ups):
            target = grasp.world_from_tool.copy()
            target[:3, 3] += offset
            solutions = self._solvers[arm.name].solve(base_from_world @ target)
            if not solutions:
                return "unreachable"
            choices.append(np.array(solutions))
        found = shortest_path(start[:-1], choices, MOST_STEP_RAD, STRAIGHT_WEIGHT)
        if found is None:
            return "branch change"
        cost, path = found
        travel_clearance = self._travel_clearance(arm, start, path[0], opening, boxes)
        if travel_clearance < settings.clearance_m:
            return "blocked way"
        cost += grasp.tilt_rad + 0.5 * max(0.0, 0.02 - clearance) / 0.02
        return cost, path

    def _travel_clearance(self, arm: Arm, start: Array, goal: Array, opening_m: float, boxes: Boxes) -> float:
        points = self._hands[arm.name].points(opening_m)
        distances = []
        for share in np.linspace(0.2, 1.0, 5):
            pose = arm.world_from_base.matrix @ tool_pose(arm.arm_model, start[:-1] + share * (goal - start[:-1]))
            distances.append(boxes.distance(apply(pose, points)))
        return min(distances)

    def _timed(self, arm: Arm, path: Array, grasp: Grasp, start: Array) -> Array:
        settings, rate_hz = self._settings, self._rig.control_rate_hz
        opening = self._opening(grasp, arm)
        closed = max(0.0, grasp.width_m - settings.squeeze_m)
        points = settings.approach_points
        speeds = np.append(np.full(arm.size - 1, settings.joint_speed_rad_s), arm.velocity_limits[-1])

        def with_opening(joints: Array, opening_m: float) -> Array:
            return np.column_stack([np.atleast_2d(joints), np.full(len(np.atleast_2d(joints)), opening_m)])

        standoff = with_opening(path[0], opening)
        travel = ease(np.vstack([start, standoff]), speeds, rate_hz)
        settle = hold(standoff[0], settings.settle_s, rate_hz)
        descend = ease(with_opening(path[:points], opening), speeds / 2, rate_hz)
        closing = ease(
            np.vstack([with_opening(path[points - 1], opening), with_opening(path[points - 1], closed)]),
            speeds,
            rate_hz,
            least_s=settings.close_s,
        )
        grip = hold(closing[-1], settings.settle_s, rate_hz)
        lift = ease(with_opening(path[points - 1 :], closed), speeds / 2, rate_hz)
        return np.vstack([travel, settle, descend, closing, grip, lift])
