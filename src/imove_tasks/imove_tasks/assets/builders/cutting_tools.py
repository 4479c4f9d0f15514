"""Kitchen and wire cutting tools, lying on the table; +x is the working end."""

from __future__ import annotations

import numpy as np

from imove_tasks.assets import textures
from imove_tasks.assets.builders.parts import flat, grained, patterned, rgb_of
from imove_tasks.assets.convex import beam_parts, hull_part
from imove_tasks.assets.draft import Draft, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.looks import Material
from imove_tasks.assets.mapping import wrapped
from imove_tasks.assets.palette import INK, STEEL
from imove_tasks.assets.primitives import Array, beam, box, cylinder, prism

_COLORS = ("red", "green", "yellow", "blue", "black", "orange", "white", "pink", "purple")
_DARK_STEEL = (0.47, 0.48, 0.50)


def _handle_paint(draw: Draw, *stuffs: str) -> Material:
    """Paint of a handle; only plastic comes in every colour."""
    stuff = draw.cycle("stuff", stuffs)
    if stuff == "metal":
        return solid("metal", STEEL)
    return draw.paint("wood", "brown", "beige", key="wood") if stuff == "wood" else draw.paint(stuff, *_COLORS)


def _look(draw: Draw, paint: Material) -> Material:
    """Grain for wood, now and then a pattern for plastic."""
    if paint.name == "wood":
        return grained(paint, draw)
    return patterned(draw, paint, ("plain", "plain", "upright", "plain")) if paint.name == "plastic" else paint


def _handle(draft: Draft, draw: Draw, length: float, half_y: float, thick: float, look: Material) -> None:
    """A handle from -``length`` to 0: straight, waisted or swelling to its end."""
    back, middle = draw.cycle("grip", ((1.0, 1.0), (1.05, 0.78), (1.15, 0.9)))
    stations = [
        (-length, 0.0, thick, half_y * back * 0.7, thick * 0.75), (-length + 0.008, 0.0, thick, half_y * back, thick),
        (-length * 0.5, 0.0, thick, half_y * middle, thick), (-0.012, 0.0, thick, half_y, thick),
        (0.0, 0.0, thick, half_y * 0.75, thick * 0.8),
    ]  # fmt: skip
    draft.look(flat(beam(stations), look, repeat=(1.0, 1.0) if look.name == "wood" else (5.0, 1.0)), look)
    draft.touch(*beam_parts(stations))


def fruit_knife(draw: Draw) -> Draft:
    """A small knife with a pointed, a blunt or a leaf-shaped blade, bare, coated or ceramic."""
    draft = Draft(mass_kg=draw.mass(0.03, 0.07))
    length, half_y, thick = draw.length(0.092, 0.112), draw.length(0.008, 0.0098), draw.length(0.0066, 0.0078)
    paint = _handle_paint(draw, "plastic", "wood", "plastic", "metal")
    look = _look(draw, paint)
    _handle(draft, draw, length, half_y, thick, look)
    reach, half = draw.length(0.062, 0.078), draw.length(0.0075, 0.0095)
    form = draw.cycle("blade", ("pointed", "blunt", "leaf"))
    edges: dict[str, tuple[tuple[float, float], ...]] = {
        "pointed": ((0.0, -1.0), (0.55, -1.0), (0.8, -0.6), (0.94, 0.1), (1.0, 0.8), (0.94, 1.0), (0.0, 1.0)),
        "blunt": ((0.0, -1.0), (0.98, -1.0), (1.0, -0.85), (0.94, 0.2), (0.82, 0.8), (0.68, 1.0), (0.0, 1.0)),
        "leaf": ((0.0, -0.7), (0.35, -1.0), (0.7, -0.8), (1.0, 0.0), (0.7, 0.8), (0.35, 1.0), (0.0, 0.7)),
    }
    outline = np.array(edges[form]) * [reach, half]
    coat = draw.cycle("coat", ("bare", "coated", "bare", "ceramic"))
    blade = solid("metal", STEEL)
    if paint.name == "plastic" and coat != "bare":
        blade = paint if coat == "coated" else shade("ceramic", "white")
    steel = prism(outline, [(thick - 0.0008, 1.0), (thick + 0.0008, 1.0)])
    draft.look(steel, blade)
    draft.touch(hull_part(steel.vertices))
    ferrule = solid("metal", _DARK_STEEL)
    draft.look(box(0.0025, half_y * 0.8, thick * 0.85).moved(x=-0.001, z=thick), ferrule)
    if look.texture is None or paint.name == "wood":
        for x in (0.28, 0.5, 0.72):
            draft.look(cylinder(0.002, 0.0004, 8).moved(x=-length * x, z=2.0 * thick), ferrule)
    draft.body(box(length, half_y, thick), shape="rectangular")
    for x, tilts in ((0.33, (0.0, 30.0, -30.0)), (0.45, (0.0,)), (0.22, (0.0,))):
        draft.grip(90.0, x=-length * x, height=0.0101, tilts_deg=tilts)
    return draft


