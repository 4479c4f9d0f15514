"""Desk stationery other than pens."""

from __future__ import annotations

import numpy as np

from imove_tasks.assets import textures
from imove_tasks.assets.builders.decals import decal, lettered, print_on
from imove_tasks.assets.builders.parts import flat, grained, luminance, mapped, rgb_of, vessel
from imove_tasks.assets.convex import box_part
from imove_tasks.assets.draft import Draft, lying, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.palette import INK, PAPER, SHADES, STEEL
from imove_tasks.assets.primitives import (
    box,
    circle,
    cylinder,
    prism,
    rounded_box,
    rounded_rectangle,
    slab,
)

_LOWEST_M = 0.010  # of a grip's centre above the table


def stapler(draw: Draw) -> Draft:
    """A base, a steel magazine and an arm hinged at the back: wedge-shaped, humped and stubby, or a square bar."""
    draft = Draft(mass_kg=draw.mass(0.1, 0.2))
    kind = draw.cycle("kind", ("wedge", "stubby", "bar"))
    reach = draw.cycle("size", (1.0, 1.25)) * (0.78 if kind == "stubby" else 1.0)
    half_x, half_y = reach * draw.length(0.045, 0.052), draw.length(0.014, 0.018)
    rise = draw.length(0.038, 0.048)
    paint = draw.paint(
        draw.cycle("stuff", ("plastic", "plastic", "metal")), "red", "blue", "black", "green", "pink", "yellow"
    )
    steel = solid("metal", STEEL)
    sole = paint if kind == "bar" and luminance(paint.rgba) > 0.15 else shade("plastic", "black")
    draft.solid(rounded_box(half_x, half_y, 0.004, 0.008, bevel=0.001).moved(z=0.004), sole)
    draft.look(box(0.006, half_y * 0.6, 0.0006).moved(half_x * 0.82, 0.0, 0.0084), steel)
    draft.block((half_x * 0.94, half_y * 0.62, 0.004), (0.0, 0.0, 0.022), steel)
    draft.block((half_x * 0.16, half_y * 0.8, 0.011), (-half_x * 0.8, 0.0, 0.015), shade("plastic", "gray"))
    side = {
        "wedge": [
            (-1.0, 0.014), (-0.6, 0.023), (0.82, 0.023), (0.86, 0.029), (0.4, rise * 0.9), (-0.4, rise),
            (-0.9, rise * 0.92), (-1.0, rise * 0.7),
        ],
        "stubby": [
            (-1.0, 0.014), (-0.5, 0.023), (0.92, 0.023), (1.0, 0.03), (0.85, rise * 0.94), (0.35, rise * 1.12),
            (-0.35, rise * 1.12), (-0.8, rise * 0.95), (-1.0, rise * 0.65),
        ],
        "bar": [
            (-1.0, 0.014), (-0.7, 0.023), (0.94, 0.023), (0.98, 0.027), (0.98, rise * 0.84), (-0.9, rise * 0.84),
            (-1.0, rise * 0.75),
        ],
    }[kind]  # fmt: skip
    arm = slab([(x * half_x, z) for x, z in side], half_y * 0.9)
    draft.solid(arm, paint)
    if kind == "wedge":
        slope_deg = float(np.degrees(np.arctan2(rise * 0.1, half_x * 0.8)))
        at = pose(z=rise * 0.95 + 0.0002, rpy_deg=(0.0, slope_deg, 0.0))
        draft.look(box(half_x * 0.3, half_y * 0.4, 0.0007).at(at), steel)
    else:
        top = rise * (1.12 if kind == "stubby" else 0.84)
        word = lettered(paint, "STAPLE")
        draft.look(decal(half_x * 0.34, half_y * 0.62).moved(z=top), word)
    if kind == "bar":
        pad = rounded_box(half_x * 0.2, half_y * 0.66, 0.0012, 0.003).moved(half_x * 0.68, 0.0, rise * 0.84 + 0.001)
        draft.look(pad, shade("rubber", "black" if luminance(paint.rgba) > 0.15 else "gray"))
    draft.body(arm, shape="rectangular" if kind == "bar" else "tapered")
    draft.grip(90.0, height=rise * 0.6)
    draft.grip(90.0, x=-half_x * 0.3, height=rise * 0.6, tilts_deg=(0.0,))
    return draft


