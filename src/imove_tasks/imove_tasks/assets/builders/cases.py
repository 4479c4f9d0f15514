"""Small cases of a bedside table; +x is the front."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from imove_tasks.assets import textures
from imove_tasks.assets.builders.parts import contrast, flat, luminance, patterned, rgb_of, vessel
from imove_tasks.assets.convex import hull_part
from imove_tasks.assets.draft import Draft, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.looks import Texture
from imove_tasks.assets.mapping import laid
from imove_tasks.assets.palette import STEEL, Rgb
from imove_tasks.assets.primitives import Mesh, box, circle, join, prism, rounded_box, rounded_rectangle

_WEEK = ("S", "M", "T", "W", "T", "F", "S")
_CELL_PX = 16


def glasses_case(draw: Draw) -> Draft:
    """An open hard case: a long tray with a soft pad, its lid raised at the back."""
    draft = Draft(mass_kg=draw.mass(0.05, 0.12))
    half_x, half_y = draw.length(0.0192, 0.0212), draw.length(0.068, 0.084)
    height, rise = draw.length(0.022, 0.029), draw.length(0.028, 0.036)
    stuff = draw.cycle("stuff", ("leather", "fabric", "plastic", "metal"))
    paint = draw.paint(stuff, "black", "brown", "red", "blue", "green", "pink", "gray", "purple", "beige", "white")
    look = paint if stuff == "metal" else patterned(draw, paint, ("plain", "plain", "dots", "upright", "speckles"))
    corner = draw.cycle("corner", (0.95, 0.3, 0.65))
    outline = rounded_rectangle(1.0, half_y / half_x, corner, 4)
    foot = draw.cycle("foot", (0.86, 0.96))
    outer = [(half_x * foot, 0.0), (half_x, height * 0.5), (half_x, height)]
    vessel(draft, outer, look, wall=0.0026, floor=0.004, outline=outline, around=14, along=2)
    if corner > 0.9:  # round ends
        draft.floor((0.0, 0.0, 0.004), ((half_x * foot - 0.0026) * 0.8, (half_y * foot - 0.0026) * 0.8), round_=False)
    lining = solid("fabric", contrast(paint, light="gray", dark="blue"))
    pad = prism(outline * (half_x * foot - 0.006), [(0.004, 1.0), (0.0046, 1.0)]).scaled(y=0.84)
    draft.look(pad, lining)
    # The lid is a rounded plate on edge, thick behind and hollow-looking in front, on the back rim.
    plate = rounded_rectangle(rise / 2.0, half_y * 0.98, min(rise / 2.0, half_x * corner) * 0.95, 4)
    shell = prism(plate, [(-0.0042, 0.86), (0.0, 1.0), (0.0026, 1.0)])
    at = pose(-half_x + 0.0005, 0.0, height + rise * 0.49, rpy_deg=(0.0, 84.0, 0.0))
    draft.look(flat(shell, look, repeat=(3.0, 12.0)).at(at), look)
    draft.touch(hull_part(shell.at(at).vertices))
    inlay = prism(plate * 0.8, [(0.0026, 1.0), (0.0031, 1.0)]).scaled(y=1.12)
    draft.look(inlay.at(at), lining)
    draft.look(box(0.0008, 0.0065, 0.004).moved(half_x, 0.0, height * 0.8), solid("metal", STEEL))
    for y in (-0.5, 0.5):
        draft.look(box(0.0015, 0.007, 0.0018).moved(-half_x, half_y * y, height), solid("metal", STEEL))
    draft.body(prism(outline * half_x, [(0.0, 1.0), (height, 1.0)]), shape="oval" if corner > 0.9 else "rectangular")
    hold = max(0.0101, height * 0.56)
    draft.grip(0.0, height=hold)
    for y in (half_y * 0.3, -half_y * 0.3):
        draft.grip(0.0, y=y, height=hold, tilts_deg=(0.0,))
    return draft


def pill_organizer(draw: Draw) -> Draft:
    """A closed box of lids with the letters of the days: one row, two rows or a wheel."""
    draft = Draft(mass_kg=draw.mass(0.03, 0.08))
    form = draw.cycle("form", ("week", "double", "wheel", "short"))
    height = draw.length(0.018, 0.025)
    paint = draw.paint(
        "plastic", "blue", "white", "green", "pink", "purple", "orange", "red", "yellow", "gray", "black"
    )
    ink = contrast(paint, dark=draw.cycle("ink", ("blue", "black")))
    if form == "wheel":
        radius = draw.length(0.0275, 0.0302)
        body = prism(circle(radius, 20), [(0.0, 0.94), (0.0025, 1.0), (height - 0.002, 1.0), (height, 0.95)])
        draft.solid(body, paint)
        picture = textures.two_tone(_wheel_mask(64), rgb_of(paint), ink)
        disc = laid(prism(circle(radius * 0.93, 20), [(height, 1.0), (height + 0.0004, 1.0)]))
        draft.look(disc.at(pose(rpy_deg=(0.0, 0.0, 90.0))), textures.painted(picture, "plastic"))
        draft.floor((0.0, 0.0, height), (radius * 0.9, radius * 0.9), round_=True)
        draft.body(body, shape="round")
        draft.grip(0.0, 90.0, free_yaw=True)
        return draft
    rows, days = {"week": (1, _WEEK), "double": (2, _WEEK), "short": (1, ("AM", "PM", "EVE"))}[form]
    half_x = draw.length(0.0125, 0.0175) if rows == 1 else draw.length(0.0225, 0.0285)
    half_y = draw.length(0.066, 0.082) if len(days) == 7 else draw.length(0.038, 0.048)
    lid = 0.0018
    base = rounded_box(half_x, half_y, (height - lid) / 2.0, min(half_x * 0.4, 0.008), bevel=0.0012)
    draft.look(base.moved(z=(height - lid) / 2.0), paint)
    draft.touch(hull_part(box(half_x, half_y, height / 2.0).moved(z=height / 2.0).vertices))
    lids = laid(_lids(half_y, half_x, rows, len(days), lid)).at(pose(0.0, 0.0, height - lid, rpy_deg=(0.0, 0.0, 90.0)))
    draft.look(lids, textures.painted(_letters(rgb_of(paint), ink, rows, days), "plastic"))
    tab = (
        solid("plastic", ink)
        if draw.cycle("tabs", (True, False))
        else shade("plastic", "gray" if luminance(paint.rgba) > 0.5 else "white")
    )
    pitch = 2.0 * half_y / len(days)
    for number in range(len(days)):
        y = -half_y + pitch * (number + 0.5)
        draft.look(box(0.0008, pitch * 0.18, 0.0012).moved(half_x, y, height - lid * 0.6), tab)
    draft.floor((0.0, 0.0, height), (half_x * 0.95, half_y * 0.97), round_=False)
    draft.body(box(half_x, half_y, height / 2.0), shape="rectangular")
    draft.grip(0.0)
    for y in (half_y * 0.3, -half_y * 0.3):
        draft.grip(0.0, y=y, tilts_deg=(0.0,))
    return draft


def _lids(half_u: float, half_v: float, rows: int, columns: int, rise: float) -> Mesh:
    """Lids of a grid of compartments as one mesh on z = 0, u along x."""
    cell_u, cell_v = 2.0 * half_u / columns, 2.0 * half_v / rows
    half = (cell_u / 2.0 - 0.0008, cell_v / 2.0 - 0.0008, rise / 2.0)
    return join([
        box(*half).moved(-half_u + cell_u * (column + 0.5), -half_v + cell_v * (row + 0.5), rise / 2.0)
        for row in range(rows)
        for column in range(columns)
    ])  # fmt: skip


def _letters(base: Rgb, ink: Rgb, rows: int, words: Sequence[str]) -> Texture:
    """One word in the middle of every cell of a grid."""
    mask = np.zeros((_CELL_PX * rows, _CELL_PX * len(words)), dtype=bool)
    for row in range(rows):
        for column, word in enumerate(words):
            glyph = textures.text_mask(word)
            glyph = np.kron(glyph, np.ones((2, 2), dtype=bool)) if glyph.shape[1] <= 7 else glyph
            top = row * _CELL_PX + (_CELL_PX - glyph.shape[0]) // 2
            left = column * _CELL_PX + (_CELL_PX - glyph.shape[1]) // 2
            mask[top : top + glyph.shape[0], left : left + glyph.shape[1]] |= glyph
    return textures.two_tone(mask, base, ink)


def _wheel_mask(size: int) -> textures.Mask:
    """Seven sectors with a letter each, seen from above."""
    v, u = np.mgrid[0:size, 0:size] - (size - 1) / 2.0
    turn = np.mod(np.arctan2(v, u) / (2.0 * np.pi) * 7.0, 1.0)
    radius = np.hypot(u, v)
    mask: textures.Mask = (np.minimum(turn, 1.0 - turn) * radius < 0.9) & (radius > size * 0.1)
    for day, letter in enumerate(_WEEK):
        angle = 2.0 * np.pi * (day + 0.5) / 7.0
        glyph = textures.text_mask(letter)
        glyph = np.kron(glyph, np.ones((2, 2), dtype=bool))
        top = round(size / 2.0 + size * 0.32 * np.sin(angle) - glyph.shape[0] / 2.0)
        left = round(size / 2.0 + size * 0.32 * np.cos(angle) - glyph.shape[1] / 2.0)
        mask[top : top + glyph.shape[0], left : left + glyph.shape[1]] |= glyph
    return mask


BUILDERS = {"glasses_case": glasses_case, "pill_organizer": pill_organizer}
