"""The bench on which a builder puts an object together; `finish` turns the pieces into an `Asset`."""

from __future__ import annotations

import uuid as uuids
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from imove_core.transforms import transform, transform_from_xyz_rpy
from imove_tasks.assets import convex, grasping, measure, primitives
from imove_tasks.assets.affordances import Grip, Region
from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.expressions import description, expressions
from imove_tasks.assets.grasping import GripWish
from imove_tasks.assets.looks import Material, VisualMesh
from imove_tasks.assets.model import TAG_CONTAINER, TAG_GRASPABLE, Asset, CollisionPart, size_bucket
from imove_tasks.assets.primitives import Mesh, Profile
from imove_tasks.assets.stability import stable_poses
from imove_tasks.assets.taxonomy import Category
from imove_tasks.assets.vocabulary import MATERIALS

Array = NDArray[np.float64]

_NAMESPACE = uuids.uuid5(uuids.NAMESPACE_DNS, "imove.assets")
_ROLLING_FRICTION_M = 2e-4  # order of a hard ball on a wooden table


def asset_uuid(category: str, seed: int, index: int) -> str:
    """Stable id of the instance ``index`` of a category in the library with a seed."""
    return str(uuids.uuid5(_NAMESPACE, f"{category}/{seed}/{index}"))