def pen_holder(draw: Draw) -> Draft:
    """A tall open pot, round, square or six-sided, with pencils in a narrow pocket at its back."""
    draft = Draft(mass_kg=draw.mass(0.08, 0.2))
    half, height, wall = draw.length(0.0265, 0.029), draw.cycle("size", (1.0, 1.24)) * draw.length(0.078, 0.089), 0.003
    stuff = draw.cycle("stuff", ("metal", "plastic", "wood"))
    words = ("brown", "beige", "orange") if stuff == "wood" else ("black", "blue", "red", "white", "green", "pink")
    paint = draw.paint(stuff, *words, key=f"paint {stuff}")
    if stuff == "wood":
        skin = grained(paint, draw)
    elif stuff == "metal":  # wire mesh
        light = luminance(paint.rgba) > 0.3
        ink = tuple(channel * 0.62 if light else min(1.0, channel * 1.4 + 0.16) for channel in rgb_of(paint))
        skin = textures.painted(textures.dots(rgb_of(paint), (ink[0], ink[1], ink[2]), radius=0.3), stuff)
    else:
        skin = paint
    kind = draw.cycle("kind", ("round", "square", "six"))
    outline = {
        "round": circle(1.0, 16),
        "square": rounded_rectangle(0.94, 0.94, 0.18, 2),
        "six": circle(1.06, 6) @ np.array([[0.0, 1.0], [-1.0, 0.0]]),
    }[kind]
    around = 12.0 if stuff == "metal" else 2.0
    outer = [(half, 0.0), (half, height)]
    body = vessel(draft, outer, skin, wall=wall, floor=0.004, outline=outline, around=around, along=around * 0.4)
    # The pencils stand in a pocket at the -x side: an inner wall across, and contacts that fill the pocket.
    pocket, depth = -half * 0.42, half * 0.24
    breadth = half * (0.8 if kind == "square" else 0.72)
    draft.block((0.0012, breadth, height * 0.44), (pocket, 0.0, height * 0.46), paint)
    draft.touch(box_part((depth, half * 0.5, height * 0.45), pose(pocket - depth, 0.0, height * 0.46)))
    tints = ("yellow", "red", "blue", "green")
    for number, (y, lift) in enumerate(((-0.36, 0.2), (0.0, 0.12), (0.36, 0.24))):
        x, tip = pocket - depth * 0.9, height * (1.0 + lift)
        stick = cylinder(half * 0.13, height * 0.4, 6).moved(x, half * y, tip - height * 0.4)
        draft.look(stick, shade("wood", tints[(number + int(draw.length(0.0, 3.0))) % 4]))
        cone = prism(circle(half * 0.13, 6), [(0.0, 1.0), (0.009, 0.12)]).moved(x, half * y, tip)
        draft.look(cone, shade("wood", "beige"))
        draft.touch(box_part((half * 0.11, half * 0.11, height * lift / 2), pose(x, half * y, tip - height * lift / 2)))
    # What is left of the floor in front of the pocket.
    front = half * (0.9 if kind == "square" else 0.86) - wall
    draft.floor(
        ((front + pocket) / 2.0, 0.0, 0.004), ((front - pocket) / 2.0 * 0.85, half * 0.5), round_=kind == "round"
    )
    draft.body(body, shape="cylindrical" if kind != "square" else "rectangular")
    draft.grip(90.0, height=max(height * 0.55, height * 1.24 + 0.009 - 0.055))
    draft.grip(90.0, x=-half * 0.15, height=max(height * 0.5, height * 1.24 + 0.009 - 0.055), tilts_deg=(0.0,))
    return draft


