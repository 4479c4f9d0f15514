"""Frozen value types of what an object looks like: pictures, materials, triangle meshes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from imove_tasks.assets.arrays import Array, frozen_array
from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.vocabulary import MATERIALS, Finish, color_word


@dataclass(frozen=True, eq=False)
class Texture:
    """A small picture to wrap on a mesh; equal when its pixels are.

    Attributes:
        pixels: (H, W, 3) uint8 sRGB, first row at the top.
    """

    pixels: NDArray[np.uint8]

    def __post_init__(self) -> None:
        """Checks shape and type, and freezes the pixels."""
        pixels = np.array(self.pixels)
        if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 3 or pixels.size == 0:
            raise AssetError(f"a texture is {pixels.dtype} of shape {pixels.shape}, expected uint8 (H, W, 3)")
        pixels.setflags(write=False)
        object.__setattr__(self, "pixels", pixels)

    @cached_property
    def color_shares(self) -> tuple[tuple[str, float], ...]:
        """Colour words and the share of the pixels that each takes."""
        packed = self.pixels.reshape(-1, 3).astype(np.int64) @ (65536, 256, 1)  # far quicker to sort than rows
        values, counts = np.unique(packed, return_counts=True)
        colors = np.stack([values >> 16, values >> 8 & 255, values & 255], axis=1)
        shares: dict[str, float] = {}
        for color, count in zip(colors / 255.0, counts / counts.sum(), strict=True):
            word = color_word(color)
            shares[word] = shares.get(word, 0.0) + float(count)
        return tuple(shares.items())

    @cached_property
    def _key(self) -> tuple[tuple[int, ...], bytes]:
        return self.pixels.shape, self.pixels.tobytes()

    def __eq__(self, other: object) -> bool:
        """True for the same picture."""
        return isinstance(other, Texture) and self._key == other._key

    def __hash__(self) -> int:
        """Hash of shape and pixels."""
        return hash(self._key)


@dataclass(frozen=True)
class Material:
    """What a surface is made of and its colour.

    Attributes:
        name: One of ``vocabulary.MATERIALS``.
        rgba: Red, green, blue (sRGB) and opacity, each 0 to 1; of a textured surface the mean colour.
        texture: Drawn in place of the colour where a mesh has texture coordinates.
        finish: One of the material's finishes; empty for its usual one.
    """

    name: str
    rgba: tuple[float, float, float, float]
    texture: Texture | None = None
    finish: str = ""

    def __post_init__(self) -> None:
        """Checks the words and the range of the colour."""
        if self.name not in MATERIALS:
            raise AssetError(f"material {self.name!r} is unknown, allowed are {sorted(MATERIALS)}")
        if len(self.rgba) != 4 or not all(0.0 <= value <= 1.0 for value in self.rgba):
            raise AssetError(f"rgba of material {self.name!r} is {self.rgba}, expected four values in [0, 1]")
        finishes = MATERIALS[self.name].finishes
        if not self.finish:
            object.__setattr__(self, "finish", next(iter(finishes)))
        if self.finish not in finishes:
            raise AssetError(f"finish {self.finish!r} of {self.name} is unknown, allowed are {sorted(finishes)}")

    @property
    def surface(self) -> Finish:
        """Optical constants of the finish."""
        return MATERIALS[self.name].finishes[self.finish]

    @property
    def color_shares(self) -> tuple[tuple[str, float], ...]:
        """Colour words of the surface and the share of it that each takes."""
        return self.texture.color_shares if self.texture else ((color_word(self.rgba), 1.0),)


@dataclass(frozen=True, eq=False)
class VisualMesh:
    """One closed triangle mesh of one material, outward winding.

    Attributes:
        vertices: (N, 3) float64, m, object frame.
        faces: (M, 3) int32 indices into ``vertices``, counter-clockwise seen from outside.
        material: Colour and kind of the whole mesh.
        uv: (M, 3, 2) texture coordinates of each face's corners, u to the right and v up from the lower left of
            the picture, which repeats beyond 0 to 1; None without a texture.
    """

    vertices: Array
    faces: NDArray[np.int32]
    material: Material
    uv: Array | None = None

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
        if (self.uv is None) != (self.material.texture is None):
            raise AssetError(f"a mesh of {self.material.name} has only one of texture and texture coordinates")
        if self.uv is not None:
            object.__setattr__(self, "uv", frozen_array(self.uv, len(faces), 3, 2, what="texture coordinates"))
