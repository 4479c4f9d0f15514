"""Shapes of a link as its YAML states them: solids to look at and primitives to collide with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast, get_args

import numpy as np

from imove_description.reading import DescriptionError, FloatArray, Reader, number_array, pose_matrix

Material = Literal["white", "dark", "accent", "rubber"]

#: Linear RGB of each material, 0 to 1.
MATERIAL_RGB: dict[Material, tuple[float, float, float]] = {
    "white": (0.80, 0.81, 0.82),
    "dark": (0.17, 0.18, 0.20),
    "accent": (0.93, 0.47, 0.13),
    "rubber": (0.09, 0.09, 0.10),
}


@dataclass(frozen=True, eq=False)
class Lathe:
    """A solid of revolution about its local z axis.

    Attributes:
        profile: (n, 2) rows of z and radius, z not falling, radii above 0, m; both ends are capped flat.
        sides: number of flat sides that stand for the circle.
    """

    profile: FloatArray
    sides: int


@dataclass(frozen=True, eq=False)
class Loft:
    """A beam along its local x axis with chamfered rectangular cross-sections.

    Attributes:
        sections: (n, 5) rows of x, y_min, y_max, z_min, z_max, x rising, m; both ends are capped flat.
        chamfer_m: width cut from each of the four long edges; 0 keeps them sharp.
    """

    sections: FloatArray
    chamfer_m: float


@dataclass(frozen=True, eq=False)
class Tube:
    """A round bar along a bent path.

    Attributes:
        path: (n, 4) rows of x, y, z and radius, neighbours apart, radii above 0, m; both ends are capped flat.
        sides: number of flat sides that stand for the circle.
    """

    path: FloatArray
    sides: int


Form = Lathe | Loft | Tube


@dataclass(frozen=True, eq=False)
class Solid:
    """A visible solid: its form, where it is in the link frame ((4, 4), m) and what it is made of."""

    form: Form
    link_from_solid: FloatArray
    material: Material

    @classmethod
    def from_yaml(cls, value: object, where: str) -> Solid:
        """Reads a solid; raises DescriptionError naming the place where a rule is broken."""
        forms = ("lathe", "loft", "tube")
        optional = (*forms, "xyz", "rpy", "sides", "chamfer")
        reader = Reader(value, where, required=("material",), optional=optional)
        material = reader.text("material")
        if material not in get_args(Material):
            allowed = ", ".join(get_args(Material))
            raise DescriptionError(f"{reader.at('material')} must be one of {allowed}, got {material!r}")
        present = [kind for kind in forms if reader.has(kind)]
        if len(present) != 1:
            raise DescriptionError(f"{where} must have exactly one of {', '.join(forms)}")
        form: Form
        if present == ["loft"]:
            reader.refuse("sides", "lathe or tube")
            form = _loft(reader)
        else:
            reader.refuse("chamfer", "loft")
            form = _lathe(reader) if present == ["lathe"] else _tube(reader)
        return cls(form, _pose(reader), cast(Material, material))


@dataclass(frozen=True, eq=False)
class CollisionBox:
    """A box, size_m: (3,) full extents, link_from_box: (4, 4), m."""

    size_m: FloatArray
    link_from_box: FloatArray


@dataclass(frozen=True, eq=False)
class CollisionRod:
    """A cylinder or a capsule between two points of the link frame.

    Attributes:
        start_m: (3,) centre of one end of the straight part.
        end_m: (3,) centre of the other end.
        radius_m: radius.
        round_ends: whether half spheres close it (a capsule) or flat discs (a cylinder).
    """

    start_m: FloatArray
    end_m: FloatArray
    radius_m: float
    round_ends: bool


CollisionShape = CollisionBox | CollisionRod


def collision_from_yaml(value: object, where: str) -> CollisionShape:
    """Reads a collision shape; raises DescriptionError naming the place where a rule is broken."""
    kinds = ("box", "cylinder", "capsule")
    reader = Reader(value, where, required=(), optional=(*kinds, "xyz", "rpy", "radius"))
    present = [kind for kind in kinds if reader.has(kind)]
    if len(present) != 1:
        raise DescriptionError(f"{where} must have exactly one of {', '.join(kinds)}")
    if present == ["box"]:
        reader.refuse("radius", "cylinder or capsule")
        size = reader.numbers("box", 3)
        if np.any(size <= 0):
            raise DescriptionError(f"{reader.at('box')} must be above 0, got {size.tolist()}")
        return CollisionBox(size, _pose(reader))
    for key in ("xyz", "rpy"):
        reader.refuse(key, "box")
    if not reader.has("radius"):
        raise DescriptionError(f"{where} lacks 'radius', which a {present[0]} requires")
    ends = number_array(reader.raw(present[0]), reader.at(present[0]), (2, 3))
    if np.array_equal(ends[0], ends[1]):
        raise DescriptionError(f"{reader.at(present[0])} must be two different points, got {ends.tolist()}")
    return CollisionRod(ends[0], ends[1], reader.positive("radius"), present == ["capsule"])


def _pose(reader: Reader) -> FloatArray:
    zero = (0.0, 0.0, 0.0)
    return pose_matrix(reader.numbers("xyz", 3, zero), reader.numbers("rpy", 3, zero))


def _lathe(reader: Reader) -> Lathe:
    rows = reader.items("lathe")
    profile = number_array(rows, reader.at("lathe"), (len(rows), 2))
    if len(rows) < 2 or np.any(np.diff(profile[:, 0]) < 0) or np.any(profile[:, 1] <= 0):
        raise DescriptionError(f"{reader.at('lathe')} must be rows of rising z and positive radius, got {rows}")
    return Lathe(profile, _sides(reader))


def _tube(reader: Reader) -> Tube:
    rows = reader.items("tube")
    path = number_array(rows, reader.at("tube"), (len(rows), 4))
    if len(rows) < 2 or np.any(path[:, 3] <= 0) or not np.all(np.diff(path[:, :3], axis=0).any(axis=1)):
        raise DescriptionError(f"{reader.at('tube')} must be rows of different places and positive radius, got {rows}")
    return Tube(path, _sides(reader))


def _sides(reader: Reader) -> int:
    sides = reader.number("sides", 16)
    if sides != int(sides) or sides < 3:
        raise DescriptionError(f"{reader.at('sides')} must be a whole number from 3 on, got {sides:g}")
    return int(sides)


def _loft(reader: Reader) -> Loft:
    rows = reader.items("loft")
    sections = number_array(rows, reader.at("loft"), (len(rows), 5))
    chamfer = reader.number("chamfer", 0.0)
    extents = sections[:, [2, 4]] - sections[:, [1, 3]]
    if len(rows) < 2 or np.any(np.diff(sections[:, 0]) <= 0) or np.any(extents <= 2 * chamfer):
        raise DescriptionError(
            f"{reader.at('loft')} must be rows of rising x with y and z extents above two chamfers, got {rows}"
        )
    if chamfer < 0:
        raise DescriptionError(f"{reader.at('chamfer')} must not be negative, got {chamfer:g}")
    return Loft(sections, chamfer)
