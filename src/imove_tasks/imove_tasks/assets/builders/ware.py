"""Drinking ware."""

from __future__ import annotations

import numpy as np

from imove_tasks.assets.convex import disc_part, tube_parts, wall_parts
from imove_tasks.assets.draft import Draft
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.palette import INK, PAPER, STEEL
from imove_tasks.assets.primitives import arc, band, box, cylinder, revolve, tube

_FLOOR_M = 0.006


def mug(draw: Draw) -> Draft:
    """An open cup with a handle at the +x side."""
    draft = Draft(mass_kg=draw.mass(0.14, 0.28))
    top, height, wall = draw.length(0.026, 0.0295), draw.length(0.066, 0.084), 0.0035
    bottom = top * draw.cycle("taper", (1.0, 0.8, 1.0))
    stuff = draw.cycle("stuff", ("ceramic", "ceramic", "metal"))
    paint = draw.paint(stuff, "red", "white", "blue", "yellow", "green", "black")
    outer = [(bottom * 0.94, 0.0), (bottom, 0.003), (top, height)]
    inner = [(top - wall, height), (bottom - wall, _FLOOR_M)]
    draft.look(revolve([*outer, *inner], 20), paint)
    draft.touch(disc_part(bottom * 0.94, _FLOOR_M), *wall_parts(bottom, top, wall, 0.001, height))
    level = draw.length(0.3, 0.6)
    radius = bottom + (top - bottom) * level + 0.0005
    stripe = band(radius, height * (level - 0.06), height * (level + 0.06))
    draft.look(stripe, shade("ceramic", "white" if paint.rgba[0] < 0.85 else "blue"))
    middle = (bottom + top) / 2.0
    path = arc(draw.length(0.018, 0.023), height * 0.3, -np.pi / 2.0, np.pi / 2.0, 8)
    path = path + [middle - 0.002, 0.0, height * 0.52]
    draft.look(tube(path, 0.0042, 8), paint)
    draft.touch(*tube_parts(path[::2], 0.0042, 6), *tube_parts(path[-2:], 0.0042, 6))
    draft.body(revolve(outer))
    draft.grip(90.0, 60.0, 120.0, tilts_deg=(0.0, 30.0, -30.0))
    return draft


def coffee_cup(draw: Draw) -> Draft:
    """A paper cup to go with a lid and a brown sleeve."""
    draft = Draft(mass_kg=draw.mass(0.08, 0.2))
    top, height = draw.length(0.027, 0.03), draw.length(0.085, 0.102)
    bottom = top * 0.74
    paint = draw.paint("paper", "white", "red", "green", "beige", "blue", "brown")
    sleeve = shade("paper", "beige" if paint.rgba[2] < 0.3 else "brown")

    def radius(z: float) -> float:
        return bottom + (top - bottom) * z / height

    lid = height - 0.008
    draft.lathe([(radius(0.0), 0.0), (radius(lid), lid)], paint)
    a, b = height * 0.4, height * 0.62
    draft.look(revolve([(radius(a) + 0.0008, a), (radius(b) + 0.0008, b)], 20), sleeve)
    draft.lathe(
        [
            (top + 0.001, lid),
            (top + 0.001, lid + 0.004),
            (top * 0.88, lid + 0.008),
            (top * 0.84, height + 0.004),
        ],
        paint,
    )
    draft.look(cylinder(0.003, 0.0006, 8).moved(x=top * 0.55, z=height + 0.004), solid("plastic", INK))
    draft.body(revolve([(bottom, 0.0), (top, height)]))
    draft.grip(0.0, 90.0, free_yaw=True)
    return draft


def thermos(draw: Draw) -> Draft:
    """A steel flask with a painted body, bare rims and a screw cup."""
    draft = Draft(mass_kg=draw.mass(0.2, 0.3))
    radius, height = draw.length(0.026, 0.0295), draw.length(0.115, 0.14)
    paint = draw.paint("metal", "green", "blue", "red", "black", "white", "pink")
    steel = solid("metal", STEEL)
    draft.lathe([(radius * 0.96, 0.0), (radius, 0.002), (radius, 0.010)], steel)
    draft.lathe([(radius, 0.010), (radius, height * 0.72)], paint)
    draft.lathe([(radius, height * 0.72), (radius * 0.8, height * 0.8)], steel)
    cap = [(radius * 0.84, height * 0.8), (radius * 0.84, height * 0.97), (radius * 0.72, height)]
    draft.lathe(cap, paint)
    draft.look(cylinder(radius * 0.5, 0.0006, 16).moved(z=height), steel)
    draft.look(box(0.006, 0.0006, 0.014).moved(y=-radius - 0.0003, z=height * 0.42), solid("paper", PAPER))
    draft.body(revolve([(radius, 0.0), (radius, height)]))
    draft.grip(0.0, 90.0, free_yaw=True)
    return draft


def baby_bottle(draw: Draw) -> Draft:
    """A milk bottle with scale marks, a coloured collar and a soft teat."""
    draft = Draft(mass_kg=draw.mass(0.1, 0.2))
    radius, height = draw.length(0.024, 0.028), draw.length(0.075, 0.092)
    collar = draw.paint("plastic", "pink", "blue", "green", "purple", "yellow", "orange")
    milk = shade("plastic", "white")
    draft.lathe([(radius * 0.92, 0.0), (radius, 0.004), (radius, height * 0.55)], milk)
    draft.lathe([(radius, height * 0.55), (radius, height * 0.86), (radius * 0.76, height)], collar)
    ring = [(radius * 0.86, height), (radius * 0.86, height + 0.014)]
    draft.lathe(ring, collar, sectors=14)
    base = height + 0.014
    teat = [
        (radius * 0.7, base), (radius * 0.42, base + 0.008), (radius * 0.26, base + 0.018),
        (radius * 0.26, base + 0.023), (radius * 0.12, base + 0.028),
    ]  # fmt: skip
    draft.lathe(teat, shade("rubber", "beige"), sectors=12)
    for mark in range(4):
        line = box(0.005 if mark % 2 else 0.008, 0.0007, 0.0007)
        draft.look(line.moved(y=-radius, z=height * (0.15 + 0.1 * mark)), solid("plastic", INK))
    draft.body(revolve([(radius, 0.0), (radius, height)]))
    draft.grip(0.0, 90.0, free_yaw=True, height=height * 0.84)
    return draft


BUILDERS = {"mug": mug, "coffee_cup": coffee_cup, "thermos": thermos, "baby_bottle": baby_bottle}
