"""Kitchen helpers."""

from __future__ import annotations

import numpy as np

from imove_tasks.assets import textures
from imove_tasks.assets.builders.parts import (
    contrast,
    flat,
    grained,
    luminance,
    patterned,
    rgb_of,
    sign_above,
    sign_front,
    wrap_label,
)
from imove_tasks.assets.convex import beam_parts, hull_part, loop_parts
from imove_tasks.assets.draft import Draft, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.looks import Material
from imove_tasks.assets.palette import INK, PAPER, STEEL
from imove_tasks.assets.primitives import Array, Mesh, beam, box, cylinder, loop, oval_path, prism, rounded_rectangle

_COLORS = ("red", "green", "blue", "yellow", "black", "orange", "white", "pink", "purple")
_SPICES = ("SALT", "CUMIN", "CURRY", "CHILI", "PEPPER", "THYME", "BASIL")
_TILTS = (0.0, 30.0, -30.0)


def spice_jar(draw: Draw) -> Draft:
    """A jar full of spice, round, square or six-sided, with a printed label and a holed or corked lid."""
    draft = Draft(mass_kg=draw.mass(0.06, 0.16))
    radius, height = draw.length(0.0185, 0.0245), draw.length(0.046, 0.068)
    stuff = draw.cycle("stuff", ("glass", "glass", "plastic", "ceramic"))
    paint = draw.paint(stuff, "red", "green", "brown", "yellow", "orange", "beige", "black", "white")
    look = paint
    if stuff == "glass":  # spice behind glass
        base = rgb_of(paint)
        darker = (base[0] * 0.9, base[1] * 0.88, base[2] * 0.86)
        look = textures.painted(textures.speckles(base, darker, draw.rng, share=0.25), "glass")
    neck = height * 0.92
    form = draw.cycle("form", ("round", "square", "hexagon"))
    sectors = {"round": 18, "square": 4, "hexagon": 6}[form]
    outline = (
        rounded_rectangle(radius, radius, radius * 0.25, 3) if form == "square" else oval_path(radius, radius, sectors)
    )
    levels = [(0.0, 0.95), (0.002, 1.0), (neck - 0.006, 1.0), (neck, 0.84)]
    body = prism(outline, levels)
    draft.look(flat(body, look, axis=0, repeat=(1.0, 1.0)), look)
    draft.touch(hull_part(body.vertices))
    reach = radius * 0.7
    lid = draw.cycle("lid", ("metal", "same", "cork", "same")) if stuff == "glass" else "same"
    tone = draw.cycle("tone", ("gray", "black", "white"))
    cap = {"metal": shade("metal", tone), "cork": shade("wood", "beige", 2), "same": paint}[lid]
    if lid == "same" and stuff == "glass":
        cap = solid("plastic", rgb_of(paint))
    rise = draw.length(0.008, 0.014)
    draft.lathe([(reach, neck), (reach, neck + rise - 0.002), (reach * 0.9, neck + rise)], cap, sectors=18)
    if lid != "cork":
        ink = solid("plastic", INK if luminance(cap.rgba) > 0.3 else PAPER)
        for turn in np.linspace(0.0, 2.0 * np.pi, 6)[:-1]:
            hole = cylinder(0.0017, 0.0004, 6).moved(
                0.45 * reach * np.cos(turn), 0.45 * reach * np.sin(turn), neck + rise
            )
            draft.look(hole, ink)
    paper = draw.cycle("paper", ("white", "beige", "white"))
    picture = textures.label(shade("paper", paper).rgba[:3], INK, (draw.cycle("word", _SPICES),), size=(24, 48))
    if form == "square":
        for turn_deg in (0.0, 180.0):
            at = pose(rpy_deg=(0.0, 0.0, turn_deg)) @ pose(radius, 0.0, height * 0.42)
            draft.look(*sign_front(radius * 0.7, height * 0.16, picture, at))
    else:
        low, high = (radius, height * 0.3), (radius, height * 0.52)
        if form == "hexagon":
            for turn_deg in (0.0, 120.0, 240.0):
                at = pose(rpy_deg=(0.0, 0.0, turn_deg)) @ pose(radius * np.cos(np.pi / 6.0), 0.0, height * 0.42)
                draft.look(*sign_front(radius * 0.48, height * 0.15, picture, at))
        else:
            draft.look(*wrap_label(low, high, picture, copies=3, sectors=18))
    draft.body(body, shape="square" if form == "square" else "cylindrical")
    draft.grip(0.0, 90.0, height=height * 0.58, free_yaw=form == "round")
    return draft


