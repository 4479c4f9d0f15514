"""Living-room ornaments; +x is the front."""

from __future__ import annotations

import numpy as np

from imove_tasks.assets import textures
from imove_tasks.assets.builders.parts import (
    contrast,
    flat,
    grained,
    mapped,
    patterned,
    radius_at,
    ring_sign,
    sign_above,
    sign_front,
    vessel,
    wrap_label,
)
from imove_tasks.assets.convex import hull_part, revolved_parts, tube_parts
from imove_tasks.assets.draft import Draft, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.looks import Material, Texture
from imove_tasks.assets.palette import INK, PAPER, SHADES
from imove_tasks.assets.primitives import (
    Profile,
    arc,
    box,
    circle,
    loft,
    prism,
    revolve,
    rounded_rectangle,
    slab,
    tube,
)

_COLORS = ("green", "blue", "red", "yellow", "pink", "white", "gray", "orange", "purple", "black")
_REACH_M = 0.058  # from the top down to a grip, at most


def watering_can(draw: Draw) -> Draft:
    """A can with a long spout at +x and a handle behind or over the top."""
    draft = Draft(mass_kg=draw.mass(0.08, 0.24))
    form = draw.cycle("form", ("straight", "conical", "domed"))
    radius, height = draw.length(0.026, 0.0298), draw.length(0.046, 0.064)
    stuff = draw.cycle("stuff", ("metal", "plastic", "plastic"))
    paint = draw.paint(stuff, *_COLORS)
    forms = {
        "straight": ((0.96, 0.0), (1.0, 0.04), (1.0, 1.0)),
        "conical": ((1.0, 0.0), (1.0, 0.05), (0.8, 1.0)),
        "domed": ((0.92, 0.0), (1.0, 0.3), (0.94, 0.62), (0.58, 1.0)),
    }
    outer = [(radius * scale, height * z) for scale, z in forms[form]]
    look = patterned(draw, paint, ("plain", "dots", "plain", "stripes", "plain"))
    draft.look(mapped(revolve(outer, 18), look, around=10, along=4), look)
    draft.touch(*revolved_parts(outer, 18))
    top = radius_at(outer, height)
    draft.look(ring_sign(circle(1.0, 18), (top * 1.02, height + 0.0006), (top * 0.82, height + 0.0006)), paint)
    inside = prism(circle(top * 0.82, 14), [(height - 0.001, 1.0), (height + 0.0004, 1.0)])
    draft.look(inside, solid("plastic", INK if paint.rgba[0] + paint.rgba[1] > 0.4 else SHADES["gray"][2]))
    long = draw.length(0.038, 0.052)
    root, tip = radius * 0.86, radius + long
    level = height * draw.cycle("level", (1.0, 0.86, 1.15))
    curve = draw.cycle("spout", (0.5, 0.3))
    knee = (root + (tip - root) * 0.5, 0.0, height * curve + 0.008)
    path = np.array([(root, 0.0, height * 0.26), knee, (tip, 0.0, level)])
    draft.look(tube(path, [0.0062, 0.0048, 0.0036], 8), paint)
    draft.touch(*tube_parts(path, [0.0062, 0.0048, 0.0036], 6))
    if draw.cycle("rose", (True, False)):
        ahead = path[2] - path[1]
        angle = float(np.degrees(np.arctan2(ahead[0], ahead[2])))
        at = pose(*path[2], rpy_deg=(0.0, angle, 0.0))
        draft.lathe([(0.0036, -0.002), (0.0105, 0.008), (0.0105, 0.0105)], paint, at=at, sectors=12)
        holes = flat(prism(circle(0.0092, 12), [(0.0105, 1.0), (0.0109, 1.0)]), _holes(), repeat=(3.0, 3.0))
        draft.look(holes.at(at), _holes())
    if draw.cycle("handle", ("behind", "over")) == "over":
        handle = arc(radius * 0.62, 0.024, 0.0, np.pi, 7) + [-radius * 0.1, 0.0, height - 0.002]
    else:
        handle = arc(0.022, height * 0.34, np.pi / 2.0, 3.0 * np.pi / 2.0, 7) + [-radius * 0.86, 0.0, height * 0.56]
    draft.look(tube(handle, 0.0033, 6), paint)
    draft.touch(*tube_parts(handle[::2], 0.0033, 6))
    draft.body(revolve(outer, 18), shape="tapered" if form == "conical" else "cylindrical")
    top = max(float(handle[:, 2].max()) + 0.0033, level + 0.018)
    hold = max(height * (0.38 if form == "domed" else 0.5), top - _REACH_M)
    draft.grip(90.0, height=hold)
    draft.grip(75.0, 105.0, height=hold, tilts_deg=(0.0,))
    return draft


