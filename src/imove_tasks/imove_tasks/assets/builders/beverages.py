"""Packed drinks, standing."""

from __future__ import annotations

import numpy as np

from imove_tasks.assets import textures
from imove_tasks.assets.builders.packs import banded, ink_on, is_light, printed_box, printed_lathe, squeeze_tube, toned
from imove_tasks.assets.builders.parts import rgb_of
from imove_tasks.assets.draft import Draft, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.looks import Material, Texture
from imove_tasks.assets.mapping import wrapped
from imove_tasks.assets.palette import INK, LEAF, PAPER, SHADES, STEEL, Rgb
from imove_tasks.assets.primitives import box, cylinder, prism, revolve, rounded_rectangle, slab, tube

_DRINKS = ("orange", "green", "purple", "red", "yellow", "pink", "blue")


def _face(paint: Material, ink: Rgb, word: str, *, fruit: Rgb | None, tall: int) -> Material:
    """Print for one side of a pack: a word, and a fruit with a leaf on a pale disc below it.

    Args:
        paint: Of the pack.
        ink: Of the word.
        word: Capitals.
        fruit: Colour of the fruit; None for none.
        tall: Height of the picture, pixels; it is 48 wide.
    """
    base = np.round(np.array(rgb_of(paint)) * 255.0).astype(np.uint8)
    picture = np.tile(base, (tall, 48, 1))
    word_rows = textures.label(rgb_of(paint), ink, [word], size=(24, 48), frame=False).pixels
    top = tall // 6
    picture[top : top + 24] = word_rows
    if fruit is not None:
        v, u = np.mgrid[0:tall, 0:48]
        down, right = v - (top + 24 + (tall - top - 24) * 0.42), u - 23.5
        disc, ball = np.hypot(right, down) < 15.0, np.hypot(right, down - 1.5) < 9.5
        leafy = (np.abs(right - 3.5) < 4.0) & (np.abs(down + 10.0) < 1.6)
        for mask, rgb in ((disc, PAPER), (ball, fruit), (leafy, LEAF)):
            picture[mask] = np.round(np.array(rgb) * 255.0)
    return textures.painted(Texture(picture), paint.name)


def juice(draw: Draw) -> Draft:
    """A small carton with a bent straw, slim or broad, or a pouch with a spout; a fruit and a word on it."""
    draft = Draft(mass_kg=draw.mass(0.13, 0.26))
    kind = draw.cycle("kind", ("slim", "pouch", "broad"))
    word = draw.cycle("fruit", _DRINKS)
    stuff = "plastic" if kind == "pouch" else "paper"
    paint = shade(stuff, word, draw.cycle("shade", (0, 2)))
    text = draw.cycle("text", ("JUICE", "FRUIT", "FRESH"))
    material = _face(paint, ink_on(paint), text, fruit=SHADES[word][1], tall=72)
    if kind == "pouch":
        radius, height = draw.length(0.021, 0.024), draw.length(0.08, 0.1)
        body = wrapped(squeeze_tube(radius, height), around=2.0).at(pose(rpy_deg=(0.0, 0.0, 90.0)))
        draft.solid(body, material)
        spout = [(0.0045, height - 0.004), (0.0045, height + 0.006)]
        draft.lathe(spout, shade("plastic", "white"), sectors=10)
        draft.lathe([(0.0075, height + 0.006), (0.0075, height + 0.016)], toned(paint, 0.75), sectors=12)
        draft.body(revolve([(radius, 0.0), (radius, height)]), shape="tapered")
        draft.grip(0.0, 90.0, height=max(height * 0.4, height - 0.042))
        return draft
    half_x = draw.length(0.0185, 0.0215) if kind == "slim" else draw.length(0.025, 0.0295)
    half_y = draw.length(0.0165, 0.019) if kind == "slim" else draw.length(0.018, 0.022)
    height = draw.length(0.088, 0.108) if kind == "slim" else draw.length(0.068, 0.084)
    draft.solid(printed_box(half_x, half_y, height), material)
    draft.look(box(half_x * 0.98, 0.0009, 0.0011).moved(y=half_y * 0.3, z=height + 0.001), toned(paint, 0.8))
    draft.look(cylinder(0.004, 0.0005, 10).moved(x=half_x * 0.55, z=height), solid("paper", STEEL))
    straw = [
        (half_x * 0.55, 0.0, height - 0.002), (half_x * 0.55, 0.0, height + 0.014), (half_x * 0.1, 0.0, height + 0.024),
    ]  # fmt: skip
    draft.look(tube(straw, 0.0024, 7), shade("plastic", draw.cycle("straw", ("white", "yellow", "red"))))
    draft.body(box(half_x, half_y, height / 2.0), shape="rectangular")
    draft.grip(90.0, 0.0, height=max(height * 0.6, height - 0.032))
    return draft


