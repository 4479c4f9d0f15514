"""Drinking ware: open vessels with a floor to put small things on."""

from __future__ import annotations

import numpy as np

from imove_tasks.assets import textures
from imove_tasks.assets.builders.parts import contrast, patterned, radius_at, rgb_of, vessel, wrap_label
from imove_tasks.assets.convex import revolved_parts, tube_parts
from imove_tasks.assets.draft import Draft, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.looks import Material
from imove_tasks.assets.primitives import Array, Mesh, Profile, arc, circle, revolve, tube

_COLORS = ("red", "white", "blue", "yellow", "green", "black", "pink", "orange", "purple", "gray", "beige")
_MUG_WORDS = ("TEA", "MOM", "DAD", "BOSS", "HELLO", "COCOA")
_COFFEE_WORDS = ("COFFEE", "LATTE", "MOCHA", "CAFE")
_FLOOR_M = 0.006


def mug(draw: Draw) -> Draft:
    """A cup with a big handle at the +x side: straight, tapered, bellied or eight-sided."""
    form = draw.cycle("form", ("straight", "tapered", "bellied", "octagon"))
    draft = Draft(mass_kg=draw.mass(0.12, 0.26))
    top, height = draw.length(0.0255, 0.0295), draw.length(0.058, 0.088)
    stuff = draw.cycle("stuff", ("ceramic", "ceramic", "metal", "plastic", "ceramic", "glass"))
    paint = draw.paint(stuff, *_COLORS)
    outer = {
        "straight": [(top * 0.94, 0.0), (top, 0.003), (top, height)],
        "tapered": [(top * 0.74, 0.0), (top * 0.78, 0.003), (top, height)],
        "bellied": [(top * 0.74, 0.0), (top * 0.98, height * 0.28), (top * 0.98, height * 0.6), (top * 0.9, height)],
        "octagon": [(top * 0.96, 0.0), (top, 0.003), (top, height)],
    }[form]
    sectors = 8 if form == "octagon" else 18
    print_ = draw.cycle("print", ("word", "stripe", "dots", "plain", "rim", "word"))
    look = patterned(draw, paint, ("dots", "speckles")) if print_ == "dots" else paint
    body = vessel(draft, outer, look, wall=0.0035, floor=_FLOOR_M, outline=circle(1.0, sectors), around=10, along=5)
    ink = contrast(paint, dark="blue")
    if print_ == "word":
        picture = textures.label(rgb_of(paint), ink, (draw.cycle("word", _MUG_WORDS),), size=(32, 64), frame=False)
        edges = [(radius_at(outer, z), z) for z in (height * 0.3, height * 0.6)]
        sign, print_paint = wrap_label(edges[0], edges[1], picture, copies=3, sectors=sectors, stuff=stuff, hollow=True)
        draft.look(sign.at(pose(rpy_deg=(0.0, 0.0, 60.0))), print_paint)  # not under the handle
    elif print_ in ("stripe", "rim"):
        low = height * draw.length(0.32, 0.42) if print_ == "stripe" else height - 0.007
        draft.look(_stripe(outer, low, low + 0.006, sectors), solid(stuff, ink))
    _handle(draft, draw, outer, height, paint)
    draft.body(body, shape="tapered" if form == "tapered" else "cylindrical")
    draft.grip(90.0, 60.0, 120.0)
    return draft


def coffee_cup(draw: Draw) -> Draft:
    """A paper cup with a rolled rim and a sleeve, or a low flared ceramic cup with a small ear."""
    if draw.cycle("form", ("paper", "ceramic", "paper")) == "ceramic":
        return _ceramic_cup(draw)
    draft = Draft(mass_kg=draw.mass(0.01, 0.03))
    top, height = draw.length(0.026, 0.0295), draw.length(0.058, 0.108)
    bottom = top * 0.74
    paint = draw.paint("paper", "white", "red", "green", "beige", "blue", "brown", "pink", "black", "yellow", "orange")
    outer = [(bottom, 0.0), (top, height)]
    look = patterned(draw, paint, ("plain", "upright", "plain", "dots", "plain", "stripes"))
    body = vessel(draft, outer, look, wall=0.0016, floor=0.004, around=12, along=6)
    draft.look(_stripe([(top, 0.0), (top, 1.0)], height - 0.002, height + 0.001, 20), paint)
    dress = draw.cycle("dress", ("sleeve", "print", "bare", "sleeve"))
    if dress != "bare" or look is paint:
        kraft = shade("paper", "brown" if paint.rgba[2] > 0.3 else "beige")
        base = rgb_of(paint if dress == "print" else kraft)
        ink = contrast(kraft) if dress != "print" else contrast(paint, dark="brown")
        picture = textures.label(base, ink, (draw.cycle("word", _COFFEE_WORDS),), size=(20, 64), frame=False)
        edges = [(radius_at(outer, z), z) for z in (height * 0.36, height * 0.64)]
        draft.look(*wrap_label(edges[0], edges[1], picture, copies=3, hollow=True))
    draft.body(body, shape="tapered")
    draft.grip(0.0, 90.0, free_yaw=True)
    return draft


