"""Hand tools that turn or grip, lying on the table."""

from __future__ import annotations

import numpy as np

from imove_tasks.assets.builders.packs import add_bar, flat_radius, ink_on, is_light, printed, toned
from imove_tasks.assets.builders.parts import rgb_of
from imove_tasks.assets.convex import tube_parts
from imove_tasks.assets.draft import Draft, lying, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.looks import Material
from imove_tasks.assets.mapping import laid
from imove_tasks.assets.palette import INK, STEEL
from imove_tasks.assets.primitives import box, cylinder, revolve, tube
from imove_tasks.assets.sweeps import bar

_BRIGHT = ("red", "yellow", "blue", "green", "orange", "black", "purple")
_DARK_STEEL = (0.40, 0.41, 0.43)
_LOW_GRIP_M = 0.0102


def screwdriver(draw: Draw) -> Draft:
    """A handle and a steel blade that hovers above the table: bulged, six-sided, or short with a ball."""
    kind = draw.cycle("kind", ("bulged", "hexagonal", "stubby"))
    draft = Draft(mass_kg=draw.mass(0.05, 0.12), rolls=True)
    stuff = draw.cycle("stuff", ("plastic", "plastic", "rubber", "wood"))
    paint = draw.paint(stuff, *(("brown", "orange", "beige") if stuff == "wood" else _BRIGHT))
    radius = draw.length(0.0125, 0.0155)
    handle, blade = draw.length(0.07, 0.088), draw.length(0.05, 0.075)
    sectors = 6 if kind == "hexagonal" else 12
    if kind == "stubby":
        radius, handle, blade = draw.length(0.0155, 0.0185), draw.length(0.044, 0.054), draw.length(0.026, 0.036)
    at = lying(z=flat_radius(radius, sectors))
    axis_z = flat_radius(radius, sectors)
    rings: tuple[float, ...] = ()
    if kind == "bulged":
        back = [(radius * 0.8, 0.0), (radius, 0.006), (radius, handle * 0.62), (radius * 0.8, handle * 0.74)]
        draft.lathe(back, paint, at=at, sectors=sectors)
        front = [(radius * 0.8, handle * 0.74), (radius, handle * 0.86), (radius * 0.6, handle)]
        draft.lathe(front, paint, at=at, sectors=sectors)
        rings = (0.18, 0.32, 0.46)
    elif kind == "hexagonal":
        profile = [(radius * 0.85, 0.0), (radius, 0.004), (radius, handle * 0.8), (radius * 0.55, handle)]
        draft.lathe(profile, paint, at=at, sectors=sectors)
        rings = (0.08, 0.74)
    else:
        profile = [(radius * 0.6, 0.0), (radius * 0.92, handle * 0.14), (radius, handle * 0.3),
                   (radius, handle * 0.6), (radius * 0.5, handle)]  # fmt: skip
        draft.lathe(profile, paint, at=at, sectors=sectors)
    steel = solid("metal", STEEL)
    thin = 0.0032 if kind != "stubby" else 0.0036
    draft.lathe([(thin, handle), (thin, handle + blade)], steel, at=at, sectors=8)
    if draw.cycle("tip", ("flat", "cross")) == "flat":
        tip = box(0.006, 0.0046, 0.0009).moved(handle + blade + 0.004, 0.0, axis_z)
        draft.look(tip, steel)
    else:
        cone = revolve([(thin, 0.0), (thin * 0.3, 0.007)], 4).at(lying(x=handle + blade, z=axis_z))
        draft.look(cone, solid("metal", _DARK_STEEL))
    dark = solid("rubber", INK) if is_light(rgb_of(paint)) or sum(rgb_of(paint)) > 0.6 else shade("rubber", "gray")
    for share in rings:
        ring = revolve([(radius + 0.0004, -0.0022), (radius + 0.0004, 0.0022)], sectors)
        draft.look(ring.at(at @ pose(z=handle * share)), dark)
    draft.body(cylinder(radius, (handle + blade) / 2.0, 12).at(at), shape="cylindrical")
    draft.grip(90.0, x=handle * 0.52, height=max(_LOW_GRIP_M, axis_z))
    draft.grip(90.0, x=handle * 0.38, height=max(_LOW_GRIP_M, axis_z), tilts_deg=(0.0,))
    return draft


