"""Bedside electronics; an alarm clock's front is +x."""

from __future__ import annotations

import numpy as np

from imove_tasks.assets import textures
from imove_tasks.assets.builders.parts import contrast, flat, patterned, rgb_of, sign_above
from imove_tasks.assets.convex import beam_parts, hull_part, revolved_parts
from imove_tasks.assets.draft import Draft, lying, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.looks import Texture
from imove_tasks.assets.mapping import laid, wrapped
from imove_tasks.assets.palette import INK, PAPER, SHADES, Rgb
from imove_tasks.assets.primitives import beam, box, cylinder, ellipsoid, prism, revolve, rounded_box, slab

_COLORS = ("black", "red", "blue", "yellow", "green", "gray", "orange", "pink", "purple", "white")
# Seven segments of each digit, 3 columns by 5 rows.
_DIGITS = {
    "0": "### #.# #.# #.# ###", "1": ".#. ##. .#. .#. ###", "2": "### ..# ### #.. ###", "3": "### ..# ### ..# ###",
    "4": "#.# #.# ### ..# ..#", "5": "### #.. ### ..# ###", "6": "### #.. ### #.# ###", "7": "### ..# ..# ..# ..#",
    "8": "### #.# ### #.# ###", "9": "### #.# ### ..# ###", ":": "... .#. ... .#. ...",
}  # fmt: skip


def flashlight(draw: Draw) -> Draft:
    """A lying torch: a tube with a wide head, a slim pocket one, or a square work light."""
    form = draw.cycle("form", ("head", "slim", "square"))
    if form == "square":
        return _work_light(draw)
    draft = Draft(mass_kg=draw.mass(0.06, 0.18), rolls=True)
    wide = form == "head"
    grip = draw.length(0.0115, 0.0142) if wide else draw.length(0.0095, 0.0115)
    head = grip * (draw.length(0.145, 0.17) * 10.0 if wide else draw.length(0.116, 0.13) * 10.0)
    tail, neck, front = -draw.length(0.068, 0.092), 0.012, 0.034 if wide else 0.026
    paint = draw.paint(draw.cycle("stuff", ("metal", "plastic", "metal")), *_COLORS)
    # Head and tail both touch the table, so the axis leans by this much.
    lean = float(np.degrees(np.arctan2(head - grip, neck - tail)))
    at = pose(rpy_deg=(0.0, -lean, 0.0)) @ lying()
    barrel = [(grip, tail), (grip, 0.0)]
    if draw.cycle("knurled", (True, False)):
        red, green, blue = rgb_of(paint)
        tone = (red * 0.9 + 0.03, green * 0.9 + 0.03, blue * 0.9 + 0.03)
        look = textures.painted(textures.checks((red, green, blue), tone, size=16), paint.name)
        draft.look(wrapped(revolve(barrel, 12), around=12, along=16).at(at), look)
    else:
        draft.look(revolve(barrel, 12).at(at), paint)
        for x in (0.2, 0.3, 0.65, 0.75):
            groove = revolve([(grip + 0.0003, tail * x - 0.002), (grip + 0.0003, tail * x + 0.002)], 12)
            draft.look(groove.at(at), solid("rubber", contrast(paint, light="gray")))
    draft.touch(*revolved_parts(barrel, 12, at))
    draft.lathe([(grip, 0.0), (head, neck), (head, front)], paint, at=at, sectors=12)
    bezel = revolve([(head * 0.98, front), (head * 0.98, front + 0.003)], 12)
    draft.look(bezel.at(at), shade("metal", "black" if paint.rgba[0] > 0.5 else "gray"))
    lens = revolve([(head * 0.82, front + 0.003), (head * 0.7, front + 0.0045)], 12)
    draft.look(lens.at(at), shade("glass", "yellow", 1))
    button = box(0.006, 0.0045, 0.0012).at(at @ pose(0.0, grip, tail * 0.12, rpy_deg=(90.0, 90.0, 0.0)))
    draft.look(button, shade("rubber", "green" if paint.rgba[0] > 0.7 else "orange"))
    draft.body(revolve([(grip, tail), (grip, front)], 12))
    height = max(0.0115, grip * 1.05)
    draft.grip(90.0, x=tail * 0.3, height=height)
    draft.grip(90.0, x=tail * 0.45, height=height, tilts_deg=(0.0,))
    draft.grip(90.0, x=tail * 0.6, height=height, tilts_deg=(0.0,))
    return draft


