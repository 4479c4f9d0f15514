"""The factors of the domain randomisation: whether each is drawn, and from what range."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, Field, model_validator

from imove_core.values import FrozenValue
from imove_tasks.randomization.patterns import TABLE_PATTERNS
from imove_tasks.randomization.rooms import PLACE_NAMES, ROOMS


def _ordered(bounds: tuple[float, float]) -> tuple[float, float]:
    if bounds[0] > bounds[1]:
        raise ValueError(f"range is {list(bounds)}; its second number must not be smaller than its first")
    return bounds


def _pattern(name: str) -> str:
    if name not in TABLE_PATTERNS:
        raise ValueError(f"unknown table pattern {name!r}; allowed: {', '.join(sorted(TABLE_PATTERNS))}")
    return name


def _background(name: str) -> str:
    if name not in ROOMS:
        raise ValueError(f"unknown background {name!r}; allowed: {', '.join(sorted(ROOMS))}")
    return name


def _each_once(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(names)) != len(names):
        raise ValueError(f"names are {list(names)}; each is allowed once")
    return names


Share = Annotated[float, Field(ge=0.0, le=1.0)]
Kelvin = Annotated[float, Field(ge=1667.0, le=25000.0)]
Intensity = Annotated[float, Field(gt=0.0, le=2.0)]
Elevation = Annotated[float, Field(ge=10.0, le=90.0)]
Azimuth = Annotated[float, Field(ge=-180.0, le=180.0)]
PatternName = Annotated[str, AfterValidator(_pattern)]
BackgroundName = Annotated[str, AfterValidator(_background)]


class Factor(FrozenValue):
    """One factor; in a file `true` and `false` stand for it with its usual ranges.

    Attributes:
        enabled: Whether it is drawn; otherwise it is as in `PLAIN`.
    """

    enabled: bool = True

    @model_validator(mode="before")
    @classmethod
    def _from_switch(cls, data: Any) -> Any:
        return {"enabled": data} if isinstance(data, bool) else data


class LightFactor(Factor):
    """Illumination; each number is drawn evenly from its range.

    Attributes:
        temperature_k: Correlated colour temperature, K. The usual range is that of indoor lamps and daylight.
        tint: Red, green and blue are each multiplied by 1 plus or minus at most this.
        intensity: Of the key light.
        ambient: Of the light from everywhere.
        elevation_deg: Of the key light above the table.
        azimuth_deg: Of the key light about the vertical, 0 from ahead of the robot, 90 from its left.
    """

    temperature_k: Annotated[tuple[Kelvin, Kelvin], AfterValidator(_ordered)] = (4200.0, 5800.0)
    tint: Annotated[float, Field(ge=0.0, le=0.5)] = 0.1
    intensity: Annotated[tuple[Intensity, Intensity], AfterValidator(_ordered)] = (0.42, 0.68)
    ambient: Annotated[tuple[Share, Share], AfterValidator(_ordered)] = (0.28, 0.42)
    elevation_deg: Annotated[tuple[Elevation, Elevation], AfterValidator(_ordered)] = (50.0, 90.0)
    azimuth_deg: Annotated[tuple[Azimuth, Azimuth], AfterValidator(_ordered)] = (-180.0, 180.0)


class FinishFactor(Factor):
    """Finish of each object's dominant material, such as a glazed or an unglazed mug; all are equally likely."""


class TableFactor(Factor):
    """Surface of the table top.

    Attributes:
        patterns: Equally likely ones; each comes in its own colours.
        shade: The colour is made lighter or darker by at most this share.
    """

    patterns: Annotated[tuple[PatternName, ...], Field(min_length=1), AfterValidator(_each_once)] = tuple(
        TABLE_PATTERNS
    )
    shade: Annotated[float, Field(ge=0.0, le=0.3)] = 0.08


class BackgroundFactor(Factor):
    """The room.

    Attributes:
        rooms: Equally likely ones.
    """

    rooms: Annotated[tuple[BackgroundName, ...], Field(min_length=1), AfterValidator(_each_once)] = tuple(
        name for name in ROOMS if name != "plain"
    )


class InitialJointsFactor(Factor):
    """Where the arm joints start: normally distributed about home, cut off, within the joints' limits.

    Attributes:
        std_rad: Standard deviation.
        limit_rad: Largest offset.
    """

    std_rad: Annotated[float, Field(ge=0.0, le=0.1)] = 0.02
    limit_rad: Annotated[float, Field(ge=0.0, le=0.1)] = 0.05


class CameraPoseFactor(Factor):
    """Small errors of where cameras stand, each axis drawn evenly from plus or minus the number.

    Attributes:
        translation_mm: Along each axis of the optical frame.
        rotation_deg: About each axis of the optical frame.
    """

    translation_mm: Annotated[float, Field(ge=0.0, le=50.0)] = 5.0
    rotation_deg: Annotated[float, Field(ge=0.0, le=10.0)] = 1.0


class ClutterFactor(Factor):
    """Objects of the library that stand about in the room, off the table.

    Attributes:
        count: Fewest and most.
    """

    count: Annotated[
        tuple[Annotated[int, Field(ge=0, le=len(PLACE_NAMES))], Annotated[int, Field(ge=0, le=len(PLACE_NAMES))]],
        AfterValidator(_ordered),
    ] = (0, 3)
