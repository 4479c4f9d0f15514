"""What is used on hair, beard and nails."""

from __future__ import annotations

import numpy as np

from imove_tasks.assets import textures
from imove_tasks.assets.builders.packs import add_bar, ink_on, toned
from imove_tasks.assets.builders.parts import rgb_of
from imove_tasks.assets.convex import hull_part
from imove_tasks.assets.draft import Draft, lying, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.looks import Material
from imove_tasks.assets.mapping import laid
from imove_tasks.assets.palette import STEEL
from imove_tasks.assets.primitives import box, cylinder, ellipsoid, prism, rectangle
from imove_tasks.assets.sweeps import bar, bar_parts

_WOODS = ("brown", "beige")
_ALONG_X = (1.0, 0.0, 0.0)
_CLIPS = ("brown", "pink", "black", "white", "purple", "red", "green", "blue", "orange")
_METALS = ("gray", "pink", "black", "blue", "yellow", "red")


def comb(draw: Draw) -> Draft:
    """A lying comb with a thick handle; teeth along one side, fine or wide, or straight on as of a pick."""
    stuff = draw.cycle("stuff", ("plastic", "plastic", "wood", "plastic"))
    paint = draw.paint(
        stuff, *(_WOODS if stuff == "wood" else ("black", "red", "blue", "pink", "green", "orange", "purple"))
    )
    kind = draw.cycle("kind", ("fine", "wide", "pick"))
    draft = Draft(mass_kg=draw.mass(0.02, 0.05))
    thick, handle = draw.length(0.0066, 0.0074), draw.length(0.065, 0.085)
    spine = draw.length(0.0055, 0.0065)
    head = draw.length(0.034, 0.042) if kind == "pick" else draw.length(0.062, 0.082)
    root = handle if kind == "pick" else handle + head
    x = np.array([0.0, 0.006, handle * 0.5, handle * 0.9, handle + 0.004, root - 0.004, root])
    widths = np.array([0.006, 0.0095, 0.0085, 0.0078, spine, spine, spine * 0.7])
    heights = thick * np.array([0.7, 1.0, 1.0, 1.0, 0.8, 0.7, 0.6])
    if kind == "pick":  # the back of the teeth lies across the end of the handle
        x[4:] = handle * 0.94, handle * 0.97, handle
        widths[4:] = 0.009, 0.0095, 0.0095
    body = add_bar(draft, np.column_stack([x, np.zeros(7), heights]), widths, heights, paint)
    low = thick * 0.5
    if kind == "pick":
        draft.block((0.006, 0.027, low), (handle + 0.004, 0.0, low), paint)
        for y in np.linspace(-0.025, 0.025, 9):
            _tooth(draft, handle + 0.009, float(y), low, head, 0.0016, -90.0, paint)
        draft.touch(hull_part(box(head / 2.0, 0.0265, low).moved(handle + 0.008 + head / 2.0, 0.0, low).vertices))
    else:
        count, length = (8, draw.length(0.024, 0.03)) if kind == "wide" else (15, draw.length(0.018, 0.023))
        pitch = (root - handle - 0.010) / count
        for index in range(count):
            _tooth(draft, handle + 0.007 + pitch * (index + 0.5), -spine * 0.8, low, length, pitch * 0.28, 180.0, paint)
        row = box((root - handle - 0.010) / 2.0, length / 2.0, low)
        draft.touch(hull_part(row.moved((root + handle) / 2.0 + 0.002, -spine * 0.8 - length / 2.0, low).vertices))
    draft.body(body, shape="rectangular")
    draft.grip(90.0, x=handle * 0.84, height=0.0104)
    draft.grip(90.0, x=handle * 0.6, height=0.0104, tilts_deg=(0.0,))
    return draft


def _tooth(
    draft: Draft, x: float, y: float, z: float, length: float, half: float, yaw_deg: float, paint: Material
) -> None:
    """Adds one tooth of a comb that starts at a point and grows along +y turned by ``yaw_deg``; m."""
    tooth = prism(rectangle(half, z * 0.85), [(0.0, 1.0), (length, 0.6)])
    grown = tooth.at(pose(rpy_deg=(-90.0, 0.0, 0.0)))
    draft.look(grown.at(pose(x, y, z, rpy_deg=(0.0, 0.0, yaw_deg))), paint)


