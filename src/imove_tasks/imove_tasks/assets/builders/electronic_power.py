"""Small things that store or carry power and data: cases, plugs, cables, sticks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from imove_tasks.assets.builders.decals import decal, lettered
from imove_tasks.assets.builders.parts import luminance, rgb_of
from imove_tasks.assets.convex import box_part, hull_part, loop_parts, revolved_parts
from imove_tasks.assets.draft import Draft, lying, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.looks import Material
from imove_tasks.assets.palette import INK, STEEL
from imove_tasks.assets.primitives import (
    box,
    cylinder,
    ellipsoid,
    loop,
    oval_path,
    prism,
    revolve,
    rounded_box,
    rounded_rectangle,
    tube,
)

_LOWEST_M = 0.010  # of a grip's centre above the table


def earbud_case(draw: Draw) -> Draft:
    """A pebble-shaped, square or round case with a lid seam and a light, or an open one with both buds in it."""
    draft = Draft(mass_kg=draw.mass(0.04, 0.06))
    kind = draw.cycle("kind", ("pebble", "open", "square", "puck", "open", "pebble"))
    half_y = draw.cycle("size", (0.9, 1.06)) * draw.length(0.0225, 0.0268)
    half_x = half_y * (0.78 if kind == "open" else draw.length(1.25, 1.42) if kind == "pebble" else 1.0)
    half_z = draw.length(0.0115, 0.0142)
    paint = draw.paint("plastic", "white", "black", "pink", "blue", "green", "purple", "red")
    corner = {"square": 0.35, "puck": 0.99}.get(kind, 0.8) * min(half_x, half_y)
    outline = rounded_rectangle(half_x, half_y, corner, 5)
    mark = shade("plastic", "gray" if luminance(paint.rgba) < 0.8 else "black")
    if kind == "open":
        return _open_case(draft, outline, half_x, half_y, half_z, paint, mark)
    levels = [(0.0, 0.86), (half_z * 0.5, 1.0), (half_z * 1.5, 1.0), (half_z * 2.0, 0.86)]
    body = prism(outline, levels)
    draft.solid(body, paint)
    draft.look(prism(outline, [(half_z * 1.28, 1.006), (half_z * 1.4, 1.006)]), mark)
    light = cylinder(0.002, 0.0006, 8).at(pose(half_x, 0.0, half_z * 0.9, rpy_deg=(0, 90, 0)))
    draft.look(light, shade("plastic", "green" if paint.rgba[1] < 0.5 or paint.rgba[0] > 0.5 else "yellow"))
    top = half_z * 2.0
    if draw.cycle("mark", ("word", "buds")) == "word":
        draft.look(decal(half_y * 0.5, half_y * 0.2).moved(z=top), lettered(paint, "PODS"))
    else:  # a drawn pair of buds
        for y in (-1, 1):
            draft.look(cylinder(half_y * 0.15, 0.0003, 12).moved(half_y * 0.1, y * half_y * 0.22, top), mark)
            stem = box(half_y * 0.16, half_y * 0.05, 0.0003).moved(-half_y * 0.14, y * half_y * 0.22, top)
            draft.look(stem, mark)
    draft.body(prism(outline, [(0.0, 1.0), (top, 1.0)]), shape={"square": "square", "puck": "round"}.get(kind))
    draft.grip(90.0, 0.0)
    draft.grip(80.0, tilts_deg=(0.0,))
    return draft


def _open_case(
    draft: Draft,
    outline: NDArray[np.float64],
    half_x: float,
    half_y: float,
    half_z: float,
    paint: Material,
    mark: Material,
) -> Draft:
    """The lower half with two buds looking out, and the lid tipped back at the -x side."""
    height = half_z * 1.5
    base = prism(outline, [(0.0, 0.86), (half_z * 0.5, 1.0), (height, 1.0)])
    draft.solid(base, paint)
    draft.look(prism(outline * 0.76, [(height - 0.0002, 1.0), (height + 0.0003, 1.0)]), mark)
    lid = prism(outline, [(0.0, 1.0), (half_z * 0.3, 1.0), (half_z * 0.7, 0.82)])
    # Hinged at the back edge and opened by a bit more than a quarter turn.
    opened = pose(-half_x, 0.0, height, rpy_deg=(0.0, -100.0, 0.0)) @ pose(half_x, 0.0, 0.0)
    draft.solid(lid.at(opened), paint)
    inside = prism(outline * 0.62, [(-0.0006, 1.0), (0.0002, 1.0)])
    draft.look(inside.at(opened), mark)
    white = shade("plastic", "white" if luminance(paint.rgba) < 0.7 else "gray", 0)
    for y in (-1, 1):
        bud = ellipsoid(half_x * 0.26, half_y * 0.2, half_x * 0.22, 8, 4).moved(half_x * 0.1, y * half_y * 0.36, height)
        draft.look(bud, white)
        stem = cylinder(half_x * 0.1, half_x * 0.14, 6).at(lying(-half_x * 0.24, y * half_y * 0.36, height + 0.001))
        draft.look(stem, white)
    draft.body(base, shape="oval")
    draft.grip(90.0, height=_LOWEST_M)
    draft.grip(90.0, x=half_x * 0.15, height=_LOWEST_M, tilts_deg=(0.0,))
    return draft


def charging_head(draw: Draw) -> Draft:
    """A wall plug on its side: two flat prongs on a block, two round pins on a disc-nosed body, or a long one."""
    draft = Draft(mass_kg=draw.mass(0.04, 0.1))
    kind = draw.cycle("kind", ("flat", "pins", "long"))
    half_x, half_y = draw.length(0.018, 0.0235), draw.length(0.0175, 0.0235)
    if kind == "long":
        half_x *= 1.55
        half_y *= 0.9
    scale = draw.cycle("size", (0.86, 1.08))
    half_x, half_y, half_z = half_x * scale, half_y * scale, draw.length(0.0125, 0.0165)
    paint = draw.paint("plastic", "white", "black", "gray", "blue", "pink", "green", "orange")
    steel, dark = solid("metal", STEEL), solid("plastic", INK)
    corner = {"flat": 0.25, "pins": 0.5, "long": 0.35}[kind] * min(half_x, half_y)
    body = rounded_box(half_x, half_y, half_z, corner, bevel=0.0015).moved(z=half_z)
    draft.solid(body, paint)
    for side in (-1, 1):
        if kind == "pins":
            at = lying(y=side * half_y * 0.42, z=half_z)
            draft.lathe([(0.0024, half_x + 0.002), (0.0024, half_x + 0.015)], steel, at=at, sectors=8)
        else:
            draft.block((0.0085, 0.0012, 0.0035), (half_x + 0.0075, side * half_y * 0.45, half_z), steel)
    if kind == "pins":
        nose = [(half_z * 0.92, half_x - 0.001), (half_z * 0.84, half_x + 0.003)]
        wide = revolve(nose, 14).scaled(x=min(1.3, half_y / half_z * 0.95)).at(lying(z=half_z))
        draft.look(wide, paint)
        draft.touch(hull_part(wide.vertices))
    frame = luminance(paint.rgba) < 0.05
    for y in {"flat": (-0.45, 0.45), "pins": (0.0,), "long": (-0.55, 0.0, 0.55)}[kind]:
        if frame:
            rim = box(0.0004, half_y * 0.26, half_z * 0.34).moved(-half_x, y * half_y, half_z)
            draft.look(rim, shade("plastic", "gray"))
        port = box(0.0007, half_y * 0.22, half_z * 0.24).moved(-half_x, y * half_y, half_z)
        draft.look(port, dark if not frame else shade("plastic", "orange"))
    top = 2.0 * half_z
    draft.look(decal(half_x * 0.62, half_y * 0.42).moved(-half_x * 0.2, 0.0, top), lettered(paint, "USB"))
    bolt = np.array([(1.0, 0.1), (0.1, 0.5), (0.15, 0.1), (-1.0, -0.1), (-0.1, -0.5), (-0.15, -0.1)]) * half_y * 0.34
    draft.look(prism(bolt, [(-0.0003, 1.0), (0.0004, 1.0)]).moved(half_x * 0.45, half_y * 0.55, top),
               shade("plastic", "yellow" if luminance(paint.rgba) < 0.5 else "orange"))  # fmt: skip
    draft.body(body, shape="rectangular" if kind == "long" else None)
    draft.grip(90.0, 0.0, x=-0.001)
    draft.grip(90.0, x=half_x * 0.2, tilts_deg=(0.0,))
    return draft


def charging_cable(draw: Draw) -> Draft:
    """A cable in stacked turns, long and strapped round its waist or in a round coil; a plug at each end."""
    draft = Draft(mass_kg=draw.mass(0.02, 0.05))
    kind = draw.cycle("kind", ("hank", "coil"))
    scale = draw.cycle("size", (0.8, 1.0, 1.2) if kind == "hank" else (0.85, 1.0))
    stuff = draw.cycle("stuff", ("rubber", "fabric", "plastic"))
    paint = draw.paint(stuff, "white", "black", "red", "blue", "orange", "green", "pink")
    thin = draw.length(0.0026, 0.0031)
    if kind == "hank":
        half_x, half_y = scale * draw.length(0.036, 0.044), draw.length(0.0135, 0.0175)
    else:
        half_x = half_y = scale * draw.length(0.0235, 0.0265)
    turns = 3
    height = thin * 2.0 * turns
    for number in range(turns):
        grow = 1.0 + 0.04 * (number - 1)
        path = (
            rounded_rectangle(half_x * grow, half_y * grow, half_y * grow * 0.98, 3)
            if kind == "hank"
            else oval_path(half_x * grow, half_y * (2.0 - grow), 12)
        )
        draft.look(loop(path, thin, thin, 5).moved(z=thin * (1.0 + 2.0 * number)), paint)
    strap = shade("fabric", "gray" if luminance(paint.rgba) < 0.1 else "black")
    outer = half_y * 1.04 + thin
    if kind == "hank":
        inner = pose(z=height / 2.0)
        path = rounded_rectangle(half_x, half_y, half_y * 0.98, 3)
        draft.touch(*loop_parts(path, thin * 1.3, height / 2.0, stride=2, at=inner))
        waist = box(0.0048, outer + 0.0012, height / 2.0).moved(z=height / 2.0 + 0.0004)  # the turns bear it
        draft.solid(waist, strap)
    else:
        path = oval_path(half_x, half_y, 12)
        draft.touch(*loop_parts(path, thin * 1.3, height / 2.0, stride=2, at=pose(z=height / 2.0)))
        tie = box(thin * 1.7, 0.004, height / 2.0 + 0.0004).moved(half_x, 0.0, height / 2.0 + 0.0002)
        draft.look(tie.at(pose(rpy_deg=(0.0, 0.0, 150.0))), strap)
    reach = half_x * 1.0
    for side, (shell, metal) in ((1.0, (0.0052, 0.0042)), (-1.0, (0.0042, 0.003))):
        y, z = side * half_y * 0.42, height - thin
        out = reach + 0.009
        lead = [(reach * 0.9, side * half_y * 0.66, z), (reach + thin * 2.0, y * 1.1, z), (out, y, z)]
        draft.look(tube(lead, thin * 0.8, 5), paint)
        draft.look(rounded_box(0.0075, shell, 0.003, 0.0015).moved(out + 0.0065, y, z), paint)
        draft.look(box(0.004, metal, 0.0018).moved(out + 0.018, y, z), solid("metal", STEEL))
        draft.touch(box_part((0.012, shell, 0.003), pose(out + 0.010, y, z)))
    draft.body(prism(path, [(0.0, 1.0), (height, 1.0)]), shape="oval" if kind == "hank" else "ring-shaped")
    draft.grip(90.0, height=max(_LOWEST_M, height * 0.5))
    if kind == "hank":
        draft.grip(90.0, x=0.002, height=max(_LOWEST_M, height * 0.5), tilts_deg=(0.0,))
    else:
        draft.grip(60.0, 120.0, height=max(_LOWEST_M, height * 0.5), tilts_deg=(0.0,))
    return draft


def usb_drive(draw: Draw) -> Draft:
    """A memory stick with its steel plug out: printed stick, swivel bracket, or metal body with a key ring."""
    draft = Draft(mass_kg=draw.mass(0.012, 0.03))
    kind = draw.cycle("kind", ("stick", "swivel", "ring"))
    half_x = draw.cycle("size", (0.7, 1.15)) * draw.length(0.0165, 0.021)
    half_y, half_z = draw.length(0.0088, 0.0108), draw.length(0.0064, 0.0074)
    stuff = "metal" if kind == "ring" else draw.cycle("stuff", ("plastic", "plastic", "rubber"))
    words = (
        ("gray", "red", "blue", "black") if kind == "ring" else ("blue", "red", "green", "black", "yellow", "orange")
    )
    paint = draw.paint(stuff, *words, key=f"paint {stuff}")
    steel, dark = shade("metal", "gray", 1), solid("metal", INK)
    corner = half_y * {"stick": 0.4, "swivel": 0.6, "ring": 0.2}[kind]
    body = rounded_box(half_x, half_y, half_z, corner, bevel=0.0012).moved(z=half_z)
    draft.look(body, paint)
    # Contacts without the bevel: on its narrow facets so light a thing rocks in simulation.
    sides = rounded_rectangle(half_x, half_y, corner, 3)
    draft.touch(hull_part(prism(sides, [(0.0, 1.0), (2.0 * half_z, 1.0)]).vertices))
    plug_y = 0.006
    draft.block((0.006, plug_y, 0.00225), (half_x + 0.0055, 0.0, half_z), steel)
    for y in (-0.5, 0.5):
        hole = box(0.0012, plug_y * 0.22, 0.0002).moved(half_x + 0.007, y * plug_y, half_z + 0.0023)
        draft.look(hole, dark)
    top = 2.0 * half_z
    mark = decal(half_x * 0.52, half_y * 0.62)
    if kind == "swivel":
        for z in (0.0004, top - 0.0002):
            plate = prism(
                rounded_rectangle(half_x * 0.36, half_y * 0.66, half_y * 0.3, 3), [(-0.0005, 1.0), (0.0006, 1.0)]
            )
            draft.look(plate.moved(-half_x * 0.62, 0.0, z), steel)
        bow = box(0.0006, half_y * 0.72, half_z).moved(-half_x * 1.02, 0.0, half_z)
        draft.solid(bow, steel)
        draft.look(cylinder(half_y * 0.3, 0.0008, 10).moved(-half_x * 0.5, 0.0, top + 0.0004), dark)
        draft.look(mark.moved(half_x * 0.36, 0.0, top).scaled(x=0.9), lettered(paint, "GB"))
    else:
        draft.look(mark.moved(0.0, 0.0, top), lettered(paint, draw.cycle("word", ("USB", "DATA"))))
        if kind == "ring":
            path = oval_path(half_y * 0.62, half_y * 0.62, 10)
            at = pose(-half_x - half_y * 0.5, 0.0, half_z)
            draft.look(loop(path, 0.001, 0.001, 4).at(at), steel)
            draft.touch(box_part((half_y * 0.6, half_y * 0.6, 0.001), at))
        else:
            cap = [(half_y * 0.7, -half_x - 0.003), (half_y * 0.8, -half_x + 0.001)]
            squeezed = revolve(cap, 10).scaled(x=1.0, y=half_z / half_y).at(lying(z=half_z))
            draft.look(squeezed, paint)
            draft.touch(*revolved_parts([(half_z * 0.7, -half_x - 0.003), (half_z * 0.8, -half_x)], 8, lying(z=half_z)))
            tone = rgb_of(paint)
            glow = solid(stuff, (tone[0] * 0.55, tone[1] * 0.55, tone[2] * 0.55))
            draft.look(box(half_x * 0.06, half_y + 0.0002, half_z * 0.3).moved(-half_x * 0.7, 0.0, half_z), glow)
    draft.body(body)
    draft.grip(90.0, height=_LOWEST_M)
    draft.grip(90.0, x=half_x * 0.15, height=_LOWEST_M, tilts_deg=(0.0,))
    return draft


BUILDERS = {
    "earbud_case": earbud_case,
    "charging_head": charging_head,
    "charging_cable": charging_cable,
    "usb_drive": usb_drive,
}
