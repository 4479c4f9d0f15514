"""Sweets, gum and biscuits."""

from __future__ import annotations

import numpy as np

from imove_tasks.assets import textures
from imove_tasks.assets.builders.packs import ink_on, kindred, printed, printed_lathe, toned
from imove_tasks.assets.builders.parts import rgb_of
from imove_tasks.assets.draft import Draft, lying, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.looks import Material, Texture
from imove_tasks.assets.mapping import laid
from imove_tasks.assets.palette import PAPER, SHADES, STEEL, Rgb
from imove_tasks.assets.primitives import (
    box,
    cylinder,
    ellipsoid,
    prism,
    rectangle,
    revolve,
    rounded_box,
)

_BRIGHT = ("pink", "red", "green", "yellow", "blue", "purple", "orange")


def candy(draw: Draw) -> Draft:
    """A sweet in a wrapper twisted at both ends, round or square, or a swirled lollipop on its side."""
    kind = draw.cycle("kind", ("round", "lollipop", "square"))
    paint = draw.paint("plastic", *_BRIGHT)
    if kind == "lollipop":
        return _lollipop(draw, solid("food", rgb_of(paint)))
    draft = Draft(mass_kg=draw.mass(0.012, 0.03), rolls=kind == "round")
    radius, half = draw.length(0.0115, 0.0148), draw.length(0.015, 0.023)
    white = shade("plastic", "white")
    if kind == "round":
        body = ellipsoid(half, radius, radius, 14, 7).clamped_below(-radius * 0.85)
        bottom = -radius * 0.85
        draft.solid(body, paint)
    else:
        body = rounded_box(half, radius, radius * 0.8, radius * 0.4, bevel=radius * 0.22, corner_points=2)
        bottom = -radius * 0.8
        draft.solid(body, paint)
    fan = [(radius * 0.25, 0.0), (radius * 0.85, 0.012), (radius * 0.7, 0.014)]
    start = half * (0.93 if kind == "round" else 0.98)
    for at in (lying(x=start), pose(rpy_deg=(0.0, 0.0, 180.0)) @ lying(x=start)):
        draft.look(revolve(fan, 8).at(at), paint)
        draft.look(revolve([(radius * 0.34, 0.0), (radius * 0.34, 0.002)], 8).at(at), white)
    pattern = draw.cycle("pattern", ("stripes", "plain", "dots"))
    if kind == "round" and pattern != "plain":
        for x in (-0.45, 0.0, 0.45) if pattern == "stripes" else (0.0,):
            r = radius * float((1.0 - x * x) ** 0.5) + 0.0004
            draft.look(cylinder(r, 0.0017, 14).at(lying(x=half * x)).clamped_below(bottom), white)
    elif kind == "square":
        ink = ink_on(paint)
        plate = laid(box(half * 0.72, radius * 0.62, 0.0003).moved(z=radius * 0.8))
        words = {"stripes": ["TOFFEE"], "plain": ["MINT"], "dots": ["SWEET"]}[pattern]
        draft.look(plate, printed(paint, words, size=(24, 40), ink=ink))
    draft.body(body, shape="oval" if kind == "round" else "rectangular")
    low = max(0.0102, -bottom)
    draft.grip(90.0, height=low)
    draft.grip(80.0, 100.0, height=low, tilts_deg=(0.0,))
    return draft


def _swirl(base: Rgb, ink: Rgb, arms: int) -> Texture:
    """A spiral for the face of a disc."""
    axis = (np.arange(64) + 0.5) / 32.0 - 1.0
    x, y = np.meshgrid(axis, -axis)
    turn = np.arctan2(y, x) / (2.0 * np.pi) * arms + 1.6 * np.hypot(x, y)
    return textures.two_tone(np.mod(turn, 1.0) < 0.36, base, ink)


def _lollipop(draw: Draw, paint: Material) -> Draft:
    draft = Draft(mass_kg=draw.mass(0.012, 0.03))
    radius, thick = draw.length(0.018, 0.0255), draw.length(0.0068, 0.0085)
    profile = [(radius * 0.86, 0.0), (radius, thick * 0.5), (radius, thick * 1.5), (radius * 0.86, thick * 2.0)]
    body = draft.lathe(profile, paint, sectors=20)
    ink = PAPER if min(rgb_of(paint)) < 0.5 else SHADES["red"][1]
    face = laid(cylinder(radius * 0.85, 0.0004, 20).moved(z=thick * 2.0))
    draft.look(face, textures.painted(_swirl(rgb_of(paint), ink, draw.cycle("arms", (2, 3))), "food"))
    stick = draw.length(0.035, 0.055)
    at = lying(x=radius * 0.9, z=thick)
    draft.lathe([(0.0021, 0.0), (0.0021, stick)], shade("paper", "white"), at=at, sectors=8)
    draft.body(body, shape="round")
    draft.grip(90.0, height=max(0.0102, thick))
    draft.grip(75.0, 105.0, height=max(0.0102, thick), tilts_deg=(0.0,))
    return draft