def pose(x: float = 0.0, y: float = 0.0, z: float = 0.0, *, rpy_deg: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """(4, 4) transform of a position in m and URDF roll, pitch, yaw in degrees."""
    return transform_from_xyz_rpy((x, y, z), np.radians(np.asarray(rpy_deg, dtype=np.float64)))


def lying(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Array:
    """(4, 4) transform that lays a piece made along z down along +x, keeping flat facets at the bottom."""
    # Columns are the images of the piece's axes: x goes to y, y (a facet is at -y) to z, and z to x.
    return transform(np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), (x, y, z))


class Draft:
    """Collects meshes, contact parts and grip wishes in a frame of the builder's choice, table at any height.

    The object must be built in its resting pose, z up.
    """

    def __init__(self, *, mass_kg: float, rolls: bool = False) -> None:
        """Starts an empty object.

        Args:
            mass_kg: Total mass.
            rolls: True for what would roll when nudged; it gets rolling friction.
        """
        self._mass_kg = mass_kg
        self._rolling_friction_m = _ROLLING_FRICTION_M if rolls else 0.0
        self._pieces: list[tuple[Mesh, Material]] = []
        self._parts: list[CollisionPart] = []
        self._wishes: list[GripWish] = []
        self._body: Mesh | None = None
        self._shape: str | None = None
        self._region: tuple[Array, tuple[float, float], bool] | None = None

    def look(self, mesh: Mesh, material: Material) -> None:
        """Adds something to see that touches nothing."""
        self._pieces.append((mesh, material))

    def touch(self, *parts: CollisionPart) -> None:
        """Adds contact parts that are not drawn."""
        self._parts.extend(parts)

    def solid(self, mesh: Mesh, material: Material) -> None:
        """Adds a convex mesh to see and to touch; dents in it are filled for contacts."""
        self.look(mesh, material)
        self.touch(convex.hull_part(mesh.vertices))

    def block(self, half: Sequence[float], center: Sequence[float], material: Material) -> None:
        """Adds a plain box with half sizes and centre in m."""
        self.look(primitives.box(*half).moved(*center), material)
        self.touch(convex.box_part(half, transform(translation=np.asarray(center))))

    def lathe(self, profile: Profile, material: Material, *, at: ArrayLike | None = None, sectors: int = 20) -> Mesh:
        """Adds a solid of revolution about z, moved by ``at``; gives back its mesh."""
        mesh = primitives.revolve(profile, sectors)
        moved = mesh if at is None else mesh.at(at)
        self.look(moved, material)
        self.touch(*convex.revolved_parts(profile, sectors, at))
        return moved

    def body(self, mesh: Mesh, *, shape: str | None = None) -> None:
        """Names the mesh (already added, or not) whose silhouette gives the shape word.

        Args:
            mesh: The main body.
            shape: A word that silhouettes cannot tell, such as "curved".
        """
        self._body, self._shape = mesh, shape

    def grip(
        self,
        *yaws_deg: float,
        x: float = 0.0,
        y: float = 0.0,
        height: float | None = None,
        tilts_deg: Sequence[float] = (0.0, 30.0, -30.0),
        free_yaw: bool = False,
    ) -> None:
        """Wishes for grips closing along each yaw (0 is x) with each tilt; misfits are dropped later."""
        for tilt in tilts_deg:
            for yaw in yaws_deg or (0.0,):
                self._wishes.append(GripWish(x, y, height, np.radians(yaw), np.radians(tilt), free_yaw))

    def floor(self, center: Sequence[float], half_extents: tuple[float, float], *, round_: bool) -> None:
        """Declares where other things can be put."""
        self._region = (np.asarray(center, dtype=np.float64), half_extents, round_)

    def finish(self, category: Category, uuid: str) -> Asset:
        """Centres, measures and names the object.

        Args:
            category: What it is.
            uuid: Its id, see `asset_uuid`.

        Raises:
            AssetError: A piece is missing or the object has no body.
        """
        if self._body is None:
            raise AssetError(f"the builder of {category.name!r} named no body")
        table = min(float(convex.part_points(part)[:, 2].min()) for part in self._parts)
        pieces = [(mesh.clamped_below(table), material) for mesh, material in self._pieces]
        points = np.concatenate([mesh.vertices for mesh, _ in pieces])
        center = np.round((points.min(0) + points.max(0)) / 2.0, 7)
        visuals = _by_material(pieces, center)
        parts = tuple(_shifted(part, -center) for part in self._parts)
        corners = np.concatenate([mesh.vertices for mesh in visuals])
        box_min, box_max = corners.min(0), corners.max(0)
        color, material = measure.dominant_words(visuals)
        shape = self._shape or measure.shape_word(self._body)
        grips = self._grips(parts, center, box_min, box_max)
        tags = ({TAG_GRASPABLE} if grips else set()) | ({TAG_CONTAINER} if self._region else set())
        speakable = [material] if MATERIALS[material].speakable else []
        name = " ".join([color, *speakable, category.nouns[0]])
        return Asset(
            uuid=uuid,
            name=name,
            domain=category.domain,
            super_category=category.super_category,
            category=category.name,
            color=color,
            shape=shape,
            material=material,
            size_bucket=size_bucket(float((box_max - box_min).max())),
            tags=frozenset(tags),
            mass_kg=self._mass_kg,
            friction=MATERIALS[material].friction,
            rolling_friction=self._rolling_friction_m,
            visuals=visuals,
            collisions=parts,
            grips=grips,
            box_min=box_min,
            box_max=box_max,
            expressions=expressions(category.name, category.nouns, color, shape, material),
            description=description(name, shape, (box_max - box_min).tolist()),
            stable_poses=stable_poses(parts),
            region=Region(self._region[0] - center, *self._region[1:]) if self._region else None,
        )

    def _grips(
        self, parts: tuple[CollisionPart, ...], center: Array, box_min: Array, box_max: Array
    ) -> tuple[Grip, ...]:
        """The wishes that fit, in order."""
        if not self._wishes:
            return ()
        chords = convex.Chords(parts)
        usual = grasping.usual_height(float(box_max[2] - box_min[2]))
        measured = []
        for wish in self._wishes:
            height = usual if wish.height_m is None else wish.height_m
            at = np.array([wish.x - center[0], wish.y - center[1], box_min[2] + height])
            measured.append(grasping.measured_grip(wish, chords, at, float(box_min[2])))
        return tuple(grip for grip in measured if grip is not None)


def _by_material(pieces: Sequence[tuple[Mesh, Material]], center: Array) -> tuple[VisualMesh, ...]:
    """One mesh about ``center`` for each material, in the order of first use."""
    groups: dict[Material, list[Mesh]] = {}
    for mesh, material in pieces:
        groups.setdefault(material, []).append(mesh)
    joined = [(primitives.join(meshes).moved(*-center), material) for material, meshes in groups.items()]
    return tuple(VisualMesh(mesh.vertices, mesh.faces, material, mesh.uv) for mesh, material in joined)


def _shifted(part: CollisionPart, offset: Array) -> CollisionPart:
    """The part moved by (3,) m."""
    moved = transform(translation=offset) @ part.object_from_part
    return CollisionPart(part.shape, part.size, moved, part.vertices)