def peeler(draw: Draw) -> Draft:
    """A Y peeler with its blade across, or a straight one with a long slotted blade."""
    form = draw.cycle("form", ("fork", "straight", "arch"))
    draft = Draft(mass_kg=draw.mass(0.03, 0.07))
    length, half_y, thick = draw.length(0.08, 0.1), draw.length(0.0075, 0.0095), draw.length(0.0066, 0.0078)
    paint = _handle_paint(draw, "plastic", "plastic", "wood", "metal", "plastic")
    _handle(draft, draw, length, half_y, thick, _look(draw, paint))
    steel = solid("metal", STEEL if paint.name != "metal" else _DARK_STEEL)
    if form == "straight":
        reach, half = draw.length(0.05, 0.06), 0.0085
        for side in (-1.0, 1.0):
            rail = [
                (-0.002, side * 0.002, thick, 0.003, 0.0022),
                (reach * 0.2, side * half * 0.62, thick, half * 0.32, 0.0018),
                (reach * 0.85, side * half * 0.62, thick, half * 0.32, 0.0018),
                (reach, side * 0.002, thick, 0.0022, 0.0015),
            ]
            draft.look(beam(rail), steel)
            draft.touch(*beam_parts(rail))
        tip = prism([(0.0, -0.0035), (0.012, 0.0), (0.0, 0.0035)], [(thick - 0.0012, 1.0), (thick + 0.0012, 1.0)])
        draft.solid(tip.moved(x=reach - 0.002), steel)
    else:
        reach, half = draw.length(0.034, 0.042), draw.length(0.021, 0.026)
        middle = 0.75 if form == "arch" else 0.5
        for side in (-1.0, 1.0):
            arm = [
                (-0.004, side * half_y * 0.4, thick, half_y * 0.5, thick * 0.85),
                (reach * 0.4, side * half * middle, thick, 0.0036, thick * 0.7),
                (reach, side * half, thick, 0.003, thick * 0.6),
            ]
            draft.look(beam(arm), paint)
            draft.touch(*beam_parts(arm))
        for x, wide in ((reach - 0.003, 0.0016), (reach - 0.0095, 0.003)):
            draft.block((wide, half, 0.0009), (x, 0.0, thick + 0.001), steel)
    draft.body(box(length, half_y, thick), shape="rectangular" if form == "straight" else "irregular")
    for x, tilts in ((0.25, (0.0, 30.0, -30.0)), (0.4, (0.0,)), (0.55, (0.0,))):
        draft.grip(90.0, x=-length * x, height=0.0101, tilts_deg=tilts)
    return draft


def garlic_press(draw: Draw) -> Draft:
    """Two levers that close a plunger into a basket with holes; it lies on its side, half open."""
    draft = Draft(mass_kg=draw.mass(0.12, 0.24))
    length, thick = draw.length(0.092, 0.127), draw.length(0.0075, 0.009)
    stuff = draw.cycle("stuff", ("metal", "plastic", "metal"))
    if stuff == "metal" and draw.cycle("bare", (True, False)):
        paint = solid("metal", STEEL)
    else:
        paint = draw.paint(stuff, "red", "black", "green", "blue", "yellow", "purple", "orange")
    basket_paint = solid("metal", STEEL) if max(np.abs(np.subtract(paint.rgba[:3], STEEL))) > 0.02 else paint
    spread = draw.length(0.009, 0.023)
    half_y = draw.length(0.0055, 0.0068)
    low = [
        (-length, -0.013, thick, half_y * 0.9, thick * 0.9), (-length + 0.01, -0.012, thick, half_y * 1.15, thick),
        (-0.03, -0.009, thick, half_y, thick), (0.0, -0.008, thick, half_y, thick), (0.03, -0.003, thick, 0.006, thick),
    ]  # fmt: skip
    high = [
        (-length, 0.015 + spread, thick, half_y * 0.9, thick * 0.9),
        (-length + 0.01, 0.0145 + spread * 0.94, thick, half_y * 1.15, thick),
        (-0.03, 0.015 + spread * 0.4, thick, half_y, thick), (0.0, 0.0145, thick, half_y, thick),
        (0.03, 0.004, thick, 0.006, thick),
    ]  # fmt: skip
    for lever in (low, high):
        draft.look(beam(lever), paint)
        draft.touch(*beam_parts(lever))
    radius = draw.length(0.0125, 0.0145)
    sides = draw.cycle("basket", (12, 4))
    across = pose(0.002, 0.0, radius if sides > 4 else radius * 0.72, rpy_deg=(90.0, 0.0, 0.0))
    pattern = textures.painted(textures.dots(rgb_of(basket_paint), INK, radius=0.24), basket_paint.name)
    basket = wrapped(cylinder(radius, 0.0115, sides), around=12, along=4).at(across).moved(y=-0.0085)
    draft.solid(basket, pattern)
    plunger = cylinder(radius * 0.78, 0.006, sides).at(across).moved(y=0.008)
    draft.solid(plunger, solid("metal", _DARK_STEEL))
    draft.look(cylinder(0.005, 0.001, 12).moved(x=0.029, z=2.0 * thick), solid("metal", _DARK_STEEL))
    draft.body(box(length, 0.02, thick), shape="irregular")
    for x, tilts in ((-0.035, (0.0, 30.0, -30.0)), (-0.05, (0.0,)), (-0.025, (0.0,))):
        draft.grip(90.0, x=x, height=max(0.0101, thick), tilts_deg=tilts)
    return draft