def _hide(paint: Material, rng: np.random.Generator, word: str) -> Material:
    """A word over large dark blots, as on a cow."""
    v, u = np.mgrid[0:64, 0:48] / 16.0
    field = sum(
        np.sin(rng.uniform(1.5, 3.2) * u + rng.uniform(0.0, 6.3))
        * np.cos(rng.uniform(1.5, 3.2) * v + rng.uniform(0.0, 6.3))
        for _ in range(4)
    )
    blots = np.asarray(field) > 1.0
    blots[:4] = blots[-4:] = False
    ink = INK if is_light(rgb_of(paint)) else PAPER
    picture = textures.two_tone(blots, rgb_of(paint), ink).pixels.copy()
    accent = SHADES["blue"][0] if is_light(rgb_of(paint)) else PAPER
    picture[18:42] = textures.label(rgb_of(paint), accent, [word], size=(24, 48), frame=False).pixels
    return textures.painted(Texture(picture), paint.name)


def milk_carton(draw: Draw) -> Draft:
    """A carton with a gable top, square or oblong, or a flat-topped brick; a cap, and a word over a cow's spots."""
    draft = Draft(mass_kg=draw.mass(0.16, 0.29))
    kind = draw.cycle("kind", ("gable", "brick", "small"))
    half = draw.length(0.025, 0.0288) if kind != "small" else draw.length(0.021, 0.0235)
    half_y = half if kind != "brick" else half * 0.8
    height = draw.length(0.074, 0.09) if kind != "small" else draw.length(0.056, 0.064)
    paint = draw.paint("paper", "white", "blue", "green", "pink", "beige", "red", "yellow")
    accent = shade(
        "paper", "blue" if min(paint.rgba[:3]) > 0.65 or paint.rgba[0] > 0.8 and paint.rgba[1] > 0.65 else "white"
    )
    if draw.cycle("spots", (True, False)):
        material = _hide(paint, draw.rng, "MILK")
    else:
        material = banded(paint, rgb_of(accent), ["MILK"], size=(22, 48), below=16, above=30, beside=0)
    draft.solid(printed_box(half, half_y, height), material)
    cap = solid("plastic", rgb_of(accent))
    if kind == "brick":
        top = height + draw.length(0.0, 0.006)
        draft.solid(prism(np.array([(half, half_y), (-half, half_y), (-half, -half_y), (half, -half_y)]),
                          [(height, 1.0), (top + 0.002, 0.96)]), paint)  # fmt: skip
        draft.lathe([(0.0095, top + 0.002), (0.0095, top + 0.009)], cap, at=pose(x=half * 0.45), sectors=12)
        draft.look(box(0.0009, half_y * 0.94, 0.0011).moved(x=-half * 0.2, z=top + 0.003), toned(paint, 0.8))
        reach = top + 0.009
    else:
        ridge = height + half * 0.85
        gable = [(-half, height), (half, height), (0.0012, ridge), (-0.0012, ridge)]
        draft.solid(slab(gable, half_y), paint)
        draft.block((0.0013, half_y, 0.005), (0.0, 0.0, ridge + 0.004), paint)
        if kind == "gable":
            lid = cylinder(0.0085, 0.004, 12).at(pose(half * 0.5, 0.0, height + half * 0.47, rpy_deg=(0.0, 40.0, 0.0)))
            draft.look(lid, cap)
        for side in (-1.0, 1.0):
            fold = box(half * 0.3, 0.0006, 0.0006).at(pose(0.0, side * half_y, height + 0.004))
            draft.look(fold, toned(paint, 0.7))
        reach = ridge + 0.009
    draft.body(box(half, half_y, height / 2.0), shape="rectangular")
    draft.grip(90.0, 0.0, height=max(height * 0.62, reach - 0.056))
    return draft


