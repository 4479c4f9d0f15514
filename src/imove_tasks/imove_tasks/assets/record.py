"""The typed record that travels with an asset: everything that is not a mesh or a picture, as canonical JSON.

Field names are those of `model.Asset` and its parts, so that a record is read from an asset and back without a table
of names. Every number is on the grid of 1e-7 on which assets are hashed.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field, ValidationError

from imove_core.canonical import canonical_json
from imove_core.values import FrozenValue, first_fault
from imove_tasks.assets.arrays import DECIMALS
from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.looks import Texture
from imove_tasks.assets.model import Asset, Partition, PartShape, SizeBucket
from imove_tasks.assets.vocabulary import MATERIALS

SCHEMA_VERSION = 1
"""Raised when a field changes its meaning; readers refuse what they were not written for."""

URDF_SHAPES = ("box", "cylinder", "sphere")
"""Contact parts that URDF has as primitives; the others are written as hull meshes too."""


def _on_grid(value: float) -> float:
    return round(value, DECIMALS) + 0.0  # + 0.0 turns -0.0 into 0.0


def _listed(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


Number = Annotated[float, AfterValidator(_on_grid)]
Vector2 = Annotated[tuple[Number, Number], BeforeValidator(_listed)]
Vector3 = Annotated[tuple[Number, Number, Number], BeforeValidator(_listed)]
Vector4 = Annotated[tuple[Number, Number, Number, Number], BeforeValidator(_listed)]
Rotation = Annotated[tuple[Vector3, Vector3, Vector3], BeforeValidator(_listed)]
Transform = Annotated[tuple[Vector4, Vector4, Vector4, Vector4], BeforeValidator(_listed)]
Polygon = Annotated[tuple[Vector2, ...], BeforeValidator(_listed)]
Words = Annotated[
    tuple[str, ...], BeforeValidator(lambda value: sorted(value) if isinstance(value, frozenset) else value)
]
File = Annotated[str, Field(pattern=r"^mesh/[A-Za-z0-9_]+\.(obj|png)$")]


class GripRecord(FrozenValue):
    """`affordances.Grip`: where and how a parallel jaw holds the object."""

    center: Vector3
    closing_axis: Vector3
    approach: Vector3
    width_m: Number
    opening_m: Number
    free_yaw: bool
    depth_m: Number


class RegionRecord(FrozenValue):
    """`affordances.Region`: the floor on which other things can be put."""

    center: Vector3
    half_extents: Vector2
    round: bool


class StablePoseRecord(FrozenValue):
    """`affordances.StablePose`: a way the object rests on a table."""

    rotation: Rotation
    height_m: Number
    support: Polygon
    tip_angle_rad: Number


class ExpressionRecord(FrozenValue):
    """`model.Expression`: a noun phrase and what it demands."""

    text: str
    meaning: tuple[tuple[str, str], ...]
    partition: Partition


class FinishRecord(FrozenValue):
    """One variant of the dominant material, with the optical constants of `vocabulary.Finish`."""

    name: str
    specular: Number
    shininess: Number
    roughness: Number
    metallic: Number


class VisualRecord(FrozenValue):
    """A mesh to draw: its file and its material.

    Attributes:
        mesh: OBJ file, relative to the folder of the asset.
        material: Word of ``vocabulary.MATERIALS``.
        finish: The finish as made.
        rgba: sRGB and opacity.
        texture: PNG file, None without a texture.
    """

    mesh: File
    material: str
    finish: str
    rgba: Vector4
    texture: File | None


class PartRecord(FrozenValue):
    """`model.CollisionPart`; the corners of a hull are the vertices of its file.

    Attributes:
        shape: Kind of primitive.
        size: Half sizes as in `model.CollisionPart`.
        object_from_part: Rows of the (4, 4) transform.
        mesh: OBJ file in the part's frame; None where URDF has the primitive itself.
    """

    shape: PartShape
    size: tuple[Number, ...]
    object_from_part: Transform
    mesh: File | None


class AssetRecord(FrozenValue):
    """An asset without its meshes and pictures; the fields are those of `model.Asset`.

    Attributes:
        schema_version: `SCHEMA_VERSION`.
        content_hash: Hex SHA-256 of the whole asset, meshes and pictures included.
        finishes: Variants of the dominant material, the usual one first.
    """

    schema_version: Literal[1]
    content_hash: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    uuid: str
    name: str
    domain: str
    super_category: str
    category: str
    color: str
    shape: str
    material: str
    size_bucket: SizeBucket
    tags: Words
    mass_kg: Number
    friction: Number
    rolling_friction: Number
    box_min: Vector3
    box_max: Vector3
    description: str
    expressions: tuple[ExpressionRecord, ...]
    stable_poses: tuple[StablePoseRecord, ...]
    grips: tuple[GripRecord, ...]
    region: RegionRecord | None
    finishes: tuple[FinishRecord, ...]
    visuals: tuple[VisualRecord, ...]
    collisions: tuple[PartRecord, ...]

    def to_json(self) -> str:
        """The record as one line of canonical JSON."""
        return canonical_json(self.model_dump(mode="json"))

    @classmethod
    def from_json(cls, text: str, source: str) -> AssetRecord:
        """Reads a record.

        Args:
            text: JSON.
            source: Where it comes from, for the error message.

        Raises:
            AssetError: It is not a record of this version.
        """
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            raise AssetError(f"the record of {source} is not valid: {first_fault(error, 'the record')}") from error


SAME_NAMES = (
    "uuid", "name", "domain", "super_category", "category", "color", "shape", "material", "size_bucket", "tags",
    "mass_kg", "friction", "rolling_friction", "box_min", "box_max", "description",
)  # fmt: skip


def record_of(asset: Asset) -> AssetRecord:
    """The record of an asset, with the names of the files that `storage.write_asset` makes."""
    textures = texture_files(asset)
    return AssetRecord(
        schema_version=SCHEMA_VERSION,
        content_hash=asset.content_hash(),
        **{name: getattr(asset, name) for name in SAME_NAMES},
        expressions=tuple(ExpressionRecord.model_validate(value, from_attributes=True) for value in asset.expressions),
        stable_poses=tuple(
            StablePoseRecord.model_validate(value, from_attributes=True) for value in asset.stable_poses
        ),
        grips=tuple(GripRecord.model_validate(value, from_attributes=True) for value in asset.grips),
        region=None if asset.region is None else RegionRecord.model_validate(asset.region, from_attributes=True),
        finishes=tuple(
            FinishRecord(name=name, **vars(finish)) for name, finish in MATERIALS[asset.material].finishes.items()
        ),
        visuals=tuple(
            VisualRecord(
                mesh=f"mesh/visual_{index}.obj",
                material=visual.material.name,
                finish=visual.material.finish,
                rgba=visual.material.rgba,
                texture=textures[index],
            )
            for index, visual in enumerate(asset.visuals)
        ),
        collisions=tuple(
            PartRecord(
                shape=part.shape,
                size=part.size,
                object_from_part=part.object_from_part.tolist(),
                mesh=None if part.shape in URDF_SHAPES else f"mesh/part_{index}.obj",
            )
            for index, part in enumerate(asset.collisions)
        ),
    )


def texture_files(asset: Asset) -> tuple[str | None, ...]:
    """The picture of each visual, None without one; equal pictures share a file."""
    names: dict[Texture, str] = {}
    for visual in asset.visuals:
        if visual.material.texture is not None:
            names.setdefault(visual.material.texture, f"mesh/material_{len(names)}.png")
    return tuple(names[v.material.texture] if v.material.texture is not None else None for v in asset.visuals)
