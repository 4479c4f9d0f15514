"""The planner of joint motions: straight where that is free, else RRT-Connect with shortcuts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from ompl import base, geometric, util

from imove_core.rig import Arm
from imove_core.transforms import Array
from imove_motion.planning.collision import CollisionChecker, checked_rows
from imove_motion.planning.protocol import LIMIT_TOLERANCE_RAD, JointPath, PlanningError, check_question
from imove_motion.planning.world import PlanningWorld


@dataclass(frozen=True)
class RrtSettings:
    """Effort and resolution of a search.

    Attributes:
        margin_m: Least distance of the arm and its load from everything else.
        step_rad: Largest joint travel between joint vectors that are looked at: 15 mm half a metre from a joint.
        range_rad: Length of a branch of the trees.
        most_straight: Goals to which the straight way is tried, near ones first.
        most_goals: Goals that a search may end at, near ones first.
        iterations: After so many extensions of the trees there is no path.
        shortcuts: Shortcuts that are tried on what was found.
    """

    margin_m: float = 0.005
    step_rad: float = 0.03
    range_rad: float = 0.5
    most_straight: int = 8
    most_goals: int = 4
    iterations: int = 1500
    shortcuts: int = 40


class RrtConnectPlanner:
    """A `JointPlanner` that answers a straight question straight, and searches only where something is in the way.

    It is limited by iterations, never by time, so that its answers do not depend on the machine. The library's source
    of randomness is one for a whole process and is seeded for each search: do not run two searches in two threads.
    """

    def __init__(self, settings: RrtSettings = RrtSettings()) -> None:
        """Takes effort and resolution."""
        self._settings = settings

    def plan(self, arm: Arm, start: Array, goals: Array, world: PlanningWorld, rng: np.random.Generator) -> JointPath:
        """See `JointPlanner.plan`; draws from `rng` only where no straight way is free."""
        settings = self._settings
        check_question(arm, start, goals)
        checker = CollisionChecker(arm, world, settings.margin_m)
        touch = checker.touch(start[None])
        if touch is not None:
            raise PlanningError("collision", f"at the start {touch} are in contact, or nearer than the margin")
        nearest = np.argsort(np.abs(goals - start).max(axis=1), kind="stable")
        free, in_the_way = [], ""
        for index in nearest:
            touch = checker.touch(goals[index : index + 1])
            if touch is not None:
                in_the_way = in_the_way or str(touch)
                continue
            free.append(int(index))
            if len(free) <= settings.most_straight and _is_free(checker, self._settings.step_rad, start, goals[index]):
                return JointPath(np.stack([start, goals[index]]), int(index))
        if not free:
            raise PlanningError("collision", f"at all of {len(goals)} goals something touches, such as {in_the_way}")
        chosen = free[: settings.most_goals]
        found = self._search(arm, checker, start, goals[chosen], int(rng.integers(1, 2**31)))
        if found is None:
            raise PlanningError(
                "no path", f"arm {arm.name} found none to {len(chosen)} goals in {settings.iterations} iterations"
            )
        waypoints = self._shortened(checker, found, rng)
        end = int(np.abs(goals[chosen] - waypoints[-1]).max(axis=1).argmin())
        waypoints[-1] = goals[chosen[end]]
        return JointPath(waypoints, chosen[end])

    def _search(self, arm: Arm, checker: CollisionChecker, start: Array, goals: Array, seed: int) -> Array | None:
        """Waypoints (m, n) to one of the goals; None where there are none within the iterations."""
        settings, size = self._settings, len(start)
        # The library says on its log that seeding anew does not help; every source that is made from here on has it.
        util.setLogLevel(util.LogLevel.LOG_NONE)
        util.RNG.setSeed(seed)
        space = base.RealVectorStateSpace(size)
        bounds = base.RealVectorBounds(size)
        for index, (low, high) in enumerate(arm.limits[:-1]):
            bounds.setLow(index, low - LIMIT_TOLERANCE_RAD)
            bounds.setHigh(index, high + LIMIT_TOLERANCE_RAD)
        space.setBounds(bounds)
        information = base.SpaceInformation(space)
        validity, motions = (
            _Validity(information, checker, size),
            _Motions(information, checker, settings.step_rad, size),
        )
        information.setStateValidityChecker(validity)
        information.setMotionValidator(motions)
        information.setup()
        problem = base.ProblemDefinition(information)
        problem.addStartState(_state(space, start))
        ends = base.GoalStates(information)
        for goal in goals:
            ends.addState(_state(space, goal))
        problem.setGoal(ends)
        planner = geometric.RRTConnect(information)
        planner.setRange(settings.range_rad)
        planner.setProblemDefinition(problem)
        planner.setup()
        limit = _Countdown(settings.iterations)
        planner.solve(base.PlannerTerminationCondition(limit))
        if not problem.hasExactSolution():
            return None
        return np.array([_joints(state, size) for state in problem.getSolutionPath().getStates()])

    def _shortened(self, checker: CollisionChecker, waypoints: Array, rng: np.random.Generator) -> Array:
        """The path with straight ways between random points of it wherever they are free."""
        for _ in range(self._settings.shortcuts):
            if len(waypoints) == 2:
                break
            marks = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(waypoints, axis=0), axis=1))])
            first, second = np.sort(rng.uniform(0.0, marks[-1], 2))
            # Ends are favoured: a path of one part less is found by a cut from an end.
            first, second = (
                (0.0 if first < 0.1 * marks[-1] else first),
                (marks[-1] if second > 0.9 * marks[-1] else second),
            )
            before, after = np.searchsorted(marks, first, side="right") - 1, np.searchsorted(marks, second, side="left")
            if after - before < 2:
                continue
            ends = [np.array([np.interp(mark, marks, column) for column in waypoints.T]) for mark in (first, second)]
            if _is_free(checker, self._settings.step_rad, *ends):
                parts = [waypoints[: before + 1], *(end[None] for end in ends), waypoints[after:]]
                waypoints = _distinct(np.vstack(parts))
        return waypoints


class _Validity(base.StateValidityChecker):  # type: ignore[misc]
    def __init__(self, information: base.SpaceInformation, checker: CollisionChecker, size: int) -> None:
        super().__init__(information)
        self._checker, self._size = checker, size

    def isValid(self, state: base.State) -> bool:  # noqa: N802
        return self._checker.is_free(_joints(state, self._size)[None])


class _Motions(base.MotionValidator):  # type: ignore[misc]
    """Looks at a whole branch at once, which is several times cheaper than one joint vector after the other."""

    def __init__(
        self, information: base.SpaceInformation, checker: CollisionChecker, step_rad: float, size: int
    ) -> None:
        super().__init__(information)
        self._checker, self._step_rad, self._size = checker, step_rad, size

    def checkMotion(self, start: base.State, end: base.State) -> bool:  # noqa: N802
        return _is_free(self._checker, self._step_rad, _joints(start, self._size), _joints(end, self._size))


class _Countdown:
    """True from the call after so many."""

    def __init__(self, calls: int) -> None:
        self._left = calls

    def __call__(self) -> bool:
        self._left -= 1
        return self._left < 0


def _is_free(checker: CollisionChecker, step_rad: float, start: Array, end: Array) -> bool:
    """Whether the straight way between two joint vectors (n,) is free; of the start that is known."""
    return checker.is_free(checked_rows(np.stack([start, end]), step_rad)[1:])


def _state(space: base.StateSpace, joints: Array) -> base.State:
    state = space.allocState()
    for index, value in enumerate(joints):
        state[index] = float(value)
    return state


def _joints(state: base.State, size: int) -> Array:
    return np.array([state[index] for index in range(size)])


def _distinct(waypoints: Array) -> Array:
    """Waypoints without those that repeat the one before."""
    moved = np.abs(np.diff(waypoints, axis=0)).max(axis=1) > LIMIT_TOLERANCE_RAD
    kept: Array = waypoints[np.concatenate([moved, [True]])]
    return kept
