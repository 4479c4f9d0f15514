"""Desk stationery."""

from __future__ import annotations

import numpy as np

from imove_tasks.assets.draft import Draft, lying, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.palette import INK, PAPER, STEEL
from imove_tasks.assets.primitives import box, cylinder, prism, revolve, rounded_box, rounded_rectangle, slab


def stapler(draw: Draw) -> Draft:
    """A flat base, a steel magazine and a wedge-shaped arm hinged at the back."""
    draft = Draft(mass_kg=draw.mass(0.12, 0.2))
    half_x, half_y = draw.length(0.045, 0.058), draw.length(0.014, 0.018)
    rise = draw.length(0.038, 0.048)
    paint = draw.paint("plastic", "red", "blue", "black", "green", "pink", "yellow")
    steel = solid("metal", STEEL)
    draft.solid(rounded_box(half_x, half_y, 0.004, 0.008, bevel=0.001).moved(z=0.004), shade("plastic", "black"))
    draft.look(box(0.006, half_y * 0.6, 0.0006).moved(half_x * 0.82, 0.0, 0.0084), steel)
    draft.block((half_x * 0.94, half_y * 0.62, 0.004), (0.0, 0.0, 0.022), steel)
    draft.block((half_x * 0.16, half_y * 0.8, 0.011), (-half_x * 0.8, 0.0, 0.015), shade("plastic", "gray"))
    side = [
        (-half_x, 0.014), (-half_x * 0.6, 0.023), (half_x * 0.82, 0.023), (half_x * 0.86, 0.029),
        (half_x * 0.4, rise * 0.9), (-half_x * 0.4, rise), (-half_x * 0.9, rise * 0.92),
        (-half_x, rise * 0.7),
    ]  # fmt: skip
    arm = slab(side, half_y * 0.9)
    draft.solid(arm, paint)
    slope_deg = float(np.degrees(np.arctan2(rise * 0.1, half_x * 0.8)))
    plate = box(half_x * 0.3, half_y * 0.4, 0.0007).at(pose(z=rise * 0.95, rpy_deg=(0.0, slope_deg, 0.0)))
    draft.look(plate, steel)
    draft.body(arm, shape="tapered")
    draft.grip(90.0, height=rise * 0.6)
    draft.grip(90.0, x=-half_x * 0.4, height=rise * 0.6, tilts_deg=(0.0,))
    return draft


def glue_stick(draw: Draw) -> Draft:
    """A lying tube with a white label, a coloured cap and a ribbed twist base."""
    draft = Draft(mass_kg=draw.mass(0.03, 0.05), rolls=True)
    radius, half = draw.length(0.0115, 0.0145), draw.length(0.041, 0.05)
    paint = draw.paint("plastic", "yellow", "blue", "red", "purple", "green", "orange")
    at = lying(z=radius)
    tube = revolve([(radius, -half), (radius, half)], 16).at(at)
    draft.lathe([(radius, -half), (radius, half * 0.5)], paint, at=at, sectors=16)
    cap = [(radius, half * 0.5), (radius, half - 0.003), (radius * 0.8, half)]
    draft.lathe(cap, shade("plastic", draw.cycle("cap", ("white", "black"))), at=at, sectors=16)
    for x in (-half * 0.55, -half * 0.1):
        draft.look(cylinder(radius + 0.0004, 0.003, 16).at(lying(x=x, z=radius)), solid("paper", PAPER))
    knob = [(radius * 0.8, -half - 0.008), (radius * 0.8, -half)]
    draft.lathe(knob, shade("plastic", "black"), at=at, sectors=12)
    draft.body(tube)
    draft.grip(90.0, height=max(0.010, radius))
    draft.grip(90.0, x=half * 0.5, height=max(0.010, radius), tilts_deg=(0.0,))
    return draft


