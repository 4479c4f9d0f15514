"""Open boxes to keep things in; +x is the front."""

from __future__ import annotations

import numpy as np

from imove_tasks.assets import textures
from imove_tasks.assets.builders.parts import (
    contrast,
    flat,
    grained,
    patterned,
    rgb_of,
    ring_sign,
    sign_front,
    vessel,
)
from imove_tasks.assets.convex import hull_part, tube_parts
from imove_tasks.assets.draft import Draft, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.looks import Material
from imove_tasks.assets.palette import INK, PAPER
from imove_tasks.assets.primitives import (
    arc,
    box,
    circle,
    cylinder,
    ellipsoid,
    loop,
    oval_path,
    prism,
    rounded_rectangle,
    slab,
    tube,
)

_COLORS = ("blue", "gray", "white", "brown", "pink", "green", "red", "beige", "yellow", "purple", "black")


def storage_box(draw: Draw) -> Draft:
    """An open bin: straight with a label, woven, tapered, or soft with loops; the small ones fit a jaw."""
    form = draw.cycle("form", ("bin", "basket", "tapered", "tote"))
    size = draw.cycle("size", ("small", "medium", "large"))
    draft = Draft(mass_kg=draw.mass(0.07, 0.16) if size == "small" else draw.mass(0.15, 0.4))
    half_x = {"small": 0.0285, "medium": 0.05, "large": 0.066}[size] * draw.length(0.96, 1.04)
    ratio = draw.cycle("ratio", (1.5, 1.8, 1.6)) if size == "small" else draw.cycle("ratio", (1.0, 1.2, 1.4))
    height = draw.length(0.042, 0.054) if size == "small" else draw.length(0.042, 0.066)
    stuff = {"bin": draw.cycle("bin", ("plastic", "wood", "paper", "metal")), "basket": "fabric",
             "tapered": draw.cycle("tapered", ("plastic", "metal")), "tote": "fabric"}[form]  # fmt: skip
    if stuff == "wood":
        look = paint = grained(draw.paint("wood", "brown", "beige", key="wood"), draw)
    else:
        look = paint = draw.paint(stuff, *_COLORS)
        if form == "basket":
            look = _woven(paint)
        elif stuff != "metal":
            look = patterned(draw, paint, ("plain", "plain", "stripes", "dots"))
    outline = rounded_rectangle(1.0, ratio, 0.08 if form == "bin" else 0.3, 2 if form == "bin" else 3)
    foot = half_x * (1.0 if form in ("bin", "tote") else 0.94 if size == "small" else 0.86)
    outer = [(foot, 0.0), (half_x, height)]
    around, along = (28, 7) if form == "basket" else (12, 3)
    vessel(draft, outer, look, wall=0.0032, floor=0.004, outline=outline, around=around, along=along)
    ink = contrast(paint)
    if form == "tote":
        for side in (-1.0, 1.0):
            path = arc(half_x * 0.4, height * 0.3, 0.0, np.pi, 6) + [0.0, side * half_x * ratio * 0.98, height - 0.002]
            draft.look(tube(path, 0.0022, 5), solid("fabric", ink))
            draft.touch(*tube_parts(path[::2], 0.0022, 5))
    elif form == "basket":
        draft.look(ring_sign(outline, (half_x + 0.0008, height), (half_x - 0.0035, height)), solid("leather", ink))
    elif look is paint:
        word = draw.cycle("word", ("TOYS", "MISC", "BOX", "TOOLS"))
        picture = textures.label(PAPER, INK, (word,), size=(24, 48))
        tilt = float(np.degrees(np.arctan2(half_x - foot, height)))
        middle = (foot + half_x) / 2.0 + 0.0002
        at = pose(middle, 0.0, height * 0.5, rpy_deg=(0.0, tilt, 0.0))
        draft.look(*sign_front(half_x * ratio * 0.36, height * 0.2, picture, at))
    body = prism(outline * half_x, [(0.0, 1.0), (height, 1.0)])
    draft.body(body, shape="square" if ratio == 1.0 else "rectangular")
    if size == "small":
        draft.grip(0.0, height=height * 0.6)
        draft.grip(0.0, y=half_x * 0.3, height=height * 0.6, tilts_deg=(0.0,))
    return draft


def _woven(paint: Material) -> Material:
    """Wicker or felt: two tones of one colour."""
    red, green, blue = rgb_of(paint)
    return textures.painted(textures.checks((red, green, blue), (red * 0.92, green * 0.92, blue * 0.92)), paint.name)


