"""Figures that stand on the plinths of mini sculptures; sizes below are metres at scale 1, heights above the plinth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from imove_tasks.assets.builders.parts import luminance
from imove_tasks.assets.convex import hull_part, loop_parts
from imove_tasks.assets.draft import Draft, pose
from imove_tasks.assets.draw import shade, solid
from imove_tasks.assets.looks import Material
from imove_tasks.assets.palette import INK
from imove_tasks.assets.primitives import (
    Mesh,
    arc,
    box,
    circle,
    ellipsoid,
    loft,
    loop,
    oval_path,
    prism,
    rectangle,
    revolve,
    slab,
    tube,
)

_TALLEST_ABOVE_GRIP_M = 0.057

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Sculptor:
    """Puts pieces of one figure on a draft.

    Attributes:
        draft: The object.
        paint: Colour of the whole figure.
        base: Height of the plinth's top above the table, m.
        scale: Of everything on the plinth.
    """

    draft: Draft
    paint: Material
    base: float
    scale: float

    @property
    def mark(self) -> Material:
        """Colour of eyes: dark on pale figures, pale on dark ones."""
        pale = luminance(self.paint.rgba) > 0.15
        return solid(self.paint.name, INK) if pale else shade(self.paint.name, "white")

    def placed(self, mesh: Mesh, at: Triple, rpy_deg: Triple = (0.0, 0.0, 0.0)) -> Mesh:
        """A mesh of scale 1 where it belongs."""
        x, y, z = (self.scale * value for value in at)
        return mesh.scaled(self.scale, self.scale, self.scale).at(pose(x, y, self.base + z, rpy_deg=rpy_deg))

    def blob(
        self,
        radii: Triple,
        at: Triple,
        *,
        detail: tuple[int, int] = (6, 3),
        rpy_deg: Triple = (0.0, 0.0, 0.0),
        paint: Material | None = None,
    ) -> None:
        """Shows an ellipsoid; ``detail`` are its points around and its rings."""
        self.draft.look(self.placed(ellipsoid(*radii, *detail), at, rpy_deg), paint or self.paint)

    def lump(self, mesh: Mesh, at: Triple = (0.0, 0.0, 0.0), rpy_deg: Triple = (0.0, 0.0, 0.0)) -> Mesh:
        """Adds a convex piece that can be touched; gives back the placed mesh."""
        mesh = self.placed(mesh, at, rpy_deg)
        self.draft.solid(mesh, self.paint)
        return mesh

    def hold(self, height: float, *yaws_deg: float, top: float, x: float = 0.0) -> None:
        """Wishes for a grip at a height, or higher where the palm would hit the ``top``."""
        reached = self.base + max(self.scale * height, self.scale * top - _TALLEST_ABOVE_GRIP_M)
        self.draft.grip(*yaws_deg, x=self.scale * x, height=reached)


def _cat(sculptor: Sculptor) -> None:
    _sitting(sculptor)
    for y in (-1, 1):
        ear = prism(circle(0.0052, 5), [(0.0, 1.0), (0.011, 0.12)])
        sculptor.draft.look(sculptor.placed(ear, (0.003, y * 0.0072, 0.053), (-y * 14.0, 0.0, 0.0)), sculptor.paint)
    tail = arc(0.016, 0.016, np.pi * 0.75, np.pi * 1.55, 6)[:, [0, 2, 1]]
    sculptor.draft.look(sculptor.placed(tube(tail, 0.0034, 5), (0.0, 0.0, 0.004)), sculptor.paint)
    sculptor.hold(0.016, 90.0, 0.0, top=0.065)


def _rabbit(sculptor: Sculptor) -> None:
    _sitting(sculptor)
    for y in (-1, 1):
        sculptor.blob((0.0028, 0.0045, 0.0125), (-0.001, y * 0.0072, 0.0635), rpy_deg=(-y * 12.0, -10.0, 0.0))
    sculptor.blob((0.006, 0.006, 0.006), (-0.017, 0.0, 0.007))
    sculptor.hold(0.016, 90.0, 0.0, top=0.077)


def _sitting(sculptor: Sculptor) -> None:
    """A pear-shaped animal's body with forelegs and a head that looks to +x."""
    profile = [(0.0148, 0.0), (0.0172, 0.007), (0.0165, 0.018), (0.0125, 0.032), (0.008, 0.042)]
    body = sculptor.lump(revolve(profile, 12))
    sculptor.lump(ellipsoid(0.0115, 0.0125, 0.0105, 10, 5), (0.003, 0.0, 0.048))
    for y in (-1, 1):
        sculptor.blob((0.008, 0.0048, 0.0042), (0.0145, y * 0.007, 0.0036))
        sculptor.blob((0.0014, 0.0019, 0.0022), (0.0133, y * 0.0046, 0.05), detail=(5, 2), paint=sculptor.mark)
    sculptor.blob((0.0018, 0.0019, 0.0013), (0.0142, 0.0, 0.0458), detail=(5, 2), paint=sculptor.mark)
    sculptor.draft.body(body, shape="irregular")


