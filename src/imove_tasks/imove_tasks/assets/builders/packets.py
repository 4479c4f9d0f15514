"""Packed snacks: crisps, chocolate, cheese."""

from __future__ import annotations

import numpy as np

from imove_tasks.assets import textures
from imove_tasks.assets.builders.packs import add_bar, flat_radius, ink_on, printed, printed_lathe, toned
from imove_tasks.assets.builders.parts import rgb_of
from imove_tasks.assets.convex import box_part
from imove_tasks.assets.draft import Draft, lying, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.looks import Material, Texture
from imove_tasks.assets.mapping import laid
from imove_tasks.assets.palette import SHADES, STEEL, Rgb
from imove_tasks.assets.primitives import Mesh, box, cylinder, loft, prism, rectangle, revolve

_PACKS = ("red", "yellow", "blue", "green", "orange", "purple", "pink")
_CRISP: Rgb = (0.97, 0.83, 0.42)


def _crisps_print(paint: Material, word: str) -> Material:
    """A word above a heap of round crisps on a pale patch."""
    ink = ink_on(paint)
    picture = np.tile(np.round(np.array(rgb_of(paint)) * 255.0).astype(np.uint8), (64, 64, 1))
    picture[8:32, 6:58] = textures.label(rgb_of(paint), ink, [word], size=(24, 52), frame=False).pixels
    v, u = np.mgrid[0:64, 0:64]
    yellow = rgb_of(paint)[0] > 0.85 and rgb_of(paint)[1] > 0.6
    for x, y in ((22, 44), (32, 49), (42, 44), (32, 40)):
        far = np.hypot((u - x) / 1.25, v - y)
        for reach, rgb in ((7.5, SHADES["brown"][1]), (6.6, SHADES["beige"][1] if yellow else _CRISP)):
            picture[far < reach] = np.round(np.array(rgb) * 255.0)
    return textures.painted(Texture(picture), paint.name)


def _pillow(half_x: float, half_y: float, half_z: float) -> Mesh:
    """A bag of air, flat at both ends along x, its middle at z = half_z, m."""
    stages = ((-1.0, 0.92, 0.04), (-0.9, 0.94, 0.12), (-0.66, 0.97, 0.66), (-0.3, 1.0, 1.0), (0.3, 1.0, 1.0),
              (0.66, 0.97, 0.66), (0.9, 0.94, 0.12), (1.0, 0.92, 0.04))  # fmt: skip
    turn = 2.0 * np.pi * (np.arange(14) + 0.5) / 14.0 - np.pi / 2.0
    across = np.sign(np.cos(turn)) * np.abs(np.cos(turn)) ** 0.7
    rings = [
        np.column_stack([np.full(14, half_x * x), half_y * wide * across, half_z + half_z * tall * np.sin(turn)])
        for x, wide, tall in stages
    ]
    return loft(rings)


def potato_chips(draw: Draw) -> Draft:
    """A puffed bag on its back, long or square, or a tall can; crisps and a word printed on it."""
    kind = draw.cycle("kind", ("bag", "can", "square"))
    draft = Draft(mass_kg=draw.mass(0.02, 0.06) if kind != "can" else draw.mass(0.05, 0.12))
    word = draw.cycle("text", ("CHIPS", "CRISP", "SALTY"))
    if kind == "can":
        paint = draw.paint("paper", *_PACKS)
        radius, height = draw.length(0.0255, 0.0295), draw.length(0.085, 0.13)
        profile = [(radius * 0.98, 0.0), (radius, 0.002), (radius, height - 0.006)]
        printed_lathe(draft, profile, _crisps_print(paint, word))
        lid = [(radius * 1.02, height - 0.006), (radius * 1.02, height - 0.001), (radius * 0.97, height)]
        draft.lathe(
            lid, solid("plastic", rgb_of(paint)) if draw.cycle("lid", (True, False)) else shade("plastic", "white")
        )
        top = laid(cylinder(radius * 0.84, 0.0003, 18).moved(z=height))
        draft.look(top, _crisps_print(paint, word))
        draft.body(revolve([(radius, 0.0), (radius, height)]), shape="cylindrical")
        draft.grip(0.0, 90.0, free_yaw=True, height=max(height * 0.55, height - 0.055))
        return draft
    paint = draw.paint("plastic", *_PACKS)
    half_x = draw.length(0.039, 0.056) if kind == "bag" else draw.length(0.0305, 0.0325)
    half_y, half_z = draw.length(0.0262 if kind == "bag" else 0.0278, 0.0295), draw.length(0.0115, 0.0165)
    body = _pillow(half_x, half_y, half_z).clamped_below(half_z * 0.18)
    draft.solid(laid(body), _crisps_print(paint, word))
    for side in (-1.0, 1.0):
        for share in (0.91, 0.96):
            crimp = box(half_x * 0.008, half_y * 0.93, half_z * 0.11).moved(x=side * half_x * share, z=half_z)
            draft.look(crimp, toned(paint, 0.7))
    draft.body(body, shape="rectangular" if kind == "bag" else "square")
    draft.grip(90.0, height=max(0.0102, half_z * 0.84))
    draft.grip(90.0, x=half_x * 0.2, height=max(0.0102, half_z * 0.84), tilts_deg=(0.0,))
    return draft


