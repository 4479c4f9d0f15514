"""Things beside a screen."""

from __future__ import annotations

import numpy as np

from imove_tasks.assets.draft import Draft, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.palette import INK, STEEL
from imove_tasks.assets.primitives import box, cylinder, ellipsoid, prism, rounded_box, rounded_rectangle


def mouse(draw: Draw) -> Draft:
    """A domed shell with two keys, a wheel and a dark sole."""
    draft = Draft(mass_kg=draw.mass(0.07, 0.11))
    rx, ry, rz = draw.length(0.045, 0.052), draw.length(0.026, 0.0295), draw.length(0.03, 0.036)
    paint = draw.paint("plastic", "black", "white", "red", "blue", "gray", "pink")
    shell = ellipsoid(rx, ry, rz, 20, 9).clamped_below(0.0).moved(z=0.003)
    draft.solid(shell, paint)
    sole = prism(rounded_rectangle(rx * 0.93, ry * 0.93, ry * 0.92, 5), [(0.0, 1.0), (0.003, 1.0)])
    accent = shade("plastic", "white" if sum(paint.rgba[:3]) < 0.6 else "black")
    draft.solid(sole, accent)
    wheel = cylinder(0.007, 0.003, 12).at(pose(rx * 0.55, 0.0, rz * 0.81 + 0.003, rpy_deg=(90.0, 0.0, 0.0)))
    draft.look(wheel, accent)
    for start, stop in ((0.05, 0.4), (0.7, 0.95)):
        steps = np.linspace(start, stop, 4)
        for a, b in zip(steps[:-1], steps[1:], strict=True):
            za, zb = rz * np.sqrt(1 - a * a), rz * np.sqrt(1 - b * b)
            length = float(np.hypot(rx * (b - a), za - zb))
            pitch = float(np.degrees(np.arctan2(za - zb, rx * (b - a))))
            seam = box(length / 2, 0.0009, 0.0008)
            draft.look(seam.at(pose(rx * (a + b) / 2, 0.0, (za + zb) / 2 + 0.003, rpy_deg=(0, pitch, 0))), accent)
    draft.body(shell)
    draft.grip(90.0, height=0.015)
    draft.grip(90.0, x=-rx * 0.3, height=0.015, tilts_deg=(0.0,))
    return draft


def tv_remote(draw: Draw) -> Draft:
    """A long slim box with a red power key, a round pad and rows of keys."""
    draft = Draft(mass_kg=draw.mass(0.07, 0.12))
    half_x, half_y, half_z = draw.length(0.068, 0.082), draw.length(0.019, 0.024), draw.length(0.0085, 0.011)
    paint = draw.paint("plastic", "black", "white", "gray", "blue", "red", "beige")
    body = rounded_box(half_x, half_y, half_z, half_y * draw.cycle("corner", (0.35, 0.55)), bevel=0.002)
    draft.solid(body, paint)
    top = half_z + 0.0006
    keys = shade("rubber", "black", 1) if sum(paint.rgba[:3]) > 1.0 else shade("rubber", "gray")
    draft.look(cylinder(0.0045, 0.0014, 10).moved(half_x * 0.84, half_y * 0.5, top), shade("rubber", "red"))
    draft.look(cylinder(half_y * 0.55, 0.0014, 14).moved(x=half_x * 0.42, z=top), keys)
    draft.look(cylinder(half_y * 0.22, 0.0014, 10).moved(x=half_x * 0.42, z=top + 0.001), shade("rubber", "white"))
    for row in range(4):
        for column in (-1, 0, 1):
            key = box(half_x * 0.07, half_y * 0.17, 0.0014)
            draft.look(key.moved(-half_x * (0.05 + 0.22 * row), column * half_y * 0.55, top), keys)
    draft.body(body)
    draft.grip(90.0)
    draft.grip(90.0, x=half_x * 0.35, tilts_deg=(0.0,))
    draft.grip(90.0, x=-half_x * 0.35, tilts_deg=(0.0,))
    return draft


def earbud_case(draw: Draw) -> Draft:
    """A pebble-shaped case with a lid seam and a small light."""
    draft = Draft(mass_kg=draw.mass(0.04, 0.06))
    half_y = draw.length(0.021, 0.026)
    half_x = half_y * draw.cycle("aspect", (1.3, 1.0, 1.4))
    half_z = draw.length(0.0115, 0.014)
    paint = draw.paint("plastic", "white", "black", "pink", "blue", "green", "purple")
    outline = rounded_rectangle(half_x, half_y, half_y * 0.8, 5)
    body = prism(outline, [(0.0, 0.86), (half_z * 0.5, 1.0), (half_z * 1.5, 1.0), (half_z * 2.0, 0.86)])
    draft.solid(body, paint)
    seam = prism(outline, [(half_z * 1.28, 1.006), (half_z * 1.42, 1.006)])
    draft.look(seam, shade("plastic", "gray"))
    draft.look(
        cylinder(0.0022, 0.0006, 8).at(pose(half_x, 0.0, half_z * 0.9, rpy_deg=(0, 90, 0))),
        shade("plastic", "green"),
    )
    draft.look(cylinder(half_y * 0.35, 0.0003, 14).moved(z=half_z * 2.0 + 0.0002), shade("plastic", "gray"))
    draft.body(prism(outline, [(0.0, 1.0), (half_z * 2.0, 1.0)]))
    draft.grip(90.0, 0.0)
    return draft


def charging_head(draw: Draw) -> Draft:
    """A wall plug with two steel prongs and dark ports."""
    draft = Draft(mass_kg=draw.mass(0.05, 0.1))
    half_x, half_y, half_z = draw.length(0.02, 0.026), draw.length(0.018, 0.023), draw.length(0.0125, 0.016)
    paint = draw.paint("plastic", "white", "black", "gray", "blue", "pink", "green")
    body = rounded_box(half_x, half_y, half_z, 0.005, bevel=0.0015).moved(z=half_z)
    draft.solid(body, paint)
    for side in (-1, 1):
        draft.block((0.0085, 0.0012, 0.0035), (half_x + 0.0075, side * half_y * 0.45, half_z), solid("metal", STEEL))
        port = box(0.0006, half_y * 0.28, half_z * 0.2).moved(-half_x, side * half_y * 0.45, half_z)
        draft.look(port, solid("plastic", INK))
    draft.look(cylinder(half_y * 0.3, 0.0005, 12).moved(z=2 * half_z), shade("plastic", "orange"))
    draft.body(body)
    draft.grip(90.0, 0.0, x=-0.002)
    return draft


BUILDERS = {
    "mouse": mouse,
    "tv_remote": tv_remote,
    "earbud_case": earbud_case,
    "charging_head": charging_head,
}