def _work_light(draw: Draw) -> Draft:
    """A square torch with a big square lamp, as mechanics use."""
    draft = Draft(mass_kg=draw.mass(0.1, 0.2))
    paint = draw.paint("plastic", *_COLORS)
    half = draw.length(0.0105, 0.0128)
    length, lamp = draw.length(0.07, 0.09), half * draw.cycle("lamp", (1.5, 1.8))
    stations = [
        (-length, 0.0, half, half * 0.85, half * 0.9),
        (-length + 0.006, 0.0, half, half, half),
        (0.0, 0.0, half, half, half),
        (0.014, 0.0, lamp, lamp * 1.1, lamp),
        (0.036, 0.0, lamp, lamp * 1.1, lamp),
    ]
    look = patterned(draw, paint, ("plain", "upright", "plain"))
    draft.look(flat(beam(stations), look, repeat=(6.0, 1.0)), look)
    draft.touch(*beam_parts(stations))
    draft.look(box(0.0015, lamp * 0.95, lamp * 0.85).moved(0.0372, 0.0, lamp), shade("metal", "gray"))
    draft.look(box(0.0006, lamp * 0.8, lamp * 0.7).moved(0.039, 0.0, lamp), shade("glass", "yellow", 1))
    switch = shade("rubber", "red" if paint.rgba[0] < 0.6 else "black")
    draft.look(box(0.007, 0.0045, 0.0012).moved(-0.012, 0.0, 2.0 * half + 0.0006), switch)
    ink = solid("rubber", contrast(paint, light="gray"))
    for x in (0.25, 0.75):
        draft.look(box(0.0022, half * 1.03, half * 1.02).moved(-length * x, 0.0, half * 1.02), ink)
    draft.body(box(length, half, half), shape="rectangular")
    for x, tilts in ((0.25, (0.0, 30.0, -30.0)), (0.4, (0.0,)), (0.55, (0.0,))):
        draft.grip(90.0, x=-length * x, height=half, tilts_deg=tilts)
    return draft


def alarm_clock(draw: Draw) -> Draft:
    """A clock that faces +x: a round one with bells, a wedge with digits, or a small square one."""
    form = draw.cycle("shape", ("bells", "digits", "square"))
    if form == "bells":
        return _bell_clock(draw)
    return _digital_clock(draw) if form == "digits" else _square_clock(draw)


def _bell_clock(draw: Draw) -> Draft:
    draft = Draft(mass_kg=draw.mass(0.12, 0.2))
    radius, half = draw.length(0.027, 0.034), draw.length(0.0165, 0.021)
    paint = draw.paint("metal", "red", "blue", "yellow", "black", "green", "pink", "white", "orange", "purple")
    middle = radius + 0.007
    at = lying(z=middle)
    body = draft.lathe([(radius * 0.93, -half), (radius, 0.003 - half), (radius, half)], paint, at=at, sectors=20)
    dial = laid(cylinder(radius * 0.86, 0.0005, 20).at(lying(x=half, z=middle)), axis=0)
    draft.look(dial, textures.painted(_dial(PAPER, INK, draw.cycle("hour", (10, 7, 2, 4))), "paper"))
    trim = shade("metal", "gray", 1)
    for side in (-1, 1):
        draft.block((half * 0.9, 0.005, 0.0055), (0.0, side * radius * 0.6, 0.0055), trim)
        bell = ellipsoid(half * 0.9, radius * 0.42, 0.011, 12, 5).clamped_below(0.0)
        bell = bell.at(pose(0.0, side * radius * 0.52, middle + radius * 0.84, rpy_deg=(-side * 30.0, 0.0, 0.0)))
        draft.look(bell, paint)
        draft.touch(hull_part(bell.vertices))
    draft.look(box(0.004, 0.0025, 0.007).moved(z=middle + radius + 0.003), trim)
    draft.body(body)
    height = max(middle, 2.0 * radius - 0.03)
    draft.grip(0.0, height=height)
    for y in (0.006, -0.006):
        draft.grip(0.0, y=y, height=height, tilts_deg=(0.0,))
    return draft


def _digital_clock(draw: Draw) -> Draft:
    """A wedge whose dark screen with lit digits leans back, with a snooze bar on top."""
    draft = Draft(mass_kg=draw.mass(0.08, 0.18))
    deep, half_y, height = draw.length(0.048, 0.058), draw.length(0.036, 0.048), draw.length(0.036, 0.046)
    paint = draw.paint("plastic", "white", "black", "blue", "pink", "gray", "beige", "green", "red", "yellow")
    low, ridge = height * 0.34, deep * 0.42
    back, front = -deep / 2.0, deep / 2.0
    side = [(back, 0.0), (front, 0.0), (front, low), (back + ridge, height), (back, height)]
    body = slab(side, half_y)
    draft.solid(body, paint)
    run, rise = deep - ridge, height - low
    slope = float(np.degrees(np.arctan2(rise, run)))
    at = pose(ridge / 2.0, 0.0, (low + height) / 2.0, rpy_deg=(0.0, slope, 0.0))
    lit = draw.cycle("lit", ("green", "red", "orange", "blue"))
    time = draw.cycle("time", ("7:30", "6:15", "12:00", "8:45", "10:08"))
    screen = _screen(INK, SHADES[lit][1], time)
    draft.look(*sign_above(float(np.hypot(run, rise)) * 0.3, half_y * 0.62, screen, at, "glass"))
    bar = box(ridge * 0.3, half_y * 0.55, 0.0012).moved(back + ridge * 0.5, 0.0, height + 0.0006)
    draft.look(bar, shade("rubber", "gray" if paint.rgba[0] > 0.5 else "white"))
    draft.body(body, shape="rectangular")
    draft.grip(0.0, height=max(0.0101, low * 0.8))
    for y in (half_y * 0.3, -half_y * 0.3):
        draft.grip(0.0, y=y, height=max(0.0101, low * 0.8), tilts_deg=(0.0,))
    return draft