def razor(draw: Draw) -> Draft:
    """A razor that lies on its back: cartridge, disposable or a safety razor of metal."""
    kind = draw.cycle("kind", ("cartridge", "safety", "disposable"))
    metal = kind == "safety"
    draft = Draft(mass_kg=draw.mass(0.05, 0.09) if metal else draw.mass(0.012, 0.03))
    length, thick = draw.length(0.085, 0.125), draw.length(0.0064, 0.0074)
    words = _METALS if metal else ("blue", "pink", "orange", "green", "black", "purple", "yellow", "white")
    paint = draw.paint("metal" if metal else "plastic", *words)
    steel = solid("metal", STEEL)
    if metal:
        profile = [
            (thick * 0.8, 0.0),
            (thick, 0.004),
            (thick, length * 0.84),
            (thick * 0.7, length * 0.92),
            (thick * 0.7, length),
        ]
        body = draft.lathe(profile, paint, at=lying(z=thick), sectors=8)
        for place in (0.16, 0.3, 0.44, 0.58):
            ring = cylinder(thick + 0.0006, 0.0022, 8).at(lying(x=length * place, z=thick))
            draft.look(ring, toned(paint, 0.75))
        head_z = thick
    else:
        share = np.array([0.0, 0.06, 0.3, 0.6, 0.8, 0.92, 1.0])
        widths = thick * np.array([0.6, 1.0, 0.92, 1.08, 0.7, 0.55, 0.8])
        heights = thick * np.array([0.6, 1.0, 1.0, 1.0, 0.75, 0.6, 0.5])
        rise = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0025, 0.005])
        path = np.column_stack([share * length, np.zeros(7), heights + rise])
        body = add_bar(draft, path, widths, heights, paint)
        if kind == "cartridge":
            pad = box(length * 0.16, thick * 0.6, 0.0006).moved(length * 0.42, 0.0, thick * 2.0)
            draft.look(pad, shade("rubber", "black" if sum(paint.rgba[:3]) > 0.6 else "gray"))
        head_z = thick * 1.1
    head_paint = paint if kind == "disposable" else (steel if metal else shade("plastic", "white"))
    head = prism(
        rectangle(0.0065, draw.length(0.0185, 0.0225)), [(-0.004, 0.92), (-0.002, 1.0), (0.002, 1.0), (0.004, 0.9)]
    )
    lean = 12.0
    at = pose(length + 0.003, 0.0, head_z, rpy_deg=(0.0, lean, 0.0))
    draft.solid(head.at(at), head_paint)
    for x in (-0.003, 0.0, 0.003) if not metal else (0.0055,):
        blade = box(0.0008, 0.018, 0.0004).moved(x=x, z=0.0041)
        draft.look(blade.at(at), solid("metal", (0.86, 0.87, 0.88)))
    draft.body(body, shape="cylindrical" if metal else "rectangular")
    draft.grip(90.0, x=length * 0.6, height=max(0.0102, thick))
    draft.grip(90.0, x=length * 0.45, height=max(0.0102, thick), tilts_deg=(0.0,))
    return draft


