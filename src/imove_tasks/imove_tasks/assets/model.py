"""Frozen value types that describe one object completely: looks, contacts, grips, words.

All geometry of an asset lives in its **object frame**: origin at the centre of the axis-aligned box of the
visuals, z up, and identity rotation is the stable resting pose on the plane ``z = box_min[2]``. Lengths are
metres. Arrays are float64 (faces int32) and read-only, so an asset may be shared between threads and scenes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from imove_tasks.assets.arrays import DECIMALS, Array, frozen_array
from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.hashing import content_digest
from imove_tasks.assets.hull import convex_hull
from imove_tasks.assets.vocabulary import MATERIALS

PartShape = Literal["box", "cylinder", "sphere", "ellipsoid", "capsule", "hull"]
SizeBucket = Literal["small", "medium", "large"]

TAG_GRASPABLE = "is_graspable"
TAG_CONTAINER = "is_container"
TAGS = frozenset({TAG_GRASPABLE, TAG_CONTAINER})

_SIZE_LENGTH: dict[str, int] = {"box": 3, "cylinder": 2, "sphere": 1, "ellipsoid": 3, "capsule": 2, "hull": 0}
_UNIT_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Material:
    """What a surface is made of and its colour.

    Attributes:
        name: One of ``vocabulary.MATERIALS``.
        rgba: Linear red, green, blue and opacity, each 0 to 1.
    """

    name: str
    rgba: tuple[float, float, float, float]

    def __post_init__(self) -> None:
        """Checks the word and the range of the colour."""
        if self.name not in MATERIALS:
            raise AssetError(f"material {self.name!r} is unknown, allowed are {sorted(MATERIALS)}")
        if len(self.rgba) != 4 or not all(0.0 <= value <= 1.0 for value in self.rgba):
            raise AssetError(f"rgba of material {self.name!r} is {self.rgba}, expected four values in [0, 1]")


@dataclass(frozen=True, eq=False)
class CollisionPart:
    """One convex piece of an object, for contacts.

    Attributes:
        shape: Kind of primitive.
        size: Half sizes as MuJoCo has them: box hx hy hz; cylinder and capsule radius, half length along z;
            sphere radius; ellipsoid rx ry rz; hull ().
        object_from_part: (4, 4) rigid transform.
        vertices: (N, 3) corners of a hull in the part's frame, None for every other shape.
    """

    shape: PartShape
    size: tuple[float, ...]
    object_from_part: Array
    vertices: Array | None = None

    def __post_init__(self) -> None:
        """Checks shape, size and corners, and freezes the arrays."""
        if self.shape not in get_args(PartShape):
            raise AssetError(f"part shape {self.shape!r} is unknown, allowed are {get_args(PartShape)}")
        if len(self.size) != _SIZE_LENGTH[self.shape] or not all(value > 0 for value in self.size):
            raise AssetError(
                f"size of a {self.shape} is {self.size}, expected {_SIZE_LENGTH[self.shape]} positive values"
            )
        if (self.shape == "hull") != (self.vertices is not None):
            raise AssetError(f"a {self.shape} must {'have' if self.shape == 'hull' else 'not have'} vertices")
        object.__setattr__(self, "size", tuple(round(float(value), DECIMALS) for value in self.size))
        object.__setattr__(self, "object_from_part", frozen_array(self.object_from_part, 4, 4, what="object_from_part"))
        if self.vertices is not None:
            vertices = frozen_array(self.vertices, None, 3, what="hull vertices")
            if len(vertices) < 4:
                raise AssetError(f"a hull has {len(vertices)} vertices, expected at least 4")
            object.__setattr__(self, "vertices", vertices)

    @property
    def volume_m3(self) -> float:
        """Volume; shares out an object's mass over its parts."""
        s = self.size
        if self.vertices is not None:
            return float(convex_hull(self.vertices).volume)
        return {
            "box": lambda: 8.0 * s[0] * s[1] * s[2],
            "cylinder": lambda: 2.0 * np.pi * s[0] ** 2 * s[1],
            "sphere": lambda: 4.0 / 3.0 * np.pi * s[0] ** 3,
            "ellipsoid": lambda: 4.0 / 3.0 * np.pi * s[0] * s[1] * s[2],
            "capsule": lambda: np.pi * s[0] ** 2 * (2.0 * s[1] + 4.0 / 3.0 * s[0]),
        }[self.shape]()


