"""Pens, markers and glue sticks, lying on the table."""

from __future__ import annotations

from imove_tasks.assets.builders.decals import decal, lettered, print_on, sleeve, turned
from imove_tasks.assets.builders.parts import luminance, rgb_of
from imove_tasks.assets.convex import box_part
from imove_tasks.assets.draft import Draft, lying, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.palette import INK, STEEL
from imove_tasks.assets.primitives import box, cylinder, prism, revolve, rounded_box, rounded_rectangle
from imove_tasks.assets.textures import painted

_LOWEST_M = 0.010  # of a grip's centre above the table
_CLIP_HALF_M = 0.0011


def ballpoint_pen(draw: Draw) -> Draft:
    """A click pen with a rubber grip, a six-sided stick with a cap, or a tapering metal or wooden pen."""
    kind = draw.cycle("kind", ("click", "capped", "turned"))
    half = draw.cycle("size", (1.0, 0.8)) * draw.length(0.066, 0.072)
    if kind == "capped":
        return _capped_pen(draw, half)
    draft = Draft(mass_kg=draw.mass(0.012, 0.03), rolls=True)
    radius = draw.length(0.0065, 0.0072)
    at = lying(z=radius)
    steel = solid("metal", STEEL)
    if kind == "click":
        paint = draw.paint("plastic", "blue", "red", "black", "green", "white", "purple")
        pad = shade("rubber", "gray" if sum(paint.rgba[:3]) < 0.5 else "black")
        draft.lathe([(0.0016, -half), (radius * 0.8, -half + 0.013)], steel, at=at, sectors=10)
        waist = [(radius * 0.92, -half + 0.013), (radius, -half + 0.02), (radius, -half * 0.42)]
        draft.lathe(waist, pad, at=at, sectors=10)
        barrel = [(radius, -half * 0.42), (radius, half - 0.006), (radius * 0.7, half)]
        draft.lathe(barrel, paint, at=at, sectors=10)
        draft.lathe([(radius * 0.42, half), (radius * 0.42, half + 0.008)], steel, at=at, sectors=8)
        for x in (-half * 0.88, -half * 0.74, -half * 0.6):
            rib = revolve([(radius + 0.0003, x - 0.0012), (radius + 0.0003, x + 0.0012)], 10)
            draft.look(rib.at(at), shade("rubber", "gray", 2))
        draft.body(cylinder(radius, half, 12).at(at))
    else:
        stuff = draw.cycle("stuff", ("metal", "wood"))
        words = ("black", "blue", "red", "green") if stuff == "metal" else ("brown", "beige", "orange")
        paint = draw.paint(stuff, *words)
        draft.lathe([(0.0016, -half), (radius * 0.62, -half + 0.012)], steel, at=at, sectors=10)
        front = [(radius * 0.7, -half + 0.012), (radius, -half * 0.2), (radius, 0.0)]
        draft.lathe(front, paint, at=at, sectors=10)
        ring = [(radius, 0.0), (radius, 0.004)]
        draft.lathe(ring, steel, at=at, sectors=10)
        back = [(radius, 0.004), (radius, half * 0.5), (radius * 0.72, half)]
        draft.lathe(back, paint, at=at, sectors=10)
        draft.look(revolve([(radius * 0.6, half), (radius * 0.4, half + 0.004)], 10).at(at), steel)
        draft.body(cylinder(radius, half, 12).at(at), shape="tapered")
    _clip(draft, half * 0.42, half * 0.94, 2.0 * radius)
    draft.grip(90.0, height=_LOWEST_M)
    draft.grip(90.0, x=half * 0.2, height=_LOWEST_M, tilts_deg=(0.0,))
    return draft