def nail_clipper(draw: Draw) -> Draft:
    """Two sprung arms that meet at the cutting edge and a lever above them, folded or raised."""
    draft = Draft(mass_kg=draw.mass(0.025, 0.05))
    length = draw.length(0.054, 0.078)
    half = draw.length(0.0062, 0.0075)
    stuff = draw.cycle("stuff", ("metal", "metal", "plastic"))
    paint = draw.paint(
        stuff, *(_METALS if stuff == "metal" else ("pink", "green", "blue", "purple", "white", "orange"))
    )
    arms = paint if stuff == "metal" else solid("metal", STEEL)
    share = np.array([0.0, 0.1, 0.25, 0.8, 0.95, 1.0])
    gap = np.array([0.0, 0.002, 0.004, 0.004, 0.001, 0.0])
    widths = half * np.array([0.75, 0.92, 0.92, 1.0, 1.0, 0.95])
    for side in (-1.0, 1.0):
        path = np.column_stack([share * length, np.zeros(6), 0.0058 + side * (gap + 0.0013)])
        mesh = bar(path, widths, 0.0013)
        draft.look(mesh, arms)
        if side < 0:
            low = mesh
    jaw = np.column_stack([[length - 0.001, length + 0.0015], np.zeros(2), [0.0058, 0.0058]])
    draft.look(bar(jaw, half * 0.95, [0.0026, 0.001]), solid("metal", (0.82, 0.83, 0.85)))
    draft.touch(hull_part(np.concatenate([low.vertices, low.vertices + [0.0, 0.0, 0.0106]])))
    pin_x = length * 0.84
    draft.lathe([(0.0022, 0.010), (0.0022, 0.0185)], solid("metal", STEEL), at=pose(x=pin_x), sectors=8)
    raised = draw.cycle("lever", ("folded", "raised")) == "raised"
    tail = 0.0245 if raised else 0.0150
    lever_x = np.array([length * 0.93, pin_x, length * 0.5, length * 0.08, length * 0.02])
    lever_z = np.array([0.0128, 0.0136, 0.5 * (0.0136 + tail), tail, tail + 0.0012])
    lever = np.column_stack([lever_x, np.zeros(5), lever_z])
    lever_widths = half * np.array([0.7, 0.95, 1.0, 1.0, 0.8])
    thickness = 0.0014 if stuff == "metal" else 0.0022
    draft.look(bar(lever, lever_widths, thickness, bevel=0.6), paint)
    draft.touch(*bar_parts(lever[::2], lever_widths[::2], thickness))
    for step in range(3):
        x = length * (0.14 + 0.07 * step)
        z = float(np.interp(x, lever_x[::-1], lever_z[::-1])) + thickness
        draft.look(box(0.0009, half * 0.6, 0.0006).moved(x, 0.0, z), toned(paint, 0.6))
    draft.body(low, shape="rectangular")
    draft.grip(90.0, x=length * 0.52, height=0.0102)
    draft.grip(90.0, x=length * 0.4, height=0.0102, tilts_deg=(0.0,))
    return draft


def hair_clip(draw: Draw) -> Draft:
    """A claw with two rows of prongs, a bow of cloth, or an arched bar with beads."""
    kind = draw.cycle("kind", ("claw", "bow", "bar"))
    if kind == "claw":
        return _claw(draw)
    if kind == "bow":
        return _bow(draw)
    return _bar_clip(draw)


def _claw(draw: Draw) -> Draft:
    """A claw on its tips: prongs on both sides that bulge from a spine with a spring and two tabs."""
    draft = Draft(mass_kg=draw.mass(0.012, 0.03))
    height, half = draw.length(0.03, 0.038), draw.length(0.022, 0.036)
    bulge = draw.length(0.0145, 0.0185)
    paint = draw.paint("plastic", *_CLIPS)
    turn = np.radians([62.0, 15.0, -35.0, -72.0])
    for side in (-1.0, 1.0):
        arc = np.column_stack([np.zeros(4), side * bulge * np.cos(turn), height * (0.5 + 0.5 * np.sin(turn))])
        for x in np.linspace(-half, half, 5):
            widths = half * 0.095 * np.array([1.7, 1.4, 1.0, 0.55])
            draft.look(bar(arc + [x * 0.9, 0.0, 0.0], widths, 0.0016, across=_ALONG_X), paint)
        draft.touch(*bar_parts(arc, half, 0.0016, across=_ALONG_X))
        tab = np.array([(0.0, 0.002, 0.84), (0.0, 0.009, 1.02), (0.0, 0.014, 1.14)]) * [1.0, side, height]
        draft.look(bar(tab, half * np.array([0.42, 0.4, 0.28]), 0.0014, across=_ALONG_X), paint)
        draft.touch(*bar_parts(tab[1:], half * 0.3, 0.0014, across=_ALONG_X))
    spine = box(half * 1.05, bulge * 0.5, 0.002).moved(z=height * 0.96)
    draft.solid(spine, paint)
    spring = cylinder(0.0038, half * 0.36, 8).at(pose(z=height, rpy_deg=(0.0, 90.0, 0.0)))
    draft.look(spring, solid("metal", STEEL))
    draft.body(spine, shape="curved")
    draft.grip(90.0, height=max(0.010, height * 0.5))
    draft.grip(90.0, x=half * 0.25, height=max(0.010, height * 0.5), tilts_deg=(0.0,))
    return draft


