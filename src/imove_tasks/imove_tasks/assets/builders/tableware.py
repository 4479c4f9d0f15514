"""Dishes to put things on and into: destinations, most of them wider than a jaw."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from imove_tasks.assets import textures
from imove_tasks.assets.builders.parts import contrast, flat, grained, patterned, rgb_of, ring_sign, vessel
from imove_tasks.assets.convex import hull_part, tube_parts
from imove_tasks.assets.draft import Draft
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.looks import Material
from imove_tasks.assets.mapping import laid
from imove_tasks.assets.palette import STEEL
from imove_tasks.assets.primitives import arc, band, circle, prism, revolve, rounded_rectangle, tube

_CROCKERY = ("white", "blue", "red", "green", "yellow", "gray", "pink", "black", "orange", "purple")
_WOODS = ("brown", "beige", "brown", "red", "black")


def _paint(draw: Draw, *stuffs: str) -> Material:
    """Wood is mostly of natural colours, metal bare or enamelled, everything else of any colour."""
    stuff = draw.cycle("stuff", stuffs)
    if stuff == "wood":
        return grained(draw.paint("wood", *_WOODS, key="wood"), draw)
    if stuff == "metal" and draw.cycle("bare", (True, False, False)):
        return solid("metal", STEEL)
    return draw.paint(stuff, *_CROCKERY)


def bowl(draw: Draw) -> Draft:
    """A deep dish: round, conical, straight or square, sometimes so small that a jaw can hold it."""
    small = draw.cycle("size", ("small", "medium", "large", "medium", "large", "large")) == "small"
    form = "straight" if small else draw.cycle("form", ("round", "conical", "straight", "square"))
    draft = Draft(mass_kg=draw.mass(0.08, 0.14) if small else draw.mass(0.18, 0.4))
    top = draw.length(0.0302, 0.0308) if small else draw.length(0.052, 0.08)
    paint = _paint(draw, "ceramic", "wood", "ceramic", "metal", "plastic", "glass")
    if not paint.texture:
        paint = patterned(draw, paint, ("plain", "plain", "pinstripes", "plain", "dots"))
    foot, height, bulge = {
        "round": (0.58, 0.6, 0.84), "conical": (0.42, 0.62, 0.71), "straight": (0.84, 0.75, 0.97),
        "square": (0.62, 0.58, 0.84),
    }[form]  # fmt: skip
    height *= top * draw.cycle("depth", (1.0, 0.8, 1.15))
    height = max(height, 0.034)
    outer = [(top * foot, 0.0), (top * foot, 0.003), (top * bulge, height * 0.42), (top, height)]
    outline = rounded_rectangle(1.0, 1.0, 0.35, 4) if form == "square" else None
    wall = 0.003 if small else 0.004
    vessel(draft, outer, paint, wall=wall, floor=0.006, outline=outline, around=12, along=3)
    if form != "square":
        line = band(top + 0.0004, height - 0.0045, height - 0.001, 20)
        draft.look(line, solid(paint.name, contrast(paint, dark="blue")))
    draft.body(revolve([(top * foot, 0.0), (top, height)]), shape="square" if form == "square" else "round")
    if small:
        draft.grip(0.0, 90.0, free_yaw=True)
    return draft


def plate(draw: Draw) -> Draft:
    """A shallow dish with a raised rim: round, square, oval or eight-sided, with a line or a print in the middle."""
    draft = Draft(mass_kg=draw.mass(0.15, 0.45))
    form = draw.cycle("form", ("round", "square", "round", "oval", "octagon"))
    top = draw.cycle("size", (1.0, 0.72, 1.2)) * draw.length(0.074, 0.086)
    height = draw.length(0.013, 0.018)
    paint = _paint(draw, "ceramic", "plastic", "ceramic", "wood", "ceramic", "metal")
    outlines: dict[str, NDArray[np.float64] | None] = {
        "square": rounded_rectangle(1.0, 1.0, 0.25, 4), "oval": circle(1.0, 20) * [0.74, 1.0],
        "octagon": circle(1.0, 8),
    }  # fmt: skip
    outline = outlines.get(form)
    foot = top * draw.cycle("rim", (0.68, 0.8))
    outer = [(foot - 0.004, 0.0), (foot, 0.004), (top, height)]
    body = vessel(draft, outer, paint, wall=0.004, floor=0.005, outline=outline, seen_above=True)
    shape = circle(1.0, 20) if outline is None else outline
    ink = contrast(paint, dark=draw.cycle("ink", ("blue", "black", "red", "green")))
    print_ = draw.cycle("print", ("ring", "dots", "well", "rim", "checks"))
    if print_ == "ring":
        draft.look(ring_sign(shape, (foot * 0.62, 0.005), (foot * 0.55, 0.005)), solid(paint.name, ink))
    elif print_ in ("dots", "checks"):
        picture = getattr(textures, print_)(rgb_of(paint), ink)
        disc = prism(shape * foot * 0.5, [(0.005, 1.0), (0.0056, 1.0)])
        draft.look(laid(disc, repeat=(4.0, 4.0)), textures.painted(picture, paint.name))
    elif print_ == "well":
        base = rgb_of(paint)
        darker = (base[0] * 0.84, base[1] * 0.84, base[2] * 0.84)
        draft.look(ring_sign(shape, (foot * 0.95, 0.005), (foot * 0.9, 0.005)), solid(paint.name, darker))
    elif print_ == "rim":
        rise = (height - 0.005) / (top - foot)
        lower, upper = ((foot - 0.004 + (top - foot) * k, 0.005 + rise * (top - foot) * k) for k in (0.4, 0.7))
        draft.look(ring_sign(shape, upper, lower), solid(paint.name, ink))
    draft.body(body, shape={"square": "square", "oval": "oval"}.get(form, "round"))
    return draft


def coaster(draw: Draw) -> Draft:
    """A flat mat: round, square, six-sided or with a raised rim, of cork, felt, rubber, wood or stone."""
    draft = Draft(mass_kg=draw.mass(0.02, 0.1))
    form = draw.cycle("form", ("round", "square", "hexagon", "rimmed"))
    half, height = draw.length(0.042, 0.054), draw.length(0.005, 0.009)
    stuff = draw.cycle("stuff", ("wood", "rubber", "fabric", "ceramic", "wood", "leather"))
    words = ("brown", "beige", "beige", "black") if stuff == "wood" else ("blue", "red", "green", "black", "gray",
        "yellow", "pink", "purple", "orange")  # fmt: skip
    paint = draw.paint(stuff, *words, key="wood" if stuff == "wood" else "paint")
    patterns = ("grain", "speckles", "plain") if stuff == "wood" else ("plain", "pinstripes", "speckles", "dots")
    look = patterned(draw, paint, patterns)
    shapes = {"square": rounded_rectangle(1.0, 1.0, 0.18, 3), "hexagon": circle(1.0, 6)}
    outline = shapes.get(form)
    repeat = 1.0 if draw.cycle("scale", (True, False)) or stuff == "wood" else 3.0
    if form == "rimmed":
        height += 0.004
        outer = [(half, 0.0), (half, height)]
        body = vessel(draft, outer, look, wall=0.004, floor=height - 0.004, around=repeat, along=repeat,
                      seen_above=True)  # fmt: skip
    else:
        points = (circle(1.0, 24) if outline is None else outline) * half
        bevel = 0.0012 / half
        body = prism(points, [(0.0, 1.0), (height - 0.0012, 1.0), (height, 1.0 - bevel)])
        draft.look(flat(body, look, repeat=(repeat * 2, repeat * 2)), look)
        draft.touch(hull_part(body.vertices))
        reach = half * (0.85 if form == "hexagon" else 0.95)
        draft.floor((0.0, 0.0, height), (reach, reach), round_=form != "square")
        if draw.cycle("border", (True, False)):
            border = ring_sign(points, (0.86, height), (0.76, height))
            draft.look(border, solid(stuff, contrast(paint, light="beige", dark="brown")))
    draft.body(body, shape="square" if form == "square" else "round")
    return draft


def tray(draw: Draw) -> Draft:
    """A board with a low wall: rectangular, with or without handles, or round."""
    draft = Draft(mass_kg=draw.mass(0.2, 0.5))
    form = draw.cycle("form", ("rectangle", "handles", "round", "rounded"))
    half_y, height = draw.length(0.08, 0.108), draw.length(0.018, 0.028)
    ratio = draw.cycle("ratio", (0.62, 0.74, 0.84))
    paint = _paint(draw, "wood", "plastic", "metal", "wood", "plastic")
    wooden = paint.texture is not None
    if not wooden:
        paint = patterned(draw, paint, ("plain", "plain", "upright"))
    repeat = 1.0 if wooden else 5.0
    outlines = {
        "rectangle": rounded_rectangle(ratio, 1.0, 0.02, 2), "handles": rounded_rectangle(ratio, 1.0, 0.05, 3),
        "rounded": rounded_rectangle(ratio, 1.0, 0.3, 4), "round": circle(1.0, 24),
    }  # fmt: skip
    flare = 0.0 if form in ("rectangle", "handles") else 0.006
    outer = [(half_y - flare, 0.0), (half_y, height)]
    body = vessel(
        draft, outer, paint, wall=0.0055, floor=0.005, outline=outlines[form], around=repeat, along=repeat,
        seen_above=True,
    )  # fmt: skip
    if form == "handles":
        metal = shade("metal", draw.cycle("handle", ("gray", "black", "yellow")))
        for side in (-1.0, 1.0):
            path = arc(half_y * ratio * 0.45, 0.022, 0.0, np.pi, 6) + [0.0, side * (half_y - 0.003), height - 0.001]
            draft.look(tube(path, 0.0035, 6), metal)
            draft.touch(*tube_parts(path, 0.0035, 6))
    draft.body(body, shape="round" if form == "round" else "rectangular")
    return draft


BUILDERS = {"bowl": bowl, "coaster": coaster, "plate": plate, "tray": tray}
