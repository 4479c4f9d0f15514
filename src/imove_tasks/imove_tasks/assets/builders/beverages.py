"""Packed drinks, standing."""

from __future__ import annotations

from imove_tasks.assets.draft import Draft, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.palette import INK, LEAF, PAPER, STEEL
from imove_tasks.assets.primitives import box, cylinder, ellipsoid, revolve, slab, tube


def juice(draw: Draw) -> Draft:
    """A small carton with a fruit on each broad side and a bent straw."""
    draft = Draft(mass_kg=draw.mass(0.15, 0.26))
    half_x, half_y, height = draw.length(0.022, 0.028), draw.length(0.016, 0.02), draw.length(0.08, 0.1)
    word = draw.cycle("fruit", ("orange", "green", "purple", "red", "yellow", "pink"))
    paint = shade("paper", word)
    draft.block((half_x, half_y, height / 2.0), (0.0, 0.0, height / 2.0), paint)
    for side in (-1, 1):
        label = box(half_x * 0.8, 0.0006, height * 0.2).moved(y=side * half_y, z=height * 0.62)
        draft.look(label, solid("paper", PAPER))
        fruit = ellipsoid(half_x * 0.42, 0.0016, half_x * 0.42, 14, 3).moved(y=side * half_y, z=height * 0.62)
        draft.look(fruit, shade("paper", word, 1))
        draft.look(ellipsoid(half_x * 0.2, 0.002, half_x * 0.08, 8, 3).moved(half_x * 0.15, side * half_y,
                   height * 0.62 + half_x * 0.5), solid("paper", LEAF))  # fmt: skip
    draft.look(cylinder(0.004, 0.0005, 10).moved(x=half_x * 0.55, z=height), solid("paper", STEEL))
    straw = [
        (half_x * 0.55, 0.0, height - 0.002),
        (half_x * 0.55, 0.0, height + 0.014),
        (half_x * 0.1, 0.0, height + 0.024),
    ]
    draft.look(tube(straw, 0.0024, 7), shade("plastic", "white"))
    draft.body(box(half_x, half_y, height / 2.0))
    draft.grip(90.0, 0.0, height=height * 0.66)
    return draft


def milk_carton(draw: Draw) -> Draft:
    """A square carton with a gable top and a screw cap on its slope."""
    draft = Draft(mass_kg=draw.mass(0.18, 0.29))
    half, height = draw.length(0.024, 0.0285), draw.length(0.075, 0.09)
    paint = draw.paint("paper", "white", "blue", "green", "pink", "beige", "red")
    accent = shade("paper", "blue" if paint.rgba[0] > 0.8 and paint.rgba[1] > 0.65 else "white")
    body = box(half, half, height / 2.0).moved(z=height / 2.0)
    draft.block((half, half, height / 2.0), (0.0, 0.0, height / 2.0), paint)
    ridge = height + half * 0.85
    gable = [(-half, height), (half, height), (0.0012, ridge), (-0.0012, ridge)]
    draft.solid(slab(gable, half), paint)
    draft.block((0.0013, half, 0.005), (0.0, 0.0, ridge + 0.004), paint)
    cap = cylinder(0.0085, 0.004, 12).at(pose(half * 0.5, 0.0, height + half * 0.47, rpy_deg=(0.0, 40.0, 0.0)))
    draft.look(cap, accent)
    for angle in (0.0, 90.0, 180.0, 270.0):
        panel = box(0.0005, half * 0.7, height * 0.16).moved(x=half + 0.0002, z=height * 0.45)
        draft.look(panel.at(pose(rpy_deg=(0.0, 0.0, angle))), accent)
    draft.body(body)
    draft.grip(90.0, 0.0, height=height * 0.72)
    return draft


def canned_coke(draw: Draw) -> Draft:
    """A drink can with a wave of white, a necked rim and a pull tab."""
    draft = Draft(mass_kg=draw.mass(0.2, 0.29))
    radius, height = draw.length(0.026, 0.0295), draw.length(0.09, 0.112)
    paint = draw.paint("metal", "red", "black", "white", "red", "blue", "green")
    steel = solid("metal", STEEL)
    draft.lathe([(radius * 0.84, 0.0), (radius, 0.006)], steel)
    draft.lathe([(radius, 0.006), (radius, height - 0.01), (radius * 0.9, height - 0.001)], paint)
    draft.lathe([(radius * 0.9, height - 0.001), (radius * 0.9, height)], steel)
    band = revolve([(radius + 0.0005, height * 0.42), (radius + 0.0005, height * 0.52)], 20)
    draft.look(band, shade("metal", "red" if paint.rgba[1] > 0.8 else "white"))
    tab = cylinder(0.0055, 0.0006, 10).scaled(x=1.4).moved(x=0.002, z=height + 0.0008)
    draft.look(tab, shade("metal", "gray", 2))
    draft.look(cylinder(0.0062, 0.0003, 10).moved(x=0.012, z=height + 0.0002), solid("metal", INK))
    draft.body(revolve([(radius, 0.0), (radius, height)]))
    draft.grip(0.0, 90.0, free_yaw=True)
    return draft


BUILDERS = {"juice": juice, "milk_carton": milk_carton, "canned_coke": canned_coke}