def eraser(draw: Draw) -> Draft:
    """A block in a printed paper sleeve, a slanted two-coloured bar, or a pebble with a stripe."""
    draft = Draft(mass_kg=draw.mass(0.02, 0.035))
    kind = draw.cycle("kind", ("sleeved", "slanted", "oval"))
    half_x = draw.cycle("size", (0.8, 1.15)) * draw.length(0.0225, 0.033)
    half_y, half_z = draw.length(0.0125, 0.0155), draw.length(0.0068, 0.0085)
    paint = draw.paint("rubber", "white", "pink", "green", "blue", "yellow", "gray", "orange")
    sleeve = shade("paper", draw.cycle("sleeve", ("blue", "red", "black", "green")))
    if kind == "oval":
        half_y *= 1.15
        body = prism(rounded_rectangle(half_x, half_y, half_y * 0.98, 6), [(-half_z, 0.97), (0, 1.0), (half_z, 0.97)])
        draft.look(box(0.0035, half_y + 0.0005, half_z + 0.0005), sleeve)
    elif kind == "slanted":
        lean = half_z * 0.9
        side = [(-half_x - lean, -half_z), (half_x - lean, -half_z), (half_x + lean, half_z), (-half_x + lean, half_z)]
        body = slab(side, half_y)
        end = half_x * 0.45
        tip = [
            (half_x - lean - end, -half_z - 0.0002), (half_x - lean + 0.0003, -half_z - 0.0002),
            (half_x + lean + 0.0003, half_z + 0.0003), (half_x + lean - end, half_z + 0.0003),
        ]  # fmt: skip
        draft.look(slab(tip, half_y + 0.0003), shade("rubber", "blue" if luminance(paint.rgba) > 0.45 else "white"))
    else:
        body = rounded_box(half_x, half_y, half_z, 0.003, bevel=0.0015)
        draft.look(box(half_x * 0.4, half_y + 0.0006, half_z + 0.0006).moved(x=-half_x * 0.48), sleeve)
        word = lettered(sleeve, draw.cycle("word", ("SOFT", "ART", "ERASE")))
        draft.look(decal(half_x * 0.36, half_y * 0.7).moved(-half_x * 0.48, 0.0, half_z + 0.0006), word)
    draft.solid(body, paint)
    draft.body(body, shape="rectangular" if kind == "slanted" else None)
    draft.grip(90.0, 0.0)
    return draft


def correction_tape(draw: Draw) -> Draft:
    """A flat case, drop-shaped or long, with a window on its white reel and a pale nose with the tape."""
    draft = Draft(mass_kg=draw.mass(0.015, 0.03))
    kind = draw.cycle("kind", ("drop", "long", "snail"))
    half_x = draw.cycle("size", (0.85, 1.2)) * draw.length(0.03, 0.036)
    half_y, height = draw.length(0.0165, 0.02) * (0.84 if kind == "long" else 1.0), draw.length(0.014, 0.017)
    paint = draw.paint("plastic", "blue", "pink", "green", "red", "purple", "yellow", "black")
    angles = np.linspace(0.0, 2.0 * np.pi, 18, endpoint=False)
    cos, sin = np.cos(angles), np.sin(angles)
    slim = {"drop": 0.42, "long": 0.16, "snail": 0.3}[kind] * (1.0 + cos)  # of the half breadth, toward the nose
    power = 0.6 if kind == "long" else 1.0
    outline = np.stack([half_x * np.sign(cos) * np.abs(cos) ** power, half_y * sin * (1.0 - slim * 0.9)], 1)
    if kind == "snail":  # the nose leaves along one side
        outline[:, 1] -= half_y * 0.45 * np.clip(cos, 0.0, 1.0)
    levels = [(0.0, 0.94), (0.002, 1.0), (height - 0.002, 1.0), (height, 0.94)]
    body = prism(outline, levels)
    draft.solid(body, paint)
    nose_y = -half_y * 0.45 if kind == "snail" else 0.0
    white, dark = shade("plastic", "white"), solid("plastic", INK)
    cone = prism([(0.0, -0.0045), (0.011, -0.0028), (0.011, 0.0028), (0.0, 0.0045)], [(0.0, 1.0), (0.006, 1.0)])
    draft.solid(cone.moved(half_x * 0.95, nose_y, height / 2.0 - 0.003), white)
    draft.look(box(0.0015, 0.0032, 0.0034).moved(half_x * 0.95 + 0.011, nose_y, height / 2.0), dark)
    reel = half_y * (0.62 if kind == "long" else 0.58)
    for x, radius in ((-half_x * 0.36, reel), (half_x * 0.3, reel * (0.62 if kind == "long" else 0.0))):
        if radius > 0.0:
            draft.look(cylinder(radius, 0.0004, 14).moved(x, 0.0, height), white)
            draft.look(cylinder(radius * 0.72, 0.0004, 12).moved(x, 0.0, height + 0.0003), paint)
            draft.look(cylinder(radius * 0.36, 0.0004, 8).moved(x, 0.0, height + 0.0006), white)
            for spoke in (0.0, 60.0, 120.0):
                bar = box(radius * 0.7, radius * 0.07, 0.0003)
                draft.look(bar.at(pose(x, 0.0, height + 0.0006, rpy_deg=(0.0, 0.0, spoke))), white)
    strip = box(half_x * 0.3, 0.0022, 0.0003).moved(half_x * 0.56, nose_y * 0.7, height)
    draft.look(strip, shade("plastic", "white") if luminance(paint.rgba) < 0.6 else dark)
    draft.body(body, shape="tapered" if kind == "drop" else "rectangular" if kind == "long" else "irregular")
    draft.grip(90.0, x=-half_x * 0.12, height=max(_LOWEST_M, height * 0.55))
    draft.grip(90.0, x=-half_x * 0.35, height=max(_LOWEST_M, height * 0.55), tilts_deg=(0.0,))
    return draft


