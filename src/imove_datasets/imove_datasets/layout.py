"""How each trainer calls and orders what an episode holds: keys of cameras, states and actions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from imove_core.errors import ImoveError
from imove_core.rig import Rig
from imove_core.transforms import Array
from imove_datasets.settings import FormatName

Source = Literal["state", "action"]
Version = Literal["v2.1", "v3.0"]
STATE, ACTION = "observation.state", "action"
IMAGES = "observation.images."

RAD_FLOOR, OPENING_FLOOR_M, FRACTION_FLOOR = 0.02, 0.002, 0.02
"""Least spread between the 1st and the 99th percentile: about a degree, 2 mm of a gripper, 2 % of its range."""


@dataclass(frozen=True)
class Vector:
    """A column of floats.

    Attributes:
        key: Its name.
        source: What it is made of.
        joints: Which dimensions of the rig's vector, in order.
    """

    key: str
    source: Source
    joints: tuple[int, ...]


@dataclass(frozen=True)
class Layout:
    """What a dataset for a trainer holds.

    Attributes:
        version: Of LeRobot's layout on disk.
        images: Key by camera.
        vectors: Columns of states and actions.
        stitched: Key of the image that is put together from three cameras (top, left, right), "" for none.
        parts: Those cameras.
        closed_grippers: Grippers go from 0, open, to 1, closed, instead of being openings in m.
        joint_names: Names of the rig's dimensions.
        limits: Least and largest opening (m) by gripper dimension.
    """

    version: Version
    images: Mapping[str, str]
    vectors: tuple[Vector, ...]
    joint_names: tuple[str, ...]
    limits: Mapping[int, tuple[float, float]]
    stitched: str = ""
    parts: tuple[str, ...] = ()
    closed_grippers: bool = False
    action: Vector = field(init=False)

    def __post_init__(self) -> None:
        """Finds the column of actions."""
        object.__setattr__(self, "action", next(item for item in self.vectors if item.source == "action"))

    def is_gripper(self, joint: int) -> bool:
        """Whether a dimension of the rig is a gripper."""
        return joint in self.limits

    def converted(self, values: Array) -> Array:
        """Rig vectors (N, D) in the units of the layout."""
        if not self.closed_grippers:
            return values
        changed = values.copy()
        for joint, (low, high) in self.limits.items():
            changed[:, joint] = (high - values[:, joint]) / (high - low)
        return changed

    def relative(self) -> NDArray[np.bool_]:
        """Dimensions (D,) that relative actions tell from the state: arm joints, and no gripper."""
        return np.array([not self.is_gripper(joint) for joint in range(len(self.joint_names))])

    def floors(self) -> Array:
        """Least spread of each dimension (D,) in statistics, in its unit."""
        gripper = FRACTION_FLOOR if self.closed_grippers else OPENING_FLOOR_M
        return np.array([gripper if self.is_gripper(joint) else RAD_FLOOR for joint in range(len(self.joint_names))])

    def units(self) -> dict[str, str]:
        """Unit by joint name, for people."""
        gripper = "0 open to 1 closed" if self.closed_grippers else "m between the fingers"
        return {name: gripper if self.is_gripper(at) else "rad" for at, name in enumerate(self.joint_names)}


def layout_of(format_name: FormatName, rig: Rig) -> Layout:
    """The layout of a format for a rig.

    Raises:
        ImoveError: The format has no place for the rig's arms or cameras.
    """
    names = rig.joint_names
    everything = tuple(range(len(names)))
    limits = _gripper_limits(rig)
    plain = (Vector(STATE, "state", everything), Vector(ACTION, "action", everything))
    if format_name in ("lerobot-v3", "lerobot-v2.1", "gr00t"):
        images = {camera.name: IMAGES + camera.name for camera in rig.cameras}
        return Layout("v3.0" if format_name == "lerobot-v3" else "v2.1", images, plain, names, limits)
    top, left, right = three_cameras(rig, format_name)
    aloha = {top: f"{IMAGES}cam_high", left: f"{IMAGES}cam_left_wrist", right: f"{IMAGES}cam_right_wrist"}
    if format_name == "motus":
        return Layout(
            "v2.1", aloha, plain, names, limits, stitched=f"{IMAGES}cam_concatenated", parts=(top, left, right)
        )
    if len(rig.arms) == 2:
        return Layout("v2.1", aloha, plain, names, limits)
    joints = tuple(at for at in everything if at not in limits)
    droid = {top: "exterior_image_1_left", left: "exterior_image_2_left", right: "wrist_image_left"}
    vectors = (
        Vector("joint_position", "state", joints),
        Vector("gripper_position", "state", tuple(limits)),
        Vector("actions", "action", everything),
    )
    return Layout("v2.1", droid, vectors, names, limits, closed_grippers=True)


def three_cameras(rig: Rig, format_name: str) -> tuple[str, str, str]:
    """Cameras in the places of ALOHA's high, left wrist and right wrist.

    With two arms: the one that stands still, that of the first and that of the second arm. With one arm: the first
    and the second that stand still, and that of the arm.

    Raises:
        ImoveError: The rig has other cameras.
    """
    carriers = {camera.name: camera.arm_and_link for camera in rig.cameras}
    fixed = [name for name, carrier in carriers.items() if carrier is None]
    on_arm = {
        arm.name: [name for name, carrier in carriers.items() if carrier and carrier[0] == arm.name] for arm in rig.arms
    }
    hands = [cameras[0] for cameras in on_arm.values() if len(cameras) == 1]
    places = (*fixed, *hands)
    wanted = {1: (2, 1), 2: (1, 2)}.get(len(rig.arms))
    if (len(fixed), len(hands)) != wanted or len(places) != len(rig.cameras):
        raise ImoveError(
            f"{format_name} takes two arms with one camera that stands still and one on each hand, or one arm with two "
            f"that stand still and one on the hand; rig {rig.name} has {len(rig.arms)} arms and the cameras "
            f"{', '.join(carriers) or 'none'}"
        )
    return places[0], places[1], places[2]


def _gripper_limits(rig: Rig) -> dict[int, tuple[float, float]]:
    limits, start = {}, 0
    for arm in rig.arms:
        low, high = arm.limits[-1]
        limits[start + arm.size - 1] = (float(low), float(high))
        start += arm.size
    return limits
