"""Soap dishes and sponges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from imove_tasks.assets import textures
from imove_tasks.assets.builders.packs import toned
from imove_tasks.assets.builders.parts import rgb_of
from imove_tasks.assets.convex import hull_part
from imove_tasks.assets.draft import Draft
from imove_tasks.assets.draw import Draw, shade
from imove_tasks.assets.mapping import laid
from imove_tasks.assets.primitives import box, cylinder, loft, prism, rounded_rectangle

Array = NDArray[np.float64]

_FLOOR_M, _RIB_M, _WALL_M = 0.004, 0.0016, 0.0035


def soap_dish(draw: Draw) -> Draft:
    """A low open dish with ribs or drain holes: oval, oblong or leaf-shaped."""
    stuff = draw.cycle("stuff", ("ceramic", "plastic", "wood", "plastic", "metal"))
    draft = Draft(mass_kg=draw.mass(0.1, 0.2) if stuff in ("ceramic", "metal") else draw.mass(0.04, 0.09))
    words = ("brown", "beige") if stuff == "wood" else ("white", "blue", "green", "pink", "gray", "yellow", "black")
    paint = draw.paint(stuff, *words)
    kind = draw.cycle("kind", ("oval", "oblong", "leaf"))
    half_x, half_y = draw.length(0.044, 0.062), draw.length(0.027, 0.0305)
    height, foot = draw.length(0.021, 0.028), draw.length(0.78, 0.9)
    turn = np.linspace(0.0, 2.0 * np.pi, 16, endpoint=False)
    if kind == "oblong":
        outline = rounded_rectangle(half_x, half_y, half_y * 0.45, 4)
        inside = 0.94
    else:
        ends = 1.0 if kind == "oval" else 0.62
        across = np.sign(np.sin(turn)) * np.abs(np.sin(turn)) ** (1.0 / ends)
        outline = np.column_stack([half_x * np.cos(turn), half_y * across])
        inside = 0.92 if kind == "oval" else 0.7
    outer_foot, inner_top = outline * foot, outline * [1.0 - _WALL_M / half_x, 1.0 - _WALL_M / half_y]
    inner_floor = outer_foot * [1.0 - _WALL_M / half_x, 1.0 - _WALL_M / half_y]
    rings = [(outer_foot, 0.0), (outline, height), (inner_top, height), (inner_floor, _FLOOR_M)]
    draft.look(loft([np.column_stack([ring, np.full(len(ring), z)]) for ring, z in rings]), paint)
    floor = _FLOOR_M + _RIB_M
    draft.touch(hull_part(prism(outer_foot, [(0.0, 1.0), (floor, 1.0)]).vertices))
    for index in range(len(outline)):
        pair = [index, (index + 1) % len(outline)]
        wedge = [
            np.column_stack([ring[pair], np.full(2, z)])
            for ring, z in ((outer_foot, 0.001), (outline, height), (inner_top, height), (inner_floor, 0.001))
        ]
        draft.touch(hull_part(np.concatenate(wedge)))
    reach_x, reach_y = half_x * foot - _WALL_M, half_y * foot - _WALL_M
    dark = toned(paint, 0.6) if sum(paint.rgba[:3]) > 0.6 else shade(stuff, "gray")
    pattern = draw.cycle("pattern", ("across", "holes", "along"))
    for share in np.linspace(-0.72, 0.72, 7):
        span = float(np.sqrt(1.0 - share * share)) if kind != "oblong" else 0.92
        if pattern == "across":
            rib = box(reach_x * 0.045, reach_y * span * 0.88, _RIB_M / 2.0).moved(x=reach_x * share)
        elif pattern == "along":
            rib = box(reach_x * span * 0.9, reach_y * 0.06, _RIB_M / 2.0).moved(y=reach_y * share)
        else:
            rib = cylinder(reach_y * 0.17, _RIB_M / 2.0, 8).moved(
                x=reach_x * share, y=reach_y * 0.3 * (-1) ** round(share * 4.2)
            )
        draft.look(rib.moved(z=_FLOOR_M + _RIB_M / 2.0), dark)
    draft.body(prism(outline, [(0.0, 1.0), (height, 1.0)]), shape={"oblong": "rectangular"}.get(kind, "oval"))
    draft.floor((0.0, 0.0, floor), (reach_x * inside, reach_y * inside), round_=kind != "oblong")
    draft.grip(90.0, height=height * 0.52)
    draft.grip(90.0, height=height * 0.52, x=half_x * 0.12, tilts_deg=(0.0,))
    return draft


def sponge(draw: Draw) -> Draft:
    """A porous soft block, mostly on a scouring layer: oblong, oval or waisted."""
    draft = Draft(mass_kg=draw.mass(0.012, 0.03))
    half_x, half_y, half_z = draw.length(0.036, 0.05), draw.length(0.025, 0.0295), draw.length(0.012, 0.017)
    foam = draw.paint("foam", "yellow", "blue", "pink", "orange", "purple", "beige", "green")
    scour = shade("fabric", draw.cycle("scour", ("green", "gray", "red")))
    kind = draw.cycle("kind", ("oblong", "oval", "waisted"))
    turn = np.linspace(0.0, 2.0 * np.pi, 20, endpoint=False)
    if kind == "oblong":
        outline = rounded_rectangle(half_x, half_y, half_y * 0.22, 4)
    else:
        dent = 0.0 if kind == "oval" else 0.4
        across = np.sin(turn) * (1.0 - dent * np.abs(np.sin(turn)) ** 5)
        width = np.abs(across).max()
        along = np.sign(np.cos(turn)) * np.abs(np.cos(turn)) ** (0.85 if dent else 1.0)
        outline = np.column_stack([half_x * along, half_y * across / width])
    split = half_z * draw.cycle("layer", (0.5, 0.36, 0.64))
    holes = textures.speckles(rgb_of(foam), rgb_of(toned(foam, 0.62)), draw.rng, share=0.1, size=64)
    draft.look(prism(outline, [(0.0, 0.97), (0.002, 1.0), (split, 1.0)]), scour)
    body = prism(outline, [(split, 1.0), (half_z * 1.8, 1.0), (half_z * 2.0, 0.95)])
    draft.look(laid(body, repeat=(2.0, 1.2)), textures.painted(holes, "foam"))
    whole = prism(outline, [(0.0, 0.97), (0.002, 1.0), (half_z * 1.8, 1.0), (half_z * 2.0, 0.95)]).vertices
    halves = (-1.0, 1.0) if kind == "waisted" else (0.0,)
    for side in halves:
        draft.touch(hull_part(whole[whole[:, 0] * side >= -1e-9]))
    draft.body(prism(outline, [(0.0, 1.0), (half_z * 2.0, 1.0)]), shape="irregular" if kind == "waisted" else None)
    draft.grip(90.0)
    draft.grip(90.0, x=half_x * 0.3, tilts_deg=(0.0,))
    return draft


BUILDERS = {"soap_dish": soap_dish, "sponge": sponge}