def _square_clock(draw: Draw) -> Draft:
    """A rounded block with a dial that leans back and a stop button on top."""
    draft = Draft(mass_kg=draw.mass(0.08, 0.16))
    half, deep = draw.length(0.026, 0.0295), draw.length(0.013, 0.017)
    stuff = draw.cycle("block", ("plastic", "wood", "plastic"))
    words = ("brown", "beige") if stuff == "wood" else ("blue", "white", "red", "green", "pink", "gray", "yellow")
    paint = draw.paint(stuff, *words, key=f"block {stuff}")
    foot, height = deep * 2.2, half * 1.9
    side = [(-deep * 1.2, 0.0), (foot, 0.0), (0.0, height), (-0.002, half * 2.0), (-deep * 1.2, half * 2.0)]
    body = slab(side, half)
    draft.solid(body, paint)
    lean = float(np.degrees(np.arctan2(foot, height)))
    round_ = draw.cycle("dial", (True, False))
    plate = cylinder(half * 0.74, 0.0006, 20) if round_ else rounded_box(half * 0.7, half * 0.7, 0.0006, half * 0.2)
    at = pose(foot / 2.0, 0.0, height * 0.52, rpy_deg=(0.0, -lean, 0.0)) @ lying()
    face, hands = draw.cycle("face", ((PAPER, INK), (INK, PAPER), (SHADES["beige"][1], INK)))
    dial = _dial(face, hands, draw.cycle("hour", (8, 10, 1, 5)))
    draft.look(laid(plate.at(at), axis=0), textures.painted(dial, "paper"))
    button = prism(cylinder(1.0, 1.0, 12).vertices[:12, :2] * half * 0.28, [(0.0, 1.0), (0.002, 0.9)])
    button = button.moved(-deep * 0.65, 0.0, half * 2.0)
    draft.look(button, shade("rubber", draw.cycle("button", ("gray", "red", "black"))))
    draft.body(box(deep, half, half), shape="rectangular")
    for x in (-0.004, 0.004):
        draft.grip(90.0, x=x, height=half * 0.8)
    return draft


def _dial(face: Rgb, ink: Rgb, hour: int, size: int = 48) -> Texture:
    """A clock face with twelve marks and two hands, upright in the picture."""
    v, u = np.mgrid[0:size, 0:size] - (size - 1) / 2.0
    radius, angle = np.hypot(u, v), np.arctan2(u, -v)
    to_mark = np.abs(np.mod(angle / (2.0 * np.pi) * 12.0 + 0.5, 1.0) - 0.5) * 2.0 * np.pi / 12.0 * radius
    mask = (to_mark < 1.0) & (radius > size * 0.36) & (radius < size * 0.45)
    for turn, reach, wide in ((hour / 12.0, 0.22, 1.4), (hour * 5 % 12 / 12.0, 0.32, 0.9)):
        along = u * np.sin(2.0 * np.pi * turn) - v * np.cos(2.0 * np.pi * turn)
        across = u * np.cos(2.0 * np.pi * turn) + v * np.sin(2.0 * np.pi * turn)
        mask |= (np.abs(across) < wide) & (along > -2.0) & (along < size * reach)
    return textures.two_tone(mask, face, ink)


def _screen(dark: Rgb, lit: Rgb, time: str) -> Texture:
    """Digits on a dark screen."""
    columns = [np.array([[pixel == "#" for pixel in row] for row in _DIGITS[sign].split(" ")]) for sign in time]
    glyphs = np.concatenate([np.pad(column, ((0, 0), (0, 1))) for column in columns], axis=1)[:, :-1]
    return textures.two_tone(np.pad(np.kron(glyphs, np.ones((3, 3), dtype=bool)), 5), dark, lit)


BUILDERS = {"flashlight": flashlight, "alarm_clock": alarm_clock}