def chocolate(draw: Draw) -> Draft:
    """A bar half out of its wrapper, a bare bar of squares, or a closed pack with a word on it."""
    draft = Draft(mass_kg=draw.mass(0.04, 0.1))
    kind = draw.cycle("kind", ("open", "bare", "closed"))
    half_x, half_y, height = draw.length(0.04, 0.058), draw.length(0.019, 0.027), draw.length(0.0128, 0.0152)
    cocoa = solid(
        "food", draw.cycle("cocoa", ((0.36, 0.20, 0.11), (0.55, 0.34, 0.18), (0.95, 0.90, 0.78), (0.15, 0.09, 0.07)))
    )
    base = height * 0.65
    if kind == "bare":
        draft.block((half_x, half_y, base / 2.0), (0.0, 0.0, base / 2.0), cocoa)
        _squares(draft, -half_x, half_x, half_y, base, height, cocoa, columns=5)
        draft.touch(box_part((half_x * 0.97, half_y * 0.95, height / 2.0), pose(z=height / 2.0)))
    else:
        paint = draw.paint("paper", "red", "blue", "purple", "yellow", "green", "orange", "pink")
        edge = half_x * 0.42 if kind == "open" else half_x * 0.92  # the wrapper reaches from the -x end to here
        if kind == "open":
            draft.block((half_x, half_y, base / 2.0), (0.0, 0.0, base / 2.0), cocoa)
            _squares(draft, edge * 1.15, half_x, half_y, base, height, cocoa, columns=2)
        middle, reach = (edge - half_x) / 2.0, (edge + half_x) / 2.0
        draft.block((reach, half_y + 0.0008, height / 2.0), (middle, 0.0, height / 2.0), paint)
        foil = solid("metal", STEEL)
        draft.look(box(half_x * 0.06, half_y + 0.0012, height / 2.0 + 0.0003).moved(x=edge, z=height / 2.0), foil)
        if kind == "closed":
            flap = box(half_x * 0.05, half_y + 0.0012, height / 2.0 + 0.0003).moved(x=-half_x * 0.95, z=height / 2.0)
            draft.look(flap, foil)
        words = draw.cycle("text", ("CHOCO", "MILK", "DARK"))
        plate = laid(box(reach * 0.72, half_y * 0.72, 0.0004).moved(x=middle, z=height + 0.0001))
        draft.look(plate, printed(paint, [words], size=(32, 64), ink=ink_on(paint), frame=True))
    draft.body(box(half_x, half_y, height / 2.0), shape="rectangular")
    draft.grip(90.0, x=-half_x * 0.1, height=0.0102)
    draft.grip(90.0, x=-half_x * 0.35, height=0.0102, tilts_deg=(0.0,))
    return draft


def _squares(
    draft: Draft, start: float, stop: float, half_y: float, base: float, top: float, cocoa: Material, *, columns: int
) -> None:
    """Adds rows of three raised squares between two places along x, m."""
    cell_x, cell_y = (stop - start) / columns, 2.0 * half_y / 3.0
    square = prism(rectangle(cell_x * 0.44, cell_y * 0.42), [(0.0, 1.0), (top - base, 0.75)])
    for i in range(columns):
        for j in range(3):
            draft.look(square.moved(start + cell_x * (i + 0.5), cell_y * (j - 1), base), cocoa)