def canned_coke(draw: Draw) -> Draft:
    """A drink can, standard, slim or short, with a word or a wave on it, a necked rim and a pull tab."""
    draft = Draft(mass_kg=draw.mass(0.18, 0.29))
    kind = draw.cycle("kind", ("standard", "slim", "short"))
    radius = draw.length(0.0265, 0.0298) if kind != "slim" else draw.length(0.0225, 0.025)
    height = {
        "standard": draw.length(0.1, 0.116),
        "slim": draw.length(0.112, 0.128),
        "short": draw.length(0.086, 0.094),
    }[kind]
    paint = draw.paint("metal", "red", "black", "white", "red", "blue", "green", "orange", "purple", "gray")
    steel = solid("metal", STEEL)
    ink = SHADES["red"][0] if min(rgb_of(paint)) > 0.5 else PAPER
    rows = np.tile(np.round(np.array(rgb_of(paint)) * 255.0).astype(np.uint8), (48, 64, 1))
    text = draw.cycle("text", ("COLA", "COKE", "ZERO"))
    rows[8:32, 9:55] = textures.label(rgb_of(paint), ink, [text], size=(24, 46), frame=False).pixels
    wave = 38.0 + 3.0 * np.sin(np.arange(64) / 64.0 * 4.0 * np.pi)
    thick = draw.cycle("wave", (2, 3, 0))
    band = np.abs(np.arange(48)[:, None] - wave[None, :]) < thick
    rows[band] = np.round(np.array(ink) * 255.0)
    draft.lathe([(radius * 0.84, 0.0), (radius, 0.006)], solid("metal", rgb_of(paint)))
    sides = [(radius, 0.006), (radius, height - 0.01), (radius * 0.9, height - 0.001)]
    printed_lathe(draft, sides, textures.painted(Texture(rows), "metal"))
    draft.lathe([(radius * 0.9, height - 0.001), (radius * 0.9, height)], steel)
    rim = revolve(
        [
            (radius * 0.9, height),
            (radius * 0.9, height + 0.001),
            (radius * 0.82, height + 0.001),
            (radius * 0.82, height),
        ],
        20,
        closed=True,
    )
    draft.look(rim, solid("metal", (0.58, 0.59, 0.61)))
    tab = cylinder(0.0055, 0.0006, 10).scaled(x=1.4).moved(x=0.002, z=height + 0.0008)
    draft.look(tab, solid("metal", rgb_of(paint)) if draw.cycle("tab", (False, True)) else shade("metal", "gray", 2))
    draft.look(cylinder(0.0062, 0.0003, 10).moved(x=0.012, z=height + 0.0002), solid("metal", INK))
    draft.body(revolve([(radius, 0.0), (radius, height)]), shape="cylindrical")
    draft.grip(0.0, 90.0, free_yaw=True, height=max(height * 0.55, height - 0.055))
    return draft


_WATER: Rgb = (0.66, 0.84, 0.94)
_DRINK_COLORS: dict[str, Rgb] = {
    "blue": _WATER, "brown": (0.34, 0.18, 0.09), "orange": (0.95, 0.56, 0.14), "green": (0.44, 0.70, 0.30),
    "yellow": (0.95, 0.84, 0.30), "pink": (0.95, 0.60, 0.70), "white": (0.94, 0.94, 0.92), "red": (0.74, 0.10, 0.14),
    "purple": (0.46, 0.20, 0.58),
}  # fmt: skip


def beverage_bottle(draw: Draw) -> Draft:
    """A bottle full of a drink with a wrapped label and a cap: straight, waisted, square or long-necked."""
    draft = Draft(mass_kg=draw.mass(0.14, 0.28))
    kind = draw.cycle("kind", ("straight", "waisted", "square", "long"))
    word = draw.cycle("drink", tuple(_DRINK_COLORS))
    stuff = draw.cycle("stuff", ("plastic", "plastic", "glass"))
    paint = solid(stuff, _DRINK_COLORS[word])
    height = draw.length(0.112, 0.148)
    radius = draw.length(0.0235, 0.0275)
    text = {"blue": "WATER", "brown": "COLA", "green": "TEA", "white": "MILK"}.get(word, "SODA")
    cap_word = draw.cycle("cap", ("white", "blue", "red", "green", "black"))
    paper = PAPER if min(paint.rgba[:3]) < 0.62 else SHADES[draw.cycle("paper", ("blue", "green", "red"))][0]
    waist = {"straight": 0.97, "waisted": 0.82, "square": 1.0, "long": 1.0}[kind]
    shoulder = {"straight": 0.74, "waisted": 0.7, "square": 0.76, "long": 0.54}[kind]
    neck = 0.0115
    material = banded(paint, paper, [text], size=(26, 44), below=28, above=62, beside=10)
    if kind == "square":
        outline = rounded_rectangle(radius, radius, radius * 0.34, 4)
        levels = [
            (0.0, 0.93),
            (0.004, 1.0),
            (height * shoulder, 1.0),
            (height * 0.86, 0.72),
            (height * 0.93, neck / radius),
        ]
        draft.solid(wrapped(prism(outline, levels), around=2.0), material)
    else:
        profile = [(radius * 0.9, 0.0), (radius, 0.005), (radius, height * 0.2), (radius * waist, height * 0.26),
                   (radius * waist, height * 0.46), (radius, height * 0.53), (radius, height * shoulder),
                   (radius * 0.72, height * (shoulder + 0.13)), (neck, height * 0.93)]  # fmt: skip
        printed_lathe(draft, profile, material)
    draft.lathe([(neck + 0.002, height * 0.93), (neck + 0.002, height * 0.93 + 0.002)], paint, sectors=16)
    cap = [(neck + 0.0012, height * 0.93 + 0.002), (neck + 0.0012, height), (neck, height + 0.0012)]
    draft.lathe(cap, shade("plastic", cap_word), sectors=14)
    draft.body(box(radius, radius, height / 2.0) if kind == "square" else revolve([(radius, 0.0), (radius, height)]),
               shape="rectangular" if kind == "square" else "cylindrical")  # fmt: skip
    low = max(height * 0.53, height - 0.056)
    draft.grip(90.0, 0.0, height=low)
    return draft


BUILDERS = {
    "juice": juice,
    "milk_carton": milk_carton,
    "canned_coke": canned_coke,
    "beverage_bottle": beverage_bottle,
}
