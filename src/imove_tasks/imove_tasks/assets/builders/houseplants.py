"""Small plants in pots; leaves and blossoms give way, so only pots and the hearts of plants are solid."""

from __future__ import annotations

import numpy as np

from imove_tasks.assets import textures
from imove_tasks.assets.builders.parts import contrast, mapped, patterned, rgb_of
from imove_tasks.assets.convex import hull_part, revolved_parts
from imove_tasks.assets.draft import Draft, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.looks import Material
from imove_tasks.assets.mapping import wrapped
from imove_tasks.assets.palette import LEAF, PAPER, STEM
from imove_tasks.assets.primitives import Mesh, circle, ellipsoid, join, loft, prism, revolve

_BLOOM = ("red", "pink", "purple", "yellow", "white", "orange", "blue")
_FOLIAGE = ("red", "purple", "green", "pink", "yellow", "green")


def houseplant(draw: Draw) -> Draft:
    """A rosette, a cactus, a bush of coloured leaves, a blooming plant or upright blades in a pot."""
    form = draw.cycle("form", ("bloom", "rosette", "cactus", "foliage", "blades", "bloom"))
    draft = Draft(mass_kg=draw.mass(0.1, 0.24))
    low = form in ("cactus", "blades")  # sparse crowns: their pots stay small
    top = draw.length(0.0215, 0.0275) if low else draw.length(0.024, 0.0298)
    height = draw.length(0.022, 0.027) if low else draw.length(0.026, 0.036)
    words: tuple[str, ...] = ("white", "gray", "black", "orange")
    if form == "rosette":
        words += ("blue", "pink", "yellow")
    elif not low:
        words += ("brown",)
    pot = draw.paint(draw.cycle("stuff", ("ceramic", "plastic", "ceramic")), *words, key=f"pot {len(words)}")
    _pot(draft, draw, top, height, pot)
    crown = {"bloom": _bloom, "rosette": _rosette, "cactus": _cactus, "foliage": _foliage, "blades": _blades}[form]
    tall = crown(draft, draw, top, height)
    core = prism(circle(top * 0.5, 10), [(height - 0.001, 1.0), (height + tall * 0.8, 0.8)])
    draft.touch(hull_part(core.vertices))
    draft.body(revolve([(top * 0.72, 0.0), (top, height)]))
    draft.grip(0.0, 90.0, free_yaw=True, height=float(np.round(height * 0.62, 4)))
    return draft


def _pot(draft: Draft, draw: Draw, top: float, height: float, pot: Material) -> None:
    """A tapered pot with a rim, or a straight one."""
    foot, rim = draw.cycle("pot", ((0.74, 0.8), (0.93, 0.9), (0.8, 0.72)))
    outer = [(top * foot, 0.0), (top * 0.93, height * rim), (top, height * rim + 0.0005), (top, height)]
    look = patterned(draw, pot, ("plain", "plain", "stripes", "plain"), key="glaze")
    draft.look(mapped(revolve(outer, 12), look, along=3), look)
    draft.touch(*revolved_parts([outer[0], outer[1]], 12), *revolved_parts(outer[2:], 12))
    soil = prism(circle(top * 0.84, 8), [(height, 1.0), (height + 0.0008, 1.0)])
    draft.look(soil, solid("plant", STEM))


def _spread(leaf: Mesh, count: int, tilt_deg: float, radius: float, z: float, shift: float = 0.0) -> Mesh:
    """Copies of an upright leaf (its root at the origin) tilted outward, all round the axis."""
    leaning = leaf.at(pose(radius, 0.0, z, rpy_deg=(0.0, tilt_deg, 0.0)))
    return join([leaning.at(pose(rpy_deg=(0.0, 0.0, 360.0 * (k + shift) / count))) for k in range(count)])


def _rosette(draft: Draft, draw: Draw, top: float, height: float) -> float:
    """A succulent: three tiers of thick leaves; gives back its height, m, as all crowns do."""
    paint = draw.paint("plant", "green", "green", "purple", "pink", key="succulent")
    count = draw.cycle("leaves", (8, 7))
    inner = solid("plant", tuple(min(1.0, value * 1.12 + 0.03) for value in rgb_of(paint)))  # type: ignore[arg-type]
    grown = draw.length(1.0, 1.16)
    for tilt, size, shift, look in ((64.0, 1.0, 0.0, paint), (38.0, 0.85, 0.5, paint), (14.0, 0.66, 0.0, inner)):
        leaf = ellipsoid(0.0045, 0.0108, 0.017, 5, 2).moved(z=0.015).scaled(*(size * grown,) * 3)
        draft.look(_spread(leaf, count if size > 0.7 else 5, tilt, top * 0.1, height, shift), look)
    return 0.018 * grown


