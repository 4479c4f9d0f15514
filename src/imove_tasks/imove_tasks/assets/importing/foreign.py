"""What every reader gives: an asset as its source has it, in one frame, before anything is judged or mended.

Everything is in the source's **link frame**, z up as far as the source says so, in the unit that the source takes
for metres; `scale` finds out whether it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from imove_core.values import FrozenValue
from imove_tasks.assets.arrays import Array
from imove_tasks.assets.errors import AssetError

Faces = NDArray[np.int64]
Picture = NDArray[np.uint8]
Rgba = tuple[float, float, float, float]


@dataclass(frozen=True, eq=False)
class ForeignMesh:
    """A triangle mesh of one material.

    Attributes:
        vertices: (N, 3) float64.
        faces: (M, 3) indices, M > 0.
        rgba: Colour, each 0 to 1; with a picture its tint.
        picture: (H, W, 3) uint8 sRGB to wrap on it.
        uv: (M, 3, 2) texture coordinates of the corners, v up.
        label: Name of its material in the source, which may hold a material word.
        colored: False when the source gives it no colour.
    """

    vertices: Array
    faces: Faces
    rgba: Rgba = (0.6, 0.6, 0.6, 1.0)
    picture: Picture | None = None
    uv: Array | None = None
    label: str = ""
    colored: bool = True

    def __post_init__(self) -> None:
        """Checks that the numbers are usable.

        Raises:
            AssetError: The mesh is empty, its indices are wrong, or a coordinate is not finite.
        """
        if len(self.vertices) == 0 or len(self.faces) == 0:
            raise AssetError(f"a mesh has {len(self.vertices)} vertices and {len(self.faces)} faces, expected some")
        if not np.isfinite(self.vertices).all():
            raise AssetError("a mesh has a vertex that is not a finite number")
        if self.faces.min() < 0 or self.faces.max() >= len(self.vertices):
            raise AssetError(
                f"mesh faces index {self.faces.min()}..{self.faces.max()} of {len(self.vertices)} vertices"
            )
        if self.uv is not None and not np.isfinite(self.uv).all():
            raise AssetError("a mesh has a texture coordinate that is not a finite number")

    def at(self, target_from_mesh: ArrayLike) -> ForeignMesh:
        """The mesh under an affine (4, 4) map; a mirroring one keeps the faces outward."""
        matrix = np.asarray(target_from_mesh, dtype=np.float64)
        vertices = self.vertices @ matrix[:3, :3].T + matrix[:3, 3]
        if np.linalg.det(matrix[:3, :3]) >= 0.0:
            return replace(self, vertices=vertices)
        uv = None if self.uv is None else self.uv[:, ::-1]
        return replace(self, vertices=vertices, faces=self.faces[:, ::-1], uv=uv)

    def painted(self, rgb: tuple[float, float, float]) -> ForeignMesh:
        """The mesh in one colour, each of red, green and blue 0 to 1."""
        return replace(self, rgba=(*rgb, 1.0), picture=None, uv=None, colored=True)


@dataclass(frozen=True, eq=False)
class Solid:
    """A convex contact piece.

    Attributes:
        points: (N, 3) points whose convex hull is the piece.
    """

    points: Array


@dataclass(frozen=True, eq=False)
class Grasp:
    """A place to hold the object, as the release's interaction file gives it.

    Attributes:
        center: (3,) between the fingers.
        approach: (3,) direction into the object.
        closing_axis: (3,) direction along which the fingers close.
    """

    center: Array
    approach: Array
    closing_axis: Array


class Captions(FrozenValue):
    """Noun phrases that the source has for the object.

    Attributes:
        seen: Phrases for training.
        unseen: Phrases kept for tests of language.
    """

    seen: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()


class Facts(FrozenValue):
    """What the source says of the object; nothing of it is trusted.

    Attributes:
        uuid: Id, empty when it has none.
        category: Its word for what it is.
        colors: Colour words.
        shapes: Shape words.
        materials: Material words.
        tags: Affordances.
        real_height_m: Height as it stands, m.
        extents_m: Sides of its box, m.
        masses_kg: Masses, the most trusted one first.
        density_kg_m3: Of the solid.
        friction: Sliding friction coefficient.
    """

    uuid: str = ""
    category: str = ""
    colors: tuple[str, ...] = ()
    shapes: tuple[str, ...] = ()
    materials: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    real_height_m: float | None = None
    extents_m: tuple[float, float, float] | None = None
    masses_kg: tuple[float, ...] = ()
    density_kg_m3: float | None = None
    friction: float | None = None


@dataclass(frozen=True, eq=False)
class Foreign:
    """An asset as its source has it.

    Attributes:
        facts: What the source says of it.
        visuals: What it looks like.
        contacts: Its collision meshes, convex or not; empty when it has none.
        solids: Convex pieces that the source states as primitives.
        captions: Phrases for it.
        grasps: Places to hold it.
    """

    facts: Facts
    visuals: tuple[ForeignMesh, ...]
    contacts: tuple[ForeignMesh, ...] = ()
    solids: tuple[Solid, ...] = ()
    captions: Captions = field(default_factory=Captions)
    grasps: tuple[Grasp, ...] = ()

    def __post_init__(self) -> None:
        """Checks that there is something to see.

        Raises:
            AssetError: It has no visual mesh.
        """
        if not self.visuals:
            raise AssetError("it has no visual mesh, expected at least one")

    def at(self, target_from_link: ArrayLike) -> Foreign:
        """The asset under a rotation, a shift and a uniform scale, as a (4, 4) matrix."""
        matrix = np.asarray(target_from_link, dtype=np.float64)
        turn = matrix[:3, :3] / np.cbrt(np.linalg.det(matrix[:3, :3]))

        def moved(points: Array) -> Array:
            result: Array = points @ matrix[:3, :3].T + matrix[:3, 3]
            return result

        return replace(
            self,
            visuals=tuple(mesh.at(matrix) for mesh in self.visuals),
            contacts=tuple(mesh.at(matrix) for mesh in self.contacts),
            solids=tuple(Solid(moved(solid.points)) for solid in self.solids),
            grasps=tuple(
                Grasp(moved(grasp.center), turn @ grasp.approach, turn @ grasp.closing_axis) for grasp in self.grasps
            ),
        )

    @property
    def box(self) -> tuple[Array, Array]:
        """Lower and upper corner (3,) of the box of the visuals."""
        points = np.concatenate([mesh.vertices[np.unique(mesh.faces)] for mesh in self.visuals])
        return points.min(0), points.max(0)