def _capped_pen(draw: Draw, half: float) -> Draft:
    """A six-sided stick in the colour of its ink with a round vented cap."""
    draft = Draft(mass_kg=draw.mass(0.008, 0.015), rolls=True)
    radius = draw.length(0.0071, 0.0077)  # of the corners
    paint = draw.paint("plastic", "orange", "blue", "black", "red", "green", "yellow", key="stick")
    dark = solid("plastic", INK)
    low = radius * 0.866  # a flat side is this far from the axis
    at = lying(z=low)
    draft.lathe([(radius, -half), (radius, half * 0.3)], paint, at=at, sectors=6)
    draft.lathe([(low * 0.7, -half - 0.003), (low * 0.7, -half)], dark, at=at, sectors=8)
    for x in (-half * 0.9, half * 0.2):
        draft.look(revolve([(radius + 0.0002, x - 0.001), (radius + 0.0002, x + 0.001)], 6).at(at), dark)
    cap = [(low, half * 0.3), (low, half - 0.004), (low * 0.7, half)]
    draft.lathe(cap, paint, at=at, sectors=12)
    draft.look(revolve([(low + 0.0003, half * 0.3), (low + 0.0003, half * 0.34)], 12).at(at), dark)
    draft.look(decal(half * 0.3, radius * 0.4).moved(-half * 0.3, 0.0, 2.0 * low),
               lettered(paint, "MEDIUM", size=(18, 64)))  # fmt: skip
    _clip(draft, half * 0.34, half * 0.98, 2.0 * low, paint.rgba[:3])
    draft.body(cylinder(radius, half, 12).at(at))
    draft.grip(90.0, height=_LOWEST_M)
    draft.grip(90.0, x=-half * 0.25, height=_LOWEST_M, tilts_deg=(0.0,))
    return draft


def _clip(draft: Draft, start: float, stop: float, top: float, rgb: tuple[float, float, float] | None = None) -> None:
    """A clip above a barrel whose top is at ``top``, held at its far end; steel unless a colour is given."""
    stuff = solid("metal", STEEL) if rgb is None else solid("plastic", rgb)
    middle, half = (start + stop) / 2.0, (stop - start) / 2.0
    draft.look(box(half, 0.0017, _CLIP_HALF_M).moved(middle, 0.0, top + 0.0016), stuff)
    draft.look(box(0.002, 0.0017, 0.0016).moved(stop - 0.002, 0.0, top), stuff)
    draft.touch(box_part((half, 0.0017, 0.0018), pose(middle, 0.0, top + 0.0008)))


def marker(draw: Draw) -> Draft:
    """A felt pen: thick with a wrapped label, slim and tapering with a loose cap, or a flat highlighter."""
    kind = draw.cycle("kind", ("permanent", "highlighter", "board"))
    half = draw.cycle("size", (1.0, 0.84)) * draw.length(0.058, 0.07)
    if kind == "highlighter":
        return _highlighter(draw, half)
    draft = Draft(mass_kg=draw.mass(0.02, 0.03), rolls=True)
    radius = draw.length(0.0085, 0.0105)
    ink = draw.paint("plastic", "red", "blue", "green", "black", "purple", "orange")
    at = lying(z=radius)
    white = kind == "board"
    body = shade("plastic", draw.cycle("barrel", ("white", "gray", "white"))) if white else ink
    split = half * (0.5 if white else 0.25)
    draft.lathe([(radius * 0.8, -half), (radius, -half + 0.004), (radius, split)], body, at=at, sectors=14)
    cap = [(radius, split), (radius, half - 0.012), (radius * 0.55, half)]
    draft.lathe(cap, ink, at=at, sectors=14)
    if white:
        draft.lathe([(radius * 0.7, -half - 0.004), (radius * 0.7, -half)], ink, at=at, sectors=12)
        texture = turned(print_on(rgb_of(body), ["BOARD"], size=(24, 48), frame=False))
    else:
        texture = turned(print_on(rgb_of(ink), ["MARKER"], size=(32, 64)))
    seam = cylinder(radius + 0.0002, 0.0012, 14).at(lying(x=split, z=radius))
    draft.look(seam, shade("plastic", "white" if not white and luminance(rgb_of(ink)) < 0.2 else "black"))
    label = sleeve(radius, -half * 0.8, split - half * 0.1, 14)
    draft.look(label.at(at), painted(texture, "plastic"))
    _clip(draft, split + 0.002, half * 0.86, radius * 2.0, ink.rgba[:3])
    draft.body(cylinder(radius, half, 14).at(at))
    draft.grip(90.0, height=_LOWEST_M)
    draft.grip(90.0, x=half * 0.25, height=_LOWEST_M, tilts_deg=(0.0,))
    return draft


