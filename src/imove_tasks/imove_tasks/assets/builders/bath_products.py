"""Bottles and tubes of a bathroom."""

from __future__ import annotations

from imove_tasks.assets.builders.packs import (
    banded,
    ink_on,
    kindred,
    lying_tube,
    printed,
    printed_lathe,
    pump,
    squeeze_tube,
    toned,
)
from imove_tasks.assets.builders.parts import rgb_of
from imove_tasks.assets.draft import Draft, lying, pose
from imove_tasks.assets.draw import Draw, shade
from imove_tasks.assets.looks import Material
from imove_tasks.assets.mapping import laid, wrapped
from imove_tasks.assets.palette import PAPER, SHADES, Rgb
from imove_tasks.assets.primitives import Mesh, box, cylinder, prism, revolve, rounded_rectangle

_TOILETRY = ("green", "purple", "white", "blue", "orange", "pink", "red", "yellow")


def _paper_for(paint: Material, cap: Material) -> Rgb:
    """Colour of a label that stands out from a bottle; none of its own beside a white cap, or white would win."""
    if min(rgb_of(paint)) > 0.7:
        return SHADES["blue"][1]
    return rgb_of(paint) if min(rgb_of(cap)) > 0.7 else PAPER


def _flat_bottle(
    draft: Draft, half_x: float, half_y: float, height: float, corner: float, material: Material, *, shoulder: float
) -> Mesh:
    """Adds a bottle of one rounded outline that narrows to its neck; its pictures face +y and -y.

    Args:
        draft: Gets the bottle.
        half_x: Half size along x, m.
        half_y: Half size along y, m.
        height: To the neck, m.
        corner: Rounding as a share of ``half_y``, 0 to 1.
        material: With a texture.
        shoulder: Height at which it begins to narrow as a share of ``height``.

    Returns:
        The plain stack of its outline, for its shape.
    """
    outline = rounded_rectangle(half_x, half_y, half_y * corner, 4)
    middle = (1.0 + shoulder) / 2.0
    levels = [(0.0, 0.94), (0.004, 1.0), (height * shoulder, 1.0), (height * middle, 0.9), (height, 0.55)]
    draft.solid(wrapped(prism(outline, levels), around=2.0), material)
    return prism(outline, [(0.0, 1.0), (height, 1.0)])


def _flip_cap(draft: Draft, z: float, radius: float, tall: float, paint: Material) -> None:
    """Adds a cap with a seam and a thumb nook toward +y."""
    draft.lathe([(radius, z), (radius, z + tall), (radius * 0.86, z + tall + 0.002)], paint, sectors=16)
    draft.look(cylinder(radius + 0.0004, 0.0006, 16).moved(z=z + tall * 0.6), toned(paint, 0.6))
    draft.look(box(radius * 0.36, 0.0015, tall * 0.14).moved(0.0, radius, z + tall * 0.8), toned(paint, 0.6))


def shampoo_bottle(draw: Draw) -> Draft:
    """A tall bottle with a printed label and a flip cap: oval, angular or round."""
    draft = Draft(mass_kg=draw.mass(0.12, 0.28))
    large = draw.cycle("size", ("large", "travel", "large")) == "large"
    height = draw.length(0.108, 0.13) if large else draw.length(0.078, 0.09)
    half_x, half_y = draw.length(0.027, 0.033), draw.length(0.0185, 0.0225)
    paint = draw.paint("plastic", *_TOILETRY)
    cap = kindred(paint, 0.7) if draw.cycle("cap", (False, True)) else shade("plastic", "white")
    if rgb_of(cap)[0] > 0.85 and rgb_of(paint)[0] > 0.88 and rgb_of(paint)[2] > 0.88:
        cap = shade("plastic", draw.cycle("cap_color", ("green", "blue", "purple")))
    text = draw.cycle("text", ("HAIR", "SHINE", "SILKY"))
    kind = draw.cycle("kind", ("oval", "angular", "round"))
    if kind == "round":
        material = banded(paint, _paper_for(paint, cap), [text], below=40, above=60)
        radius = half_y * 1.2
        profile = [(radius * 0.94, 0.0), (radius, 0.004), (radius, height * 0.86), (radius * 0.6, height)]
        printed_lathe(draft, profile, material)
        body = revolve([(radius, 0.0), (radius, height)])
        neck = radius * 0.62
    else:
        material = banded(paint, _paper_for(paint, cap), [text], below=40, above=64)
        corner, shoulder = (0.97, 0.76) if kind == "oval" else (0.28, 0.84)
        body = _flat_bottle(draft, half_x, half_y, height, corner, material, shoulder=shoulder)
        neck = half_y * 0.66
    tall = draw.length(0.015, 0.02)
    _flip_cap(draft, height, neck, tall, cap)
    draft.body(body)
    draft.grip(90.0, 0.0, height=max(height * 0.62, height + tall - 0.055))
    return draft