def chewing_gum(draw: Draw) -> Draft:
    """A flat pack with sticks peeping out, a tub with a hinged lid, or a flip-top box."""
    draft = Draft(mass_kg=draw.mass(0.015, 0.06))
    kind = draw.cycle("kind", ("sticks", "tub", "box"))
    text = draw.cycle("text", ("GUM", "MINT", "FRESH"))
    if kind == "tub":
        paint = draw.paint("plastic", "green", "blue", "white", "red", "pink", "purple", "yellow")
        radius, height = draw.length(0.0225, 0.0285), draw.length(0.04, 0.062)
        lid = kindred(paint, 0.72) if draw.cycle("lid", (True, False)) else shade("plastic", "white")
        ink = SHADES["blue"][0] if min(rgb_of(paint)) > 0.7 else ink_on(paint)
        tub = [(radius * 0.94, 0.0), (radius, 0.003), (radius, height)]
        printed_lathe(draft, tub, printed(paint, [text], size=(36, 110), ink=ink))
        cap = [(radius * 1.01, height), (radius * 1.01, height + 0.008), (radius * 0.94, height + 0.0105)]
        draft.lathe(cap, lid)
        plate = laid(cylinder(radius * 0.74, 0.0003, 18).moved(z=height + 0.0105))
        draft.look(plate, printed(paint, [text], size=(40, 40), ink=ink))
        draft.look(box(0.0018, 0.006, 0.0022).moved(x=radius * 1.01, z=height + 0.003), toned(lid, 0.6))
        draft.body(revolve([(radius, 0.0), (radius, height)]), shape="cylindrical")
        draft.grip(90.0, 0.0, height=max(0.0102, height * 0.55))
        return draft
    paint = draw.paint("paper", "green", "blue", "white", "red", "pink", "purple", "yellow")
    ink = SHADES["green"][2] if min(rgb_of(paint)) > 0.7 else ink_on(paint)
    if kind == "sticks":
        half_x, half_y, half_z = draw.length(0.034, 0.04), draw.length(0.0125, 0.019), draw.length(0.0066, 0.008)
        body = box(half_x, half_y, half_z).moved(z=half_z)
        draft.solid(body, paint)
        plate = laid(box(half_x * 0.84, half_y * 0.8, 0.0003).moved(z=half_z * 2.0))
        draft.look(plate, printed(paint, [text], size=(24, 64), ink=ink))
        for number, y in enumerate((-0.64, 0.0, 0.64)):
            out = 0.006 + 0.003 * ((number * 2 + 1) % 3)
            stick = box(out / 2.0, half_y * 0.28, half_z * 0.62).moved(half_x + out / 2.0, half_y * y, half_z)
            draft.solid(stick, solid("metal", STEEL))
        stripe = box(half_x * 0.03, half_y + 0.0003, half_z + 0.0003).moved(x=half_x * 0.9, z=half_z)
        draft.look(stripe, toned(paint, 0.6) if sum(rgb_of(paint)) > 0.6 else shade("paper", "white"))
    else:
        half_x, half_y, half_z = draw.length(0.022, 0.027), draw.length(0.0155, 0.02), draw.length(0.0085, 0.011)
        body = rounded_box(half_x, half_y, half_z, 0.004, bevel=0.0012).moved(z=half_z)
        draft.solid(body, paint)
        plate = laid(box(half_x * 0.62, half_y * 0.66, 0.0003).moved(x=-half_x * 0.2, z=half_z * 2.0))
        draft.look(plate, printed(paint, [text], size=(32, 48), ink=ink))
        seam = box(0.0006, half_y + 0.0003, half_z + 0.0003).moved(x=half_x * 0.5, z=half_z)
        draft.look(seam, toned(paint, 0.55))
        for number in range(3):
            pellet = ellipsoid(0.0052, 0.0038, 0.0024, 8, 3)
            draft.look(
                pellet.moved(half_x * 0.76, half_y * (number - 1) * 0.56, half_z * 2.0), shade("food", "white", 1)
            )
    draft.body(body, shape="rectangular")
    draft.grip(90.0, height=max(0.0102, half_z))
    draft.grip(90.0, x=half_x * 0.2, height=max(0.0102, half_z), tilts_deg=(0.0,))
    return draft


