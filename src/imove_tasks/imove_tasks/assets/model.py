"""Frozen value types that describe one object completely: looks, contacts, grips, words.

All geometry of an asset lives in its **object frame**: origin at the centre of the axis-aligned box of the
visuals, z up, and identity rotation is the stable resting pose on the plane ``z = box_min[2]``. Lengths are
metres. Arrays are float64 (faces int32) and read-only, so an asset may be shared between threads and scenes.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from imove_tasks.assets.affordances import Grip, Region, StablePose
from imove_tasks.assets.arrays import DECIMALS, Array, frozen_array
from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.hashing import content_digest
from imove_tasks.assets.hull import convex_hull
from imove_tasks.assets.looks import VisualMesh
from imove_tasks.assets.vocabulary import MATERIALS

if TYPE_CHECKING:
    from scipy.spatial import ConvexHull

PartShape = Literal["box", "cylinder", "sphere", "ellipsoid", "capsule", "hull"]
SizeBucket = Literal["small", "medium", "large"]
Partition = Literal["seen", "unseen"]
_SMALL_M, _MEDIUM_M = 0.05, 0.12  # thresholds of the reference release's size buckets
MEANING_FIELDS = ("category", "color", "material", "shape", "size_bucket")
"""Metadata fields that an expression can speak of."""

TAG_GRASPABLE = "is_graspable"
TAG_CONTAINER = "is_container"
TAGS = frozenset({TAG_GRASPABLE, TAG_CONTAINER})

_SIZE_LENGTH: dict[str, int] = {"box": 3, "cylinder": 2, "sphere": 1, "ellipsoid": 3, "capsule": 2, "hull": 0}


def size_bucket(longest_side_m: float) -> SizeBucket:
    """Size bucket of a longest side."""
    if longest_side_m < _SMALL_M:
        return "small"
    return "medium" if longest_side_m < _MEDIUM_M else "large"


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

    @cached_property
    def hull(self) -> ConvexHull:
        """Convex hull of the vertices in the part's frame.

        Raises:
            AssetError: The part is no hull.
        """
        if self.vertices is None:
            raise AssetError(f"a {self.shape} has no hull, only parts of shape 'hull' have one")
        return convex_hull(self.vertices)

    @cached_property
    def volume_m3(self) -> float:
        """Volume; shares out an object's mass over its parts."""
        s = self.size
        if self.vertices is not None:
            return float(self.hull.volume)
        return {
            "box": lambda: 8.0 * s[0] * s[1] * s[2],
            "cylinder": lambda: 2.0 * np.pi * s[0] ** 2 * s[1],
            "sphere": lambda: 4.0 / 3.0 * np.pi * s[0] ** 3,
            "ellipsoid": lambda: 4.0 / 3.0 * np.pi * s[0] * s[1] * s[2],
            "capsule": lambda: np.pi * s[0] ** 2 * (2.0 * s[1] + 4.0 / 3.0 * s[0]),
        }[self.shape]()


@dataclass(frozen=True)
class Expression:
    """A noun phrase for the object, and what it says.

    Attributes:
        text: Lower-case phrase without article, such as "red ceramic mug".
        meaning: Metadata fields and the words that the phrase demands of them, sorted by field.
        partition: "seen" phrases may be trained on; "unseen" ones are kept for tests of language.
    """

    text: str
    meaning: tuple[tuple[str, str], ...]
    partition: Partition

    def __post_init__(self) -> None:
        """Checks the fields and the partition."""
        fields = [name for name, _ in self.meaning]
        if not fields or fields != sorted(set(fields)) or not set(fields) <= set(MEANING_FIELDS):
            raise AssetError(
                f"expression {self.text!r} means {self.meaning}, expected distinct sorted fields of {MEANING_FIELDS}"
            )
        if self.partition not in get_args(Partition):
            raise AssetError(
                f"expression {self.text!r} is of partition {self.partition!r}, allowed are {get_args(Partition)}"
            )


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
        expressions: Noun phrases and their meanings; the first is the plain category phrase.
        description: One sentence on looks and size.
        stable_poses: Ways it rests on a table; the first one is identity.
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
    expressions: tuple[Expression, ...]
    description: str
    stable_poses: tuple[StablePose, ...]
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
        if not (self.visuals and self.collisions and self.expressions and self.stable_poses):
            raise AssetError(f"{self.name!r} lacks visuals, collisions, expressions or stable poses")
        if not np.array_equal(self.stable_poses[0].rotation, np.eye(3)):
            raise AssetError(f"{self.name!r} must rest as it is made in its first stable pose")
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

    @property
    def height_m(self) -> float:
        """Height of the object as it stands."""
        return float(self.extents[2])

    @property
    def phrase(self) -> str:
        """The plain noun phrase of the category."""
        return self.expressions[0].text

    @property
    def finishes(self) -> tuple[str, ...]:
        """Finishes in which its dominant material comes: the variants that leave every label true."""
        return tuple(MATERIALS[self.material].finishes)

    def finished(self, finish: str) -> tuple[VisualMesh, ...]:
        """The meshes with the dominant material in one of its finishes.

        Raises:
            AssetError: The material has no such finish.
        """
        return tuple(
            replace(mesh, material=replace(mesh.material, finish=finish))
            if mesh.material.name == self.material
            else mesh
            for mesh in self.visuals
        )

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
