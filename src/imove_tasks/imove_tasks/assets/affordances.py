"""Frozen value types of what can be done with an object: where to hold it, where to put things, how it rests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from imove_tasks.assets.arrays import Array, frozen_array
from imove_tasks.assets.errors import AssetError

_UNIT_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Grip:
    """A place where a parallel jaw can hold the object; the object frame is meant throughout.

    Attributes:
        center: (3,) m, middle between the pads.
        closing_axis: (3,) unit vector along which the jaws close.
        approach: (3,) unit vector, the tool's z axis, into the object.
        width_m: Thickness of the object between the pads.
        opening_m: Least opening with which the fingers pass everything on their way to the grip.
        free_yaw: True when every rotation of ``closing_axis`` about ``approach`` is as good.
        depth_m: How far finger tips may pass beyond ``center`` along ``approach`` before they touch the table
            on which the object rests.
    """

    center: Array
    closing_axis: Array
    approach: Array
    width_m: float
    opening_m: float
    free_yaw: bool
    depth_m: float

    def __post_init__(self) -> None:
        """Checks that the axes are unit length and square to each other, and freezes the arrays."""
        for name in ("center", "closing_axis", "approach"):
            object.__setattr__(self, name, frozen_array(getattr(self, name), 3, what=f"grip {name}"))
        for name in ("closing_axis", "approach"):
            length = float(np.linalg.norm(getattr(self, name)))
            if abs(length - 1.0) > _UNIT_TOLERANCE:
                raise AssetError(f"grip {name} has length {length:.6f}, expected 1")
        cosine = float(self.closing_axis @ self.approach)
        if abs(cosine) > _UNIT_TOLERANCE:
            raise AssetError(f"grip closing_axis and approach have cosine {cosine:.6f}, expected 0")
        if self.width_m <= 0 or self.opening_m < self.width_m or self.depth_m < 0:
            raise AssetError(
                f"grip has width {self.width_m}, opening {self.opening_m}, depth {self.depth_m} m, "
                "expected 0 < width <= opening and depth >= 0"
            )


@dataclass(frozen=True, eq=False)
class Region:
    """The floor on which, or inside which, other things can be put down.

    Attributes:
        center: (3,) m, object frame, on the supporting surface.
        half_extents: Half sizes of the usable floor along x and y, m.
        round: True when the floor is the ellipse inscribed in those half sizes.
    """

    center: Array
    half_extents: tuple[float, float]
    round: bool

    def __post_init__(self) -> None:
        """Checks the sizes and freezes the array."""
        object.__setattr__(self, "center", frozen_array(self.center, 3, what="region center"))
        if len(self.half_extents) != 2 or not all(value > 0 for value in self.half_extents):
            raise AssetError(f"region half_extents are {self.half_extents}, expected two positive values")


@dataclass(frozen=True, eq=False)
class StablePose:
    """A way the object rests on a level table.

    Attributes:
        rotation: (3, 3) table_from_object; identity is the pose in which the object is made.
        height_m: Of the object frame's origin above the table.
        support: (K, 2) corners of the area of support about the object's origin, m, counter-clockwise.
        tip_angle_rad: Slope of the table at which it would just tip over.
    """

    rotation: Array
    height_m: float
    support: Array
    tip_angle_rad: float

    def __post_init__(self) -> None:
        """Freezes the arrays and checks the rotation."""
        object.__setattr__(self, "rotation", frozen_array(self.rotation, 3, 3, what="stable rotation"))
        object.__setattr__(self, "support", frozen_array(self.support, None, 2, what="support"))
        if not np.allclose(self.rotation @ self.rotation.T, np.eye(3), atol=_UNIT_TOLERANCE * 10):
            raise AssetError("a stable pose has a rotation that is none, expected orthonormal rows")
        if self.height_m <= 0 or self.tip_angle_rad < 0:
            raise AssetError(
                f"a stable pose has height {self.height_m} m and tip angle {self.tip_angle_rad} rad, "
                "expected a positive height and an angle of at least 0"
            )
