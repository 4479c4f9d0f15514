"""Values that a draw is pinned to; a pin wins over its factor, whether that is drawn or not."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from imove_core.randomization import Offset, Rgb, Tint
from imove_core.values import FrozenValue
from imove_tasks.randomization.factors import (
    Azimuth,
    BackgroundName,
    Elevation,
    Intensity,
    Kelvin,
    PatternName,
    Share,
)
from imove_tasks.randomization.rooms import PLACE_NAMES


def _known_places(pinned: dict[str, str]) -> dict[str, str]:
    for place in pinned:
        if place not in PLACE_NAMES:
            raise ValueError(f"unknown place {place!r}; allowed: {', '.join(PLACE_NAMES)}")
    return pinned


class LightPin(FrozenValue):
    """Pinned parts of the light, as in `LightFactor`; the others are drawn."""

    temperature_k: Kelvin | None = None
    tint: Tint | None = None
    intensity: Intensity | None = None
    ambient: Share | None = None
    elevation_deg: Elevation | None = None
    azimuth_deg: Azimuth | None = None


class TablePin(FrozenValue):
    """Pinned parts of the table's surface; the others are drawn."""

    pattern: PatternName | None = None
    seed: Annotated[int, Field(ge=0)] | None = None
    rgb: Rgb | None = None


class Pins(FrozenValue):
    """All pins.

    Attributes:
        light: Parts of the light.
        table: Parts of the table's surface.
        background: Name of the room.
        finishes: Finish by object id, or by material for all objects mainly of it; an id wins over a material.
        joint_offsets_rad: By arm name, one value an arm joint.
        camera_offsets: By camera name.
        clutter: UUID of the asset that stands at a place, by place; {} for none.
    """

    light: LightPin = LightPin()
    table: TablePin = TablePin()
    background: BackgroundName | None = None
    finishes: dict[str, str] = {}
    joint_offsets_rad: dict[str, tuple[float, ...]] = {}
    camera_offsets: dict[str, Offset] = {}
    clutter: Annotated[dict[str, str], AfterValidator(_known_places)] | None = None
