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
