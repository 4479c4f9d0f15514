"""Bottles and sponges of a bathroom."""

from __future__ import annotations

from imove_tasks.assets.draft import Draft
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.palette import PAPER
from imove_tasks.assets.primitives import (
    box,
    cylinder,
    ellipsoid,
    prism,
    revolve,
    rounded_rectangle,
)


def shampoo_bottle(draw: Draw) -> Draft:
    """A flat tall bottle with sloping shoulders, a label and a flip cap."""
    draft = Draft(mass_kg=draw.mass(0.15, 0.28))
    half_x, half_y, height = draw.length(0.026, 0.032), draw.length(0.019, 0.023), draw.length(0.1, 0.125)
    paint = draw.paint("plastic", "green", "purple", "white", "blue", "orange", "pink")
    outline = rounded_rectangle(half_x, half_y, half_y * draw.cycle("corner", (0.95, 0.3)), 4)
    levels = [(0.0, 0.94), (0.004, 1.0), (height * 0.82, 1.0), (height * 0.95, 0.8), (height, 0.55)]
    body = prism(outline, levels)
    draft.solid(body, paint)
    cap = shade("plastic", "white" if sum(paint.rgba[:3]) < 2.5 else "green")
    draft.lathe(
        [(half_y * 0.62, height), (half_y * 0.62, height + 0.017), (half_y * 0.5, height + 0.019)],
        cap,
        sectors=14,
    )
    for side in (-1, 1):
        label = box(half_x * 0.52, 0.0006, height * 0.22).moved(y=side * half_y, z=height * 0.42)
        draft.look(label, solid("paper", PAPER))
        drop = ellipsoid(half_x * 0.2, 0.0008, half_x * 0.26, 10, 5)
        draft.look(drop.moved(y=side * (half_y + 0.0005), z=height * 0.46), paint)
    draft.body(prism(outline, [(0.0, 1.0), (height, 1.0)]))
    draft.grip(90.0, 0.0, height=height * 0.68)
    return draft


def lotion(draw: Draw) -> Draft:
    """A round bottle with a pump and a spout."""
    draft = Draft(mass_kg=draw.mass(0.15, 0.28))
    radius, height = draw.length(0.023, 0.028), draw.length(0.075, 0.092)
    paint = draw.paint("plastic", "yellow", "white", "pink", "green", "blue", "beige")
    pump = shade("plastic", draw.cycle("pump", ("white", "black")))
    profile = [(radius * 0.94, 0.0), (radius, 0.004), (radius, height * 0.88), (radius * 0.6, height)]
    draft.lathe(profile, paint)
    draft.lathe([(radius * 0.45, height), (radius * 0.45, height + 0.01)], pump, sectors=14)
    draft.lathe([(0.004, height + 0.01), (0.004, height + 0.02)], pump, sectors=8)
    draft.lathe([(0.009, height + 0.02), (0.009, height + 0.026)], pump, sectors=12)
    spout = box(0.012, 0.0035, 0.0028).moved(0.016, 0.0, height + 0.0232)
    draft.solid(spout, pump)
    band = revolve([(radius + 0.0005, height * 0.28), (radius + 0.0005, height * 0.52)], 20)
    draft.look(band, solid("paper", PAPER))
    draft.body(revolve([(radius, 0.0), (radius, height)]))
    draft.grip(0.0, 90.0, free_yaw=True, height=height * 0.7)
    return draft


def sponge(draw: Draw) -> Draft:
    """A soft block with a scouring layer on top and a few pores."""
    draft = Draft(mass_kg=draw.mass(0.02, 0.03))
    half_x, half_y, half_z = draw.length(0.038, 0.046), draw.length(0.025, 0.0295), draw.length(0.012, 0.016)
    foam = draw.paint("foam", "yellow", "blue", "pink", "orange", "purple", "beige")
    scour = shade("fabric", draw.cycle("scour", ("green", "gray", "red")))
    corner = half_y * draw.cycle("corner", (0.2, 0.97, 0.2))
    outline = rounded_rectangle(half_x, half_y, corner, 4)
    draft.solid(prism(outline, [(0.0, 1.0), (half_z * 0.4, 1.0)]), scour)
    body = prism(outline, [(half_z * 0.4, 1.0), (half_z * 1.8, 1.0), (half_z * 2.0, 0.95)])
    draft.solid(body, foam)
    dark = solid("foam", (foam.rgba[0] * 0.7, foam.rgba[1] * 0.7, foam.rgba[2] * 0.7))
    for x, y, size in (
        (-0.6, 0.3, 1.0),
        (-0.25, -0.4, 0.7),
        (0.1, 0.25, 0.8),
        (0.45, -0.2, 1.0),
        (0.65, 0.35, 0.6),
    ):
        pore = cylinder(0.003 * size, 0.0004, 7).moved(half_x * x, half_y * y, half_z * 2.0)
        draft.look(pore, dark)
    draft.body(prism(outline, [(0.0, 1.0), (half_z * 2.0, 1.0)]))
    draft.grip(90.0)
    draft.grip(90.0, x=half_x * 0.35, tilts_deg=(0.0,))
    return draft


BUILDERS = {"shampoo_bottle": shampoo_bottle, "lotion": lotion, "sponge": sponge}