def wrench(draw: Draw) -> Draft:
    """A thick flat wrench: open at both ends, with a ring at one, or adjustable."""
    kind = draw.cycle("kind", ("ring", "adjustable", "open"))
    draft = Draft(mass_kg=draw.mass(0.08, 0.2))
    paint = draw.paint("metal", "gray", "blue", "black", "red", "gray", "yellow", "green", "orange")
    half = draw.length(0.052, 0.074)
    thick, wide = draw.length(0.0064, 0.0072), draw.length(0.0068, 0.0085)
    reach = draw.length(0.0125, 0.0155)
    path = np.array([(-half, 0.0), (-half * 0.5, 0.0), (half * 0.5, 0.0), (half, 0.0)])
    points = np.column_stack([path, np.full(4, thick)])
    body = bar(points, wide * np.array([1.05, 0.95, 0.95, 1.05]), thick, bevel=0.4)
    draft.solid(body, paint)
    inset = box(half * 0.5, wide * 0.42, 0.0005).moved(z=thick * 2.0)
    draft.look(inset, toned(paint, 0.7) if sum(rgb_of(paint)) > 0.5 else shade("metal", "gray"))
    if kind == "adjustable":
        _adjustable_head(draft, half, wide, thick, reach, paint)
        hole = cylinder(wide * 0.5, 0.0006, 10).moved(x=-half * 0.86, z=thick * 2.0)
        draft.look(hole, solid("metal", INK))
    else:
        _open_end(draft, half, reach, thick, 15.0, paint)
    if kind == "open":
        _open_end(draft, half, reach * 0.82, thick, 195.0, paint)
    elif kind == "ring":
        center = -half - reach * 0.7
        outer, inner, low, high = reach * 0.98, reach * 0.56, thick * 0.1, thick * 1.9
        ring = revolve([(outer, low), (outer, high), (inner, high), (inner, low)], 12, closed=True)
        draft.look(ring.moved(x=center), paint)
        turn = np.linspace(0.0, 2.0 * np.pi, 9)
        middle = (outer + inner) / 2.0
        circle = np.column_stack([center + middle * np.cos(turn), middle * np.sin(turn), np.full(9, thick)])
        draft.touch(*tube_parts(circle, (outer - inner) / 2.0, 4))
    draft.body(body, shape="irregular" if kind == "adjustable" else "rectangular")
    draft.grip(90.0, height=_LOW_GRIP_M, x=half * (0.3 if kind == "adjustable" else 0.1))
    draft.grip(90.0, height=_LOW_GRIP_M, x=half * (0.12 if kind == "adjustable" else -0.06), tilts_deg=(0.0,))
    return draft


def _open_end(draft: Draft, half: float, reach: float, thick: float, yaw_deg: float, paint: Material) -> None:
    """Adds a C-shaped jaw at the +x end (yaw near 0) or the -x end (near 180) of a handle."""
    turn = np.linspace(np.radians(52.0), np.radians(308.0), 8)
    widths = reach * np.array([0.26, 0.34, 0.4, 0.42, 0.42, 0.4, 0.34, 0.26])
    arc = np.column_stack([reach * np.cos(turn), reach * np.sin(turn), np.full(8, thick)])
    side = 1.0 if abs(yaw_deg) < 90.0 else -1.0
    moved = arc @ pose(rpy_deg=(0.0, 0.0, yaw_deg))[:3, :3].T + [side * (half + reach * 0.8), 0.0, 0.0]
    add_bar(draft, moved, widths, thick * 0.9, paint, bevel=0.0)


def _adjustable_head(draft: Draft, half: float, wide: float, thick: float, reach: float, paint: Material) -> None:
    """Adds a fixed and a sliding jaw with a knurled worm between them at the +x end."""
    flat = thick * 0.95
    knee = [(half * 0.9, wide * 0.1), (half + reach * 0.6, wide), (half + reach * 1.3, wide * 1.75),
            (half + reach * 2.4, wide * 1.9)]  # fmt: skip
    points = np.column_stack([np.array(knee), np.full(4, thick)])
    add_bar(draft, points, wide * np.array([1.1, 1.3, 0.75, 0.5]), flat, paint, bevel=0.0)
    draft.block((reach * 0.62, wide * 0.42, flat), (half + reach * 1.75, -wide * 0.72, thick), toned(paint, 0.85))
    draft.block((reach * 0.4, wide * 0.8, flat * 0.8), (half + reach * 0.85, -wide * 0.7, thick), toned(paint, 0.85))
    worm = cylinder(thick * 0.85, reach * 0.28, 10).at(lying(x=half + reach * 0.4, y=-wide * 0.55, z=thick * 1.3))
    draft.look(worm, solid("metal", _DARK_STEEL))