def jewelry_box(draw: Draw) -> Draft:
    """An open casket with a mirror in its raised lid, a ring on a cushion and a free compartment."""
    draft = Draft(mass_kg=draw.mass(0.12, 0.26))
    form = draw.cycle("form", ("casket", "round", "drawers"))
    half_x = draw.length(0.0272, 0.0298)
    half_y = half_x if form == "round" else draw.length(0.038, 0.054)
    height, rise = draw.length(0.032, 0.038), draw.length(0.034, 0.04)
    stuff = draw.cycle("stuff", ("leather", "wood", "fabric", "ceramic", "wood"))
    words = ("brown", "beige", "black", "red") if stuff == "wood" else (
        "pink", "red", "blue", "white", "green", "purple", "black", "gray", "yellow")  # fmt: skip
    paint = draw.paint(stuff, *words, key="wood" if stuff == "wood" else "paint")
    look = grained(paint, draw) if stuff == "wood" else patterned(draw, paint, ("plain", "dots", "plain", "upright"))
    outline = circle(1.0, 20) if form == "round" else rounded_rectangle(1.0, half_y / half_x, 0.12, 2)
    floor = 0.007 if form != "drawers" else height * 0.5
    vessel(
        draft, [(half_x, 0.0), (half_x, height)], look, wall=0.0035, floor=floor, outline=outline, around=10, along=3
    )
    metal = shade("metal", "yellow", 2) if draw.cycle("gilt", (True, False)) else shade("metal", "gray")
    velvet = solid("fabric", contrast(paint, light="beige", dark=draw.cycle("velvet", ("red", "purple", "blue"))))
    if form == "round":
        draft.look(prism(outline * half_x * 0.55, [(floor, 1.0), (floor + 0.0005, 1.0)]), velvet)
        lid = cylinder(half_x * 0.86, 0.0032, 20).at(pose(rpy_deg=(90.0, 0.0, 90.0)))
        lid = lid.moved(0.0042 - half_x, 0.0, height + half_x * 0.86)
        mirror = cylinder(half_x * 0.62, 0.0004, 16).at(pose(rpy_deg=(90.0, 0.0, 90.0)))
        mirror = mirror.moved(0.0078 - half_x, 0.0, height + half_x * 0.86)
        draft.floor((0.0035, 0.0, floor), (half_x * 0.6, half_x * 0.6), round_=True)
    else:
        divider = half_y * 0.36
        half_z = (height * 0.9 - floor) / 2.0
        draft.block((half_x - 0.003, 0.0012, half_z), (0.0, divider, floor + half_z), paint)
        _cushion(
            draft,
            half_x - 0.005,
            (divider + half_y - 0.003) / 2.0,
            (half_y - 0.006 - divider) / 2.0,
            floor,
            velvet,
            metal,
        )
        free = (divider + half_y - 0.0035) / 2.0 - 0.001
        middle = divider - 0.0012 - free
        draft.look(box((half_x - 0.006) * 0.6, free * 0.6, 0.0004).moved(0.0, middle, floor), velvet)
        lid = box(0.0032, half_y, rise / 2.0).moved(0.0034 - half_x, 0.0, height + rise / 2.0)
        mirror = box(0.0004, half_y * 0.76, rise * 0.34).moved(0.0068 - half_x, 0.0, height + rise / 2.0)
        draft.floor((0.0035, middle, floor), (half_x - 0.009, free - 0.002), round_=False)
    draft.look(flat(lid, look, axis=0, repeat=(6.0, 3.0)), look)
    draft.touch(hull_part(lid.vertices))
    draft.look(mirror, solid("glass", (0.80, 0.86, 0.90)))
    if form == "drawers":
        draft.look(
            box(0.0004, half_y * 0.9, 0.0006).moved(half_x, 0.0, height * 0.5), solid(paint.name, contrast(paint))
        )
        for y in (-0.5, 0.5):
            draft.look(ellipsoid(0.0025, 0.0032, 0.0032, 8, 3).moved(half_x, half_y * y, height * 0.26), metal)
    else:
        draft.look(box(0.0012, 0.005, 0.004).moved(half_x, 0.0, height * 0.82), metal)
    body = prism(outline * half_x, [(0.0, 1.0), (height, 1.0)])
    draft.body(body, shape="cylindrical" if form == "round" else "rectangular")
    hold = max(height * 0.55, height + max(rise, 2.0 * half_x * 0.86 if form == "round" else 0.0) - 0.055)
    draft.grip(0.0, height=hold, tilts_deg=(0.0,))
    draft.grip(0.0, y=half_y * 0.16, height=hold, tilts_deg=(0.0,))
    draft.grip(0.0, y=-half_y * 0.16, height=hold, tilts_deg=(0.0,))
    return draft