@dataclass(frozen=True, eq=False)
class VisualMesh:
    """One closed triangle mesh of one material, outward winding.

    Attributes:
        vertices: (N, 3) float64, m, object frame.
        faces: (M, 3) int32 indices into ``vertices``, counter-clockwise seen from outside.
        material: Colour and kind of the whole mesh.
    """

    vertices: Array
    faces: NDArray[np.int32]
    material: Material

    def __post_init__(self) -> None:
        """Checks the indices and freezes the arrays."""
        vertices = frozen_array(self.vertices, None, 3, what="mesh vertices")
        faces = np.array(self.faces, dtype=np.int32)
        if faces.ndim != 2 or faces.shape[1] != 3 or len(faces) == 0:
            raise AssetError(f"mesh faces have shape {faces.shape}, expected (M, 3) with M > 0")
        if faces.min() < 0 or faces.max() >= len(vertices):
            raise AssetError(f"mesh faces index {faces.min()}..{faces.max()} of {len(vertices)} vertices")
        faces.setflags(write=False)
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "faces", faces)


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
class Asset:
    """One object: a row of the corpus with everything that simulation, words and motion need of it.

    Two assets are equal when their content hashes are.

    Attributes:
        uuid: Stable id, derived from category and instance.
        name: Colour, material and category, such as "red ceramic mug".
        domain: Key of ``taxonomy.DOMAINS``.
        super_category: Group inside the domain.
        category: Fine-grained category, snake case.
        color: Word of ``vocabulary.COLORS`` for most of what a camera above the table sees.
        shape: Word of ``vocabulary.SHAPES`` for the body.
        material: Word of ``vocabulary.MATERIALS`` for most of what a camera above the table sees.
        size_bucket: By the longest side: below 0.05 m small, below 0.12 m medium, else large.
        tags: Subset of ``TAGS``.
        mass_kg: Total mass.
        friction: Sliding friction coefficient.
        rolling_friction: Rolling friction, m, as MuJoCo has it.
        visuals: Meshes to draw.
        collisions: Convex parts for contacts.
        grips: Ways to hold it, best first; top-down ones before tilted ones.
        box_min: (3,) m lower corner of the box of the visuals.
        box_max: (3,) m upper corner.
        captions: Noun phrases without article; the first is the plain category phrase.
        region: Where other things can be put, None unless it is a container.
    """

    uuid: str
    name: str
    domain: str
    super_category: str
    category: str
    color: str
    shape: str
    material: str
    size_bucket: SizeBucket
    tags: frozenset[str]
    mass_kg: float
    friction: float
    rolling_friction: float
    visuals: tuple[VisualMesh, ...]
    collisions: tuple[CollisionPart, ...]
    grips: tuple[Grip, ...]
    box_min: Array
    box_max: Array
    captions: tuple[str, ...]
    region: Region | None = field(default=None)

    def __post_init__(self) -> None:
        """Checks tags, mass and parts, and freezes the box."""
        if not self.tags <= TAGS:
            raise AssetError(f"{self.name!r} has tags {sorted(self.tags)}, allowed are {sorted(TAGS)}")
        if not (self.mass_kg > 0 and self.friction > 0 and self.rolling_friction >= 0):
            raise AssetError(
                f"{self.name!r} has mass {self.mass_kg} kg, friction {self.friction} and rolling friction "
                f"{self.rolling_friction} m, expected positive ones (rolling may be 0)"
            )
        if not (self.visuals and self.collisions and self.captions):
            raise AssetError(f"{self.name!r} lacks visuals, collisions or captions")
        if (TAG_GRASPABLE in self.tags) != bool(self.grips):
            raise AssetError(f"{self.name!r} has {len(self.grips)} grips, tags {sorted(self.tags)} disagree")
        if (TAG_CONTAINER in self.tags) != (self.region is not None):
            raise AssetError(f"{self.name!r}: a region and the tag {TAG_CONTAINER} go together")
        object.__setattr__(self, "box_min", frozen_array(self.box_min, 3, what="box_min"))
        object.__setattr__(self, "box_max", frozen_array(self.box_max, 3, what="box_max"))

    @property
    def extents(self) -> Array:
        """(3,) full side lengths of the box, m."""
        return self.box_max - self.box_min

    @cached_property
    def footprint(self) -> Array:
        """(K, 2) convex hull of the projection onto the table, m, object frame, counter-clockwise."""
        points = np.concatenate([mesh.vertices[:, :2] for mesh in self.visuals])
        return frozen_array(points[convex_hull(points).vertices], None, 2, what="footprint")

    def content_hash(self) -> str:
        """Hex SHA-256 of every word and number of the asset; the same on every run and machine."""
        return self._content_hash

    @cached_property
    def _content_hash(self) -> str:
        return content_digest(self)

    def __eq__(self, other: object) -> bool:
        """True for an asset with the same content."""
        return isinstance(other, Asset) and self.content_hash() == other.content_hash()

    def __hash__(self) -> int:
        """Hash of the id, which the content determines."""
        return hash(self.uuid)
