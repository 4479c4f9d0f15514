"""Ware with a lid: vacuum flasks and baby bottles."""

from __future__ import annotations

import numpy as np

from imove_tasks.assets import textures
from imove_tasks.assets.builders.parts import contrast, mapped, patterned, radius_at, rgb_of, sign_front, wrap_label
from imove_tasks.assets.convex import revolved_parts, tube_parts
from imove_tasks.assets.draft import Draft, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.palette import STEEL
from imove_tasks.assets.primitives import arc, box, cylinder, revolve, tube

_REACH_M = 0.057  # from the top down to a grip, at most: the palm is above
_COLORS = ("green", "blue", "red", "black", "white", "pink", "yellow", "purple", "orange", "beige")


def thermos(draw: Draw) -> Draft:
    """A vacuum flask: with a screw cup, slim with a carrying loop, or a wide one for food."""
    form = draw.cycle("form", ("cup", "loop", "food"))
    draft = Draft(mass_kg=draw.mass(0.18, 0.3))
    radius = draw.length(0.0245, 0.0298)
    height = draw.length(0.092, 0.105) if form == "food" else draw.length(0.112, 0.142)
    stuff = draw.cycle("stuff", ("metal", "metal", "plastic"))
    bare = stuff == "metal" and draw.cycle("bare", (False, False, True))
    paint = solid("metal", STEEL) if bare else draw.paint(stuff, *_COLORS)
    steel = solid("metal", STEEL) if not bare else shade("plastic", draw.cycle("trim", ("black", "red", "blue")))
    draft.lathe([(radius * 0.96, 0.0), (radius, 0.002), (radius, 0.010)], steel)
    shoulder = height * (0.74 if form == "food" else 0.72)
    look = patterned(draw, paint, ("plain", "plain", "upright", "plain", "speckles"))
    trunk = [(radius, 0.010), (radius, shoulder)]
    draft.look(mapped(revolve(trunk), look, around=8, along=4), look)
    draft.touch(*revolved_parts(trunk, 20))
    if form == "cup":
        draft.lathe([(radius, shoulder), (radius * 0.8, height * 0.8)], steel)
        draft.lathe([(radius * 0.84, height * 0.8), (radius * 0.84, height * 0.97), (radius * 0.72, height)], paint)
        draft.look(cylinder(radius * 0.5, 0.0006, 16).moved(z=height), steel)
    elif form == "loop":
        draft.lathe([(radius, shoulder), (radius * 0.98, height * 0.78), (radius * 0.62, height * 0.86)], paint)
        draft.lathe([(radius * 0.7, height * 0.86), (radius * 0.7, height * 0.96)], steel)
        path = arc(radius * 0.6, height * 0.13, 0.0, np.pi, 7) @ np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1.0]])
        path = path + [0.0, 0.0, height * 0.95]
        draft.look(tube(path, 0.0038, 6), paint)
        draft.touch(*tube_parts(path[::2], 0.0038, 6))
    else:
        draft.lathe([(radius * 0.92, shoulder), (radius * 0.92, height * 0.79)], steel)
        draft.lathe([(radius * 1.01, height * 0.79), (radius * 1.01, height * 0.97), (radius * 0.9, height)], paint)
    if look.texture is None:
        word = draw.cycle("word", ("HOT", "TREK", "THERMO", "SOUP"))
        picture = textures.label(rgb_of(paint), contrast(paint), (word,),
                                 size=(24, 64), frame=False)  # fmt: skip
        draft.look(*wrap_label((radius, height * 0.3), (radius, height * 0.5), picture, copies=3, stuff=paint.name))
    draft.body(revolve([(radius, 0.0), (radius, height)]))
    top = height * 1.08 + 0.004 if form == "loop" else height
    draft.grip(0.0, 90.0, free_yaw=True, height=max(height * 0.55, top - _REACH_M))
    return draft


def baby_bottle(draw: Draw) -> Draft:
    """A milk bottle with a scale, a collar and a soft teat: straight, waisted or with two ears."""
    form = draw.cycle("form", ("straight", "waisted", "ears"))
    draft = Draft(mass_kg=draw.mass(0.08, 0.2))
    radius, height = draw.length(0.0235, 0.0275), draw.length(0.07, 0.096)
    stuff = draw.cycle("stuff", ("plastic", "plastic", "glass"))
    paint = draw.paint(stuff, "pink", "blue", "green", "purple", "yellow", "orange", "white", "red")
    waist = 0.86 if form == "waisted" else 1.0
    trunk = [(radius * 0.92, 0.0), (radius, 0.004), (radius * waist, height * 0.45), (radius, height * 0.84),
             (radius * 0.8, height)]  # fmt: skip
    look = patterned(draw, paint, ("plain", "dots", "plain", "pinstripes"))
    draft.look(mapped(revolve(trunk, 16), look, around=8, along=4), look)
    draft.touch(*revolved_parts(trunk, 16))
    collar = [(radius * 0.9, height), (radius * 0.9, height + 0.012), (radius * 0.78, height + 0.014)]
    draft.lathe(collar, paint, sectors=14)
    trim = draw.cycle("trim", ("white", "white", "yellow", "blue")) if paint.rgba[0] < 0.9 else "blue"
    stripe = [(radius * 0.9 + 0.0004, height + 0.001), (radius * 0.9 + 0.0004, height + 0.004)]
    draft.look(revolve(stripe, 14), shade("plastic", trim))
    base = height + 0.014
    teat = [
        (radius * 0.58, base), (radius * 0.4, base + 0.006), (radius * 0.25, base + 0.016),
        (radius * 0.26, base + 0.022), (radius * 0.12, base + 0.027),
    ]  # fmt: skip
    draft.lathe(teat, shade("rubber", "beige"), sectors=10)
    ink = solid("plastic", contrast(paint, dark="blue"))
    for mark in range(4):
        z = height * (0.2 + 0.12 * mark)
        line = box(0.0006, 0.004 if mark % 2 else 0.0065, 0.0007)
        draft.look(line.moved(radius_at(trunk, z) * 0.99, -0.001, z), ink)
    if form == "ears":
        for side in (-1.0, 1.0):
            path = arc(0.016, height * 0.2, -np.pi / 2.0, np.pi / 2.0, 5) + [radius * 0.95, 0.0, height * 0.52]
            turn = pose(rpy_deg=(0.0, 0.0, 90.0 * side))
            draft.look(tube(path, 0.0032, 6).at(turn), paint)
            draft.touch(*tube_parts((path @ turn[:3, :3].T)[::2], 0.0032, 6))
    elif look.texture is None:
        picture = textures.label(rgb_of(paint), contrast(paint, dark="blue"), ("BABY",), size=(24, 48), frame=False)
        for turn_deg in (120.0, -120.0):
            sign, print_ = sign_front(0.012, 0.006, picture, pose(radius * waist, 0.0, height * 0.45), stuff)
            draft.look(sign.at(pose(rpy_deg=(0.0, 0.0, turn_deg))), print_)
    draft.body(revolve([(radius, 0.0), (radius, height)]))
    hold = max(height * 0.72, base + 0.027 - _REACH_M)
    if form == "ears":
        draft.grip(0.0, height=hold)
        draft.grip(15.0, -15.0, height=hold, tilts_deg=(0.0,))
    else:
        draft.grip(0.0, 90.0, free_yaw=True, height=hold)
    return draft


BUILDERS = {"thermos": thermos, "baby_bottle": baby_bottle}
