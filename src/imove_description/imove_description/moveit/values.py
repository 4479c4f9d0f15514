"""What a MoveIt configuration is generated from, and the names that it uses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from imove_description.arm_model import GRIPPER_JOINT, TCP_LINK, ArmModel
from imove_description.reading import DescriptionError, FloatArray

ALL_ARMS_GROUP = "arms"
"""Planning group of all arms of a rig that has several."""

HAND_SUFFIX = "_hand"
"""What the group of an arm's hand adds to the arm's name; its joint is called gripper already."""

Reason = Literal["Adjacent", "Default", "Never"]
"""Why a pair of links is not checked, in the words of MoveIt's own assistant.

`Adjacent`: a joint, or links without shapes, connect the two. `Default`: they touch in a named state of the SRDF, or by
construction. `Never`: no sampled state brings them close.
"""


@dataclass(frozen=True)
class DisabledPair:
    """Two links, by their names in the URDF, that are not checked against each other, and why."""

    link1: str
    link2: str
    reason: Reason


@dataclass(frozen=True, eq=False)
class MoveItArm:
    """One arm of a rig.

    Attributes:
        name: also the planning group's name.
        prefix: put before every link and joint name of the model.
        model: the arm's facts.
        world_from_base: (4, 4), m.
        home: (n,) joint positions of the state `home`, rad.
        home_opening_m: opening of the gripper in that state.
    """

    name: str
    prefix: str
    model: ArmModel
    world_from_base: FloatArray
    home: FloatArray
    home_opening_m: float

    def __post_init__(self) -> None:
        """Raises DescriptionError where the home position has another length than the arm has joints."""
        if self.home.shape != (len(self.model.joints),):
            raise DescriptionError(
                f"home of arm {self.name!r} must have shape ({len(self.model.joints)},), got {self.home.shape}"
            )

    @property
    def group(self) -> str:
        """Planning group of the chain from base to tool frame."""
        return self.name

    @property
    def hand_group(self) -> str:
        """Group of the gripper's joints."""
        return self.name + HAND_SUFFIX

    @property
    def base_link(self) -> str:
        """First link of the chain."""
        return self.prefix + self.model.base_link

    @property
    def tip_link(self) -> str:
        """Last link of the chain, the tool frame."""
        return self.prefix + TCP_LINK

    @property
    def hand_link(self) -> str:
        """Link that carries the fingers."""
        return self.prefix + self.model.gripper.base_link

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Actuated joints of the chain, in order."""
        return tuple(self.prefix + name for name in self.model.joint_names)

    @property
    def gripper_joint(self) -> str:
        """Joint whose position is the opening."""
        return self.prefix + GRIPPER_JOINT

    @property
    def finger_joints(self) -> tuple[str, ...]:
        """Joints that mimic the gripper's."""
        return tuple(self.prefix + finger.name for finger in self.model.gripper.fingers)


@dataclass(frozen=True, eq=False)
class MoveItRig:
    """A rig as MoveIt sees it: the URDF's name and the arms in rig order."""

    name: str
    arms: tuple[MoveItArm, ...]

    def __post_init__(self) -> None:
        """Raises DescriptionError where two groups would have the same name."""
        names = self.group_names
        if len(set(names)) < len(names):
            raise DescriptionError(
                f"arms of rig {self.name!r} give the planning groups {', '.join(names)}, which must all differ"
            )

    @property
    def group_names(self) -> tuple[str, ...]:
        """Every planning group: arms, hands, and all arms together where there are several."""
        together = (ALL_ARMS_GROUP,) if len(self.arms) > 1 else ()
        return (*(arm.group for arm in self.arms), *(arm.hand_group for arm in self.arms), *together)

    def arm_pairs(self) -> Iterator[tuple[MoveItArm, MoveItArm]]:
        """Every two arms."""
        return combinations(self.arms, 2)
