"""Desk decorations: small sculptures, phone stands and vases."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from imove_tasks.assets.builders.parts import flat, grained, luminance, patterned, vessel
from imove_tasks.assets.builders.sculptures import FIGURES, Sculptor
from imove_tasks.assets.convex import hull_part, tube_parts
from imove_tasks.assets.draft import Draft, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.primitives import (
    arc,
    box,
    circle,
    prism,
    revolve,
    rounded_box,
    rounded_rectangle,
    slab,
    tube,
)

_PAINTS = {
    "ceramic": ("white", "blue", "green", "black", "pink", "red"),
    "metal": ("yellow", "gray", "black", "brown", "red"),
    "wood": ("brown", "beige", "orange"),
    "plastic": ("black", "white", "blue", "pink", "green", "gray"),
    "glass": ("blue", "green", "purple", "pink"),
}


def mini_sculpture(draw: Draw) -> Draft:
    """A figure on a plinth: a sitting cat or rabbit, a bird, a bust, a ring, or a twisted column."""
    draft = Draft(mass_kg=draw.mass(0.08, 0.22))
    stuff = draw.cycle("stuff", ("ceramic", "metal", "wood"))
    paint = draw.paint(stuff, *_PAINTS[stuff], key=f"paint {stuff}")
    scale = draw.cycle("size", (0.8, 1.1)) * draw.length(0.92, 1.05)
    half, rise = scale * 0.0215, scale * draw.length(0.009, 0.013)
    if draw.cycle("plinth", ("square", "round")) == "square":
        draft.solid(rounded_box(half, half, rise / 2.0, 0.003, bevel=0.001).moved(z=rise / 2.0), paint)
        front = half
    else:
        draft.lathe([(half * 1.1, 0.0), (half * 1.1, rise * 0.6), (half, rise)], paint, sectors=14)
        front = half * 1.08
    plate = shade(stuff, "black" if luminance(paint.rgba) > 0.15 else "white")
    draft.look(box(0.0006, half * 0.4, rise * 0.24).moved(front, 0.0, rise * 0.34), plate)
    FIGURES[draw.cycle("figure", tuple(FIGURES))](Sculptor(draft, paint, rise, scale))
    return draft


def phone_stand(draw: Draw) -> Draft:
    """A ledge with a lip before a leaning rest: a plain or arched board, cat's ears, or a solid wedge."""
    draft = Draft(mass_kg=draw.mass(0.08, 0.2))
    stuff = draw.cycle("stuff", ("wood", "plastic", "metal"))
    paint = draw.paint(stuff, *_PAINTS[stuff], key=f"paint {stuff}")
    skin = grained(paint, draw) if stuff == "wood" else paint
    scale = draw.cycle("size", (0.82, 1.06))
    half_y, thick = draw.length(0.025, 0.029), draw.length(0.006, 0.008)
    front, back = scale * draw.length(0.04, 0.047), -scale * draw.length(0.036, 0.043)
    middle, half_x = (front + back) / 2.0, (front - back) / 2.0
    kind = draw.cycle("kind", ("board", "arch", "wedge", "ears"))
    if draw.cycle("base", ("rectangular", "oval")) == "oval" and kind != "wedge":
        outline = rounded_rectangle(half_x, half_y, half_y * 0.85, 5)
    else:
        outline = rounded_rectangle(half_x, half_y, 0.004, 3)
    base = prism(outline, [(0.0, 0.98), (0.001, 1.0), (thick - 0.001, 1.0), (thick, 0.98)]).moved(x=middle)
    draft.look(flat(base, skin), skin)
    draft.touch(hull_part(base.vertices))
    lean_deg, reach = draw.length(64.0, 72.0), scale * draw.length(0.066, 0.076)
    cos, sin = np.cos(np.radians(lean_deg)), np.sin(np.radians(lean_deg))
    if kind == "wedge":
        crest = (-reach * cos, thick + reach * sin)
        side = [(-reach * 0.62, thick), (0.0, thick), crest, (crest[0] - 0.008, crest[1])]
        rest = slab(side, half_y * 0.94)
        draft.solid(rest, paint)
    else:
        breadth = half_y * 0.96
        board = {
            "board": lambda: rounded_rectangle(reach / 2.0, breadth, 0.005, 3) + [reach / 2.0, 0.0],
            "arch": lambda: _arched(reach, breadth),
            "ears": lambda: _arched(reach * 0.92, breadth),
        }[kind]()
        at = pose(0.0, 0.0, thick - 0.002, rpy_deg=(0.0, lean_deg - 180.0, 0.0))
        rest = prism(board, [(0.0, 1.0), (thick, 1.0)])
        draft.look(flat(rest, skin).at(at), skin)
        draft.touch(hull_part(rest.at(at).vertices))
        if kind == "ears":
            for y in (-1.0, 1.0):
                ear = prism(np.array([(0.0, -0.009), (0.020, 0.0), (0.0, 0.009)]), [(0.0, 1.0), (thick, 1.0)])
                placed = ear.at(at @ pose(reach * 0.8, y * breadth * 0.58, 0.0, rpy_deg=(0.0, 0.0, y * 16.0)))
                draft.solid(placed, paint)
    accent = shade("rubber", "black" if luminance(paint.rgba) > 0.2 else "gray")
    on_rest = pose(0.0, 0.0, thick, rpy_deg=(0.0, lean_deg - 180.0, 0.0)) @ pose(reach * 0.5, 0.0, -0.0003)
    pad = rounded_box(reach * 0.22, half_y * 0.42, 0.0006, 0.003)
    draft.look(pad.at(on_rest), accent)
    draft.look(rounded_box(0.0012, half_y * 0.3, 0.0007, 0.001).at(on_rest), paint)
    lip = scale * 0.0045
    for y in (-0.62, 0.62):
        draft.block((0.003, half_y * 0.2, lip), (front - 0.006, half_y * y, thick + lip), paint)
    start, stop = 0.002, front - 0.010
    draft.floor(((start + stop) / 2.0, 0.0, thick), ((stop - start) / 2.0, half_y * 0.84), round_=False)
    draft.body(base, shape="irregular" if kind == "ears" else "tapered" if kind == "wedge" else "rectangular")
    hold = thick + scale * 0.020
    x = -(hold - thick) * cos / sin
    draft.grip(90.0, x=x - (0.006 if kind == "wedge" else 0.5 * thick), height=hold)
    hold += 0.006
    draft.grip(90.0, x=-(hold - thick) * cos / sin - 0.5 * thick, height=hold, tilts_deg=(0.0,))
    return draft


