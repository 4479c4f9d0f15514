"""Draws of the domain randomisation of an episode: how it looks and how the robot starts, not where objects lie."""

from typing import Annotated

from pydantic import Field

from imove_core.values import FrozenValue, Vector3

Share = Annotated[float, Field(ge=0.0, le=1.0)]
Rgb = tuple[Share, Share, Share]


class Light(FrozenValue):
    """The key light and what it leaves to the ambient light.

    Attributes:
        temperature_k: Correlated colour temperature, K.
        tint: Factors on red, green and blue beside the temperature, about 1.
        intensity: Diffuse level of a white surface that faces the light, 1 saturates.
        toward_light: Unit vector from the table to the light, world frame.
        ambient: Level of light from everywhere.
    """

    temperature_k: Annotated[float, Field(ge=1000.0, le=20000.0)]
    tint: Vector3
    intensity: Annotated[float, Field(gt=0.0, le=2.0)]
    toward_light: Vector3
    ambient: Share


class TableSurface(FrozenValue):
    """A procedural surface of the table top.

    Attributes:
        pattern: Name of the pattern.
        seed: Of the pattern's own draws.
        rgb: Mean colour.
    """

    pattern: str
    seed: Annotated[int, Field(ge=0)]
    rgb: Rgb


class Offset(FrozenValue):
    """A small change of a pose, in the frame that is moved: translation in m, rotation vector in rad."""

    translation_m: Vector3 = (0.0, 0.0, 0.0)
    rotation_rad: Vector3 = (0.0, 0.0, 0.0)


class Clutter(FrozenValue):
    """An object that only stands about, off the table.

    Attributes:
        asset: UUID in the asset library.
        asset_hash: Content hash of that asset.
        place: Name of a place that the background offers for it.
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
