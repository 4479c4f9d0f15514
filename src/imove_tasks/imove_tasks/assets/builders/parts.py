"""Pieces that builders of several super-categories share: open vessels, printed signs, patterned paints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from imove_tasks.assets import textures
from imove_tasks.assets.convex import hull_part
from imove_tasks.assets.draft import Draft, pose
from imove_tasks.assets.draw import Draw
from imove_tasks.assets.looks import Material, Texture
from imove_tasks.assets.mapping import laid, wrapped
from imove_tasks.assets.model import CollisionPart
from imove_tasks.assets.palette import SHADES, Rgb
from imove_tasks.assets.primitives import Mesh, Profile, box, circle, loft, revolve

Array = NDArray[np.float64]

SIGN_M = 0.0004  # half thickness of a printed piece: it shows, and no finger feels it
_SUNK_M = 0.001  # how deep a hollow label's inner side is hidden in the wall
_USABLE_FLOOR = 0.9  # of the inner radius: contact wedges of a round wall cut its arcs short
_MERGED_FROM = 16  # outlines of so many points are round enough to merge segments into wedges


def luminance(rgb: Sequence[float]) -> float:
    """Perceived lightness of a colour, 0 to 1 (Rec. 709 weights)."""
    return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]


def rgb_of(paint: Material) -> Rgb:
    """Colour of a material without its opacity."""
    return (paint.rgba[0], paint.rgba[1], paint.rgba[2])


def contrast(paint: Material, *, light: str = "white", dark: str = "black") -> Rgb:
    """The one of two colour words' shades that stands out against a paint."""
    return SHADES[dark if luminance(paint.rgba) > 0.45 else light][0]


def grained(paint: Material, draw: Draw) -> Material:
    """A wooden paint with grain a little darker than itself."""
    red, green, blue = rgb_of(paint)
    return textures.painted(
        textures.grain((red, green, blue), (red * 0.84, green * 0.82, blue * 0.8), draw.rng), "wood"
    )


def patterned(draw: Draw, paint: Material, patterns: Sequence[str], *, key: str = "pattern") -> Material:
    """The paint, plain or with a pattern that leaves it dominant.

    Args:
        draw: Chooses among ``patterns`` by cycling.
        paint: Base colour and kind.
        patterns: Of "plain", "stripes", "pinstripes", "upright", "dots", "speckles" and "grain".
        key: Of the cycle.
    """
    pattern = draw.cycle(key, patterns)
    base, ink = rgb_of(paint), contrast(paint)
    if pattern == "plain":
        return paint
    if pattern == "grain":
        return grained(paint, draw)
    drawn = {
        "stripes": lambda: textures.stripes(base, ink, share=0.28),
        "pinstripes": lambda: textures.stripes(base, ink, share=0.14),
        "upright": lambda: textures.stripes(base, ink, share=0.26, upright=True),
        "dots": lambda: textures.dots(base, ink, radius=0.24),
        "speckles": lambda: textures.speckles(base, ink, draw.rng, share=0.1),
    }[pattern]()
    return textures.painted(drawn, paint.name)


def mapped(mesh: Mesh, paint: Material, *, around: float = 1.0, along: float = 1.0) -> Mesh:
    """The mesh with its paint's picture wrapped about z; as it is for a plain paint."""
    return wrapped(mesh, around=around, along=along) if paint.texture else mesh


def flat(mesh: Mesh, paint: Material, *, axis: int = 2, repeat: tuple[float, float] = (1.0, 1.0)) -> Mesh:
    """The mesh with its paint's picture laid on along an axis; as it is for a plain paint."""
    return laid(mesh, axis=axis, repeat=repeat) if paint.texture else mesh


Sign = tuple[Mesh, Material]
"""What ``Draft.look`` takes."""


def sign_above(half_x: float, half_y: float, picture: Texture, at: ArrayLike, stuff: str = "paper") -> Sign:
    """A thin picture that lies face up and reads from the +x side; ``at`` places it."""
    plate = laid(box(half_y, half_x, SIGN_M)).at(np.asarray(at) @ pose(rpy_deg=(0.0, 0.0, 90.0)))
    return plate, textures.painted(picture, stuff)


def sign_front(half_y: float, half_z: float, picture: Texture, at: ArrayLike, stuff: str = "paper") -> Sign:
    """A thin upright picture that faces +x; ``at`` places it."""
    return laid(box(SIGN_M, half_y, half_z), axis=0).at(at), textures.painted(picture, stuff)