def _cactus(draft: Draft, draw: Draw, top: float, height: float) -> float:
    """A ribbed ball or column with pale spines and blossoms on top."""
    green = shade("plant", "green", draw.cycle("tone", (0, 1, 2)))
    tall, wide = draw.cycle("habit", ((1.0, 0.9), (0.86, 1.04), (0.94, 0.97)))
    ribs, wide, tall = 9, wide * top, tall * draw.length(0.04, 0.045)
    star = circle(1.0, 2 * ribs) * np.where(np.arange(2 * ribs) % 2, 1.0, 0.84)[:, None]
    levels = ((0.0, 0.75), (0.2, 0.95), (0.5, 1.0), (0.8, 0.8), (0.97, 0.35))
    rings = [np.column_stack([star * wide * scale, np.full(2 * ribs, height + tall * z)]) for z, scale in levels]
    body = loft(rings)
    spines = textures.painted(textures.dots(rgb_of(green), PAPER, radius=0.13), "plant")
    draft.look(wrapped(body, around=ribs * 2, along=6), spines)
    draft.touch(hull_part(body.vertices))
    bloom = draw.paint("plant", "pink", "red", "yellow", "orange", key="bloom")
    petal = ellipsoid(0.002, 0.0032, 0.0058, 5, 2).moved(z=0.005)
    draft.look(_spread(petal, 6, 48.0, 0.0012, height + tall * 0.95), bloom)
    return tall


def _foliage(draft: Draft, draw: Draw, top: float, height: float) -> float:
    """A bush of broad coloured leaves with a second tone inside."""
    paint = draw.paint("plant", *_FOLIAGE, key="foliage")
    red, green, blue = rgb_of(paint)
    inner = solid("plant", (red * 0.86, green * 0.86, blue * 0.86))
    tiers = ((72.0, 1.15, 7, 0.0, paint), (44.0, 1.1, 6, 0.5, inner), (14.0, 0.9, 4, 0.0, paint))
    grown = draw.length(0.92, 1.1)
    for tilt, size, count, shift, look in tiers:
        leaf = ellipsoid(0.0018, 0.0125 * size, 0.0165 * size, 5, 2).moved(z=0.0185 * size).scaled(grown, grown, grown)
        draft.look(_spread(leaf, count, tilt, top * 0.12, height + 0.002, shift), look)
    return 0.03 * grown


def _bloom(draft: Draft, draw: Draw, top: float, height: float) -> float:
    """A dome of flowers over a few green leaves."""
    paint = draw.paint("plant", *_BLOOM, key="blossom")
    heart = solid("plant", contrast(paint, light="yellow", dark="orange"))
    leaf = ellipsoid(0.0016, 0.0075, 0.0125, 4, 2).moved(z=0.0125)
    draft.look(_spread(leaf, 4, 82.0, top * 0.3, height + 0.003), solid("plant", LEAF))
    petals = circle(1.0, 10) * np.where(np.arange(10) % 2, 1.0, 0.62)[:, None]
    size = top * 0.6
    star = prism(petals, [(0.0, 0.5 * size), (0.004, size)], apex_rise=-0.002)
    middle = prism(circle(size * 0.26, 4), [(0.002, 1.0), (0.0048, 0.8)])
    rise = draw.length(0.018, 0.028)
    for tilt, count, radius, z in ((0.0, 1, 0.0, rise + 0.008), (38.0, 6, top * 0.74, rise - 0.003)):
        draft.look(_spread(star, count, tilt, radius, height + z), paint)
        draft.look(_spread(middle, count, tilt, radius, height + z), heart)
    stalk = prism(circle(0.007, 4), [(height, 1.0), (height + rise, 2.2)])
    draft.look(stalk, solid("plant", LEAF))
    return rise + 0.008


def _blades(draft: Draft, draw: Draw, top: float, height: float) -> float:
    """Stiff upright blades with bands or a pale edge."""
    base = rgb_of(shade("plant", "green", draw.cycle("tone", (0, 2, 1))))
    ink = (0.55, 0.74, 0.30) if draw.cycle("edge", ("bands", "rim")) == "bands" else (0.90, 0.84, 0.40)
    look = textures.painted(textures.stripes(base, ink, share=0.15), "plant")
    tall = draw.length(0.038, 0.047)
    outline = ((0.0, 0.0042), (0.4, 0.0062), (0.75, 0.0048), (1.0, 0.0008))
    for tilt, count, radius, scale, shift in ((14.0, 6, top * 0.5, 0.88, 0.0), (3.0, 3, top * 0.2, 1.0, 0.5)):
        rings = []
        for z, half in outline:
            width = half * 1.5
            corners = [(0.0011, width), (-0.0011, width), (-0.0011, -width), (0.0011, -width)]
            rings.append(np.column_stack([np.array(corners), np.full(4, z * tall * scale)]))
        blade = wrapped(loft(rings), around=0.0, along=7.0)
        draft.look(_spread(blade, count, tilt, radius, height, shift), look)
    return tall


BUILDERS = {"houseplant": houseplant}
