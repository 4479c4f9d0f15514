"""Pieces that many packed goods share: print, printed boxes and bottles, tubes, pumps, bars."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from imove_tasks.assets import convex, sweeps
from imove_tasks.assets.builders.parts import rgb_of
from imove_tasks.assets.draft import Draft, pose
from imove_tasks.assets.draw import solid
from imove_tasks.assets.looks import Material, Texture
from imove_tasks.assets.mapping import wrapped
from imove_tasks.assets.palette import INK, PAPER, Rgb
from imove_tasks.assets.primitives import Mesh, Profile, box, loft, revolve
from imove_tasks.assets.textures import label, painted
from imove_tasks.assets.vocabulary import color_word

_LIGHT = 0.5


def is_light(rgb: Rgb) -> bool:
    """True where dark print reads better than white."""
    return 0.3 * rgb[0] + 0.6 * rgb[1] + 0.1 * rgb[2] > _LIGHT


def ink_on(paint: Material) -> Rgb:
    """Black or white, whichever reads better on a paint."""
    return INK if is_light(rgb_of(paint)) else PAPER


def toned(paint: Material, factor: float) -> Material:
    """A paint of the same material, darker (below 1) or lighter."""
    red, green, blue = (min(1.0, max(0.0, value * factor)) for value in rgb_of(paint))
    return solid(paint.name, (red, green, blue))


def kindred(paint: Material, factor: float) -> Material:
    """A darker tone of a paint, ``factor`` of its brightness or as dark as its colour word allows."""
    word = color_word(paint.rgba)
    steps = (toned(paint, float(share)) for share in np.linspace(factor, 1.0, 6))
    return next((tone for tone in steps if color_word(tone.rgba) == word), paint)


def printed(
    paint: Material,
    words: Sequence[str],
    *,
    size: tuple[int, int] = (64, 64),
    frame: bool = False,
    ink: Rgb | None = None,
) -> Material:
    """Words printed straight on a paint, in ``ink`` or in black or white."""
    return painted(label(rgb_of(paint), ink or ink_on(paint), words, size=size, frame=frame), paint.name)


def banded(
    paint: Material,
    paper: Rgb,
    words: Sequence[str],
    *,
    size: tuple[int, int] = (36, 64),
    below: int,
    above: int,
    beside: int = 24,
) -> Material:
    """A paint with a label across it that carries words; on paper of the paint's colour the words stand alone.

    Args:
        paint: Of the body.
        paper: Colour of the label.
        words: Capitals.
        size: Height and width of the field for the words, pixels.
        below: Bare rows below the label, pixels.
        above: Bare rows above it, pixels.
        beside: Columns of bare label left and right of the words, pixels.
    """
    own = rgb_of(paint)
    ink = ink_on(paint) if paper == own else (INK if is_light(own) == is_light(paper) else own)
    rows = label(paper, ink, words, size=size, frame=False).pixels
    rows = np.pad(rows, ((0, 0), (beside, beside), (0, 0)), mode="edge")
    color = np.round(np.array(own) * 255.0).astype(np.uint8)
    width = rows.shape[1]
    pixels = np.concatenate([np.tile(color, (above, width, 1)), rows, np.tile(color, (below, width, 1))])
    return painted(Texture(pixels), paint.name)


def printed_box(half_x: float, half_y: float, height: float) -> Mesh:
    """A box that stands on z = 0 with one whole picture on each of its four sides, corner to corner; m."""
    eighth = pose(rpy_deg=(0.0, 0.0, 45.0))
    square = wrapped(box(1.0, 1.0, 0.5).moved(z=0.5).at(eighth), around=4.0)
    return square.at(np.linalg.inv(eighth)).scaled(half_x, half_y, height)


def printed_lathe(
    draft: Draft,
    profile: Profile,
    material: Material,
    *,
    around: float = 2.0,
    at: ArrayLike | None = None,
    sectors: int = 20,
) -> Mesh:
    """Adds a solid of revolution with a textured material wrapped round it; pictures face +x and -x first.

    Args:
        draft: Gets the piece.
        profile: (radius, z) pairs, m.
        material: With a texture.
        around: Pictures in a turn.
        at: (4, 4) transform; None for upright in place.
        sectors: Points around, a multiple of 4.
    """
    mesh = wrapped(revolve(profile, sectors), around=around).at(pose(rpy_deg=(0.0, 0.0, 90.0)))
    moved = mesh if at is None else mesh.at(at)
    draft.look(moved, material)
    draft.touch(*convex.revolved_parts(profile, sectors, at))
    return moved


def add_bar(
    draft: Draft,
    path: ArrayLike,
    half_widths: ArrayLike | float,
    half_heights: ArrayLike | float,
    material: Material,
    *,
    bevel: float = 0.5,
) -> Mesh:
    """Adds a bar to see and to touch; arguments as in `sweeps.bar_rings`."""
    mesh = sweeps.bar(path, half_widths, half_heights, bevel=bevel)
    draft.look(mesh, material)
    draft.touch(*sweeps.bar_parts(path, half_widths, half_heights, bevel=bevel))
    return mesh


def squeeze_tube(radius: float, length: float, *, sectors: int = 16) -> Mesh:
    """A standing tube, round at z = 0 and pressed flat across x to a seam along y at its top.

    Args:
        radius: At the round end, m.
        length: Of the tube, m.
        sectors: Points around.
    """
    # A bent sheet keeps its perimeter: the seam is half a circumference long, less what the filling rounds off.
    stages = ((0.0, 1.0, 1.0), (0.35, 0.86, 1.08), (0.7, 0.5, 1.22), (0.92, 0.14, 1.34), (1.0, 0.05, 1.35))
    angles = 2.0 * np.pi * (np.arange(sectors) + 0.5) / sectors
    rings = [
        np.column_stack(
            [radius * across * np.cos(angles), radius * along * np.sin(angles), np.full(sectors, share * length)]
        )
        for share, across, along in stages
    ]
    return loft(rings)


def lying_tube(radius: float, length: float, *, sectors: int = 16) -> Mesh:
    """A tube that lies on z = 0: pressed flat at x = 0, round at x = ``length``; m."""
    upright = squeeze_tube(radius, length, sectors=sectors)
    low = np.zeros(len(upright.vertices))
    for rise in np.unique(upright.vertices[:, 2]):
        level = upright.vertices[:, 2] == rise  # a ring, and the fan's tip with it
        low[level] = upright.vertices[level, 0].min()
    x, y, z = upright.vertices.T
    return Mesh(np.column_stack([length - z, y, x - low]), upright.faces)


def pump(draft: Draft, z: float, radius: float, paint: Material) -> float:
    """Adds a collar, a stem and a head with a spout toward +x on a bottle's neck.

    Args:
        draft: Gets the pieces.
        z: Top of the neck, m.
        radius: Of the collar, m.
        paint: Of all of it.

    Returns:
        Height of its top, m.
    """
    draft.lathe([(radius, z), (radius, z + 0.010)], paint, sectors=14)
    draft.lathe([(0.004, z + 0.010), (0.004, z + 0.020)], paint, sectors=8)
    draft.lathe([(0.009, z + 0.020), (0.0095, z + 0.024), (0.007, z + 0.027)], paint, sectors=12)
    add_bar(
        draft, [(0.004, 0.0, z + 0.0235), (0.020, 0.0, z + 0.0235), (0.027, 0.0, z + 0.0205)], 0.0035, 0.0026, paint
    )
    return z + 0.027


def flat_radius(radius: float, sectors: int) -> float:
    """Distance from axis to facet of a lying solid of revolution: the height at which its axis rests, m."""
    return radius * float(np.cos(np.pi / sectors))