def wrap_label(
    lower: tuple[float, float],
    upper: tuple[float, float],
    picture: Texture,
    *,
    copies: int,
    sectors: int = 20,
    stuff: str = "paper",
    hollow: bool = False,
) -> Sign:
    """A label round a solid of revolution, one copy of its picture facing +x.

    Args:
        lower: (radius, z) of the surface under its lower edge, m.
        upper: (radius, z) of the surface under its upper edge, m.
        picture: What is printed.
        copies: How often it is printed around.
        sectors: Points around, as in the body.
        stuff: Material word.
        hollow: Keeps the middle free: for a vessel that one looks into.
    """
    profile = [(lower[0] + SIGN_M, lower[1]), (upper[0] + SIGN_M, upper[1])]
    if hollow:
        profile += [(upper[0] - _SUNK_M, upper[1]), (lower[0] - _SUNK_M, lower[1])]
    sleeve = revolve(profile, sectors, closed=hollow)
    # The cut of the wrapping is at +x: half a copy back brings a middle there; whole sectors keep edges in line.
    turn = pose(rpy_deg=(0.0, 0.0, -360.0 / sectors * round(sectors / (2.0 * copies))))
    return wrapped(sleeve, around=copies).at(turn), textures.painted(picture, stuff)


def radius_at(profile: Profile, z: float) -> float:
    """Radius of a rising profile at a height, m."""
    radii, heights = np.array(profile).T
    return float(np.interp(z, heights, radii))


def vessel(
    draft: Draft,
    outer: Profile,
    paint: Material,
    *,
    wall: float,
    floor: float,
    outline: Array | None = None,
    base: float = 0.0,
    around: float = 1.0,
    along: float = 1.0,
    seen_above: bool = False,
) -> Mesh:
    """Adds an open vessel with contact walls and its floor region; gives back the filled body.

    Args:
        draft: Gets the pieces.
        outer: (scale, z) pairs of the outside from bottom to top, m.
        paint: Of inside and outside; its picture is wrapped about z.
        wall: Thickness, m.
        floor: Height of the inner floor, m.
        outline: (K, 2) points that a scale of 1 m multiplies, counter-clockwise; None for a circle of 20.
        base: Lowest height of contacts, for a vessel on a stem, m.
        around: Repeats of the picture around.
        along: Repeats of the picture over the height.
        seen_above: Lays the picture flat from above instead, repeated ``around`` and ``along`` times.
    """
    shape = circle(1.0, 20) if outline is None else outline
    inside = radius_at(outer, floor) - wall
    inner = [(scale - wall, z) for scale, z in reversed(outer) if z > floor + 0.004]
    rings = [np.column_stack([shape * scale, np.full(len(shape), z)]) for scale, z in [*outer, *inner, (inside, floor)]]
    shell = loft(rings)
    if seen_above:
        draft.look(flat(shell, paint, repeat=(around, along)), paint)
    else:
        draft.look(mapped(shell, paint, around=around, along=along), paint)
    plate = [np.column_stack([shape * radius_at(outer, z), np.full(len(shape), z)]) for z in (base, floor)]
    draft.touch(hull_part(np.concatenate(plate)))
    levels = [(low, high) for low, high in zip(outer[:-1], outer[1:], strict=True) if high[1] > floor]
    step = 1 if len(shape) < _MERGED_FROM else 3 if len(levels) > 2 and len(shape) % 3 == 0 else 2
    for (low, z_low), high in levels:
        draft.touch(*_wedges(shape, step, (low, max(z_low, base + 0.001)), high, wall))
    half_x, half_y = np.abs(shape).max(0) * inside
    # Circles and ellipses have a round floor; a rounded rectangle's corners cut the region's corners.
    circle_like, ellipse_like = (float(np.ptp(np.hypot(*(shape / size).T))) for size in (1.0, np.abs(shape).max(0)))
    is_round = circle_like < 1e-9 or ellipse_like < 0.03
    share = _USABLE_FLOOR if is_round else 0.9
    if is_round and len(shape) < 20:
        share *= float(np.cos(np.pi / len(shape)))  # the circle inside a polygon of few sides
    draft.floor((0.0, 0.0, floor), (float(half_x) * share, float(half_y) * share), round_=is_round)
    return loft([np.column_stack([shape * scale, np.full(len(shape), z)]) for scale, z in outer])


def _wedges(
    shape: Array, step: int, low: tuple[float, float], high: tuple[float, float], wall: float
) -> list[CollisionPart]:
    """Convex pieces of a wall between two (scale, z) levels, one for each ``step`` segments of the outline."""
    parts = []
    for start in range(0, len(shape), step):
        unit = shape[np.arange(start, start + step + 1) % len(shape)]
        points = [
            np.column_stack([unit * scale, np.full(len(unit), z)])
            for outside, z in (low, high)
            for scale in (outside, outside - wall)
        ]
        parts.append(hull_part(np.concatenate(points)))
    return parts


def ring_sign(outline: Array, outer: tuple[float, float], inner: tuple[float, float]) -> Mesh:
    """A thin ring-shaped print between two (scale, z) rims of an outline, seen from above."""
    levels = [(*outer, -SIGN_M), (*outer, SIGN_M), (*inner, SIGN_M), (*inner, -SIGN_M)]
    rings = [np.column_stack([outline * scale, np.full(len(outline), z + rise)]) for scale, z, rise in levels]
    return loft(rings, closed=True)