def _holes() -> Material:
    """The face of a sprinkler."""
    return textures.painted(textures.dots(SHADES["gray"][1], INK, radius=0.25), "metal")


def diffuser_bottle(draw: Draw) -> Draft:
    """A scent bottle with a collar, a label and a fan of bending reeds."""
    draft = Draft(mass_kg=draw.mass(0.09, 0.22))
    form = draw.cycle("form", ("round", "square", "flask", "globe"))
    radius, height = draw.length(0.0235, 0.0292), draw.length(0.052, 0.068)
    stuff = draw.cycle("stuff", ("glass", "ceramic", "glass"))
    paint = draw.paint(stuff, "brown", "white", "blue", "pink", "green", "purple", "black", "orange", "yellow", "beige")
    outline = rounded_rectangle(1.0, 1.0, 0.2, 3) if form == "square" else circle(1.0, 18)
    outer: Profile = {
        "round": [(0.95, 0.0), (1.0, 0.04), (1.0, 0.82), (0.5, 1.0)],
        "square": [(0.95, 0.0), (1.0, 0.04), (1.0, 0.84), (0.5, 1.0)],
        "flask": [(0.98, 0.0), (1.0, 0.05), (0.92, 0.42), (0.46, 1.0)],
        "globe": [(0.6, 0.0), (0.95, 0.26), (1.0, 0.52), (0.86, 0.78), (0.42, 1.0)],
    }[form]
    outer = [(radius * scale, height * z) for scale, z in outer]
    look = patterned(draw, paint, ("plain", "plain", "speckles", "plain")) if stuff == "ceramic" else paint
    rings = [np.column_stack([outline * scale, np.full(len(outline), z)]) for scale, z in outer]
    body = prism(outline, [(z, scale) for scale, z in outer])
    draft.look(mapped(body, look, around=6, along=3), look)
    for low, high in zip(rings[:-1], rings[1:], strict=True):
        draft.touch(hull_part(np.concatenate([low, high])))
    neck = radius * 0.42
    collar = draw.cycle("collar", (shade("wood", "beige"), shade("metal", "yellow", 2)))
    draft.lathe([(neck, height), (neck, height + 0.009)], collar, sectors=14)
    word = draw.cycle("word", ("ROSE", "CEDAR", "CITRUS", "LILY", "AMBER"))
    picture = textures.label(PAPER, INK, (word,), size=(24, 48))
    if form in ("round", "square"):
        if form == "square":
            draft.look(*sign_front(radius * 0.66, height * 0.17, picture, pose(radius, 0.0, height * 0.44)))
        else:
            draft.look(*wrap_label((radius, height * 0.32), (radius, height * 0.58), picture, copies=3, sectors=18))
    top = min(height + 0.05, height * 0.74 + _REACH_M)
    reeds = shade("wood", draw.cycle("reeds", ("beige", "black", "brown")))
    count = draw.cycle("count", (6, 5, 7))
    for number in range(count):  # reeds bend aside: they are seen, not felt
        turn = 2.0 * np.pi * number / count + 0.3
        lean = draw.length(0.012, 0.020)
        foot = (neck * 0.4 * np.cos(turn), neck * 0.4 * np.sin(turn), height + 0.008)
        draft.look(tube([foot, (lean * np.cos(turn), lean * np.sin(turn), top)], 0.0012, 4), reeds)
    draft.body(body, shape="square" if form == "square" else "tapered" if form == "flask" else "cylindrical")
    hold = max(height * 0.45, top - _REACH_M)
    draft.grip(0.0, 90.0, height=hold, free_yaw=form != "square")
    return draft