def _bird(sculptor: Sculptor) -> None:
    body = sculptor.lump(ellipsoid(0.021, 0.0135, 0.0145, 10, 6), (0.0, 0.0, 0.021), (0.0, -24.0, 0.0))
    sculptor.lump(revolve([(0.009, 0.0), (0.006, 0.010)], 8))
    sculptor.lump(ellipsoid(0.0105, 0.010, 0.010, 10, 5), (0.0165, 0.0, 0.036))
    bill = prism(circle(0.0036, 6), [(0.0, 1.0), (0.010, 0.15)])
    warm = sculptor.paint.rgba[0] > 0.7 and sculptor.paint.rgba[2] < 0.5
    tint = shade(sculptor.paint.name, "black" if warm else "orange")
    sculptor.draft.look(sculptor.placed(bill, (0.025, 0.0, 0.035), (0.0, 96.0, 0.0)), tint)
    sculptor.lump(slab([(-0.036, 0.013), (-0.012, 0.017), (-0.012, 0.022), (-0.037, 0.016)], 0.0062))
    for y in (-1, 1):
        wing = (-0.004, y * 0.0128, 0.0225)
        sculptor.blob((0.0165, 0.0024, 0.0085), wing, detail=(8, 3), rpy_deg=(0.0, -22.0, -y * 7.0))
        sculptor.blob((0.0016, 0.0012, 0.0016), (0.0205, y * 0.0088, 0.038), detail=(5, 2), paint=sculptor.mark)
    sculptor.draft.body(body, shape="irregular")
    sculptor.hold(0.021, 90.0, top=0.046)
    sculptor.hold(0.021, 90.0, top=0.046, x=0.004)


def _bust(sculptor: Sculptor) -> None:
    levels = [(0.011, 0.019, 0.0), (0.0095, 0.0215, 0.012), (0.006, 0.016, 0.021), (0.0052, 0.0068, 0.026)]
    body = sculptor.lump(loft([_ring_of(12, x, y, z) for x, y, z in levels]))
    sculptor.lump(revolve([(0.0062, 0.021), (0.0056, 0.036)], 8))
    sculptor.lump(ellipsoid(0.0115, 0.0098, 0.0138, 12, 5), (0.0015, 0.0, 0.044))
    sculptor.lump(ellipsoid(0.0122, 0.0108, 0.0105, 10, 4), (-0.0016, 0.0, 0.0495))
    nose = prism(circle(0.0024, 4), [(0.0, 1.0), (0.0065, 0.25)])
    sculptor.draft.look(sculptor.placed(nose, (0.0134, 0.0, 0.0395)), sculptor.paint)
    for y in (-1, 1):
        sculptor.blob((0.002, 0.0022, 0.0036), (0.0, y * 0.0102, 0.0435), detail=(5, 2))
        eye = box(0.0007, 0.0017, 0.0007)
        sculptor.draft.look(sculptor.placed(eye, (0.0122, y * 0.004, 0.0448)), sculptor.mark)
    sculptor.draft.body(body, shape="irregular")
    sculptor.hold(0.012, 90.0, 0.0, top=0.061)


def _ring(sculptor: Sculptor) -> None:
    radius, thick, breadth = (sculptor.scale * value for value in (0.0225, 0.0062, 0.0085))
    path = oval_path(radius, radius, 18)
    at = pose(z=sculptor.base + radius + thick * 0.6, rpy_deg=(90.0, 0.0, 0.0))
    sculptor.draft.look(loop(path, thick, breadth).at(at), sculptor.paint)
    sculptor.draft.touch(*loop_parts(path, thick, breadth, at=at))
    ball = sculptor.lump(ellipsoid(0.009, 0.009, 0.009, 10, 6), (0.0, 0.0, 0.0184))
    sculptor.draft.body(ball, shape="ring-shaped")
    sculptor.hold(0.0475, 90.0, top=0.055)
    sculptor.hold(0.0465, 90.0, top=0.055, x=0.003)


def _column(sculptor: Sculptor) -> None:
    rings = []
    for step in range(9):
        turn, half = np.radians(15.0 * step), 0.0165 * (1.0 - 0.045 * step)
        spin = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        rings.append(np.column_stack([rectangle(half, half) @ spin, np.full(4, 0.0075 * step)]))
    column = sculptor.placed(loft(rings), (0.0, 0.0, 0.0))
    sculptor.draft.look(column, sculptor.paint)
    corners = column.vertices[:-2].reshape(9, 4, 3)
    sculptor.draft.touch(*(hull_part(np.concatenate(pair)) for pair in zip(corners[:-1], corners[1:], strict=True)))
    sculptor.lump(ellipsoid(0.0085, 0.0085, 0.0085, 10, 6), (0.0, 0.0, 0.067))
    sculptor.draft.body(column, shape="tapered")
    sculptor.hold(0.03, 0.0, 90.0, top=0.0755)


def _ring_of(points: int, half_x: float, half_y: float, z: float) -> NDArray[np.float64]:
    """(points, 3) level ellipse, m."""
    return np.column_stack([oval_path(half_x, half_y, points), np.full(points, z)])


FIGURES: Mapping[str, Callable[[Sculptor], None]] = MappingProxyType(
    {"cat": _cat, "bird": _bird, "bust": _bust, "ring": _ring, "rabbit": _rabbit, "column": _column}
)
"""Makers of figures by name."""