def _cushion(
    draft: Draft, half_x: float, y: float, half_y: float, floor: float, velvet: Material, metal: Material
) -> None:
    """Two rolls with a ring stuck between them."""
    for side in (-1.0, 1.0):
        roll = box(half_x, half_y * 0.45, 0.005).moved(0.0, y + side * half_y * 0.5, floor + 0.005)
        draft.look(roll, velvet)
    draft.touch(hull_part(box(half_x, half_y, 0.005).moved(0.0, y, floor + 0.005).vertices))
    ring = loop(oval_path(0.0068, 0.0068, 10), 0.0011, 0.0011, 5).at(
        pose(0.0, y, floor + 0.0145, rpy_deg=(90.0, 0.0, 0.0))
    )
    draft.look(ring, metal)
    draft.look(
        ellipsoid(0.0026, 0.0026, 0.0022, 6, 2).moved(0.0, y, floor + 0.0225), solid("glass", (0.70, 0.85, 0.95))
    )


def remote_holder(draw: Draw) -> Draft:
    """A caddy for remote controls, high at the back, with one to three slots and a printed remote on its front."""
    draft = Draft(mass_kg=draw.mass(0.12, 0.28))
    slots = draw.cycle("slots", (2, 3, 1))
    half_x, half_y = draw.length(0.0265, 0.0295), draw.length(0.041, 0.046) + 0.011 * (slots - 2)
    low, high = draw.length(0.042, 0.054), draw.length(0.081, 0.086)
    if slots > 1 and draw.cycle("top", ("sloped", "level")) == "level":
        low = high = draw.length(0.058, 0.07)
    stuff = draw.cycle("stuff", ("leather", "plastic", "wood", "fabric"))
    words = ("brown", "beige", "black") if stuff == "wood" else (
        "black", "red", "brown", "blue", "gray", "green", "pink", "white", "purple", "orange")  # fmt: skip
    paint = draw.paint(stuff, *words, key="wood" if stuff == "wood" else "paint")
    look = grained(paint, draw) if stuff == "wood" else patterned(draw, paint, ("plain", "plain", "dots"))
    wall, floor = 0.003, 0.005
    side_view = [(-half_x, 0.0), (half_x, 0.0), (half_x, low), (-half_x, high)]
    walls = [(side * (half_y - wall / 2.0), side_view) for side in (-1.0, 1.0)]
    inner_low, inner_high = low * 0.96, high * 0.96
    inner = [
        (-half_x + 0.001, floor),
        (half_x - 0.001, floor),
        (half_x - 0.001, inner_low),
        (-half_x + 0.001, inner_high),
    ]
    width = 2.0 * (half_y - wall / 2.0) / slots
    walls += [(-half_y + wall / 2.0 + width * slot, inner) for slot in range(1, slots)]
    for y, outline in walls:
        plate = slab(outline, wall / 2.0).moved(y=y)
        draft.look(flat(plate, look, axis=1, repeat=(3.0, 3.0)), look)
        draft.touch(hull_part(plate.vertices))
    for x, top in ((half_x - wall / 2.0, low), (wall / 2.0 - half_x, high)):
        plate = box(wall / 2.0, half_y - wall, top / 2.0).moved(x, 0.0, top / 2.0)
        draft.look(flat(plate, look, axis=0, repeat=(5.0, 3.0)), look)
        draft.touch(hull_part(plate.vertices))
    draft.block((half_x - wall, half_y - wall, floor / 2.0), (0.0, 0.0, floor / 2.0), paint)
    _printed_remote(draft, paint, half_x, half_y, low, draw.cycle("word", ("TV", "REMOTE", "AUDIO")))
    middle = -half_y + wall / 2.0 + width / 2.0
    draft.floor((0.0, middle, floor), (half_x - wall - 0.001, width / 2.0 - wall / 2.0 - 0.0005), round_=False)
    draft.body(box(half_x, half_y, low / 2.0), shape="rectangular")
    hold = max(0.03, high - 0.057)
    draft.grip(0.0, height=hold, tilts_deg=(0.0,))
    for y in (half_y * 0.25, -half_y * 0.25):
        draft.grip(0.0, y=y, height=hold, tilts_deg=(0.0,))
    return draft


def _printed_remote(draft: Draft, paint: Material, half_x: float, half_y: float, low: float, word: str) -> None:
    """A picture of a remote and a word on the front."""
    dark = rgb_of(shade("plastic", "gray", 2)) if sum(paint.rgba[:3]) < 0.6 else INK
    keys = textures.keypad(dark, PAPER, 5, 3, size=(40, 24))
    draft.look(*sign_front(low * 0.13, low * 0.32, keys, pose(half_x, -half_y * 0.45, low * 0.5), paint.name))
    label = textures.label(rgb_of(paint), contrast(paint), (word,), size=(18, 48), frame=False)
    draft.look(*sign_front(half_y * 0.42, half_y * 0.16, label, pose(half_x, half_y * 0.28, low * 0.5), paint.name))


BUILDERS = {"storage_box": storage_box, "jewelry_box": jewelry_box, "remote_holder": remote_holder}
