"""The world of a planner: a rig, what stands on its table, what a hand holds, and which contacts do not count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from imove_core.errors import ImoveError, unknown_name
from imove_core.rig import Arm, Rig
from imove_core.state import ObjectState
from imove_core.transforms import Array
from imove_tasks.assets.model import Asset

TABLE = "table"
"""Name of the table among bodies."""

Contact = frozenset[str]
"""Two bodies, by name, see `body_name`."""


def body_name(arm: Arm, link: str) -> str:
    """How a link of an arm is called among bodies, as in a rig's cameras: `<arm>/<link>`.

    Objects go by their ids, and the table is `TABLE`.
    """
    return f"{arm.name}/{link}"


def hand_bodies(arm: Arm) -> tuple[str, ...]:
    """Names of gripper base and fingers."""
    gripper = arm.arm_model.gripper
    return tuple(body_name(arm, link) for link in (gripper.base_link, *(finger.child for finger in gripper.fingers)))


def contacts(some: Iterable[str], others: Iterable[str]) -> frozenset[Contact]:
    """Every pair of one of some bodies with one of others."""
    seconds = tuple(others)
    return frozenset(frozenset((first, second)) for first in some for second in seconds)


@dataclass(frozen=True, eq=False)
class Attachment:
    """An object that a hand holds and that moves with it.

    Attributes:
        arm: Name of the arm.
        object_id: One of the world's objects; where it is now does not matter.
        tool_from_object: (4, 4) its pose in the tool frame, m.
    """

    arm: str
    object_id: str
    tool_from_object: Array


@dataclass(frozen=True, eq=False)
class PlanningWorld:
    """Everything that a motion of one arm must keep clear of.

    Attributes:
        rig: The rig; all of its arms are solid.
        positions: (D,) joint positions of the whole rig, rad and m. Arms that do not move are there; of the one that
            moves, its gripper's opening counts.
        objects: All objects where they are.
        assets: Their metadata by object id; of each its convex contact parts are solid.
        attached: What the arm that moves holds, None where its hand is empty. It may touch the hand.
        allowed: Contacts that do not count, besides those of neighbouring links.
    """

    rig: Rig
    positions: Array
    objects: tuple[ObjectState, ...]
    assets: Mapping[str, Asset]
    attached: Attachment | None = None
    allowed: frozenset[Contact] = field(default_factory=frozenset)

    def __post_init__(self) -> None:
        """Checks that sizes fit and that all names are known.

        Raises:
            ImoveError: They are not.
        """
        if self.positions.shape != (self.rig.size,):
            raise ImoveError(
                f"joint positions of a world have shape {self.positions.shape}; rig {self.rig.name} needs "
                f"({self.rig.size},)"
            )
        ids = [item.id for item in self.objects]
        for object_id in ids:
            if object_id not in self.assets:
                raise unknown_name("asset of object", object_id, self.assets)
        if self.attached is not None:
            self.rig.arm(self.attached.arm)
            if self.attached.object_id not in ids:
                raise unknown_name("attached object", self.attached.object_id, ids)

    def holding(self, attached: Attachment | None) -> PlanningWorld:
        """The same world with something else in the hand."""
        return replace(self, attached=attached)

    def allowing(self, more: Iterable[Contact]) -> PlanningWorld:
        """The same world in which more contacts do not count."""
        return replace(self, allowed=self.allowed | frozenset(more))

    def at(self, positions: Array) -> PlanningWorld:
        """The same world with its arms elsewhere, (D,) rad and m."""
        return replace(self, positions=positions)

    def with_object(self, state: ObjectState) -> PlanningWorld:
        """The same world with one object, by its id, in another state."""
        return replace(self, objects=tuple(state if item.id == state.id else item for item in self.objects))