def photo_frame(draw: Draw) -> Draft:
    """A picture in a wide frame: a narrow one that leans on a leg, or a low sloping block."""
    draft = Draft(mass_kg=draw.mass(0.07, 0.2))
    stuff = draw.cycle("stuff", ("wood", "plastic", "metal", "wood"))
    words = ("brown", "beige", "black", "white", "red") if stuff == "wood" else (
        "black", "white", "blue", "red", "yellow", "pink", "green", "gray", "purple")  # fmt: skip
    paint = draw.paint(stuff, *words, key="wood" if stuff == "wood" else "paint")
    look = grained(paint, draw) if stuff == "wood" else paint
    mount = PAPER if paint.rgba[2] < 0.75 else SHADES["beige"][1]
    picture = draw.cycle("picture", (_landscape, _portrait, _heart, _boat))(mount)
    if draw.cycle("form", ("leaning", "sloping")) == "leaning":
        half_y, half_z, thick = draw.length(0.0275, 0.0302), draw.length(0.036, 0.045), draw.length(0.0045, 0.006)
        lean = draw.cycle("lean", (26.0, 32.0, 38.0))
        at = pose(rpy_deg=(0.0, -lean, 0.0)) @ pose(0.0, 0.0, half_z)
        plate = prism(rounded_rectangle(half_y, half_z, 0.003, 2), [(-thick, 1.0), (thick * 0.4, 1.0), (thick, 0.95)])
        # Built lying, its picture up; set on edge it faces +x, its width along y.
        upright = pose(rpy_deg=(90.0, 0.0, 90.0))
        plate = flat(plate, look).at(upright).at(at)
        draft.look(plate, look)
        draft.touch(hull_part(plate.vertices))
        border = draw.cycle("border", (0.56, 0.64))
        draft.look(*sign_front(half_y * border, half_z * (border + 0.06), picture, at @ pose(thick)))
        hinge = (np.asarray(at) @ np.array([-thick, 0.0, half_z * 0.45, 1.0]))[:3]
        low = float(plate.vertices[:, 2].min())
        foot = float(hinge[0]) - 0.022
        joint_x, joint_z = float(hinge[0]), float(hinge[2])
        side = [(foot, low), (foot + 0.005, low), (joint_x + 0.003, joint_z), (joint_x - 0.001, joint_z + 0.003)]
        leg = slab(side, half_y * 0.4)
        draft.look(leg, solid(stuff, contrast(paint, light="gray", dark="brown")))
        draft.touch(hull_part(leg.vertices))
        draft.body(box(half_y, thick, half_z), shape="rectangular")
        middle = half_z * np.cos(np.radians(lean)) - low
        x = -half_z * np.sin(np.radians(lean))
        draft.grip(90.0, x=float(x), height=float(middle))
        draft.grip(90.0, x=float(x * 1.15), height=float(middle * 1.15))
        return draft
    deep, half_y = draw.length(0.052, 0.059), draw.length(0.04, 0.052)
    low, high = draw.length(0.016, 0.02), draw.length(0.034, 0.044)
    back, front = -deep / 2.0, deep / 2.0
    body = slab([(back, 0.0), (front, 0.0), (front, low), (back + 0.006, high), (back, high)], half_y)
    draft.look(flat(body, look), look)
    draft.touch(hull_part(body.vertices))
    run, rise = deep - 0.006, high - low
    at = pose(0.003, 0.0, (low + high) / 2.0, rpy_deg=(0.0, float(np.degrees(np.arctan2(rise, run))), 0.0))
    border = draw.cycle("border", (0.62, 0.7))
    draft.look(*sign_above(float(np.hypot(run, rise)) / 2.0 * border, half_y * (border + 0.08), picture, at))
    draft.body(body, shape="rectangular")
    draft.grip(0.0, height=0.0115)
    for y in (half_y * 0.3, -half_y * 0.3):
        draft.grip(0.0, y=y, height=0.0115, tilts_deg=(0.0,))
    return draft