def _arched(reach: float, breadth: float) -> NDArray[np.float64]:
    """Outline of a board from x = 0 to ``reach`` whose far end is half an ellipse, counter-clockwise."""
    turn = np.linspace(-np.pi / 2.0, np.pi / 2.0, 11)
    cap = np.stack([reach * 0.62 + reach * 0.38 * np.cos(turn), breadth * np.sin(turn)], 1)
    return np.concatenate([cap, [(0.0, breadth), (0.0, -breadth)]])


def vase(draw: Draw) -> Draft:
    """An open vase: bellied with two handles, a gourd, a flaring trumpet, a straight tube, or a square one."""
    stuff = draw.cycle("stuff", ("ceramic", "glass", "metal", "ceramic"))
    draft = Draft(mass_kg=draw.mass(0.1, 0.24))
    paint = draw.paint(stuff, *_PAINTS[stuff], key=f"paint {stuff}")
    if stuff != "glass":
        paint = patterned(draw, paint, ("plain", "stripes", "dots", "pinstripes", "plain", "upright"))
    height = draw.cycle("size", (0.8, 1.08)) * draw.length(0.096, 0.114)
    wide = draw.length(0.0265, 0.0292)
    kind = draw.cycle("kind", ("amphora", "gourd", "trumpet", "square", "hourglass"))
    levels = {
        "amphora": [(0.58, 0.0), (0.98, 0.45), (0.62, 1.0)],
        "gourd": [(0.72, 0.0), (1.0, 0.24), (0.66, 0.62), (0.6, 1.0)],
        "trumpet": [(0.62, 0.0), (0.64, 0.35), (0.74, 0.75), (1.03, 1.0)],
        "square": [(0.62, 0.0), (0.94, 0.58), (0.7, 0.86), (0.8, 1.0)],
        "hourglass": [(0.92, 0.0), (0.7, 0.42), (0.74, 0.66), (0.98, 1.0)],
    }[kind]
    outer = [(wide * share, height * level) for share, level in levels]
    wall, floor = 0.003, 0.005
    outline = rounded_rectangle(1.0, 1.0, 0.24, 2) if kind == "square" else circle(1.0, 16)
    around = 8.0 if kind == "square" else 10.0
    body = vessel(draft, outer, paint, wall=wall, floor=floor, outline=outline, around=around, along=around * 0.62)
    free = min(share for share, _ in outer) - wall
    draft.floor((0.0, 0.0, floor), (free * 0.9, free * 0.9), round_=kind != "square")
    if kind == "amphora" or (kind != "square" and draw.cycle("rim", ("gilt", "plain")) == "gilt"):
        cool = paint.rgba[2] > 0.3 or paint.rgba[1] < 0.5
        gilt = shade("metal" if stuff == "glass" else stuff, "yellow" if cool else "white")
        top, lip = outer[-1][0], (0.0025 if kind == "amphora" else 0.0003)
        edge = [(top + lip, height - 0.002), (top + lip, height + 0.0002), (top - wall, height + 0.0002)]
        draft.look(revolve([*edge, (top - wall, height - 0.002)], 16, closed=True), gilt)
    hold = max(height * 0.45, height - 0.052)
    if kind == "amphora":
        for y in (-1, 1):
            path = arc(wide * 0.42, height * 0.17, -np.pi * 0.5, np.pi * 0.5, 6)[:, [1, 0, 2]] * [1.0, y, 1.0]
            path = path + [0.0, y * wide * 0.66, height * 0.74]
            draft.look(tube(path, 0.003, 6), solid(stuff, paint.rgba[:3]))
            draft.touch(*tube_parts(path[[0, 2, 5]], 0.003, 6)[:1])
        draft.grip(0.0, height=hold)
        draft.grip(20.0, height=hold, tilts_deg=(0.0,))
    else:
        draft.grip(0.0, 90.0, height=hold, free_yaw=kind != "square")
    draft.body(body, shape={"square": "rectangular", "trumpet": "tapered", "hourglass": "curved"}.get(kind, "round"))
    return draft


BUILDERS = {"mini_sculpture": mini_sculpture, "phone_stand": phone_stand, "vase": vase}
