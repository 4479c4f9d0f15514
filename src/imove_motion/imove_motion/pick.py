"""The atomic action Pick: approach, close, lift, as timed joint targets for one arm."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
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
from imove_tasks.assets.grasping import Palm

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
        joint_acceleration_rad_s2: Peak joint acceleration at the ends of each part of the motion.
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
    joint_acceleration_rad_s2: float = 8.0
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


@dataclass(frozen=True)
class PickRoute:
    """A feasible way of an arm to a grasp and up, before it is timed.

    Attributes:
        arm: The arm.
        grasp: The grasp.
        waypoints: (2 n - 1, joints) standoff, grasp at n - 1, lifted; n is `PickSettings.approach_points`.
        opening_m: Of the gripper on the way in.
        cost: Joint travel in rad plus penalties; lower is better.
    """

    arm: Arm
    grasp: Grasp
    waypoints: Array
    opening_m: float
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

    @property
    def palm(self) -> Palm:
        """The palm with which every arm of the rig can take a grasp, for `grasp_candidates`."""
        return min((hand.palm for hand in self._hands.values()), key=lambda palm: palm.distance_m)

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
        reasons: Counter[str] = Counter()
        for group in self.routes(grasps, positions, neighbours, arms, reasons):
            route = group[0]
            start = self._rig.split(positions)[route.arm.name]
            return PickPlan(route.arm.name, route.grasp, self.timed(route, start), route.cost)
        raise ImoveError(f"no feasible grasp: {counted(reasons)}")

    def routes(
        self,
        grasps: Iterable[Grasp],
        positions: Array,
        neighbours: Sequence[ObjectState],
        arms: Sequence[str],
        reasons: Counter[str],
        straight: bool = True,
    ) -> Iterator[list[PickRoute]]:
        """Yields the feasible routes, in groups of one tilt and one arm, cheapest first.

        Straight grasps and near arms come first: tilted or far ones are looked at only when the caller goes on.

        Args:
            grasps: Candidates; see `grasp_candidates`.
            positions: (D,) present joint positions in rig order.
            neighbours: The other objects, which the hand must not touch on its way in.
            arms: Arms that may do it; all of the rig when empty.
            reasons: Is told why candidates are infeasible.
            straight: Whether the hand must be able to go straight to where a route begins.

        Raises:
            ImoveError: The rig has no such arm.
        """
        boxes = Boxes.of(neighbours)
        parts = self._rig.split(positions)
        candidates = list(grasps)
        for tilt in sorted({grasp.tilt_rad for grasp in candidates}):
            group = [grasp for grasp in candidates if grasp.tilt_rad == tilt]
            for arm in self._nearest_arms(group[0], arms):
                found = [self._route(arm, grasp, parts[arm.name], boxes, straight) for grasp in group]
                reasons.update(reason for reason in found if isinstance(reason, str))
                routes = [route for route in found if isinstance(route, PickRoute)]
                if routes:
                    yield sorted(routes, key=lambda route: route.cost)

    def _nearest_arms(self, grasp: Grasp, names: Sequence[str]) -> list[Arm]:
        allowed = [self._rig.arm(name) for name in names] or self._rig.arms
        place = grasp.world_from_tool[:2, 3]
        return sorted(allowed, key=lambda arm: float(np.linalg.norm(arm.world_from_base.matrix[:2, 3] - place)))

    def _opening(self, grasp: Grasp, arm: Arm) -> float:
        return float(min(grasp.opening_m + self._settings.opening_margin_m, arm.limits[-1, 1]))

    def _route(self, arm: Arm, grasp: Grasp, start: Array, boxes: Boxes, straight: bool) -> PickRoute | str:
        """The way to a grasp, or the reason why there is none."""
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
        if straight and self._travel_clearance(arm, start, path[0], opening, boxes) < settings.clearance_m:
            return "blocked way"
        cost += grasp.tilt_rad + 0.5 * max(0.0, 0.02 - clearance) / 0.02
        return PickRoute(arm, grasp, path, opening, cost)

    def _travel_clearance(self, arm: Arm, start: Array, goal: Array, opening_m: float, boxes: Boxes) -> float:
        points = self._hands[arm.name].points(opening_m)
        distances = []
        for share in np.linspace(0.2, 1.0, 5):
            pose = arm.world_from_base.matrix @ tool_pose(arm.arm_model, start[:-1] + share * (goal - start[:-1]))
            distances.append(boxes.distance(apply(pose, points)))
        return min(distances)

    def closed_m(self, grasp: Grasp) -> float:
        """Opening that the gripper is told to close to around a grasp."""
        return max(0.0, grasp.width_m - self._settings.squeeze_m)

    def timed(self, route: PickRoute, start: Array) -> Array:
        """Targets (T, size) of the arm from `start` (size,) along a route, at control rate."""
        settings, rate_hz = self._settings, self._rig.control_rate_hz
        arm, path, opening, closed = route.arm, route.waypoints, route.opening_m, self.closed_m(route.grasp)
        points = settings.approach_points
        standoff = with_opening(path[0], opening)
        travel = self.eased(arm, np.vstack([start, standoff]))
        settle = hold(standoff[0], settings.settle_s, rate_hz)
        descend = self.eased(arm, with_opening(path[:points], opening), slower=2.0)
        jaws = np.vstack([with_opening(path[points - 1], opening), with_opening(path[points - 1], closed)])
        closing = self.eased(arm, jaws, least_s=settings.close_s)
        grip = hold(closing[-1], settings.settle_s, rate_hz)
        lift = self.eased(arm, with_opening(path[points - 1 :], closed), slower=2.0)
        return np.vstack([travel, settle, descend, closing, grip, lift])

    def eased(self, arm: Arm, waypoints: Array, slower: float = 1.0, least_s: float = 0.0) -> Array:
        """Passes through waypoints (n, size) of an arm within the speeds of the settings, or so much slower."""
        settings = self._settings
        speeds = np.append(np.full(arm.size - 1, settings.joint_speed_rad_s), arm.velocity_limits[-1]) / slower
        accelerations = np.append(np.full(arm.size - 1, settings.joint_acceleration_rad_s2), np.inf)
        return ease(waypoints, speeds, self._rig.control_rate_hz, least_s, accelerations)


def with_opening(joints: Array, opening_m: float) -> Array:
    """Puts the same gripper opening behind joint vectors (n, joints) or (joints,); returns (n, joints + 1)."""
    rows = np.atleast_2d(joints)
    return np.column_stack([rows, np.full(len(rows), opening_m)])


def counted(reasons: Counter[str]) -> str:
    """Reasons in alphabetical order, each with how often it was given."""
    return ", ".join(f"{name} {count}" for name, count in sorted(reasons.items())) or "no candidate"