def wire_cutters(draw: Draw) -> Draft:
    """Short-jawed pliers for wire: diagonal, end-cutting or parrot-beaked, with sleeves on bowed handles."""
    draft = Draft(mass_kg=draw.mass(0.08, 0.2))
    length, thick = draw.length(0.08, 0.11), draw.length(0.0066, 0.008)
    sleeve = draw.paint(draw.cycle("stuff", ("plastic", "rubber", "plastic")), *_COLORS)
    steel = solid("metal", draw.cycle("steel", (STEEL, _DARK_STEEL)))
    bow, half_y = draw.length(0.017, 0.022), draw.length(0.0058, 0.007)
    for side in (-1.0, 1.0):
        arm = [
            (-length, side * bow * 0.82, thick, half_y * 0.8, thick * 0.8),
            (-length + 0.008, side * bow * 0.88, thick, half_y, thick),
            (-length * 0.55, side * bow, thick, half_y * 1.05, thick),
            (-length * 0.2, side * bow * 0.62, thick, half_y, thick),
            (-0.010, side * 0.0075, thick, half_y * 0.9, thick * 0.9),
        ]
        draft.look(beam(arm), sleeve)
        draft.touch(*beam_parts(arm))
        stop = box(0.003, half_y * 1.25, thick * 1.12).moved(-length * 0.13, side * bow * 0.5, thick * 1.13)
        draft.look(stop, sleeve)
    form = draw.cycle("jaws", ("diagonal", "end", "beak"))
    for side in (-1.0, 1.0):
        jaw = _jaw(form) * [1.0, side]
        piece = prism(jaw[::-1] if side < 0 else jaw, [(thick * 0.15, 1.0), (thick * 1.5, 1.0), (thick * 1.8, 0.93)])
        draft.look(piece, steel)
        draft.touch(hull_part(piece.vertices))
    joint = cylinder(0.0115, thick * 0.9, 14).moved(x=-0.002, z=thick * 0.95)
    draft.solid(joint, steel)
    dark = solid("metal", INK)
    draft.look(cylinder(0.0045, 0.0006, 10).moved(x=-0.002, z=thick * 1.86), dark)
    draft.look(box(0.009, 0.0005, 0.0005).moved(x=0.017, z=thick * 1.8), dark)
    if draw.cycle("spring", (True, False)):
        for x in (0.3, 0.36, 0.42):
            draft.look(box(0.0013, bow * 0.85, 0.0013).moved(x=-length * x, z=thick), solid("metal", _DARK_STEEL))
    draft.body(box(length, 0.02, thick), shape="irregular")
    for x, tilts in ((0.25, (0.0, 30.0, -30.0)), (0.4, (0.0,)), (0.15, (0.0,))):
        draft.grip(90.0, x=-length * x, height=max(0.0101, thick), tilts_deg=tilts)
    return draft


def _jaw(form: str) -> Array:
    """(K, 2) outline of the jaw on the +y side, counter-clockwise, m."""
    points = {
        "diagonal": (
            (0.0, 0.0003),
            (0.030, 0.0003),
            (0.029, 0.0028),
            (0.018, 0.0085),
            (0.006, 0.0122),
            (-0.002, 0.011),
        ),
        "end": ((0.0, 0.0003), (0.024, 0.0003), (0.024, 0.0155), (0.0195, 0.0165), (0.009, 0.0125), (-0.002, 0.011)),
        "beak": ((0.004, 0.0012), (0.021, 0.0055), (0.033, 0.0004), (0.029, 0.0088), (0.016, 0.0138), (0.0, 0.0115)),
    }[form]
    return np.array(points)


BUILDERS = {
    "fruit_knife": fruit_knife,
    "peeler": peeler,
    "garlic_press": garlic_press,
    "wire_cutters": wire_cutters,
}