def hex_key(draw: Draw) -> Draft:
    """A six-sided key in a coloured grip: bent to an L, set in a T, or a set that folds into its handle."""
    draft = Draft(mass_kg=draw.mass(0.03, 0.09))
    stuff = draw.cycle("stuff", ("plastic", "rubber", "plastic"))
    paint = draw.paint(stuff, "red", "yellow", "blue", "green", "orange", "black", "purple")
    steel = solid("metal", draw.cycle("steel", (_DARK_STEEL, STEEL)))
    kind = draw.cycle("kind", ("bent", "tee", "folding"))
    thick, wide = draw.length(0.0068, 0.0078), draw.length(0.0075, 0.009)
    if kind == "folding":
        return _folding_keys(draft, draw, paint, steel)
    key = draw.length(0.0026, 0.0032)
    sleeve, shaft = draw.length(0.045, 0.062), draw.length(0.022, 0.034)
    ends = np.array([(0.0, 0.0, thick), (0.004, 0.0, thick), (sleeve - 0.004, 0.0, thick), (sleeve, 0.0, thick)])
    body = add_bar(draft, ends, wide * np.array([0.8, 1.0, 1.0, 0.8]), thick, paint, bevel=0.6)
    if kind == "bent":
        arm = draw.length(0.024, 0.034)
        path = [(sleeve - 0.001, 0.0, thick), (sleeve + shaft, 0.0, thick)]
        draft.look(tube(path, key, 6), steel)
        draft.touch(*tube_parts(path, key, 6))
        bend = [(0.001, 0.0, thick), (-0.005, 0.0, thick), (-0.010, -0.002, thick), (-0.012, -0.007, thick),
                (-0.012, -arm, thick)]  # fmt: skip
        draft.look(tube(bend, key, 6), steel)
        draft.touch(*tube_parts(bend[::2], key, 6))
    else:
        cross = draw.length(0.026, 0.034)
        bar_path = np.array([(-wide * 0.8, -cross, thick), (-wide * 0.8, -cross + 0.005, thick),
                             (-wide * 0.8, cross - 0.005, thick), (-wide * 0.8, cross, thick)])  # fmt: skip
        add_bar(draft, bar_path, wide * np.array([0.7, 1.0, 1.0, 0.7]), thick, paint, bevel=0.6)
        path = [(sleeve - 0.001, 0.0, thick), (sleeve + shaft + 0.02, 0.0, thick)]
        draft.look(tube(path, key, 6), steel)
        draft.touch(*tube_parts(path, key, 6))
    plate = laid(box(sleeve * 0.34, wide * 0.55, 0.0003).moved(x=sleeve * 0.5, z=thick * 2.0))
    draft.look(plate, printed(paint, ["HEX"], size=(24, 48), ink=ink_on(paint)))
    draft.body(body, shape="irregular" if kind == "bent" else "rectangular")
    middle = sleeve * (0.5 if kind == "bent" else 0.3)
    draft.grip(90.0, x=middle, height=_LOW_GRIP_M)
    draft.grip(90.0, x=middle + 0.006, height=_LOW_GRIP_M, tilts_deg=(0.0,))
    return draft