def lotion(draw: Draw) -> Draft:
    """A bottle with a pump and a spout: round, square or bellied."""
    draft = Draft(mass_kg=draw.mass(0.15, 0.28))
    height = draw.length(0.068, 0.104)
    radius = draw.length(0.0235, 0.0285)
    paint = draw.paint("plastic", "yellow", "white", "pink", "green", "blue", "beige", "purple")
    head = shade("plastic", draw.cycle("pump", ("white", "black")))
    text = draw.cycle("text", ("LOTION", "BODY", "CREAM"))
    material = banded(paint, _paper_for(paint, head), [text], below=32, above=48)
    kind = draw.cycle("kind", ("round", "square", "bellied"))
    if kind == "square":
        body = _flat_bottle(draft, radius, radius * 0.86, height, 0.3, material, shoulder=0.84)
    else:
        waist = 1.0 if kind == "round" else 0.86
        profile = [(radius * 0.94 * waist, 0.0), (radius * waist, 0.004), (radius, height * 0.4),
                   (radius, height * 0.6), (radius * waist, height * 0.86), (radius * 0.56, height)]  # fmt: skip
        printed_lathe(draft, profile, material)
        body = revolve([(radius * waist, 0.0), (radius, height * 0.5), (radius * waist, height)])
    pump(draft, height, radius * 0.46, head)
    draft.body(body, shape="rectangular" if kind == "square" else "cylindrical")
    draft.grip(90.0, 0.0, height=max(height * 0.62, height - 0.03))
    return draft


def hand_sanitizer(draw: Draw) -> Draft:
    """A little bottle of coloured gel with a cross on its label, under a flip cap or a pump."""
    draft = Draft(mass_kg=draw.mass(0.06, 0.16))
    paint = draw.paint("plastic", "blue", "green", "white", "pink", "orange", "purple", "red")
    red = rgb_of(paint)[0] > 0.85 and rgb_of(paint)[1] < 0.75
    cross = shade("plastic", "blue" if red else "red")
    kind = draw.cycle("kind", ("flip", "pump", "round"))
    size = draw.cycle("size", (1.0, 1.25))
    half_x, half_y = draw.length(0.02, 0.024) * size**0.5, draw.length(0.0145, 0.017) * size**0.5
    height = draw.length(0.058, 0.068) * size
    material = banded(
        paint,
        rgb_of(paint) if min(rgb_of(paint)) < 0.7 else _paper_for(paint, paint),
        ["GEL"],
        size=(32, 48),
        below=18,
        above=62,
    )
    if kind == "round":
        radius = half_y * 1.25
        profile = [(radius * 0.94, 0.0), (radius, 0.003), (radius, height * 0.84), (radius * 0.62, height)]
        printed_lathe(draft, profile, material)
        body, front, yaws = revolve([(radius, 0.0), (radius, height)]), radius, (0.0, 180.0)
        wide = radius * 0.4
    else:
        body = _flat_bottle(draft, half_x, half_y, height, 0.5, material, shoulder=0.84)
        front, yaws, wide = half_y, (90.0, 270.0), half_x * 0.34
    for yaw in yaws:
        turn = pose(rpy_deg=(0.0, 0.0, yaw))
        for half in ((wide, wide * 0.36), (wide * 0.36, wide)):
            arm = box(0.001, half[0], half[1]).moved(x=front - 0.0002 - 0.0002 * (half[0] < half[1]), z=height * 0.64)
            draft.look(arm.at(turn), cross)
    if kind == "pump":
        pump(draft, height, half_y * 0.6, shade("plastic", "white"))
    else:
        top = kindred(paint, 0.75) if kind == "flip" else shade("plastic", "white")
        _flip_cap(draft, height, half_y * 0.62, 0.014, top)
    draft.body(body)
    draft.grip(90.0, 0.0, height=max(height * 0.56, height - 0.03))
    return draft