def _bow(draw: Draw) -> Draft:
    """A bow of cloth with a knot and two tails on a metal clip."""
    draft = Draft(mass_kg=draw.mass(0.008, 0.02))
    reach, tall, thick = draw.length(0.032, 0.046), draw.length(0.019, 0.026), draw.length(0.0085, 0.0105)
    plain = draw.paint("fabric", *_CLIPS)
    dotted = draw.cycle("dots", (False, True))
    paint = textures.painted(textures.dots(rgb_of(plain), ink_on(plain), radius=0.2), "fabric") if dotted else plain
    for side in (0.0, 180.0):
        stages = ((0.004, 0.3, 0.55), (reach * 0.4, 0.8, 1.0), (reach * 0.85, 1.0, 1.0), (reach, 0.86, 0.7))
        path = np.array([(x, 0.0, thick) for x, _, _ in stages])
        widths = tall * np.array([width for _, width, _ in stages])
        heights = thick * np.array([height for _, _, height in stages])
        turn = pose(rpy_deg=(0.0, 0.0, side))
        loop = bar(path, widths, heights, bevel=0.7)
        mapped = laid(loop, repeat=(4.0, 4.0)) if dotted else loop
        draft.look(mapped.at(turn), paint)
        draft.touch(hull_part(loop.at(turn).vertices))
        hollow = prism(rectangle(thick * 0.45, tall * 0.6), [(0.0, 1.0), (0.0006, 1.0)])
        draft.look(hollow.at(turn @ pose(reach, 0.0, thick, rpy_deg=(0.0, 90.0, 0.0))), toned(plain, 0.6))
        end = bar([(0.004, 0.0, 0.003), (reach * 0.95, 0.0, 0.003)], [0.005, 0.0095], 0.0016)
        tail = laid(end, repeat=(3.0, 1.0)) if dotted else end
        draft.look(tail.at(pose(rpy_deg=(0.0, 0.0, -60.0 if side == 0.0 else -120.0))), paint)
    knot = ellipsoid(0.0095, 0.0105, thick * 1.15, 10, 5).moved(z=thick * 1.15)
    draft.solid(knot, toned(plain, 0.8))
    draft.look(box(reach * 0.5, 0.0035, 0.001).moved(z=0.001), solid("metal", STEEL))
    draft.body(knot, shape="irregular")
    draft.grip(90.0, height=max(0.010, thick), x=reach * 0.12)
    draft.grip(90.0, height=max(0.010, thick), x=-reach * 0.12)
    return draft


def _bar_clip(draw: Draw) -> Draft:
    """An arched bar over a straight metal clasp, plain or with beads on top."""
    draft = Draft(mass_kg=draw.mass(0.012, 0.03))
    half, rise, wide = draw.length(0.03, 0.042), draw.length(0.012, 0.015), draw.length(0.0075, 0.0105)
    paint = draw.paint("plastic", *_CLIPS)
    x = np.linspace(-half, half, 7)
    arch = np.column_stack([x, np.zeros(7), 0.0024 + rise * (1.0 - (x / half) ** 2)])
    widths = wide * np.array([0.55, 0.85, 1.0, 1.0, 1.0, 0.85, 0.55])
    body = add_bar(draft, arch, widths, 0.0024, paint, bevel=0.6)
    draft.block((half * 0.86, wide * 0.4, 0.001), (0.0, 0.0, 0.001), solid("metal", STEEL))
    if draw.cycle("beads", (True, False)):
        bead = shade("plastic", "white" if sum(paint.rgba[:3]) < 2.4 else "pink")
        for place in (-0.5, 0.0, 0.5):
            z = 0.0048 + rise * (1.0 - place * place)
            draft.look(ellipsoid(0.0042, 0.0042, 0.0034, 8, 5).moved(half * place, 0.0, z + 0.001), bead)
    else:
        for place in (-0.28, 0.28):
            z = 0.0048 + rise * (1.0 - place * place)
            draft.look(box(0.0016, wide, 0.0005).moved(half * place, 0.0, z), toned(paint, 0.6))
    draft.body(body, shape="curved")
    draft.grip(90.0, height=rise + 0.0014)
    draft.grip(90.0, height=rise + 0.0014, x=half * 0.15, tilts_deg=(0.0,))
    return draft


BUILDERS = {"comb": comb, "razor": razor, "nail_clipper": nail_clipper, "hair_clip": hair_clip}