def cheese_sticks(draw: Draw) -> Draft:
    """Cheese in sticks: one in a film with crimped ends, one half peeled, or three side by side in a band."""
    draft = Draft(mass_kg=draw.mass(0.02, 0.07))
    kind = draw.cycle("kind", ("wrapped", "bundle", "peeled"))
    cheese = solid(
        "food", draw.cycle("cheese", ((0.97, 0.94, 0.84), (0.98, 0.86, 0.42), (0.96, 0.62, 0.18), (0.95, 0.88, 0.66)))
    )
    film = draw.paint("plastic", "red", "blue", "green", "orange", "purple", "yellow")
    radius, half = draw.length(0.0078, 0.0092), draw.length(0.036, 0.052)
    if kind == "bundle":
        for y in (-1.0, 0.0, 1.0):
            half_stick = half * (0.98 if y else 1.0)
            profile = [
                (radius * 0.86, 0.0),
                (radius, 0.0012),
                (radius, half_stick * 2.0 - 0.0012),
                (radius * 0.86, half_stick * 2.0),
            ]
            draft.lathe(profile, cheese, at=lying(-half_stick, y * radius * 1.96, flat_radius(radius, 10)), sectors=10)
        band = add_bar(draft, [(-half * 0.26, 0.0, radius * 0.98), (half * 0.26, 0.0, radius * 0.98)],
                       radius * 2.98, radius * 1.02, film, bevel=0.7)  # fmt: skip
        draft.look(
            laid(box(half * 0.2, radius * 2.0, 0.0003).moved(z=radius * 2.0)), printed(film, ["CHEESE"], size=(24, 40))
        )
        draft.body(band, shape="rectangular")
        draft.grip(90.0, height=max(0.0102, radius))
        draft.grip(90.0, x=half * 0.1, height=max(0.0102, radius), tilts_deg=(0.0,))
        return draft
    wide, tall = radius * 1.25, radius
    path = np.array([(-half, 0.0, tall), (-half + 0.003, 0.0, tall), (half - 0.003, 0.0, tall), (half, 0.0, tall)])
    body = add_bar(draft, path, wide * np.array([0.8, 1.0, 1.0, 0.8]), tall * np.array([0.8, 1.0, 1.0, 0.8]),
                   film if kind == "wrapped" else cheese, bevel=0.8)  # fmt: skip
    if kind == "wrapped":
        for side in (-1.0, 1.0):
            fin = box(0.0055, wide * 1.25, 0.0008).moved(x=side * (half + 0.005), z=tall)
            draft.look(fin, film)
            draft.look(box(0.0006, wide * 1.25, 0.0011).moved(x=side * (half + 0.006), z=tall), toned(film, 0.65))
        plate = laid(box(half * 0.72, wide * 0.72, 0.0003).moved(z=tall * 2.0))
        draft.look(plate, printed(film, ["CHEESE"], size=(20, 64)))
    else:
        edge = half * 0.14
        sleeve = box((edge + half) / 2.0, wide + 0.0006, tall + 0.0004).moved(x=(edge - half) / 2.0, z=tall + 0.0003)
        draft.look(sleeve, film)
        for side in (-1.0, 1.0):
            curl = [(edge - 0.002, side * wide * 0.9, tall), (edge + 0.010, side * wide * 1.5, tall * 1.1),
                    (edge + 0.019, side * wide * 2.5, tall * 0.7)]  # fmt: skip
            add_bar(draft, curl, [0.0008, 0.0008, 0.0006], [tall * 0.7, tall * 0.6, tall * 0.4], film, bevel=0.0)
        for y in (-0.4, 0.1, 0.5):
            line = box(half * 0.4, 0.0005, 0.0003).moved(half * 0.5, wide * y, tall * 2.0)
            draft.look(line, toned(cheese, 0.86))
    draft.body(body, shape="rectangular")
    low = max(0.0102, tall)
    draft.grip(90.0, x=0.0 if kind == "wrapped" else -half * 0.3, height=low)
    draft.grip(90.0, x=half * 0.15 if kind == "wrapped" else -half * 0.45, height=low, tilts_deg=(0.0,))
    return draft


BUILDERS = {"potato_chips": potato_chips, "chocolate": chocolate, "cheese_sticks": cheese_sticks}
