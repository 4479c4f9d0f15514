"""Draws of the domain randomisation of an episode: how it looks and how the robot starts, not where objects lie."""

from functools import cached_property
from typing import Annotated

import numpy as np
from pydantic import AfterValidator, Field

from imove_core.transforms import Array, rotation_about_axis, transform
from imove_core.values import FrozenValue, Vector3

Share = Annotated[float, Field(ge=0.0, le=1.0)]
Channel = Annotated[float, Field(gt=0.0, le=2.0)]
Tint = tuple[Channel, Channel, Channel]
Rgb = tuple[Share, Share, Share]


def _unit(vector: Vector3) -> Vector3:
    length = float(np.linalg.norm(vector))
    if abs(length - 1.0) > 1e-4:
        raise ValueError(f"direction {list(vector)} has length {length:g}; 1 is needed")
    return vector


class Light(FrozenValue):
    """The light of a scene: a distant key light, a fill light that goes with it, and light from everywhere.

    Attributes:
        temperature_k: Correlated colour temperature of all of it, K; the camera is balanced for 6500 K. The bounds are
            those of the approximation that turns it into a colour.
        tint: Factors on red, green and blue beside the temperature, about 1.
        intensity: Diffuse level of a white surface that faces the key light; 1 saturates.
        toward_light: Unit vector from the table to the key light, world frame.
        ambient: Level of the light from everywhere.
    """

    temperature_k: Annotated[float, Field(ge=1667.0, le=25000.0)]
    tint: Tint
    intensity: Annotated[float, Field(gt=0.0, le=2.0)]
    toward_light: Annotated[Vector3, AfterValidator(_unit)]
    ambient: Share


class TableSurface(FrozenValue):
    """A procedural surface of the table top.

    Attributes:
        pattern: Name of the pattern.
        seed: Of the pattern's own draws.
        rgb: Mean colour, sRGB.
    """

    pattern: str
    seed: Annotated[int, Field(ge=0)]
    rgb: Rgb


class Offset(FrozenValue):
    """A small change of a pose, in the frame that is moved: translation in m, rotation vector in rad."""

    translation_m: Vector3 = (0.0, 0.0, 0.0)
    rotation_rad: Vector3 = (0.0, 0.0, 0.0)

    @cached_property
    def matrix(self) -> Array:
        """The (4, 4) pose of the moved frame in the frame as it was."""
        angle_rad = float(np.linalg.norm(self.rotation_rad))
        rotation = rotation_about_axis(self.rotation_rad, angle_rad) if angle_rad > 0 else None
        return transform(rotation, self.translation_m)


class Clutter(FrozenValue):
    """An object that only stands about, off the table.

    Attributes:
        asset: UUID in the asset library.
        asset_hash: Content hash of that asset.
        place: Name of a place that every background offers for it.
        yaw_rad: About the vertical.
    """

    asset: str
    asset_hash: str
    place: str
    yaw_rad: float


class Randomization(FrozenValue):
    """All draws of an episode; objects keep their poses whatever is drawn here.

    Attributes:
        light: Illumination.
        table: Surface of the table top.
        background: Name of the room.
        finishes: Finish of the dominant material by object id; objects that are not named are as they were made.
        joint_offsets_rad: By arm name, added to the home position at the start, one value an arm joint.
        camera_offsets: By camera name; cameras that are not named are where the rig has them.
        clutter: Objects off the table.
    """

    light: Light
    table: TableSurface
    background: str
    finishes: dict[str, str] = {}
    joint_offsets_rad: dict[str, tuple[float, ...]] = {}
    camera_offsets: dict[str, Offset] = {}
    clutter: tuple[Clutter, ...] = ()


PLAIN = Randomization(
    light=Light(temperature_k=6500.0, tint=(1.0, 1.0, 1.0), intensity=0.55, toward_light=(0.0, 0.0, 1.0), ambient=0.35),
    table=TableSurface(pattern="plain", seed=0, rgb=(0.6, 0.6, 0.6)),
    background="plain",
)
"""Nothing is drawn: white light from above, a grey table, no room."""
