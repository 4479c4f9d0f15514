"""What a planner of joint motions is asked, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, get_args

import numpy as np

from imove_core.errors import ImoveError
from imove_core.rig import Arm
from imove_core.transforms import Array
from imove_motion.planning.world import PlanningWorld

Constraint = Literal[
    "no grasp", "no place", "unreachable", "joint limits", "collision", "no path", "time", "goal", "planner"
]
"""What kept a motion from being planned.

`no grasp`: no candidate grasp can be used. `no place`: nowhere to put the object. `unreachable`: no inverse kinematics.
`joint limits`: a start or goal outside of them. `collision`: a start, or every goal, in collision. `no path`: none was
found between free ends. `time`: the motion is longer than an episode. `goal`: the errand makes no sense on this scene.
`planner`: the planner itself failed.
"""


LIMIT_TOLERANCE_RAD = 1e-6
"""How far beyond a limit a joint counts as at it."""


class PlanningError(ImoveError):
    """A motion cannot be planned.

    Attributes:
        constraint: Which constraint is in the way.
    """

    def __init__(self, constraint: Constraint, sentence: str) -> None:
        """Keeps the constraint beside a sentence that names the offender.

        Raises:
            ImoveError: There is no such constraint.
        """
        if constraint not in get_args(Constraint):
            raise ImoveError(f"constraint '{constraint}' is unknown; {', '.join(get_args(Constraint))} are allowed")
        super().__init__(f"{constraint}: {sentence}")
        self.constraint = constraint
        self.sentence = sentence

    def __reduce__(self) -> tuple[type[PlanningError], tuple[Constraint, str]]:
        """Lets worker processes send it: an exception is rebuilt from its arguments, here two."""
        return PlanningError, (self.constraint, self.sentence)


@dataclass(frozen=True, eq=False)
class JointPath:
    """A collision-free way of one arm, before it is timed.

    Attributes:
        waypoints: (m, n) float64 joint positions, rad, m of at least 2: from the start to one of the goals. Between
            neighbours all joints move in proportion.
        goal: Row of the goals at which it ends.
    """

    waypoints: Array
    goal: int


class JointPlanner(Protocol):
    """Finds joint motions of one arm among everything else on the table.

    The same request with a generator in the same state gives the same path, bit for bit, on any machine, unless a
    planner says otherwise.
    """

    def plan(self, arm: Arm, start: Array, goals: Array, world: PlanningWorld, rng: np.random.Generator) -> JointPath:
        """Plans from a start to whichever goal is near or can be reached.

        Args:
            arm: The arm that moves; one of the world's rig.
            start: (n,) its joint positions, rad.
            goals: (k, n) joint positions that would all do, rad.
            world: All that must not be touched.
            rng: Source of all randomness.

        Raises:
            PlanningError: It cannot be done; says which constraint is in the way.
        """
        ...


def check_question(arm: Arm, start: Array, goals: Array) -> None:
    """Checks start (n,) and goals (k, n) of a question to a planner.

    Raises:
        PlanningError: Their shapes do not belong to the arm, or one of them is outside of its joint limits.
    """
    size = arm.size - 1
    if start.shape != (size,) or goals.ndim != 2 or goals.shape[1] != size or not len(goals):
        raise PlanningError(
            "planner", f"start {start.shape} and goals {goals.shape} must be ({size},) and (k, {size}) for {arm.name}"
        )
    low, high = arm.limits[:-1].T + np.array([[-LIMIT_TOLERANCE_RAD], [LIMIT_TOLERANCE_RAD]])
    for what, rows in (("start", start[None]), ("goal", goals)):
        outside = ~((rows >= low) & (rows <= high))
        if outside.any():
            row, joint = np.argwhere(outside)[0]
            raise PlanningError(
                "joint limits",
                f"{what} has {arm.joint_names[joint]} at {rows[row, joint]:.4g} rad; "
                f"{arm.limits[joint, 0]:.4g} to {arm.limits[joint, 1]:.4g} is allowed",
            )
