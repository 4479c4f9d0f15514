"""Scissors, knives and magnifiers, lying on the table."""

from __future__ import annotations

import numpy as np

from imove_tasks.assets.builders.decals import decal, lettered
from imove_tasks.assets.builders.parts import grained, luminance, mapped
from imove_tasks.assets.convex import box_part, hull_part, loop_parts, revolved_parts
from imove_tasks.assets.draft import Draft, lying, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.palette import INK
from imove_tasks.assets.primitives import (
    box,
    cylinder,
    loop,
    oval_path,
    prism,
    revolve,
    rounded_box,
    rounded_rectangle,
)
from imove_tasks.assets.sweeps import bar, bar_parts

_LOWEST_M = 0.010  # of a grip's centre above the table
_GLASS = (0.84, 0.92, 0.95)


def scissors(draw: Draw) -> Draft:
    """Two finger holes, crossing shanks and slightly open blades: office, blunt children's, or all-metal ones."""
    kind = draw.cycle("kind", ("office", "children", "metal"))
    scale = draw.cycle("size", (0.82, 1.0))
    if kind == "metal":
        paint = draw.paint("metal", "gray", "black", "yellow", "red")
    else:
        paint = draw.paint("plastic", "red", "blue", "black", "green", "orange", "pink", "purple")
    draft = Draft(mass_kg=draw.mass(0.03, 0.07))
    steel = shade("metal", "gray", 1) if kind != "metal" or luminance(paint.rgba) < 0.45 else paint
    half_z = draw.length(0.0064, 0.0072)
    thick = {"office": 0.0044, "children": 0.0048, "metal": 0.0038}[kind] * scale
    blade = scale * (draw.length(0.042, 0.05) if kind == "children" else draw.length(0.052, 0.072))
    wide = scale * draw.length(0.0058, 0.0072)
    reach = scale * draw.length(0.051, 0.057)  # pivot to the middle of the finger holes
    opening_deg = draw.cycle("opening", (6.0, 12.0))
    for side in (1.0, -1.0):
        large = 1.3 if kind == "office" and side > 0 else 1.0
        hole_x, hole_y = scale * 0.0155 * large, scale * 0.0104 * (1.1 if kind == "children" else 1.0)
        path = oval_path(hole_x, hole_y, 12)
        center = pose(-reach, side * (hole_y + thick * 0.7), half_z, rpy_deg=(0.0, 0.0, -side * 14.0))
        draft.look(loop(path, thick, half_z).at(center), paint)
        draft.touch(*loop_parts(path, thick, half_z, at=center))
        shank = [(-reach + hole_x * 0.92, side * hole_y * 0.85, half_z), (0.008 * scale, -side * 0.001, half_z)]
        draft.look(bar(shank, wide * 0.95, half_z, bevel=0.5), paint)
        draft.touch(*bar_parts(shank, wide * 0.95, half_z, bevel=0.5))
        tip = wide * (0.75 if kind == "children" else 0.12)
        edge = [
            (0.0, -wide * 0.9), (blade - tip * 1.2, -wide * 0.9), (blade, -wide * 0.9 + tip * 0.6),
            (blade, -wide * 0.9 + tip), (blade * 0.8, wide * 0.35), (0.0, wide * 0.9),
        ]  # fmt: skip
        outline = np.array(edge) * [1.0, side]
        sheet = prism(outline if side > 0 else outline[::-1], [(-0.0009, 1.0), (0.0009, 1.0)])
        placed = sheet.at(pose(0.0, 0.0, half_z + side * 0.001, rpy_deg=(0.0, 0.0, -side * opening_deg * 0.5)))
        draft.look(placed, steel)
        draft.touch(hull_part(placed.vertices))
    screw = cylinder(wide * 0.55, 0.001, 10).moved(0.002, 0.0, 2.0 * half_z)
    draft.look(screw, shade("metal", "gray", 2))
    draft.body(prism(oval_path(0.05, 0.02, 12), [(0.0, 1.0), (half_z, 1.0)]), shape="irregular")
    draft.grip(90.0, x=-0.012 * scale, height=_LOWEST_M)
    draft.grip(90.0, x=-reach, height=_LOWEST_M, tilts_deg=(0.0,))
    return draft