def _folding_keys(draft: Draft, draw: Draw, paint: Material, steel: Material) -> Draft:
    """A handle of two cheeks with keys between them, one of them out."""
    half, wide, thick = draw.length(0.036, 0.048), draw.length(0.0115, 0.014), draw.length(0.008, 0.0095)
    path = np.array([(-half, 0.0, thick), (-half + 0.006, 0.0, thick), (half - 0.006, 0.0, thick), (half, 0.0, thick)])
    widths = wide * np.array([0.75, 1.0, 1.0, 0.75])
    body = add_bar(draft, path, widths, thick, paint, bevel=0.5)
    for number, y in enumerate((-0.5, 0.0, 0.5)):
        tray = box(half * 0.74, wide * 0.15, 0.0004).moved(y=wide * y, z=thick * 2.0)
        draft.look(tray, solid(paint.name, INK))
        key = np.array(
            [
                (-half * 0.68, wide * y, thick * 2.0 + 0.0006),
                (half * (0.4 + 0.1 * number), wide * y, thick * 2.0 + 0.0006),
            ]
        )
        draft.look(tube(key, 0.0013, 6), steel)
    out = [(half - 0.003, wide * 0.3, thick), (half + 0.02, wide * 0.5, thick), (half + 0.036, wide * 0.65, thick)]
    draft.look(tube(out, 0.0028, 6), steel)
    draft.touch(*tube_parts(out[::2], 0.0028, 6))
    for x in (-half * 0.86, half * 0.86):
        draft.look(cylinder(0.0032, 0.0006, 8).moved(x=x, z=thick * 2.0), solid("metal", STEEL))
    draft.body(body, shape="rectangular")
    draft.grip(90.0, height=max(_LOW_GRIP_M, thick))
    draft.grip(90.0, x=half * 0.2, height=max(_LOW_GRIP_M, thick), tilts_deg=(0.0,))
    return draft


def pliers(draw: Draw) -> Draft:
    """Two coated handles, a joint and steel jaws: blunt, long-nosed, or round-jawed."""
    draft = Draft(mass_kg=draw.mass(0.09, 0.2))
    kind = draw.cycle("kind", ("blunt", "long", "round"))
    stuff = draw.cycle("stuff", ("plastic", "rubber"))
    paint = draw.paint(stuff, "red", "blue", "yellow", "green", "orange", "black", "purple")
    steel = solid("metal", draw.cycle("steel", (STEEL, _DARK_STEEL)))
    handle, spread = draw.length(0.068, 0.088), draw.length(0.0165, 0.0205)
    thick, wide = draw.length(0.0064, 0.0072), draw.length(0.0056, 0.0066)
    nose = {"blunt": 0.03, "long": 0.044, "round": 0.034}[kind] + draw.length(0.0, 0.005)
    for side in (-1.0, 1.0):
        path = np.array(
            [(-handle, 0.94), (-handle * 0.94, 0.97), (-handle * 0.55, 1.0), (-handle * 0.2, 0.66), (-0.006, 0.34)]
        )
        points = np.column_stack([path[:, 0], side * spread * path[:, 1], np.full(5, thick)])
        body = add_bar(draft, points, wide * np.array([0.7, 1.0, 1.0, 1.0, 0.9]), thick, paint, bevel=0.5)
        if kind == "round":
            jaw = [(0.006, 0.004), (nose * 0.4, 0.013), (nose * 0.75, 0.012), (nose, 0.0035)]
            widths = np.array([0.006, 0.0052, 0.0046, 0.0032])
        else:
            tip = 0.0026 if kind == "long" else 0.0048
            jaw = [(0.004, 0.0056), (nose * 0.35, 0.0066), (nose * 0.7, 0.0016 + tip), (nose, 0.0004 + tip)]
            widths = np.array([0.0062, 0.0062, tip * 1.2, tip * 0.8])
        jaw_points = np.column_stack([np.array(jaw) * [1.0, side], np.full(4, thick)])
        add_bar(draft, jaw_points, widths, thick * 0.92, steel, bevel=0.0)
    draft.lathe([(0.0122, 0.0002), (0.0122, thick * 1.94)], steel, sectors=14)
    draft.look(cylinder(0.0055, 0.0012, 10).moved(z=thick * 1.98), solid("metal", (0.82, 0.83, 0.85)))
    for share in (0.25, 0.45):
        line = box(0.0008, 0.0105, 0.0004).moved(x=nose * share + 0.004, z=thick * 1.93)
        draft.look(line, solid("metal", INK))
    draft.body(body, shape="irregular")
    draft.grip(90.0, x=-handle * 0.27, height=_LOW_GRIP_M)
    draft.grip(90.0, x=-handle * 0.4, height=_LOW_GRIP_M, tilts_deg=(0.0,))
    return draft


BUILDERS = {"screwdriver": screwdriver, "wrench": wrench, "hex_key": hex_key, "pliers": pliers}