def sharpener(draw: Draw) -> Draft:
    """A wedge with a blade screwed on top, a two-hole block, or a round pot for the shavings."""
    draft = Draft(mass_kg=draw.mass(0.02, 0.04))
    kind = draw.cycle("kind", ("wedge", "pot", "double"))
    if kind == "pot":
        return _pot_sharpener(draw, draft)
    half_x, height = draw.cycle("size", (0.95, 1.35)) * draw.length(0.016, 0.0215), draw.length(0.0175, 0.025)
    half_y = draw.length(0.011, 0.0155) * (1.6 if kind == "double" else 1.0)
    stuff = draw.cycle("stuff", ("plastic", "metal"))
    words = ("red", "green", "purple", "yellow", "blue", "orange") if stuff == "plastic" else ("gray", "yellow", "blue")
    paint = draw.paint(stuff, *words, key=f"paint {stuff}")
    side = [(-half_x, 0.0), (half_x, 0.0), (half_x, height * 0.62), (-half_x, height)]
    body = slab(side, half_y)
    draft.solid(body, paint)
    # Grooves along both sides to hold it by.
    for y in (-1.0, 1.0):
        for x in (-0.45, -0.15, 0.15, 0.45):
            draft.look(
                box(0.0008, 0.0004, height * 0.22).moved(half_x * x, y * half_y, height * 0.34), solid(stuff, INK)
            )
    pitch = float(np.degrees(np.arctan2(height * 0.38, 2.0 * half_x)))
    for y in (-0.5, 0.5) if kind == "double" else (0.0,):
        on_slope = pose(0.0, half_y * y, height * 0.81, rpy_deg=(0.0, pitch, 0.0))
        breadth = half_y * (0.3 if kind == "double" else 0.5)
        draft.look(box(half_x * 0.66, breadth, 0.001).at(on_slope), shade("metal", "gray", 1))
        draft.look(box(half_x * 0.66, breadth * 0.12, 0.0002).moved(0.0, -breadth * 0.8, 0.0011).at(on_slope),
                   solid("metal", INK))  # fmt: skip
        draft.look(cylinder(0.0024, 0.0016, 8).at(on_slope), solid("metal", INK))
        hole = cylinder(height * 0.26, 0.0006, 12).at(lying(x=-half_x, y=half_y * y, z=height * 0.5))
        draft.look(hole, solid("plastic", INK))
    draft.body(body, shape="tapered")
    draft.grip(90.0, 0.0, height=_LOWEST_M)
    return draft


def _pot_sharpener(draw: Draw, draft: Draft) -> Draft:
    """A ribbed pot with a dark pencil hole and a blade seen through the top."""
    radius, height = draw.cycle("size", (0.85, 1.2)) * draw.length(0.018, 0.0235), draw.length(0.025, 0.036)
    paint = draw.paint("plastic", "red", "green", "purple", "yellow", "blue", "orange", key="pot")
    rim = shade("plastic", "white" if luminance(paint.rgba) < 0.4 else "black")
    body = draft.lathe([(radius * 0.92, 0.0), (radius, height * 0.2), (radius, height * 0.78)], paint, sectors=16)
    draft.lathe([(radius * 1.02, height * 0.78), (radius * 1.02, height * 0.88)], rim, sectors=16)
    draft.lathe([(radius, height * 0.88), (radius * 0.86, height)], paint, sectors=16)
    draft.look(cylinder(radius * 0.36, 0.0006, 12).moved(radius * 0.3, 0.0, height), solid("plastic", INK))
    draft.look(box(radius * 0.3, radius * 0.34, 0.0007).moved(-radius * 0.42, 0.0, height), shade("metal", "gray", 1))
    draft.look(cylinder(radius * 0.09, 0.0011, 8).moved(-radius * 0.42, 0.0, height), solid("metal", INK))
    for angle in range(0, 360, 45):
        rib = box(0.0005, radius * 0.08, height * 0.22).moved(radius * 0.985, 0.0, height * 0.5)
        draft.look(rib.at(pose(rpy_deg=(0.0, 0.0, angle + 22.5))), rim)
    draft.body(body, shape="round")
    draft.grip(0.0, 90.0, height=height * 0.5)
    return draft


