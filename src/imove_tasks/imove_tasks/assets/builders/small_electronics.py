"""Bedside electronics."""

from __future__ import annotations

import numpy as np

from imove_tasks.assets.convex import box_part
from imove_tasks.assets.draft import Draft, lying, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.palette import INK, PAPER
from imove_tasks.assets.primitives import box, cylinder, ellipsoid, revolve, rounded_box


def flashlight(draw: Draw) -> Draft:
    """A lying torch: grooved grip, wider head with a bright lens, a push button."""
    draft = Draft(mass_kg=draw.mass(0.1, 0.18), rolls=True)
    grip, head = draw.length(0.012, 0.0145), draw.length(0.018, 0.022)
    tail, neck, front = -draw.length(0.075, 0.09), 0.012, 0.034
    paint = draw.paint(draw.cycle("stuff", ("metal", "plastic")), "black", "red", "blue", "yellow", "green", "gray")
    # Head and tail both touch the table, so the axis leans by this much.
    lean = float(np.degrees(np.arctan2(head - grip, neck - tail)))
    at = pose(rpy_deg=(0.0, -lean, 0.0)) @ lying()
    draft.lathe([(grip, tail), (grip, 0.0)], paint, at=at, sectors=12)
    draft.lathe([(grip, 0.0), (head, neck), (head, front)], paint, at=at, sectors=12)
    for x in (0.2, 0.3, 0.65, 0.75):
        groove = revolve([(grip + 0.0003, tail * x - 0.002), (grip + 0.0003, tail * x + 0.002)], 12)
        draft.look(groove.at(at), solid("rubber", INK))
    bezel = revolve([(head * 0.98, front), (head * 0.98, front + 0.003)], 12)
    draft.look(bezel.at(at), shade("metal", "gray"))
    lens = revolve([(head * 0.82, front + 0.003), (head * 0.7, front + 0.0045)], 12)
    draft.look(lens.at(at), shade("glass", "yellow", 1))
    button = box(0.006, 0.0045, 0.0012).at(at @ pose(0.0, grip, tail * 0.12, rpy_deg=(90.0, 90.0, 0.0)))
    draft.look(button, shade("rubber", "orange"))
    draft.body(revolve([(grip, tail), (grip, front)], 12))
    draft.grip(90.0, x=tail * 0.35, height=0.015)
    draft.grip(90.0, x=tail * 0.6, height=0.015, tilts_deg=(0.0,))
    return draft


def alarm_clock(draw: Draw) -> Draft:
    """A clock that faces +x: a round one with bells on feet, or a block with big digits."""
    if draw.cycle("shape", ("bells", "digits")) == "digits":
        return _digital_clock(draw)
    draft = Draft(mass_kg=draw.mass(0.12, 0.2))
    radius, half = draw.length(0.027, 0.033), draw.length(0.016, 0.02)
    paint = draw.paint("metal", "red", "blue", "yellow", "black", "green", "pink")
    middle = radius + 0.007
    at = lying(z=middle)
    body = draft.lathe([(radius, -half), (radius, half)], paint, at=at, sectors=20)
    draft.look(cylinder(radius * 0.86, 0.0006, 20).at(lying(x=half, z=middle)), solid("paper", PAPER))
    for length, angle in ((0.6, 60.0), (0.45, -50.0)):
        hand = box(0.0008, 0.0014, radius * length / 2.0).moved(z=radius * length / 2.0)
        draft.look(hand.at(pose(half + 0.001, 0.0, middle, rpy_deg=(angle, 0.0, 0.0))), solid("metal", INK))
    for side in (-1, 1):
        draft.block((half * 0.9, 0.005, 0.0055), (0.0, side * radius * 0.6, 0.0055), shade("metal", "gray"))
        bell = ellipsoid(half * 0.75, radius * 0.36, 0.009, 12, 5).clamped_below(0.0)
        bell = bell.at(pose(0.0, side * radius * 0.5, middle + radius * 0.86, rpy_deg=(-side * 28.0, 0.0, 0.0)))
        draft.look(bell, shade("metal", "gray", 1))
    draft.look(box(0.004, 0.002, 0.006).moved(z=middle + radius + 0.003), shade("metal", "gray"))
    draft.touch(box_part((half * 0.6, radius * 0.75, 0.006), pose(z=middle + radius * 0.86 + 0.002)))
    draft.body(body)
    draft.grip(0.0, height=middle)
    draft.grip(0.0, y=0.006, height=middle, tilts_deg=(0.0,))
    return draft


def _digital_clock(draw: Draw) -> Draft:
    """A wide block with a dark screen, green digits and a snooze bar."""
    draft = Draft(mass_kg=draw.mass(0.1, 0.18))
    half_x, half_y, half_z = draw.length(0.019, 0.024), draw.length(0.036, 0.045), draw.length(0.022, 0.028)
    paint = draw.paint("plastic", "white", "black", "blue", "pink", "gray", "beige")
    body = rounded_box(half_x, half_y, half_z, 0.006, bevel=0.002).moved(z=half_z)
    draft.solid(body, paint)
    draft.look(box(0.0006, half_y * 0.82, half_z * 0.66).moved(x=half_x, z=half_z), solid("glass", INK))
    for y in (-0.58, -0.26, 0.26, 0.58):
        for z in (-0.22, 0.22):
            digit = box(0.0006, half_y * 0.03, half_z * 0.17)
            draft.look(digit.moved(half_x + 0.0006, half_y * (y - 0.08), half_z * (1 + z)), shade("plastic", "green"))
            draft.look(digit.moved(half_x + 0.0006, half_y * (y + 0.08), half_z * (1 + z)), shade("plastic", "green"))
    draft.look(box(half_x * 0.4, half_y * 0.4, 0.0015).moved(z=half_z * 2.0 + 0.001), shade("rubber", "gray"))
    draft.body(body)
    draft.grip(0.0)
    draft.grip(0.0, y=half_y * 0.4, tilts_deg=(0.0,))
    return draft


BUILDERS = {"flashlight": flashlight, "alarm_clock": alarm_clock}
