"""What stands beside a wash-basin for the teeth."""

from __future__ import annotations

import numpy as np

from imove_tasks.assets import textures
from imove_tasks.assets.builders.packs import add_bar, ink_on, lying_tube, printed, toned
from imove_tasks.assets.convex import disc_part, hull_part, wall_parts
from imove_tasks.assets.draft import Draft, lying, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.looks import Material, Texture
from imove_tasks.assets.mapping import laid
from imove_tasks.assets.palette import PAPER, SHADES, STEEL, Rgb
from imove_tasks.assets.primitives import band, box, cylinder, ellipsoid, prism, revolve, rounded_rectangle, tube

_WOODS = ("brown", "beige")
_GAY = ("blue", "pink", "green", "orange", "purple", "red", "yellow")
_CUP_FLOOR_M = 0.005
# Crown and two roots of a printed tooth: y, z, half sizes, m.
_TOOTH = ((0.0, 0.005, 0.0115, 0.0095), (-0.0065, -0.009, 0.0042, 0.010), (0.0065, -0.009, 0.0042, 0.010))


def _bristles(draft: Draft, x: float, half_length: float, half_y: float, z: float, accent: Material) -> None:
    """Adds three fields of bristles on a brush head whose top is at ``z``, m."""
    white = shade("plastic", "white")
    for step, paint in ((-1, white), (0, accent), (1, white)):
        half = (half_length * 0.3, half_y, 0.005)
        draft.look(box(*half).moved(x + step * half_length * 0.66, 0.0, z + 0.005), paint)
    draft.touch(hull_part(box(half_length, half_y, 0.005).moved(x, 0.0, z + 0.005).vertices))


def toothbrush(draw: Draw) -> Draft:
    """A slim, a chunky or an electric brush that lies with its bristles up."""
    kind = draw.cycle("kind", ("slim", "electric", "chunky"))
    stuff = "plastic" if kind == "electric" else draw.cycle("stuff", ("plastic", "wood", "plastic", "plastic"))
    paint = draw.paint(stuff, *(_WOODS if stuff == "wood" else (*_GAY, "white", "black")))
    accent = shade("plastic", draw.cycle("accent", ("blue", "green", "red")))
    if kind == "electric":
        return _electric_toothbrush(draw, paint, accent)
    slim = kind == "slim"
    draft = Draft(mass_kg=draw.mass(0.014, 0.022) if slim else draw.mass(0.018, 0.03))
    length = draw.length(0.155, 0.185) if slim else draw.length(0.122, 0.142)
    thick, wide = draw.length(0.0065, 0.0072), draw.length(0.006, 0.0068) if slim else draw.length(0.008, 0.0092)
    share = np.array([0.0, 0.05, 0.3, 0.52, 0.66, 0.76, 0.82, 0.96, 1.0])
    widths = np.array([0.5, 0.85, 1.0, 0.95, 0.55, 0.5, 0.85, 0.85, 0.5]) * wide
    heights = np.array([0.6, 0.95, 1.0, 1.0, 0.5, 0.4, 0.38, 0.38, 0.3]) * thick
    path = np.column_stack([share * length, np.zeros(9), heights])
    body = add_bar(draft, path, widths, heights, paint)
    _bristles(draft, length * 0.89, length * 0.07, wide * 0.72, heights[7] * 2.0, accent)
    if stuff == "plastic":
        pad = box(length * 0.1, wide * 0.5, 0.0006).moved(length * 0.36, 0.0, thick * 2.0)
        draft.look(pad, shade("rubber", "white" if sum(paint.rgba[:3]) < 1.9 else "gray"))
    draft.body(body, shape="rectangular")
    draft.grip(90.0, x=length * 0.42, height=0.0104)
    draft.grip(90.0, x=length * 0.34, height=0.0104, tilts_deg=(0.0,))
    return draft


