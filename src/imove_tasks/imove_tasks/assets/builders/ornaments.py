"""Living-room ornaments."""

from __future__ import annotations

import numpy as np

from imove_tasks.assets.draft import Draft, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.palette import INK, LEAF, STEM
from imove_tasks.assets.primitives import ellipsoid, revolve, tube


def candle_holder(draw: Draw) -> Draft:
    """A turned foot with a drip pan and a candle with a flame."""
    draft = Draft(mass_kg=draw.mass(0.12, 0.25))
    foot, stem, candle = draw.length(0.026, 0.0295), draw.length(0.018, 0.03), draw.length(0.03, 0.042)
    stuff = draw.cycle("stuff", ("metal", "ceramic", "wood"))
    paint = draw.paint(stuff, "yellow", "blue", "brown", "black", "white", "red")
    wax = shade("wax", "white" if sum(paint.rgba[:3]) < 2.4 else "red")
    profile = [
        (foot, 0.0), (foot, 0.006), (foot * 0.5, 0.012), (0.008, 0.016), (0.008, stem),
        (foot * 0.7, stem + 0.008), (foot * 0.7, stem + 0.012),
    ]  # fmt: skip
    draft.lathe(profile, paint, sectors=18)
    base = stem + 0.012
    draft.lathe([(0.0105, base), (0.0105, base + candle)], wax, sectors=12)
    tip = base + candle
    draft.look(tube([(0.0, 0.0, tip - 0.001), (0.0, 0.0, tip + 0.005)], 0.0008, 5), solid("fabric", INK))
    draft.look(ellipsoid(0.0032, 0.0032, 0.006, 8, 4).moved(z=tip + 0.009), shade("wax", "orange"))
    draft.body(revolve(profile), shape="round")
    draft.grip(0.0, 90.0, free_yaw=True, height=base + candle * 0.5)
    return draft


def houseplant(draw: Draw) -> Draft:
    """A small succulent in a pot; its leaves give way, so only the pot is solid."""
    draft = Draft(mass_kg=draw.mass(0.12, 0.25))
    top, height = draw.length(0.026, 0.03), draw.length(0.034, 0.041)
    pot = draw.paint(draw.cycle("stuff", ("ceramic", "plastic")), "orange", "white", "blue", "pink", "yellow", "gray")
    wall = [(top * 0.72, 0.0), (top * 0.92, height * 0.78)]
    draft.lathe(wall, pot, sectors=16)
    draft.lathe([(top, height * 0.78), (top, height)], pot, sectors=16)
    soil = revolve([(top * 0.86, height), (top * 0.86, height + 0.0008)], 12)
    draft.look(soil, solid("plant", STEM))
    leaves = draw.cycle("leaves", (7, 6))
    for level, (tilt, reach, scale) in enumerate(((58.0, 0.5, 1.0), (24.0, 0.22, 0.8))):
        for index in range(leaves):
            yaw = 360.0 * (index + 0.5 * level) / leaves
            leaf = ellipsoid(0.0085 * scale, 0.0035, 0.019 * scale, 5, 3).moved(z=0.016 * scale)
            leaf = leaf.at(pose(rpy_deg=(0.0, tilt, 0.0))).moved(x=top * reach * 0.4)
            green = solid("plant", LEAF) if level == 0 else shade("plant", "green")
            draft.look(leaf.at(pose(z=height, rpy_deg=(0.0, 0.0, yaw))), green)
    draft.body(revolve([(top * 0.72, 0.0), (top, height)]))
    draft.grip(0.0, 90.0, free_yaw=True, height=float(np.round(height * 0.7, 4)))
    return draft


BUILDERS = {"candle_holder": candle_holder, "houseplant": houseplant}