def cutter_knife(draw: Draw) -> Draft:
    """A snap-off knife: slim case, heavy case with rubber grip, or metal case; slider on top, scored blade out."""
    kind = draw.cycle("kind", ("slim", "heavy", "metal"))
    half_x = draw.cycle("size", (0.72, 1.0)) * draw.length(0.054, 0.066)
    half_y = draw.length(0.0088, 0.0105) * (1.22 if kind == "heavy" else 1.0)
    half_z = draw.length(0.0066, 0.0078)
    draft = Draft(mass_kg=draw.mass(0.03, 0.08))
    if kind == "metal":
        paint = draw.paint("metal", "gray", "black", "blue", "red", key="case")
    else:
        paint = draw.paint("plastic", "yellow", "blue", "red", "green", "black", "orange")
    dark = shade("rubber", "black") if luminance(paint.rgba) > 0.15 else shade("rubber", "gray")
    body = rounded_box(half_x, half_y, half_z, half_y * (0.35 if kind == "metal" else 0.6), bevel=0.0015)
    draft.solid(body.moved(z=half_z), paint)
    out, blade_y = draw.length(0.012, 0.03), half_y * 0.62
    steel = shade("metal", "gray", 1)
    outline = [(0.0, -blade_y), (out, -blade_y), (out - blade_y * 0.9, blade_y), (0.0, blade_y)]
    draft.solid(prism(outline, [(-0.0005, 1.0), (0.0005, 1.0)]).moved(half_x - 0.001, 0.0, half_z), steel)
    for x in np.arange(0.006, out - blade_y, 0.006):
        score = box(0.0003, blade_y * 0.98, 0.0001)
        draft.look(score.at(pose(half_x + x, 0.0, half_z + 0.0005, rpy_deg=(0.0, 0.0, 12.0))), solid("metal", INK))
    top = 2.0 * half_z
    draft.look(box(half_x * 0.52, 0.0012, 0.0003).moved(half_x * 0.3, 0.0, top), solid("plastic", INK))
    knob = rounded_box(0.009, half_y * 0.5, 0.0022, 0.002).moved(half_x * draw.cycle("slid", (0.5, 0.25)), 0.0, top)
    draft.look(knob, dark)
    for x in (-0.004, 0.0, 0.004):
        rib = box(0.0006, half_y * 0.45, 0.0006).moved(x, 0.0, 0.0024)
        draft.look(rib.moved(knob.vertices[:, 0].mean(), 0.0, top), paint)
    draft.solid(rounded_box(0.006, half_y * 0.9, half_z * 0.9, 0.003).moved(-half_x - 0.004, 0.0, half_z), dark)
    if kind == "heavy":
        for x in (-0.75, -0.6, -0.45):
            ring = rounded_rectangle(half_y, half_z, half_z * 0.3, 2)
            band = prism(ring, [(-0.0022, 1.02), (0.0022, 1.02)]).at(lying(half_x * x, 0.0, half_z))
            draft.look(band, dark)
    else:
        draft.look(decal(half_x * 0.26, half_y * 0.6).moved(-half_x * 0.55, 0.0, top), lettered(paint, "CUT"))
    draft.touch(box_part((0.009, half_y * 0.5, 0.0022), pose(float(knob.vertices[:, 0].mean()), 0.0, top)))
    draft.body(body)
    draft.grip(90.0, height=max(_LOWEST_M, half_z))
    draft.grip(90.0, x=-half_x * 0.3, height=max(_LOWEST_M, half_z), tilts_deg=(0.0,))
    return draft


def magnifier(draw: Draw) -> Draft:
    """A lens in a round or rectangular rim with a turned handle, of plastic, metal or wood."""
    draft = Draft(mass_kg=draw.mass(0.04, 0.09))
    stuff = draw.cycle("stuff", ("plastic", "metal", "wood"))
    words = {
        "plastic": ("black", "red", "blue", "green", "yellow", "purple"),
        "metal": ("gray", "black", "yellow"),
        "wood": ("brown", "beige", "orange"),
    }[stuff]
    paint = draw.paint(stuff, *words, key=f"paint {stuff}")
    scale = draw.cycle("size", (0.78, 1.0))
    lens = scale * (draw.length(0.0175, 0.0195) if stuff == "wood" else draw.length(0.0215, 0.0245))
    radius, length = draw.length(0.0085, 0.0095) * (0.9 + 0.1 * scale), scale * draw.length(0.068, 0.088)
    thick, half_z = 0.0036, draw.length(0.0062, 0.007)
    kind = draw.cycle("kind", ("round", "round", "rectangular"))
    path = oval_path(lens, lens, 20) if kind == "round" else rounded_rectangle(lens * 1.05, lens * 0.86, lens * 0.3, 4)
    middle = pose(lens * 1.05 + thick, 0.0, half_z)
    draft.look(loop(path, thick, half_z).at(middle), paint)
    draft.touch(*loop_parts(path, thick, half_z, stride=2 if kind == "round" else 3, at=middle))
    pane = prism(path * 0.97, [(-0.0012, 0.97), (0.0, 1.0), (0.0012, 0.97)], apex_rise=0.0012).at(middle)
    draft.look(pane, solid("glass", _GLASS, 0.4))
    draft.touch(hull_part(prism(path * 0.95, [(-0.001, 1.0), (0.001, 1.0)]).at(middle).vertices))
    profile = [
        (radius * 0.8, -length), (radius, -length * 0.92), (radius, -length * 0.35), (radius * 0.7, -length * 0.16),
    ]  # fmt: skip
    if draw.cycle("handle", ("straight", "bulb")) == "bulb":
        profile = [(radius * 0.7, -length), (radius, -length * 0.8), (radius * 0.72, -length * 0.16)]
    at = lying(z=radius * np.cos(np.pi / 12.0))  # a flat side is on the table, as the rim is
    skin = grained(paint, draw) if stuff == "wood" else paint
    draft.look(mapped(revolve(profile, 12), skin).at(at), skin)
    draft.touch(*revolved_parts(profile, 12, at))
    neck = [(radius * 0.62, -length * 0.17), (radius * 0.5, thick)]
    draft.lathe(
        neck, shade("metal", "yellow" if stuff == "wood" else "gray"), at=lying(z=(radius + half_z) / 2), sectors=10
    )
    if stuff != "wood":
        for x in (-0.3, -0.86):
            ring = revolve([(radius + 0.0003, length * x - 0.0015), (radius + 0.0003, length * x + 0.0015)], 12)
            if not (x == -0.3 and profile[1][1] == -length * 0.8):
                draft.look(ring.at(at), shade("metal", "gray", 1) if stuff == "plastic" else solid("metal", INK))
    draft.body(prism(path, [(0.0, 1.0), (half_z, 1.0)]), shape="round" if kind == "round" else "rectangular")
    hold = -length * 0.36
    draft.grip(90.0, x=hold, height=max(_LOWEST_M, radius))
    draft.grip(90.0, x=hold - length * 0.15, height=max(_LOWEST_M, radius), tilts_deg=(0.0,))
    return draft


BUILDERS = {"scissors": scissors, "cutter_knife": cutter_knife, "magnifier": magnifier}
