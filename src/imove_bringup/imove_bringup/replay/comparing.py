"""How a replayed control step differs from the recorded one."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from imove_core.state import ObjectState, RobotState, StepState
from imove_core.transforms import Array


@dataclass
class Drift:
    """Differences over the control steps of an episode.

    Attributes:
        first: What differs first, in words; "" where nothing does, to the last bit.
        joints: Largest difference of a joint position, rad, or m of a gripper.
        objects_m: Largest distance of an object from where it was recorded, m.
    """

    first: str = ""
    joints: float = 0.0
    objects_m: float = 0.0

    def add(self, place: int, recorded: StepState, targets: Array, again: StepState, targets_again: Array) -> None:
        """Looks at one control step.

        Args:
            place: Of the step in the episode.
            recorded: As it was recorded.
            targets: (D,) joint targets then.
            again: As it was replayed.
            targets_again: (D,) joint targets now.
        """
        self.joints = max(self.joints, float(np.abs(recorded.robot.positions - again.robot.positions).max()))
        for before, now in zip(recorded.objects, again.objects, strict=True):
            self.objects_m = max(self.objects_m, float(np.linalg.norm(before.position - now.position)))
        if not self.first:
            what = _difference(recorded, targets, again, targets_again)
            self.first = f"{what} at step {place}" if what else ""


def _difference(recorded: StepState, targets: Array, again: StepState, targets_again: Array) -> str:
    if not np.array_equal(targets, targets_again):
        return "joint targets differ"
    if not _same(recorded.robot, again.robot):
        return "joint states differ"
    pairs = zip(recorded.objects, again.objects, strict=True)
    return next((f"the state of {before.id} differs" for before, now in pairs if not _same(before, now)), "")


def _same(one: RobotState | ObjectState, other: RobotState | ObjectState) -> bool:
    """Whether two states have the same bits."""
    return all(np.array_equal(getattr(one, field.name), getattr(other, field.name)) for field in fields(one))