def bottle_opener(draw: Draw) -> Draft:
    """A loop with a tooth on a thick handle, or a bar with a loop at both ends."""
    draft = Draft(mass_kg=draw.mass(0.04, 0.1))
    thick = draw.length(0.0066, 0.0078)
    stuff = draw.cycle("stuff", ("wood", "plastic", "metal", "plastic"))
    if stuff == "wood":
        paint = draw.paint("wood", "brown", "beige", key="wood")
    elif stuff == "metal" and draw.cycle("bare", (True, False)):
        paint = solid("metal", STEEL)
    else:
        paint = draw.paint(stuff, *_COLORS)
    bare = paint.name == "metal" and max(np.abs(np.subtract(paint.rgba[:3], STEEL))) < 0.02
    steel = shade("metal", "gray", 2) if bare else solid("metal", STEEL)
    form = draw.cycle("head", ("oval", "trapezoid", "double"))
    length, half_y = draw.length(0.068, 0.09), draw.length(0.0075, 0.01)
    if form == "double":
        length *= 1.05
    look = grained(paint, draw) if stuff == "wood" else paint
    if stuff == "plastic" and form != "double":
        look = patterned(draw, paint, ("plain", "upright", "plain", "dots"))
    waist = draw.cycle("waist", (1.0, 0.75, 1.2))
    ends = 0.85 if form == "double" else 0.7
    stations = [
        (-length, 0.0, thick, half_y * ends, thick * 0.75), (-length + 0.008, 0.0, thick, half_y, thick),
        (-length * 0.5, 0.0, thick, half_y * waist, thick), (-0.008, 0.0, thick, half_y, thick),
        (0.0, 0.0, thick, half_y * 0.85, thick * 0.75),
    ]  # fmt: skip
    draft.look(flat(beam(stations), look, repeat=(1.0, 1.0) if stuff == "wood" else (5.0, 1.0)), look)
    draft.touch(*beam_parts(stations))
    _opener_head(
        draft,
        steel,
        thick,
        trapezoid=form == "trapezoid",
        size=0.0145 if form == "double" else draw.length(0.0165, 0.0195),
    )
    if form == "double":
        mirror = pose(-length, rpy_deg=(0.0, 0.0, 180.0))
        _opener_head(draft, steel, thick, trapezoid=False, size=0.0125, at=mirror)
    elif stuff != "wood" and look.texture is None:
        word = draw.cycle("word", ("BEER", "OPEN", "BAR"))
        picture = textures.label(rgb_of(paint), contrast(paint), (word,), size=(18, 48), frame=False)
        at = pose(-length * 0.5, 0.0, 2.0 * thick, rpy_deg=(0.0, 0.0, -90.0))
        draft.look(*sign_above(half_y * 0.6, 0.018, picture, at, paint.name))
    draft.body(box(length, half_y, thick), shape="irregular")
    x = -length * (0.5 if form == "double" else 0.3)
    draft.grip(90.0, x=x, height=0.0101, tilts_deg=_TILTS)
    for shift in (0.1, -0.1):
        draft.grip(90.0, x=x + length * shift, height=0.0101, tilts_deg=(0.0,))
    return draft


def _opener_head(
    draft: Draft, steel: Material, thick: float, *, trapezoid: bool, size: float, at: Array | None = None
) -> None:
    """A loop in front of x = 0 with the tooth that lifts the cap."""
    path = oval_path(size, size * 0.92, 14)
    if trapezoid:
        corners = ((1.0, -0.5), (1.0, 0.5), (0.8, 0.95), (0.2, 1.05), (-0.7, 0.6), (-0.95, 0.3), (-0.95, -0.3),
                   (-0.7, -0.6), (0.2, -1.05), (0.8, -0.95))  # fmt: skip
        path = np.array(corners) * size
    place = (np.eye(4) if at is None else at) @ pose(size * 0.92, 0.0, thick)
    draft.look(loop(path, 0.0027, 0.0024, 6).at(place), steel)
    draft.touch(*loop_parts(path, 0.0027, 0.0024, stride=3, at=place))
    tooth = prism([(0.0, -0.005), (size * 0.55, -0.003), (size * 0.55, 0.003), (0.0, 0.005)],
                  [(-0.0012, 1.0), (0.0012, 1.0)]).moved(x=-size)  # fmt: skip
    draft.look(tooth.at(place), steel)