def facial_cleanser(draw: Draw) -> Draft:
    """A tube that stands on a broad cap, or a foam bottle with a domed head."""
    draft = Draft(mass_kg=draw.mass(0.08, 0.18))
    paint = draw.paint("plastic", "white", "blue", "pink", "green", "orange", "purple", "yellow", "beige")
    text = draw.cycle("text", ("FACE", "WASH", "PURE"))
    kind = draw.cycle("kind", ("standing", "foam", "lying"))
    cap = kindred(paint, 0.72) if draw.cycle("cap", (True, False)) else shade("plastic", "white")
    accent = _paper_for(paint, cap)
    if kind == "foam":
        radius, height = draw.length(0.0225, 0.0265), draw.length(0.074, 0.09)
        material = banded(paint, accent, [text, "FOAM"], size=(60, 64), below=34, above=40)
        profile = [(radius * 0.95, 0.0), (radius, 0.003), (radius, height * 0.9), (radius * 0.8, height)]
        printed_lathe(draft, profile, material)
        draft.lathe([(radius * 0.78, height), (radius * 0.78, height + 0.012)], cap, sectors=16)
        top = height + 0.012
        draft.lathe([(radius * 0.36, top), (radius * 0.36, top + 0.008)], cap, sectors=10)
        dome = [(radius * 0.72, top + 0.008), (radius * 0.7, top + 0.013), (radius * 0.4, top + 0.017)]
        draft.lathe(dome, cap, sectors=16)
        spout = box(radius * 0.28, 0.0045, 0.0032).moved(radius * 0.8, 0.0, top + 0.0112)
        draft.solid(spout, cap)
        draft.body(revolve([(radius, 0.0), (radius, height)]))
        draft.grip(0.0, 90.0, free_yaw=True, height=max(height * 0.62, height - 0.018))
        return draft
    radius = draw.length(0.0195, 0.022)
    length = draw.length(0.068, 0.092)
    rise = draw.length(0.017, 0.023)
    cap_profile = [(radius * 0.94, 0.0), (radius * 0.99, 0.001), (radius * 0.99, rise - 0.002), (radius * 0.94, rise)]
    if kind == "lying":
        body = lying_tube(radius, length)
        ink = SHADES[draw.cycle("ink", ("blue", "green", "purple"))][0] if min(rgb_of(paint)) > 0.7 else ink_on(paint)
        draft.solid(laid(body), printed(paint, [text], size=(40, 64), ink=ink))
        at = lying(x=length, z=radius)
        draft.lathe(cap_profile, cap, at=at, sectors=16)
        draft.look(cylinder(radius * 1.0, 0.0006, 16).at(lying(x=length + rise * 0.45, z=radius)), toned(cap, 0.6))
        draft.body(body, shape="tapered")
        draft.grip(90.0, x=length * 0.72, height=max(0.010, radius * 0.8))
        draft.grip(90.0, x=length * 0.6, height=max(0.010, radius * 0.75), tilts_deg=(0.0,))
        return draft
    material = banded(paint, accent, [text], size=(30, 44), below=24, above=56, beside=28)
    tube = wrapped(squeeze_tube(radius, length), around=2.0).at(pose(z=rise, rpy_deg=(0.0, 0.0, 90.0)))
    draft.solid(tube, material)
    draft.lathe(cap_profile, cap, sectors=20)
    draft.look(cylinder(radius * 1.0, 0.0005, 20).moved(z=rise * 0.45), toned(cap, 0.6))
    draft.body(revolve([(radius, 0.0), (radius, length)]), shape="tapered")
    draft.grip(90.0, 0.0, height=max(rise + length * 0.34, rise + length - 0.056))
    return draft


BUILDERS = {
    "shampoo_bottle": shampoo_bottle,
    "lotion": lotion,
    "hand_sanitizer": hand_sanitizer,
    "facial_cleanser": facial_cleanser,
}