def _highlighter(draw: Draw, half: float) -> Draft:
    """A flat bright body that narrows to a dark neck, and a cap with a slanted end."""
    draft = Draft(mass_kg=draw.mass(0.015, 0.025))
    half_y, half_z = draw.length(0.0115, 0.014), draw.length(0.0064, 0.0075)
    paint = draw.paint("plastic", "yellow", "pink", "green", "orange", "blue", "purple", key="neon")
    body = rounded_box(half * 0.62, half_y, half_z, half_y * 0.45, bevel=0.0015)
    draft.solid(body.moved(-half * 0.38, 0.0, half_z), paint)
    neck = box(half * 0.03, half_y * 0.92, half_z * 0.9).moved(half * 0.26, 0.0, half_z)
    draft.solid(neck, solid("plastic", INK))
    outline = [
        (half * 0.29, -half_y), (half * 0.86, -half_y), (half, -half_y * 0.5), (half * 0.93, half_y),
        (half * 0.29, half_y),
    ]  # fmt: skip
    cap = prism(outline, [(0.0, 1.0), (2.0 * half_z, 1.0)])
    draft.solid(cap, paint)
    print_ = lettered(paint, "NEON", size=(24, 64))
    draft.look(decal(half * 0.4, half_y * 0.55).moved(-half * 0.4, 0.0, 2.0 * half_z), print_)
    draft.look(box(half * 0.26, 0.0025, 0.001).moved(half * 0.6, 0.0, half_z * 2.0), solid("plastic", INK))
    draft.body(box(half, half_y, half_z))
    draft.grip(90.0, x=-half * 0.1, height=_LOWEST_M)
    draft.grip(90.0, x=-half * 0.3, height=_LOWEST_M, tilts_deg=(0.0,))
    return draft


def glue_stick(draw: Draw) -> Draft:
    """A tube with a printed sleeve, a pale cap and a ribbed twist base; round, three-sided or tapering."""
    draft = Draft(mass_kg=draw.mass(0.03, 0.05), rolls=True)
    half = draw.cycle("size", (1.0, 1.3)) * draw.length(0.033, 0.0435)
    radius = draw.length(0.0112, 0.0155)
    paint = draw.paint("plastic", "yellow", "blue", "red", "purple", "green", "orange")
    kind = draw.cycle("kind", ("round", "boxy"))
    # Words and cap of one tone would together outweigh the sleeve.
    caps = ("gray", "white") if luminance(rgb_of(paint)) > 0.45 else ("gray", "black")
    cap_paint = shade("plastic", draw.cycle("cap", caps))
    word = draw.cycle("word", ("GLUE", "STICK", "GLUE"))
    at = lying(z=radius)
    texture = print_on(rgb_of(paint), [word], size=(32, 64))
    if kind == "round":
        draft.lathe([(radius, -half), (radius, half * 0.45)], paint, at=at, sectors=16)
        draft.look(sleeve(radius, -half * 0.85, half * 0.35, 16).at(at), painted(turned(texture), "plastic"))
        draft.body(cylinder(radius, half, 16).at(at))
    else:
        outline = rounded_rectangle(radius, radius, radius * 0.35, 3)
        tube = prism(outline, [(-half, 1.0), (half * 0.45, 1.0)]).at(at)
        draft.solid(tube, paint)
        label = decal(half * 0.58, radius * 0.66).moved(-half * 0.26, 0.0, 2.0 * radius)
        draft.look(label, painted(texture, "plastic"))
        draft.body(box(half, radius, radius))
    neck = [(radius * 0.9, half * 0.45), (radius * 0.9, half * 0.52)]
    draft.lathe(neck, shade("plastic", "white"), at=at, sectors=16)
    cap = [(radius, half * 0.52), (radius, half - 0.003), (radius * 0.8, half)]
    draft.lathe(cap, cap_paint, at=at, sectors=16)
    knob = [(radius * 0.78, -half - 0.009), (radius * 0.78, -half)]
    draft.lathe(knob, cap_paint, at=at, sectors=12)
    draft.grip(90.0, height=max(_LOWEST_M, radius))
    draft.grip(90.0, x=-half * 0.3, height=max(_LOWEST_M, radius), tilts_deg=(0.0,))
    return draft


BUILDERS = {"ballpoint_pen": ballpoint_pen, "marker": marker, "glue_stick": glue_stick}