def _ceramic_cup(draw: Draw) -> Draft:
    draft = Draft(mass_kg=draw.mass(0.08, 0.18))
    top, height = draw.length(0.027, 0.0298), draw.length(0.044, 0.056)
    paint = draw.paint(
        "ceramic", "white", "blue", "brown", "black", "green", "pink", "red", "gray", "yellow", key="glaze"
    )
    outer = [(top * 0.58, 0.0), (top * 0.6, 0.003), (top * 0.92, height * 0.42), (top, height)]
    body = vessel(draft, outer, paint, wall=0.0032, floor=0.005)
    ink = solid("ceramic", contrast(paint, dark=draw.cycle("ink", ("blue", "brown", "red"))))
    for z in draw.cycle("lines", ((0.86,), (0.6,), ())):
        draft.look(_stripe(outer, height * z, height * (z + 0.07), 20), ink)
    path = arc(0.0115, height * 0.22, -np.pi / 2.0, np.pi / 2.0, 6) + [top * 0.92, 0.0, height * 0.62]
    draft.look(tube(path, 0.0028, 6), paint)
    draft.touch(*tube_parts(path[::2], 0.0028, 6), *tube_parts(path[-2:], 0.0028, 6))
    draft.body(body, shape="tapered")
    draft.grip(90.0, 60.0, 120.0, height=height * 0.6)
    return draft


def wine_glass(draw: Draw) -> Draft:
    """A bowl on a stem on a foot: tulip, flute, goblet or cocktail saucer."""
    draft = Draft(mass_kg=draw.mass(0.08, 0.16))
    form = draw.cycle("form", ("tulip", "flute", "goblet", "balloon"))
    stuff = draw.cycle("stuff", ("glass", "glass", "plastic", "glass", "metal"))
    paint = draw.paint(stuff, "white", "blue", "red", "green", "purple", "yellow", "pink", "gray", "orange")
    if stuff == "glass":
        paint = Material("glass", (*rgb_of(paint), 0.8))
    wide, stem = draw.length(0.0265, 0.0298), draw.length(0.034, 0.05)
    bowl = {
        "tulip": [(0.42, 0.0), (0.86, 0.2), (1.0, 0.45), (0.86, 1.0)],
        "flute": [(0.42, 0.0), (0.68, 0.12), (0.76, 0.5), (0.74, 1.0)],
        "goblet": [(0.5, 0.0), (0.8, 0.22), (0.94, 0.6), (1.0, 1.0)],
        "balloon": [(0.55, 0.0), (0.92, 0.22), (1.0, 0.5), (0.8, 1.0)],
    }[form]
    depth = {"tulip": 0.062, "flute": 0.084, "goblet": 0.056, "balloon": 0.054}[form] * draw.cycle("depth", (1.0, 1.15))
    foot = draw.length(0.0285, 0.031)
    if form == "goblet":
        stem *= 0.8
    thick = 0.0062 if form == "goblet" else 0.0046
    lower = [
        (foot, 0.0),
        (foot, 0.0025),
        (thick * 1.5, 0.006),
        (thick, 0.011),
        (thick, stem - 0.004),
        (wide * 0.36, stem),
    ]
    draft.look(revolve(lower, 14), paint)
    draft.touch(*revolved_parts(lower, 14))
    outer = [(wide * scale, stem + depth * z) for scale, z in bowl]
    floor = stem + 0.004
    body = vessel(draft, outer, paint, wall=0.0022, floor=floor, outline=circle(1.0, 18), base=stem)
    ring = draw.cycle("ring", ("none", "rim", "none"))
    if ring == "rim":
        top = stem + depth
        gilt = solid("metal" if stuff == "metal" else stuff, contrast(paint, light="yellow", dark="blue"))
        draft.look(_stripe(outer, top - 0.005, top - 0.001, 18), gilt)
    draft.body(body, shape="curved")
    widest = stem + depth * (0.85 if form == "goblet" else 0.5)
    draft.grip(0.0, 90.0, free_yaw=True, height=max(widest, stem + depth - 0.055))
    return draft


def _stripe(outer: Profile, low: float, high: float, sectors: int) -> Mesh:
    """A thin ring round a vessel between two heights, open in the middle."""
    a, b = radius_at(outer, low), radius_at(outer, high)
    profile = [(a + 0.0004, low), (b + 0.0004, high), (b - 0.001, high), (a - 0.001, low)]
    return revolve(profile, sectors, closed=True)


def _handle(draft: Draft, draw: Draw, outer: Profile, height: float, paint: Material) -> None:
    """A mug's handle: a round ear or an angular one."""
    middle, reach, half = height * 0.52, draw.length(0.019, 0.025), height * 0.3
    path: Array
    if draw.cycle("handle", ("ear", "angular")) == "ear":
        path = arc(reach, half, -np.pi / 2.0, np.pi / 2.0, 7)
    else:
        corners = ((0.0, -1.0), (0.7, -0.95), (1.0, -0.6), (1.0, 0.6), (0.7, 0.95), (0.0, 1.0))
        path = np.array([(reach * x, 0.0, half * z) for x, z in corners])
    path = path + [0.0, 0.0, middle]
    path[:, 0] += radius_at(outer, middle) - 0.002
    draft.look(tube(path, 0.0042, 7), paint)
    draft.touch(*tube_parts(path[[0, 2, len(path) - 3, len(path) - 1]], 0.0042, 6))


BUILDERS = {"mug": mug, "coffee_cup": coffee_cup, "wine_glass": wine_glass}