def eraser(draw: Draw) -> Draft:
    """A soft block in a paper sleeve, or an oval one with a stripe."""
    draft = Draft(mass_kg=draw.mass(0.02, 0.035))
    half_x, half_y = draw.length(0.024, 0.031), draw.length(0.0115, 0.0155)
    half_z = draw.length(0.0068, 0.0085)
    paint = draw.paint("rubber", "white", "pink", "green", "blue", "yellow", "gray")
    if draw.cycle("shape", ("block", "block", "oval")) == "oval":
        body = prism(rounded_rectangle(half_x, half_y * 1.2, half_y * 1.19, 6), [(-half_z, 1.0), (half_z, 1.0)])
        stripe = box(0.004, half_y * 1.2 + 0.0005, half_z + 0.0005)
        draft.look(stripe, shade("paper", draw.cycle("sleeve", ("blue", "red", "black"))))
    else:
        body = rounded_box(half_x, half_y, half_z, 0.003, bevel=0.0015)
        sleeve = box(half_x * 0.34, half_y + 0.0006, half_z + 0.0006).moved(x=-half_x * 0.56)
        draft.look(sleeve, shade("paper", draw.cycle("sleeve", ("blue", "red", "black"))))
    draft.solid(body, paint)
    draft.body(body)
    draft.grip(90.0, 0.0)
    return draft


def marker(draw: Draw) -> Draft:
    """A thick lying felt pen: barrel with a white label, cap with a clip."""
    draft = Draft(mass_kg=draw.mass(0.02, 0.03), rolls=True)
    radius, half = draw.length(0.0082, 0.0105), draw.length(0.058, 0.068)
    paint = draw.paint("plastic", "red", "blue", "green", "black", "purple", "orange")
    at = lying(z=radius)
    barrel = [(radius * 0.75, -half), (radius, -half + 0.004), (radius, half * 0.3)]
    draft.lathe(barrel, paint, at=at, sectors=14)
    cap = [(radius, half * 0.3), (radius, half - 0.01), (radius * 0.6, half)]
    draft.lathe(cap, paint, at=at, sectors=14)
    ring = cylinder(radius + 0.0005, 0.002, 14).at(lying(x=half * 0.3, z=radius))
    draft.look(ring, solid("plastic", INK))
    draft.look(cylinder(radius + 0.0004, half * 0.22, 14).at(lying(x=-half * 0.3, z=radius)), solid("paper", PAPER))
    draft.look(box(half * 0.26, 0.0022, 0.0015).moved(half * 0.6, 0.0, radius * 2.0 + 0.001), solid("plastic", INK))
    draft.body(cylinder(radius, half, 14).at(at))
    draft.grip(90.0, height=0.010)
    draft.grip(90.0, x=half * 0.35, height=0.010, tilts_deg=(0.0,))
    return draft


def sharpener(draw: Draw) -> Draft:
    """A stubby wedge with a steel blade on top and a dark hole in the front."""
    draft = Draft(mass_kg=draw.mass(0.02, 0.04))
    half_x, half_y, height = draw.length(0.017, 0.022), draw.length(0.012, 0.015), draw.length(0.018, 0.024)
    stuff = draw.cycle("stuff", ("plastic", "metal"))
    paint = draw.paint(stuff, "red", "green", "purple", "yellow", "blue", "orange")
    side = [(-half_x, 0.0), (half_x, 0.0), (half_x, height * 0.62), (-half_x, height)]
    body = slab(side, half_y)
    draft.solid(body, paint)
    pitch = float(np.degrees(np.arctan2(height * 0.38, 2.0 * half_x)))
    on_slope = pose(z=height * 0.81, rpy_deg=(0.0, pitch, 0.0))
    draft.look(box(half_x * 0.6, half_y * 0.45, 0.001).at(on_slope), solid("metal", STEEL))
    draft.look(cylinder(0.0025, 0.0016, 8).at(on_slope), solid("metal", INK))
    draft.look(cylinder(height * 0.24, 0.0006, 12).at(lying(x=-half_x, z=height * 0.5)), solid("plastic", INK))
    draft.body(body, shape="tapered")
    draft.grip(90.0, 0.0, height=0.010)
    return draft


BUILDERS = {
    "stapler": stapler,
    "eraser": eraser,
    "sharpener": sharpener,
}
