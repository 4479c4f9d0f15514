"""Things to eat with, lying on the table: arched or thick-handled, so that fingers get round them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from imove_tasks.assets import textures
from imove_tasks.assets.builders.parts import flat, grained, luminance, patterned, rgb_of
from imove_tasks.assets.convex import beam_parts, hull_part
from imove_tasks.assets.draft import Draft, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.looks import Material
from imove_tasks.assets.mapping import laid
from imove_tasks.assets.palette import STEEL
from imove_tasks.assets.primitives import beam, box, circle, loft

_BRIGHT = ("red", "blue", "green", "yellow", "black", "white", "pink", "orange", "purple")


@dataclass(frozen=True)
class _Handle:
    """What the rest of a piece of cutlery must know of its handle.

    Attributes:
        head: Paint of the rest.
        hold: (2,) x and height above the table of the best place to hold, m.
    """

    head: Material
    hold: tuple[float, float]


def _handle(draft: Draft, draw: Draw, length: float, neck_z: float, *, steel_heads: bool) -> _Handle:
    """Adds a handle along -x from the origin.

    Args:
        draft: Gets the pieces.
        draw: Chooses form, stuff and colour.
        length: Of the handle, m.
        neck_z: Height of its front end's middle, m.
        steel_heads: Allows a steel head on a thick plastic handle.
    """
    form = draw.cycle("handle", ("arched", "thick", "waisted"))
    stuff = draw.cycle("stuff", ("plastic", "metal", "wood", "metal", "plastic"))
    if stuff == "metal" and draw.cycle("bare", (True, False)):
        paint = solid("metal", STEEL)
    elif stuff == "metal":
        paint = draw.paint("metal", "yellow", "black", "pink", "red", "blue", key="plated")
    elif stuff == "wood":
        paint = draw.paint("wood", "brown", "beige", key="wood")
    else:
        paint = draw.paint("plastic", *_BRIGHT)
    half_y, end = draw.length(0.0055, 0.0072), 0.0028
    if form == "arched":
        half_z, top = 0.0034, draw.length(0.0135, 0.0158)
        stations = [
            (-length, 0.0, end, half_y * 0.9, end), (-length * 0.82, 0.0, top * 0.7, half_y * 1.15, half_z),
            (-length * 0.5, 0.0, top, half_y, half_z + 0.0008), (-length * 0.2, 0.0, top * 0.96, half_y * 0.8, half_z),
            (0.0, 0.0, neck_z, 0.0036, 0.0022),
        ]  # fmt: skip
        height = top
    else:
        thick = draw.length(0.0066, 0.0078)
        waist = 0.78 if form == "waisted" else 1.0
        stations = [
            (-length, 0.0, thick, half_y * 0.7, thick * 0.7), (-length + 0.006, 0.0, thick, half_y * 1.2, thick),
            (-length * 0.5, 0.0, thick, half_y * 1.2 * waist, thick), (-length * 0.18, 0.0, thick, half_y, thick * 0.9),
            (0.0, 0.0, max(neck_z, 0.005), 0.0036, 0.0024),
        ]  # fmt: skip
        height = 0.0101
    look = grained(paint, draw) if stuff == "wood" else paint
    if stuff == "plastic":
        look = patterned(draw, paint, ("plain", "plain", "upright", "plain", "dots"))
    draft.look(flat(beam(stations), look, repeat=(1.0, 1.0) if stuff == "wood" else (6.0, 1.0)), look)
    draft.touch(*beam_parts(stations))
    thick_plastic = stuff == "plastic" and form != "arched" and look.texture is None
    steel = steel_heads and thick_plastic and draw.cycle("steel", (True, False))
    return _Handle(solid("metal", STEEL) if steel else paint, (-length * 0.33, height))


def _finish(draft: Draft, handle: _Handle) -> Draft:
    """Wishes for grips about the place to hold."""
    x, height = handle.hold
    draft.grip(90.0, x=x, height=height)
    draft.grip(90.0, x=x * 1.3, height=height)
    draft.grip(90.0, x=x * 0.8, height=height, tilts_deg=(0.0,))
    return draft


def fork(draw: Draw) -> Draft:
    """A fork with three or four tines, for the table or for cake."""
    scale = draw.cycle("size", (1.0, 0.8, 1.12))
    draft = Draft(mass_kg=draw.mass(0.02, 0.05))
    length = draw.length(0.106, 0.12) * scale
    handle = _handle(draft, draw, length, 0.011, steel_heads=True)
    head = handle.head
    half, palm = draw.length(0.0115, 0.0135) * (0.6 + 0.4 * scale), 0.022 * scale
    shoulder = [
        (-0.001, 0.0, 0.011, 0.0034, 0.0021), (palm * 0.45, 0.0, 0.007, half * 0.8, 0.0016),
        (palm, 0.0, 0.0045, half, 0.0015), (palm + 0.006, 0.0, 0.0035, half, 0.0014),
    ]  # fmt: skip
    draft.look(beam(shoulder), head)
    draft.touch(*beam_parts(shoulder))
    tines, reach = draw.cycle("tines", (4, 3)), draw.length(0.031, 0.037) * scale
    width = half / (tines * 1.7)
    start = palm + 0.005
    for y in np.linspace(-half + width, half - width, tines):
        tine = [
            (start, y, 0.0037, width, 0.0013), (start + reach * 0.5, y, 0.0013, width * 0.85, 0.0013),
            (start + reach, y, 0.0042, width * 0.4, 0.0009),
        ]  # fmt: skip
        draft.look(beam(tine, chamfer=0.0), head)
    span = [
        (start, 0.0, 0.0037, half, 0.0013), (start + reach * 0.5, 0.0, 0.0013, half, 0.0013),
        (start + reach, 0.0, 0.0042, half, 0.0009),
    ]  # fmt: skip
    draft.touch(*beam_parts(span))
    draft.body(box(length, half, 0.01), shape="curved")
    return _finish(draft, handle)


def spoon(draw: Draw) -> Draft:
    """A spoon with an oval or round bowl: tea spoon, table spoon, wooden spoon."""
    scale = draw.cycle("size", (1.0, 0.8, 1.15))
    draft = Draft(mass_kg=draw.mass(0.02, 0.05))
    length = draw.length(0.098, 0.115) * scale
    handle = _handle(draft, draw, length, 0.010, steel_heads=False)
    head = handle.head
    half_x, half_y = draw.length(0.026, 0.031) * scale, draw.length(0.019, 0.022) * scale
    if draw.cycle("bowl", ("oval", "round")) == "round":
        half_x = half_y = (half_x + half_y) / 2.0
    depth, wall = 0.009, 0.0014
    egg = circle(1.0, 16)
    rings = []
    for share, z in (
        (0.4, 0.0),
        (0.8, depth * 0.35),
        (1.0, depth),
        (0.93, depth),
        (0.72, depth * 0.45 + wall),
        (0.3, wall),
    ):
        rings.append(np.column_stack([egg * share * [half_x, half_y], np.full(16, z)]))
    bowl = loft(rings).moved(x=half_x * 0.94)
    draft.look(bowl, head)
    shape = np.array(rings) + [half_x * 0.94, 0.0, 0.0]
    draft.touch(hull_part(np.concatenate([shape[0], shape[1], [[half_x * 0.94, 0.0, wall]]])))
    for start in range(0, 16, 2):
        picked = np.arange(start, start + 3) % 16
        draft.touch(hull_part(np.concatenate([shape[1:5, picked].reshape(-1, 3)])))
    draft.body(box(length, half_y, 0.01), shape="curved")
    return _finish(draft, handle)


def chopsticks(draw: Draw) -> Draft:
    """A pair: on a rest, four tied into a bundle, or in an open travel case."""
    form = draw.cycle("form", ("rest", "bundle", "case"))
    draft = Draft(mass_kg=draw.mass(0.03, 0.07))
    length = draw.length(0.2, 0.235)
    stuff = draw.cycle("stuff", ("wood", "plastic", "wood", "metal"))
    if stuff == "wood":
        paint = draw.paint("wood", "brown", "beige", "red", "black", key="wood")
    elif stuff == "metal":
        paint = (
            solid("metal", STEEL)
            if draw.cycle("bare", (True, False))
            else draw.paint("metal", "yellow", "pink", "black")
        )
    else:
        paint = draw.paint("plastic", "white", "black", "red", "green", "blue", "pink")
    thick = draw.length(0.0036, 0.0044)
    ends = shade(stuff, draw.cycle("ends", ("white", "yellow", "black", "blue", "red")))
    if form == "case":
        _case(draft, length, thick, paint, ends)
        return draft
    layers = (0, 1) if form == "bundle" else (0,)
    rest_z = 0.0 if form == "bundle" else 0.0115
    lean = 0.0 if form == "bundle" else float(np.degrees(np.arctan2(rest_z, length * 0.42)))
    gap = thick * (1.06 if form == "bundle" else 1.5)
    for layer in layers:
        for side in (-1.0, 1.0):
            stick = [
                (-length * 0.5, 0.0, thick, thick, thick), (length * 0.3, 0.0, thick, thick * 0.72, thick * 0.78),
                (length * 0.5, 0.0, thick, thick * 0.45, thick * 0.5),
            ]  # fmt: skip
            spread = 0.0 if form == "bundle" else side * draw.cycle("spread", (0.0, 1.2, -0.8))
            at = pose(0.0, side * gap, 2.04 * thick * layer, rpy_deg=(0.0, 0.0, spread))
            if lean:
                at = pose(-length * 0.5, rpy_deg=(0.0, -lean, 0.0)) @ pose(length * 0.5) @ at
            draft.look(beam(stick).at(at), paint)
            draft.touch(hull_part(beam(stick).at(at).vertices))
            collar = box(length * 0.045, thick * 1.06, thick * 1.06).moved(-length * 0.44, 0.0, thick)
            draft.look(collar.at(at), ends)
    if form == "bundle":
        band = draw.paint("paper", "red", "blue", "white", "green", "black", key="band")
        sleeve = box(length * 0.08, gap + thick * 1.1, thick * 2.1).moved(0.0, 0.0, thick * 2.08)
        if draw.cycle("printed", (True, False)):
            ink = (0.8, 0.1, 0.1) if luminance(band.rgba) > 0.45 else (0.95, 0.9, 0.8)
            band = textures.painted(textures.stripes(rgb_of(band), ink, share=0.2, upright=True), "paper")
            sleeve = laid(sleeve, repeat=(3.0, 1.0))
        draft.look(sleeve, band)
        draft.touch(hull_part(sleeve.vertices))
        hold, height = 0.0, None
    else:
        x = -length * 0.08
        stand = draw.paint("ceramic", "white", "blue", "red", "black", "green", key="rest")
        wide, low = gap + thick * 1.5, rest_z * 0.38
        arch = [
            (x - 0.007, 0.0, low, wide, low),
            (x, 0.0, rest_z * 0.5, wide, rest_z * 0.5),
            (x + 0.007, 0.0, low, wide, low),
        ]
        draft.look(beam(arch), stand)
        draft.touch(hull_part(beam(arch).vertices))
        hold, height = x, 0.0125
    draft.body(box(length * 0.5, gap + thick, thick), shape="rectangular")
    draft.grip(90.0, x=hold, height=height)
    draft.grip(90.0, x=hold - 0.012, height=height)
    draft.grip(90.0, x=hold + 0.01, height=height, tilts_deg=(0.0,))
    return draft


def _case(draft: Draft, length: float, thick: float, paint: Material, ends: Material) -> None:
    """An open travel case of the colour of the pair inside."""
    half_x, half_y, height, wall = length * 0.5 + 0.006, thick * 3.4, 0.0155, 0.0022
    pieces = [((half_x, half_y, 0.003), (0.0, 0.0, 0.003))]
    for side in (-1.0, 1.0):
        pieces.append(((half_x, wall / 2.0, height / 2.0), (0.0, side * (half_y - wall / 2.0), height / 2.0)))
        pieces.append(((wall, half_y, height / 2.0), (side * (half_x - wall), 0.0, height / 2.0)))
    for half, center in pieces:
        draft.block(half, center, paint)
    for side in (-1.0, 1.0):
        y, z = side * thick * 1.4, 0.006 + thick
        stick = beam([(-length * 0.49, y, z, thick, thick), (length * 0.48, y, z, thick * 0.5, thick * 0.5)])
        draft.solid(stick, paint)
        draft.look(box(length * 0.05, thick * 1.06, thick * 1.06).moved(-length * 0.43, y, z), ends)
    draft.body(box(half_x, half_y, height / 2.0), shape="rectangular")
    draft.grip(90.0, height=0.010)
    draft.grip(90.0, x=0.02, height=0.010)


BUILDERS = {"chopsticks": chopsticks, "fork": fork, "spoon": spoon}