def spatula(draw: Draw) -> Draft:
    """A long turner, slotted or plain, or a soft scraper; the handle rises from the blade."""
    draft = Draft(mass_kg=draw.mass(0.04, 0.1))
    stuff = draw.cycle("stuff", ("plastic", "wood", "metal", "rubber"))
    if stuff == "wood":
        paint = draw.paint("wood", "brown", "beige", key="wood")
    elif stuff == "metal":
        paint = (
            solid("metal", STEEL)
            if draw.cycle("bare", (True, False))
            else draw.paint("metal", "black", "yellow", "pink")
        )
    else:
        paint = draw.paint(stuff, *_COLORS)
    form = draw.cycle("form", ("slotted", "plain", "scraper"))
    length, half_y, thick = draw.length(0.12, 0.165), draw.length(0.0075, 0.009), draw.length(0.0066, 0.0078)
    look = grained(paint, draw) if stuff == "wood" else paint
    stations = [
        (-length, 0.0, thick, half_y * 0.8, thick * 0.8),
        (-length + 0.01, 0.0, thick, half_y, thick),
        (-length * 0.45, 0.0, thick * 1.15, half_y * 0.85, thick),
        (-length * 0.2, 0.0, thick * 1.2, half_y * 0.6, thick * 0.6),
        (0.0, 0.0, 0.004, half_y * 0.9, 0.0026),
    ]
    draft.look(flat(beam(stations), look), look)
    draft.touch(*beam_parts(stations))
    reach = draw.length(0.066, 0.085)
    half = reach * draw.cycle("width", (0.42, 0.34, 0.48)) * (0.75 if form == "scraper" else 1.0)
    sheet = 0.0016 if form != "scraper" else 0.0035
    for mesh in _blade(form, reach, half, sheet):
        draft.look(flat(mesh, look), look)
    outline = _blade_outline(form, reach, half)
    draft.touch(hull_part(prism(outline, [(0.0, 1.0), (2.0 * sheet, 1.0)]).vertices))
    ring = shade("rubber" if stuff == "metal" else "plastic", "black" if luminance(paint.rgba) > 0.2 else "red")
    draft.look(box(0.004, half_y * 1.04, thick * 1.04).moved(-length + 0.018, 0.0, thick * 1.02), ring)
    draft.body(box(length, half, thick), shape="irregular")
    x = -length * 0.3
    draft.grip(90.0, x=x, height=0.0101, tilts_deg=_TILTS)
    draft.grip(90.0, x=x * 1.3, height=0.0101)
    draft.grip(90.0, x=x * 0.8, height=0.0101, tilts_deg=(0.0,))
    return draft


def _blade_outline(form: str, reach: float, half: float) -> Array:
    """(K, 2) outline of a blade in front of x = 0, counter-clockwise, m."""
    if form == "scraper":
        points = (
            (-0.02, -0.35),
            (0.12, -1.0),
            (0.97, -1.0),
            (1.0, -0.9),
            (1.0, 0.3),
            (0.88, 1.0),
            (0.12, 1.0),
            (-0.02, 0.35),
        )
    else:
        points = (
            (-0.02, -0.3),
            (0.2, -0.75),
            (0.95, -1.0),
            (1.0, -0.9),
            (1.0, 0.9),
            (0.95, 1.0),
            (0.2, 0.75),
            (-0.02, 0.3),
        )
    return np.array(points) * [reach, half]


def _blade(form: str, reach: float, half: float, sheet: float) -> list[Mesh]:
    """Meshes of a blade on the table: one sheet, or bars with slots between them."""
    if form != "slotted":
        return [prism(_blade_outline(form, reach, half), [(0.0, 1.0), (2.0 * sheet, 1.0)])]
    root = np.array([(-0.02, -0.3), (0.2, -0.75), (0.3, -0.79), (0.3, 0.79), (0.2, 0.75), (-0.02, 0.3)]) * [reach, half]
    front = np.array([(0.86, -0.965), (0.95, -1.0), (1.0, -0.9), (1.0, 0.9), (0.95, 1.0), (0.86, 0.965)]) * [
        reach,
        half,
    ]
    meshes = [prism(outline, [(0.0, 1.0), (2.0 * sheet, 1.0)]) for outline in (root, front)]
    for y in (-0.8, -0.27, 0.27, 0.8):
        bar = [
            (reach * 0.29, y * half * 0.86, sheet, half * 0.13, sheet),
            (reach * 0.87, y * half * 1.03, sheet, half * 0.15, sheet),
        ]
        meshes.append(beam(bar, chamfer=0.0))
    return meshes


BUILDERS = {"spice_jar": spice_jar, "bottle_opener": bottle_opener, "spatula": spatula}
