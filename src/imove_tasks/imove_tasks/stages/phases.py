"""Phases of a motion: what the robot is doing at each control step, told from joints, targets and objects alone.

The machine is causal and the same in all domains: it looks at nothing that comes later, and where contacts are not
sensed, an object that is as near to the tool as a reach asks stands in for one that is held.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from imove_core.kinematics import tool_pose
from imove_core.rig import Arm, Rig
from imove_core.spec import StrictRubric
from imove_core.state import ObjectState, StepState
from imove_core.transforms import Array
from imove_tasks.stages.geometry import Geometry, measure

IDLE, APPROACH, GRASP, LIFT, CARRY, RELEASE, RETREAT = (
    "idle", "approach", "grasp", "lift", "carry", "release", "retreat",
)  # fmt: skip
PHASES = (IDLE, APPROACH, GRASP, LIFT, CARRY, RELEASE, RETREAT)
"""In the order of a pick with a place; `idle` until the first target that differs from where the arms began."""
NEAR_M = StrictRubric().reach_distance_m
MOVES_RAD = 1e-3
"""A target that differs by more from the first one has begun a motion (rad, or m of a gripper)."""
STANDS_RAD = 1e-4
STANDS_STEPS = 10
"""Targets that change by less at so many steps stand still; what moves after that goes for something new."""
JAWS_M = 0.004
"""Change of the commanded opening that is closing or opening, and no tremble of a policy."""
RISEN_M = 0.005
"""An object this far above where it was gripped is being lifted."""
CARRIED_M = 0.02
"""A lifted object this far from where it was gripped, seen from above, is being carried."""
CLEAR_M = 0.01
"""A tool this far from where it let go retreats."""
LOST_STEPS = 3
"""An object that is not held at so many steps has been lost."""


@dataclass(frozen=True, eq=False)
class _Step:
    """One control step as one arm sees it."""

    tool: Array
    targets: Array
    objects: tuple[ObjectState, ...]
    geometry: Geometry
    nearest: int
    is_near: bool

    @property
    def opening_m(self) -> float:
        return float(self.targets[-1])


class _ArmPhases:
    """The phase of one arm."""

    def __init__(self, arm: Arm) -> None:
        self._arm = arm
        self.phase = IDLE
        self._first: Array | None = None
        self._last: Array | None = None
        self._still = 0
        self._widest_m = 0.0
        self._tightest_m = 0.0
        self._held = 0
        self._grip: tuple[float, Array] = (0.0, np.zeros(2))
        self._unheld = 0
        self._let_go: Array = np.zeros(3)

    def update(self, step: _Step) -> bool:
        """Takes the next control step; returns whether the phase has changed."""
        before = self.phase
        if self._first is None or self._last is None:
            self._first = self._last = step.targets
        change = float(np.abs(step.targets - self._last).max())
        stood = self._still >= STANDS_STEPS
        self._still = self._still + 1 if change < STANDS_RAD else 0
        self._last = step.targets
        self._widest_m = max(self._widest_m, step.opening_m) if step.is_near else step.opening_m
        self._tightest_m = min(self._tightest_m, step.opening_m)
        opens = step.opening_m > self._tightest_m + JAWS_M
        if self.phase == IDLE and float(np.abs(step.targets - self._first).max()) > MOVES_RAD:
            self.phase = APPROACH
        if self.phase in (APPROACH, RELEASE, RETREAT):
            self._before_grasp(step, resumes=stood and self._still == 0)
        elif self.phase == GRASP:
            self._grasped(step, opens)
        elif self.phase in (LIFT, CARRY):
            self._lifted(step, opens)
        return self.phase != before

    def _before_grasp(self, step: _Step, resumes: bool) -> None:
        if step.is_near and step.opening_m < self._widest_m - JAWS_M:
            self.phase, self._held, self._tightest_m = GRASP, step.nearest, step.opening_m
            self._grip = self._place(step)
        elif self.phase == RELEASE and float(np.linalg.norm(step.tool - self._let_go)) > CLEAR_M:
            self.phase = RETREAT
        elif self.phase == RETREAT and resumes:
            self.phase = APPROACH

    def _grasped(self, step: _Step, opens: bool) -> None:
        height_m, _ = self._place(step)
        if opens:
            self.phase, self._widest_m = APPROACH, step.opening_m
        elif self._holds(step) and height_m - self._grip[0] > RISEN_M:
            self.phase, self._unheld = LIFT, 0

    def _lifted(self, step: _Step, opens: bool) -> None:
        self._unheld = 0 if self._holds(step) else self._unheld + 1
        _, place = self._place(step)
        if opens:
            self.phase, self._let_go, self._widest_m = RELEASE, step.tool, step.opening_m
        elif self._unheld > LOST_STEPS:
            self.phase, self._widest_m = APPROACH, step.opening_m
        elif self.phase == LIFT and float(np.linalg.norm(place - self._grip[1])) > CARRIED_M:
            self.phase = CARRY

    def _holds(self, step: _Step) -> bool:
        item = step.objects[self._held]
        return item.held_by == self._arm.name if item.contacts_known else step.is_near and step.nearest == self._held

    def _place(self, step: _Step) -> tuple[float, Array]:
        """Height of the gripped object's lowest point, and x, y of its origin, m."""
        return float(step.geometry.bottom_m[self._held]), step.geometry.origins[self._held, :2]


class PhaseMachine:
    """Says at each control step of an episode which phase its motion is in.

    Of several arms, the one whose phase changed last speaks for the rig.
    """

    def __init__(self, rig: Rig) -> None:
        """Prepares for the first observation of an episode of `rig`."""
        self._rig = rig
        self._arms = [_ArmPhases(arm) for arm in rig.arms]
        self._leading = self._arms[0]

    def update(self, state: StepState, joint_targets: Array) -> str:
        """Takes the next control step.

        Args:
            state: Robot and objects at the step; the same objects in the same order at every step.
            joint_targets: (D,) targets in force at the step, rig order, rad and m.

        Returns:
            One of `PHASES`.
        """
        geometry = measure(self._rig, state)
        positions, targets = self._rig.split(state.robot.positions), self._rig.split(joint_targets)
        for index, (arm, tracked) in enumerate(zip(self._rig.arms, self._arms, strict=True)):
            nearest = int(geometry.nearest[index])
            step = _Step(
                tool=(arm.world_from_base.matrix @ tool_pose(arm.arm_model, positions[arm.name][:-1]))[:3, 3],
                targets=targets[arm.name],
                objects=state.objects,
                geometry=geometry,
                nearest=nearest,
                is_near=bool(geometry.tool_box_distance_m[index, nearest] <= NEAR_M),
            )
            if tracked.update(step):
                self._leading = tracked
        return self._leading.phase


@dataclass(frozen=True)
class PhaseSpan:
    """Control steps in a row that are in one phase, both ends included."""

    phase: str
    first_step: int
    last_step: int


def phase_spans(phases: Sequence[str]) -> tuple[PhaseSpan, ...]:
    """The phase of each control step, from step 0 on, as spans."""
    spans: list[PhaseSpan] = []
    for phase, group in groupby(enumerate(phases), key=lambda item: item[1]):
        steps = [step for step, _ in group]
        spans.append(PhaseSpan(phase, steps[0], steps[-1]))
    return tuple(spans)