def candle_holder(draw: Draw) -> Draft:
    """An empty holder: a dish on a turned stem, a patterned cup, or a block with a round recess."""
    draft = Draft(mass_kg=draw.mass(0.08, 0.24))
    form = draw.cycle("form", ("stem", "cup", "block"))
    stuff = draw.cycle("stuff", ("metal", "ceramic", "glass", "wood"))
    words = ("brown", "beige", "black") if stuff == "wood" else (
        "yellow", "blue", "black", "white", "red", "green", "pink", "gray", "purple", "orange")  # fmt: skip
    paint = draw.paint(stuff, *words, key="wood" if stuff == "wood" else "paint")
    look = grained(paint, draw) if stuff == "wood" else paint
    tin = shade("metal", "gray" if paint.rgba[2] > 0.5 or paint.rgba[0] < 0.5 else "black", 1)
    if form == "stem":
        hold = _stemmed_dish(draft, draw, look, tin)
    elif form == "cup":
        top, height = draw.length(0.0265, 0.0298), draw.length(0.032, 0.05)
        foot = top * draw.cycle("taper", (1.0, 0.8))
        sectors = draw.cycle("sides", (20, 8, 20))
        if stuff != "wood":
            look = patterned(draw, paint, ("dots", "upright", "plain", "stripes", "speckles"))
        outer = [(foot * 0.96, 0.0), (foot, 0.003), (top, height)]
        body = vessel(draft, outer, look, wall=0.0034, floor=0.006, outline=circle(1.0, sectors), around=10, along=4)
        rim = ring_sign(circle(1.0, sectors), (top + 0.0004, height), (top - 0.0036, height))
        draft.look(rim, shade("metal", "yellow" if paint.rgba[2] > 0.4 or paint.rgba[0] < 0.6 else "gray", 2))
        draft.look(ring_sign(circle(1.0, 12), (foot * 0.6, 0.006), (foot * 0.52, 0.006)), tin)
        draft.body(body, shape="tapered" if foot < top else "cylindrical")
        hold = height * 0.55
    else:
        hold = _tealight_block(draft, draw, look, tin)
    draft.grip(0.0, 90.0, free_yaw=form != "block", height=hold)
    return draft


def _stemmed_dish(draft: Draft, draw: Draw, look: Material, tin: Material) -> float:
    """A shallow dish on a stem; gives back the height at which to hold its rim, m."""
    foot, stem = draw.length(0.0225, 0.027), draw.length(0.022, 0.042)
    dish, rise = draw.length(0.0265, 0.0302), draw.length(0.010, 0.013)
    bulge = draw.cycle("bulge", (1.0, 1.7))
    profile = [
        (foot, 0.0), (foot, 0.004), (foot * 0.45, 0.009), (0.0065, 0.012), (0.0065 * bulge, 0.008 + stem * 0.5),
        (0.0065, stem + 0.004), (dish * 0.5, stem + 0.008),
    ]  # fmt: skip
    draft.look(mapped(revolve(profile, 14), look), look)
    draft.touch(*revolved_parts(profile, 14))
    base = stem + 0.008
    outer = [(dish * 0.84, base), (dish, base + rise * 0.45), (dish, base + rise)]
    vessel(draft, outer, look, wall=0.0026, floor=base + 0.003, base=base)
    draft.look(ring_sign(circle(1.0, 14), (dish * 0.66, base + 0.003), (dish * 0.56, base + 0.003)), tin)
    draft.body(revolve(profile), shape="irregular")
    return base + rise * 0.55