def _electric_toothbrush(draw: Draw, paint: Material, accent: Material) -> Draft:
    """A round handle with a button, a slim neck and a small head."""
    draft = Draft(mass_kg=draw.mass(0.07, 0.12), rolls=True)
    radius, handle, neck = draw.length(0.0125, 0.0145), draw.length(0.105, 0.12), draw.length(0.05, 0.06)
    at = lying(z=radius)
    profile = [(radius * 0.86, 0.0), (radius, 0.006), (radius, handle * 0.7), (radius * 0.62, handle)]
    body = draft.lathe(profile, paint, at=at, sectors=12)
    white = shade("plastic", "white")
    draft.lathe([(radius * 0.6, handle), (radius * 0.3, handle + neck)], white, at=at, sectors=10)
    draft.look(revolve([(radius + 0.0004, 0.010), (radius + 0.0004, 0.018)], 12).at(at), accent)
    head = prism(rounded_rectangle(0.011, 0.0062, 0.006, 3), [(-0.0028, 1.0), (0.0028, 1.0)])
    draft.solid(head.moved(handle + neck + 0.006, 0.0, radius), white)
    _bristles(draft, handle + neck + 0.006, 0.009, 0.0048, radius + 0.0028, accent)
    button = cylinder(0.005, 0.001, 10).scaled(x=1.4)
    draft.look(button.moved(handle * 0.6, 0.0, radius * 2.0), shade("rubber", "gray", 2))
    draft.body(body, shape="cylindrical")
    draft.grip(90.0, x=handle * 0.58, height=radius)
    draft.grip(90.0, x=handle * 0.45, height=radius, tilts_deg=(0.0,))
    return draft


def toothpaste(draw: Draw) -> Draft:
    """A lying tube with a word and stripes on it: capped, with a broad cap, or open with paste coming out."""
    kind = draw.cycle("kind", ("screw", "flip", "open"))
    stuff = draw.cycle("stuff", ("plastic", "plastic", "metal"))
    draft = Draft(mass_kg=draw.mass(0.05, 0.13))
    radius = draw.length(0.0165, 0.0185)
    length = draw.length(0.09, 0.105) if draw.cycle("size", ("long", "travel")) == "long" else draw.length(0.062, 0.072)
    word = draw.cycle("color", ("white", "blue", "red", "green", "orange", "pink", "purple"))
    rgb = SHADES[word][draw.cycle("shade", (0, 1))]
    ink = SHADES[draw.cycle("ink", ("blue", "red", "green"))][0] if word == "white" else PAPER
    body = lying_tube(radius, length)
    draft.solid(laid(body), _tube_print(rgb, ink, draw.cycle("text", ("MINT", "FRESH", "DENTAL")), stuff))
    cap = solid("plastic", ink if word == "white" else PAPER)
    at = lying(x=length, z=radius)
    wide = radius * 0.94 if kind == "flip" else radius * 0.6
    if kind == "flip":
        cap = solid("plastic", rgb)
    draft.lathe([(radius * 0.96, 0.0), (wide * 0.86, 0.005)], solid(stuff, rgb), at=at, sectors=16)
    if kind == "open":
        draft.lathe([(radius * 0.42, 0.005), (radius * 0.36, 0.014)], cap, at=at, sectors=10)
        worm = np.array([(0.013, 0.0, 0.0), (0.022, 0.001, -0.004), (0.030, -0.003, -0.0118), (0.036, 0.0, -0.0135),
                         (0.041, 0.005, -0.0138)])  # fmt: skip
        paste = shade("food", "white") if word != "white" else shade("food", "blue", 1)
        draft.look(tube(worm + [length, 0.0, radius], [0.003, 0.0034, 0.0034, 0.0034, 0.0022], 7), paste)
    else:
        span = 0.022 if kind == "flip" else 0.014
        draft.lathe([(wide, 0.005), (wide * 0.94, 0.005 + span)], cap, at=at, sectors=12)
    draft.body(body, shape="tapered")
    draft.grip(90.0, x=length * 0.6, height=max(0.010, radius * 0.75))
    draft.grip(90.0, x=length * 0.75, height=max(0.010, radius * 0.85), tilts_deg=(0.0,))
    return draft


def _tube_print(rgb: Rgb, ink: Rgb, text: str, stuff: str) -> Material:
    """Print for a lying tube: the word along it between two stripes."""
    picture = textures.label(rgb, ink, [text], size=(32, 64), frame=False).pixels.copy()
    picture[26:29, :] = picture[3:6, :] = np.round(np.array(ink) * 255.0)
    return textures.painted(Texture(picture), stuff)