def biscuit(draw: Draw) -> Draft:
    """A thick round biscuit with chips, a square one with holes, a filled sandwich, or a heart."""
    draft = Draft(mass_kg=draw.mass(0.015, 0.04))
    kind = draw.cycle("kind", ("chips", "square", "sandwich", "heart"))
    height = draw.length(0.0132, 0.0185)
    radius = draw.length(0.022, 0.0295) if kind != "chips" else draw.length(0.0235, 0.0298)
    dough = draw.paint("food", "beige", "brown", "orange", "black", "white")
    pale = dough.rgba[0] > 0.6
    dark = shade("food", "brown", 2) if pale else shade("food", "beige")
    if kind in ("chips", "sandwich"):
        if kind == "chips":
            profile = [
                (radius * 0.93, 0.0),
                (radius, height * 0.4),
                (radius * 0.95, height * 0.75),
                (radius * 0.6, height),
            ]
            body = draft.lathe(profile, dough, sectors=18)
            for x, y in ((0.0, 0.1), (0.42, 0.25), (-0.4, 0.35), (0.25, -0.42), (-0.35, -0.3), (0.05, 0.55)):
                z = height * (0.98 if np.hypot(x, y) < 0.55 else 0.9)
                draft.look(ellipsoid(0.0034, 0.003, 0.0022, 7, 3).moved(radius * x, radius * y, z), dark)
        else:
            cream = shade(
                "food", draw.cycle("cream", ("white", "pink", "yellow")) if not dough.rgba[2] > 0.85 else "pink"
            )
            shell = height * 0.36
            draft.lathe([(radius * 0.96, 0.0), (radius, shell * 0.5), (radius, shell)], dough, sectors=20)
            draft.lathe([(radius * 0.93, shell), (radius * 0.93, height - shell)], cream, sectors=20)
            body = draft.lathe(
                [(radius, height - shell), (radius, height - shell * 0.5), (radius * 0.94, height)], dough, sectors=20
            )
            groove = [(radius * 0.7, height), (radius * 0.7, height + 0.0008), (radius * 0.62, height + 0.0008),
                      (radius * 0.62, height)]  # fmt: skip
            tone = toned(dough, 0.75) if sum(dough.rgba[:3]) > 0.6 else shade("food", "gray", 2)
            draft.look(revolve(groove, 18, closed=True), tone)
        draft.body(revolve([(radius, 0.0), (radius, height)]), shape="round")
    elif kind == "square":
        long_ = draw.cycle("long", (1.0, 1.35))
        outline = rectangle(radius * 0.92 * long_, radius * 0.92)
        body = prism(outline, [(0.0, 0.97), (height * 0.5, 1.0), (height, 0.93)])
        draft.solid(body, dough)
        for x in (-0.5, 0.0, 0.5):
            for y in (-0.5, 0.0, 0.5):
                hole = cylinder(0.0016, 0.0003, 7).moved(radius * x * long_, radius * y, height)
                draft.look(hole, toned(dough, 0.55) if sum(dough.rgba[:3]) > 0.6 else dark)
        draft.body(prism(outline, [(0.0, 1.0), (height, 1.0)]), shape="square" if long_ == 1.0 else "rectangular")
    else:
        t = 2.0 * np.pi * np.arange(24) / 24.0
        heart = np.column_stack(
            [16.0 * np.sin(t) ** 3, 13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t)]
        )
        outline = heart[::-1] / 16.0 * radius * 0.98
        body = prism(outline, [(0.0, 0.96), (height * 0.4, 1.0), (height * 0.8, 1.0), (height, 0.93)])
        draft.solid(body, dough)
        icing = solid("food", SHADES["pink"][0] if dough.rgba[2] < 0.85 else SHADES["red"][1])
        draft.look(prism(outline * 0.44, [(height, 1.0), (height + 0.001, 0.96)]), icing)
        draft.body(body, shape="irregular")
    draft.grip(0.0 if kind != "square" else 90.0, 90.0, height=0.0102)
    return draft


BUILDERS = {"candy": candy, "chewing_gum": chewing_gum, "biscuit": biscuit}