def notebook(draw: Draw) -> Draft:
    """A thick pocket book, closed: bound with an elastic band, with a steel spiral, or sewn with a printed label."""
    draft = Draft(mass_kg=draw.mass(0.06, 0.14))
    kind = draw.cycle("kind", ("band", "spiral", "label"))
    half_x = draw.cycle("size", (0.95, 1.3)) * draw.length(0.046, 0.052)
    half_y, height = draw.length(0.0265, 0.029), draw.length(0.0135, 0.017)
    stuff = draw.cycle("stuff", ("leather", "paper", "fabric"))
    paint = draw.paint(stuff, "black", "red", "blue", "green", "brown", "pink", "yellow")
    skin = paint
    if draw.cycle("pattern", ("plain", "stripes", "plain", "speckles")) != "plain" and kind == "label":
        dark = luminance(paint.rgba) < 0.35
        ink = tuple(min(1.0, channel + 0.25) if dark else channel * 0.7 for channel in rgb_of(paint))
        skin = textures.painted(textures.speckles(rgb_of(paint), (ink[0], ink[1], ink[2]), draw.rng, share=0.2), stuff)
    back = -half_y + 0.002 if kind != "spiral" else -half_y + 0.006
    pages_z, cover = height / 2.0, 0.0012
    lined = textures.painted(textures.ruled(PAPER, SHADES["beige"][2], 7, size=32), "paper")
    pages = box(half_x - 0.002, (half_y - 0.002 - back) / 2.0, pages_z - cover)
    draft.look(flat(pages.moved(0.0, (half_y - 0.002 + back) / 2.0, pages_z), lined, axis=1), lined)
    for z in (cover / 2.0, height - cover / 2.0):
        board = prism(rounded_rectangle(half_x, half_y, 0.004, 3), [(z - cover / 2.0, 1.0), (z + cover / 2.0, 1.0)])
        draft.look(mapped(flat(board, skin), paint), skin)
    draft.touch(box_part((half_x, half_y, height / 2.0), pose(z=height / 2.0)))
    region_y, region_half = 0.0, half_y * 0.8
    if kind == "spiral":
        steel = solid("metal", STEEL)
        for x in np.linspace(-0.86, 0.86, 9):
            ring = cylinder(height * 0.54, 0.0011, 8).at(lying(x=half_x * x, y=-half_y + 0.003, z=height / 2.0))
            draft.look(ring, steel)
        region_y, region_half = half_y * 0.16, half_y * 0.7
    else:
        draft.look(box(half_x, 0.001, pages_z).moved(0.0, -half_y + 0.001, pages_z), paint)
    if kind == "band":
        elastic = shade("fabric", "black" if luminance(paint.rgba) > 0.2 else "red")
        draft.look(box(half_x + 0.0003, 0.0022, pages_z + 0.0004).moved(0.0, half_y * 0.62, pages_z), elastic)
        draft.look(box(0.009, 0.002, 0.0003).moved(half_x + 0.006, -half_y * 0.3, 0.004), elastic)
    word = draw.cycle("word", ("NOTES", "DIARY", "MEMO"))
    base = rgb_of(paint) if kind == "band" else PAPER
    label = textures.painted(print_on(base, [word], size=(32, 64), frame=kind != "band"), "paper")
    draft.look(decal(half_x * 0.42, half_y * 0.36).moved(half_x * 0.2, region_y, height), label)
    draft.body(box(half_x, half_y, height / 2.0))
    draft.floor((0.0, region_y, height), (half_x * 0.88, region_half), round_=False)
    draft.grip(90.0)
    draft.grip(90.0, x=half_x * 0.3, tilts_deg=(0.0,))
    return draft


BUILDERS = {
    "stapler": stapler,
    "pen_holder": pen_holder,
    "eraser": eraser,
    "correction_tape": correction_tape,
    "sharpener": sharpener,
    "notebook": notebook,
}