def _tealight_block(draft: Draft, draw: Draw, look: Material, tin: Material) -> float:
    """A square or six-sided block with a recess for a tealight; gives back the height at which to hold it, m."""
    half, height, floor = draw.length(0.0265, 0.0292), draw.length(0.024, 0.042), 0.008
    recess = draw.length(0.0195, 0.0215)
    square = draw.cycle("sides", (True, False))
    outline = rounded_rectangle(half, half, half * 0.3, 5) if square else circle(half * 1.04, 18)
    turns = np.arctan2(outline[:, 1], outline[:, 0])
    if not square:  # a hexagon with points enough for the round recess
        outline = outline * (np.cos(np.pi / 6.0) / np.cos(np.mod(turns, np.pi / 3.0) - np.pi / 6.0))[:, None]
    hole = recess * np.stack([np.cos(turns), np.sin(turns)], 1)
    levels = ((outline, 0.0), (outline, height), (hole, height), (hole * 0.94, floor))
    rings = [np.column_stack([points, np.full(len(points), z)]) for points, z in levels]
    block = loft(rings)
    draft.look(flat(block, look), look)
    draft.touch(hull_part(np.concatenate([rings[0], rings[0] + [0.0, 0.0, floor]])))
    for start in range(0, len(outline), 2):
        picked = np.arange(start, start + 3) % len(outline)
        wall = np.concatenate([ring[picked] for ring in rings[1:]])
        draft.touch(hull_part(np.concatenate([wall, rings[0][picked] + [0.0, 0.0, floor]])))
    draft.look(ring_sign(circle(1.0, 14), (recess * 0.88, floor), (recess * 0.74, floor)), tin)
    draft.look(ring_sign(circle(1.0, 14), (recess + 0.0012, height), (recess - 0.0003, height)), tin)
    free = recess * (0.66 if square else 0.8)  # the walls of a square block have few corners
    draft.floor((0.0, 0.0, floor), (free, free), round_=True)
    draft.body(prism(outline, [(0.0, 1.0), (height, 1.0)]), shape="square" if square else "irregular")
    return height * 0.5


def _grid(height: int = 36, width: int = 48) -> tuple[np.ndarray, np.ndarray]:
    """V (down) and u (right) of pixels, 0 to 1."""
    v, u = np.mgrid[0:height, 0:width]
    return (v + 0.5) / height, (u + 0.5) / width


def _paint_layers(mount: tuple[float, float, float], layers: list[tuple[np.ndarray, str]]) -> Texture:
    """Colours one mask after another over a mount of paper and leaves a rim of it."""
    v, u = _grid()
    colors = np.empty((*v.shape, 3))
    colors[:] = mount
    inside = (np.minimum(u, 1.0 - u) > 0.07) & (np.minimum(v, 1.0 - v) > 0.09)
    for mask, word in layers:
        colors[mask & inside] = SHADES[word][1]
    return Texture(np.round(colors * 255.0).astype(np.uint8))


def _landscape(mount: tuple[float, float, float]) -> Texture:
    """Sky, sun, a mountain and a meadow."""
    v, u = _grid()
    return _paint_layers(mount, [
        (v >= 0.0, "blue"), (np.hypot(u - 0.76, (v - 0.28) * 0.75) < 0.1, "yellow"),
        (v > 0.25 + 1.1 * np.abs(u - 0.38), "gray"), (v > 0.66 + 0.05 * np.sin(9.0 * u), "green"),
    ])  # fmt: skip


def _portrait(mount: tuple[float, float, float]) -> Texture:
    """A face with hair and shoulders."""
    v, u = _grid()
    face = np.hypot((u - 0.5) * 1.5, v - 0.45)
    return _paint_layers(mount, [
        (v >= 0.0, "green"), (np.hypot((u - 0.5) * 1.0, v - 1.0) < 0.36, "red"), (face < 0.27, "brown"),
        (np.hypot((u - 0.5) * 1.6, v - 0.5) < 0.21, "beige"),
    ])  # fmt: skip


def _heart(mount: tuple[float, float, float]) -> Texture:
    """A heart on pale ground."""
    v, u = _grid()
    x, y = (u - 0.5) * 3.1, (0.55 - v) * 2.6
    return _paint_layers(mount, [(v >= 0.0, "beige"), ((x**2 + y**2 - 0.5) ** 3 - x**2 * y**3 < 0.0, "red")])


def _boat(mount: tuple[float, float, float]) -> Texture:
    """A sail on the sea at sunset."""
    v, u = _grid()
    off = np.abs(u - 0.5)
    sail = (off < 0.02 + 0.24 * (v - 0.2)) & (v > 0.2) & (v < 0.58)
    hull = (off < 0.22 - 0.6 * (v - 0.62)) & (v > 0.62) & (v < 0.74)
    return _paint_layers(mount, [(v >= 0.0, "orange"), (v > 0.64, "blue"), (sail, "white"), (hull, "brown")])


BUILDERS = {
    "watering_can": watering_can,
    "diffuser_bottle": diffuser_bottle,
    "photo_frame": photo_frame,
    "candle_holder": candle_holder,
}