def mouthwash_cup(draw: Draw) -> Draft:
    """An open tumbler for rinsing: straight, flared or waisted, with a tooth or bands on it."""
    stuff = draw.cycle("stuff", ("plastic", "ceramic", "glass", "plastic"))
    draft = Draft(mass_kg=draw.mass(0.05, 0.1) if stuff == "plastic" else draw.mass(0.14, 0.24))
    kind = draw.cycle("kind", ("straight", "flared", "bellied"))
    top, height, wall = draw.length(0.0265, 0.0298), draw.length(0.068, 0.098), 0.0032
    bottom = top * {"straight": 1.0, "flared": 0.76, "bellied": 0.84}[kind]
    waist = top * {"straight": 1.0, "flared": 0.88, "bellied": 1.02}[kind]
    paint = draw.paint(stuff, "blue", "pink", "white", "green", "yellow", "purple", "orange")
    middle = height * 0.5
    outer = [(bottom * 0.95, 0.0), (bottom, 0.003), (waist, middle), (top, height)]
    inner = [(top - wall, height), (waist - wall, middle), (bottom - wall, _CUP_FLOOR_M)]
    draft.look(revolve([*outer, *inner], 20), paint)
    draft.touch(
        disc_part(bottom * 0.95, _CUP_FLOOR_M),
        *wall_parts(bottom, waist, wall, 0.001, middle),
        *wall_parts(waist, top, wall, middle, height),
    )
    accent = solid(stuff, ink_on(paint))
    if draw.cycle("print", ("tooth", "bands")) == "tooth":
        for yaw in (0.0, 180.0):
            for y, z, ry, rz in _TOOTH:
                blob = ellipsoid(0.0032, ry, rz, 8, 3).moved(waist - 0.0012, y, middle + z)
                draft.look(blob.at(pose(rpy_deg=(0.0, 0.0, yaw))), accent)
    else:
        for share in (0.56, 0.7):
            radius = waist + (top - waist) * (share - 0.5) * 2.0 + 0.0006
            draft.look(band(radius, height * share, height * share + 0.004), accent)
    draft.body(revolve([(bottom, 0.0), (top, height)]), shape="tapered" if kind == "flared" else "cylindrical")
    draft.floor((0.0, 0.0, _CUP_FLOOR_M), (bottom * 0.94 - wall, bottom * 0.94 - wall), round_=True)
    draft.grip(90.0, 60.0, 120.0, 0.0)
    return draft


def dental_floss(draw: Draw) -> Draft:
    """A little flat case with a lid line, a cutter and a thread that comes out; round, oblong or drop-shaped."""
    draft = Draft(mass_kg=draw.mass(0.015, 0.035))
    kind = draw.cycle("kind", ("oblong", "round", "drop"))
    half, height = draw.length(0.02, 0.0235), draw.length(0.0165, 0.0205)
    paint = draw.paint("plastic", "white", "green", "blue", "pink", "purple", "yellow", "orange")
    size = draw.cycle("size", (1.0, 1.22))
    half *= size
    if kind == "oblong":
        outline = rounded_rectangle(half * 1.18, half * 0.86, half * 0.28, 3)
        shape = "rectangular"
    elif kind == "round":
        angles = np.linspace(0.0, 2.0 * np.pi, 20, endpoint=False)
        outline = half * np.column_stack([np.cos(angles), np.sin(angles)])
        shape = "round"
    else:
        angles = np.linspace(0.0, 2.0 * np.pi, 20, endpoint=False)
        reach = 1.0 + 0.42 * np.clip(np.cos(angles), 0.0, 1.0) ** 3
        outline = half * 0.94 * np.column_stack([np.cos(angles) * reach, np.sin(angles)])
        shape = "tapered"
    levels = [(0.0, 0.93), (0.002, 1.0), (height - 0.002, 1.0), (height, 0.92)]
    draft.solid(prism(outline, levels), paint)
    ink = SHADES[draw.cycle("ink", ("blue", "green", "red"))][0] if paint.rgba[0] > 0.88 else ink_on(paint)
    plate = laid(box(half * 0.66, half * 0.3, 0.0003).moved(x=half * 0.08, z=height))
    draft.look(plate, printed(paint, ["FLOSS"], size=(24, 64), ink=ink))
    end = float(outline[:, 0].max())
    draft.look(box(0.003, 0.0055, 0.0006).moved(end - 0.005, 0.0, height + 0.0004), solid("metal", STEEL))
    thread = [(end - 0.004, 0.0, height), (end - 0.002, 0.001, height + 0.007), (end + 0.005, 0.004, height + 0.009),
              (end + 0.011, 0.009, height + 0.003)]  # fmt: skip
    draft.look(tube(thread, 0.0009, 5), shade("fabric", "white"))
    lid = prism(outline * 1.012, [(height * 0.6, 1.0), (height * 0.6 + 0.001, 1.0)])
    draft.look(lid, toned(paint, 0.55))
    draft.body(prism(outline, levels), shape=shape)
    draft.grip(90.0)
    draft.grip(90.0, x=half * 0.2, tilts_deg=(0.0,))
    draft.grip(0.0, tilts_deg=(0.0,))
    return draft


BUILDERS = {
    "toothbrush": toothbrush,
    "toothpaste": toothpaste,
    "mouthwash_cup": mouthwash_cup,
    "dental_floss": dental_floss,
}
