"""Things held in the hand beside a screen: mice, remotes, clickers, gamepads."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from imove_tasks.assets import textures
from imove_tasks.assets.builders.decals import decal, lettered
from imove_tasks.assets.builders.parts import luminance, rgb_of
from imove_tasks.assets.convex import box_part, tube_parts
from imove_tasks.assets.draft import Draft, lying, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.looks import Material, Texture
from imove_tasks.assets.palette import INK, Rgb
from imove_tasks.assets.primitives import (
    Mesh,
    box,
    cylinder,
    ellipsoid,
    prism,
    revolve,
    rounded_box,
    rounded_rectangle,
    slab,
    tube,
)

_LOWEST_M = 0.010  # of a grip's centre above the table
_LCD: Rgb = (0.66, 0.72, 0.62)

# Digits 5 pixels high and 3 wide, rows from top to bottom.
_DIGITS = {
    "1": ".#. ##. .#. .#. ###", "2": "### ..# ### #.. ###", "4": "#.# #.# ### ..# ..#", "6": "### #.. ### #.# ###",
    "8": "### #.# ### #.# ###", "0": "### #.# #.# #.# ###", "5": "### #.. ### ..# ###",
}  # fmt: skip


def mouse(draw: Draw) -> Draft:
    """A domed shell, a low arched bar, or a waisted one for games; two keys, a wheel, a dark sole."""
    draft = Draft(mass_kg=draw.mass(0.06, 0.11))
    kind = draw.cycle("kind", ("dome", "low", "waisted"))
    rx = draw.cycle("size", (0.86, 1.1)) * draw.length(0.045, 0.053)
    ry, rz = draw.length(0.0255, 0.0295), draw.length(0.03, 0.037)
    paint = draw.paint("plastic", "black", "white", "red", "blue", "gray", "pink", "green")
    accent = shade("plastic", "white" if luminance(paint.rgba) < 0.15 else "black")
    wheel = cylinder(0.007, 0.003, 12)
    if kind == "dome":
        shell = ellipsoid(rx, ry, rz, 20, 9).clamped_below(0.0).moved(z=0.003)
        outline = rounded_rectangle(rx * 0.93, ry * 0.93, ry * 0.92, 5)
        draft.look(wheel.at(pose(rx * 0.55, 0.0, rz * 0.81 + 0.003, rpy_deg=(90.0, 0.0, 0.0))), accent)
        _seam(draft, accent, [(x * rx, rz * np.sqrt(1.0 - x * x) + 0.003) for x in (0.05, 0.16, 0.28, 0.4)])
        _seam(draft, accent, [(x * rx, rz * np.sqrt(1.0 - x * x) + 0.003) for x in (0.7, 0.78, 0.87, 0.95)])
    elif kind == "low":
        rz *= 0.72
        arch = [(x, 0.003 + rz * (1.0 - 0.62 * x * x)) for x in np.linspace(-1.0, 1.0, 9)]
        side = [(-rx, 0.003), (rx, 0.003), *((x * rx, z) for x, z in reversed(arch))]
        shell = _narrowed(slab(side, ry * 0.92), ry * 0.3)
        outline = rounded_rectangle(rx * 0.96, ry * 0.9, ry * 0.3, 3)
        draft.look(wheel.at(pose(rx * 0.52, 0.0, rz * 0.8, rpy_deg=(90.0, 0.0, 0.0))), accent)
        _seam(draft, accent, [(x * rx, z) for x, z in arch[4:]])
    else:
        angles = np.linspace(0.0, 2.0 * np.pi, 22, endpoint=False)
        waist = ry * np.sin(angles) * (1.0 - 0.16 * np.exp(-((np.cos(angles) - 0.1) ** 2) / 0.08))
        outline = np.stack([rx * np.sign(np.cos(angles)) * np.abs(np.cos(angles)) ** 0.8, waist], 1)
        levels = [(0.003, 1.0), (rz * 0.55, 0.97), (rz * 0.85, 0.84), (rz, 0.56)]
        shell = prism(outline, levels, apex_rise=rz * 0.05)
        draft.look(wheel.at(pose(rx * 0.5, 0.0, rz * 0.94, rpy_deg=(90.0, 0.0, 0.0))), accent)
        glow = shade("plastic", "red" if luminance(paint.rgba) < 0.15 else "black")
        _seam(draft, glow, [(-0.5 * rx, rz * 1.02), (-0.1 * rx, rz * 1.05), (0.3 * rx, rz * 1.02)])
        for y in (-1, 1):
            strip = box(rx * 0.3, 0.0012, rz * 0.06).moved(-rx * 0.1, y * ry * 0.86, rz * 0.42)
            draft.look(strip, glow)
        outline = outline * 0.97
    draft.solid(shell, paint)
    draft.solid(prism(outline, [(0.0, 1.0), (0.003, 1.0)]), accent)
    draft.body(shell, shape={"dome": "oval", "low": "rectangular", "waisted": "curved"}[kind])
    draft.grip(90.0, height=0.013)
    draft.grip(90.0, x=-rx * 0.2, height=0.013, tilts_deg=(0.0,))
    return draft


def _seam(draft: Draft, paint: Material, line_xz: list[tuple[float, float]]) -> None:
    """A thin line along the middle of a back, through (x, z) points."""
    for (x, z), (next_x, next_z) in zip(line_xz[:-1], line_xz[1:], strict=True):
        pitch_deg = float(np.degrees(np.arctan2(z - next_z, next_x - x)))
        piece = box(float(np.hypot(next_x - x, next_z - z)) / 2.0, 0.0008, 0.0008)
        draft.look(piece.at(pose((x + next_x) / 2.0, 0.0, (z + next_z) / 2.0, rpy_deg=(0.0, pitch_deg, 0.0))), paint)


def _narrowed(mesh: Mesh, bevel: float) -> Mesh:
    """A mesh whose upper parts are pulled toward y = 0 by up to ``bevel``, m."""
    vertices = mesh.vertices.copy()
    rise = (vertices[:, 2] - vertices[:, 2].min()) / np.ptp(vertices[:, 2])
    breadth = np.abs(vertices[:, 1]).max()
    vertices[:, 1] *= 1.0 - bevel / breadth * rise**2
    return Mesh(vertices, mesh.faces)


def tv_remote(draw: Draw) -> Draft:
    """A long slim case: many keys and four coloured ones, a slim stick with a ring, or a waisted case."""
    draft = Draft(mass_kg=draw.mass(0.06, 0.12))
    kind = draw.cycle("kind", ("classic", "stick", "waisted"))
    half_x = draw.cycle("size", (0.8, 1.0)) * draw.length(0.068, 0.082)
    half_y, half_z = draw.length(0.0195, 0.024) * (0.86 if kind == "stick" else 1.0), draw.length(0.0085, 0.011)
    paint = draw.paint("plastic", "black", "white", "gray", "blue", "red", "beige", "pink")
    pale = luminance(paint.rgba) > 0.3
    keys = shade("rubber", "black", 1) if pale else shade("rubber", "gray")
    if kind == "waisted":
        t = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
        pinch = 1.0 - 0.14 * np.exp(-((np.cos(t) + 0.1) ** 2) / 0.1)
        outline = np.stack([half_x * _rounded(np.cos(t), 0.45), half_y * _rounded(np.sin(t), 0.45) * pinch], 1)
        body = prism(outline, [(-half_z, 0.95), (-half_z * 0.5, 1.0), (half_z * 0.7, 1.0), (half_z, 0.96)])
    else:
        corner = half_y * (0.9 if kind == "stick" else draw.cycle("corner", (0.25, 0.5)))
        body = rounded_box(half_x, half_y, half_z, corner, bevel=0.002, corner_points=4)
    draft.solid(body, paint)
    top = half_z + 0.0004
    power = cylinder(half_y * 0.19, 0.0012, 10).moved(half_x * 0.84, 0.0 if kind == "stick" else half_y * 0.5, top)
    draft.look(power, shade("rubber", "red" if paint.rgba[0] < 0.6 or pale else "white"))
    pad_x = half_x * (0.5 if kind == "stick" else 0.45)
    draft.look(cylinder(half_y * 0.56, 0.0012, 16).moved(x=pad_x, z=top), keys)
    draft.look(cylinder(half_y * 0.24, 0.0012, 10).moved(x=pad_x, z=top + 0.0008), paint)
    if kind == "stick":
        for x, y in ((0.1, -0.4), (0.1, 0.4), (-0.12, -0.4), (-0.12, 0.4)):
            draft.look(cylinder(half_y * 0.2, 0.0012, 10).moved(half_x * x, half_y * y, top), keys)
        draft.look(rounded_box(half_x * 0.13, half_y * 0.18, 0.0012, 0.002).moved(-half_x * 0.42, 0.0, top), keys)
        draft.look(decal(half_x * 0.16, half_y * 0.36).moved(-half_x * 0.8, 0.0, half_z), lettered(paint, "TV"))
    else:
        rows, columns = (5, 3) if kind == "classic" else (4, 3)
        grid = textures.keypad(rgb_of(paint), rgb_of(keys), columns, rows, size=(32, 64))
        block = decal(half_x * 0.38, half_y * 0.8).moved(-half_x * 0.26, 0.0, half_z + 0.0002)
        draft.look(block, textures.painted(grid, "plastic"))
        for number, word in enumerate(("red", "green", "yellow", "blue")):
            key = box(half_x * 0.028, half_y * 0.14, 0.001)
            draft.look(key.moved(half_x * 0.18, half_y * (0.6 - 0.4 * number), top), shade("rubber", word))
        draft.look(decal(half_x * 0.14, half_y * 0.4).moved(-half_x * 0.8, 0.0, half_z), lettered(paint, "TV"))
    draft.body(body, shape="curved" if kind == "waisted" else "rectangular")
    draft.grip(90.0)
    draft.grip(90.0, x=half_x * 0.25, tilts_deg=(0.0,))
    draft.grip(90.0, x=-half_x * 0.25, tilts_deg=(0.0,))
    return draft


def _rounded(wave: NDArray[np.float64], power: float) -> NDArray[np.float64]:
    """A wave pressed toward a square one: the outline of a rounded box."""
    pressed: NDArray[np.float64] = np.sign(wave) * np.abs(wave) ** power
    return pressed


def ac_remote(draw: Draw) -> Draft:
    """A short broad remote with a large grey display of the temperature and a few big keys."""
    draft = Draft(mass_kg=draw.mass(0.05, 0.1))
    half_x = draw.cycle("size", (0.8, 1.0)) * draw.length(0.05, 0.064)
    half_y, half_z = draw.length(0.0215, 0.0265), draw.length(0.0085, 0.011)
    paint = draw.paint("plastic", "white", "beige", "black", "blue", "green", "pink", "white")
    kind = draw.cycle("kind", ("boxy", "round", "tapered"))
    if kind == "tapered":
        corner = half_y * 0.3
        outline = rounded_rectangle(half_x, half_y, corner, 3)
        outline[:, 1] *= 1.0 + 0.14 * (outline[:, 0] / half_x - 1.0)
        body = prism(outline, [(-half_z, 0.95), (-half_z * 0.6, 1.0), (half_z * 0.7, 1.0), (half_z, 0.96)])
    else:
        corner = half_y * (0.8 if kind == "round" else 0.22)
        body = rounded_box(half_x, half_y, half_z, corner, bevel=0.0018, corner_points=4)
    draft.solid(body, paint)
    number = draw.cycle("number", ("26", "18", "24", "20"))
    frame = rounded_box(half_x * 0.35, half_y * 0.74, 0.0004, half_y * 0.14).moved(half_x * 0.46, 0.0, half_z)
    draft.look(frame, shade("plastic", "gray" if luminance(paint.rgba) < 0.2 else "black"))
    screen = textures.painted(_display(number), "glass")
    draft.look(
        decal(half_y * 0.64, half_x * 0.3).at(pose(half_x * 0.46, 0.0, half_z + 0.0004, rpy_deg=(0, 0, -90.0))), screen
    )
    top = half_z + 0.0006
    pale = luminance(paint.rgba) > 0.3
    keys = shade("rubber", "gray") if pale else shade("rubber", "white")
    accent = shade("rubber", "orange" if kind != "round" else "blue")
    draft.look(rounded_box(half_x * 0.13, half_y * 0.3, 0.0013, half_y * 0.18).moved(-half_x * 0.12, 0.0, top), accent)
    for x in (-0.1, -0.36):
        for y in (-0.62, 0.62):
            draft.look(cylinder(half_y * 0.17, 0.0013, 10).moved(half_x * x, half_y * y, top), keys)
    for y in (-0.35, 0.35):  # warmer and colder
        arrow = prism(np.array([(1.0, 0.0), (-0.6, 0.9), (-0.6, -0.9)]) * half_y * 0.2, [(-0.0012, 1.0), (0.0012, 1.0)])
        turned = arrow.at(pose(-half_x * 0.42, half_y * y * 0.8, top, rpy_deg=(0.0, 0.0, 0.0 if y > 0 else 180.0)))
        draft.look(turned, keys)
    flap = box(half_x * 0.2, half_y * 0.8, 0.0003).moved(-half_x * 0.76, 0.0, half_z - 0.0001)
    draft.look(flap, paint)
    line = box(half_x * 0.005, half_y * 0.84, 0.0004).moved(-half_x * 0.56, 0.0, half_z)
    draft.look(line, shade("plastic", "gray"))
    draft.look(decal(half_y * 0.4, half_x * 0.1).at(pose(-half_x * 0.76, 0.0, half_z + 0.0003, rpy_deg=(0, 0, -90.0))),
               lettered(paint, "COOL"))  # fmt: skip
    draft.body(body, shape="tapered" if kind == "tapered" else None)
    draft.grip(90.0)
    draft.grip(90.0, x=half_x * 0.25, tilts_deg=(0.0,))
    draft.grip(90.0, x=-half_x * 0.25, tilts_deg=(0.0,))
    return draft


def _display(number: str) -> Texture:
    """A grey display that shows two large digits and a small mark of a degree."""
    mask = np.zeros((32, 32), dtype=bool)
    for place, digit in enumerate(number):
        rows = np.array([[pixel == "#" for pixel in row] for row in _DIGITS[digit].split(" ")])
        mask[6:26, 3 + 13 * place : 15 + 13 * place - 3] = np.kron(rows, np.ones((4, 3), dtype=bool))
    mask[4:7, 27:30] = True
    return textures.two_tone(mask, _LCD, INK)


def presenter_clicker(draw: Draw) -> Draft:
    """A slim stick with forward and back arrows, a red laser window in front and its receiver in the tail."""
    draft = Draft(mass_kg=draw.mass(0.02, 0.05))
    kind = draw.cycle("kind", ("bar", "pen", "arched"))
    half_x = draw.cycle("size", (0.84, 1.15)) * draw.length(0.046, 0.06)
    half_y, half_z = draw.length(0.012, 0.0165), draw.length(0.0085, 0.0105)
    paint = draw.paint("plastic", "black", "white", "gray", "blue", "red", "green")
    pale = luminance(paint.rgba) > 0.3
    keys = shade("rubber", "black", 1) if pale else shade("rubber", "gray", 1)
    bare = shade("metal", "gray", 1)
    if kind == "pen":
        half_z = half_y * 0.82
        body = prism(rounded_rectangle(half_x, half_y, half_y * 0.98, 5),
                     [(0.0, 0.8), (half_z * 0.6, 1.0), (half_z * 1.4, 1.0), (half_z * 2.0, 0.82)])  # fmt: skip
    elif kind == "arched":
        arch = [(x, 2.0 * half_z * (1.0 - 0.34 * x * x)) for x in np.linspace(-1.0, 1.0, 7)]
        body = slab([(-half_x, 0.0), (half_x, 0.0), *((x * half_x, z) for x, z in reversed(arch))], half_y)
    else:
        body = rounded_box(half_x, half_y, half_z, half_y * 0.3, bevel=0.0016).moved(z=half_z)
    draft.solid(body, paint)
    top = 2.0 * half_z

    def height(x: float) -> float:
        return top * (1.0 - 0.34 * (x / half_x) ** 2) if kind == "arched" else top

    plate = rounded_box(half_x * 0.42, half_y * 0.66, 0.0007, half_y * 0.4).moved(half_x * 0.12, 0.0, top - 0.0002)
    draft.look(plate, shade("plastic", "gray" if pale else "black") if luminance(paint.rgba) > 0.05 else bare)
    for x, turn in ((0.34, 0.0), (-0.12, 180.0)):
        arrow = prism(np.array([(1.0, 0.0), (-0.7, 0.95), (-0.7, -0.95)]) * half_y * 0.5, [(-0.001, 1.0), (0.001, 1.0)])
        draft.look(arrow.at(pose(half_x * x, 0.0, height(half_x * x) + 0.0012, rpy_deg=(0.0, 0.0, turn))), keys)
    draft.look(cylinder(half_y * 0.24, 0.0012, 10).moved(half_x * 0.12, 0.0, top + 0.0008), shade("rubber", "red"))
    word = decal(half_x * 0.2, half_y * 0.42)
    slope_deg = float(np.degrees(np.arctan2(top * 0.68 * 0.6, half_x))) if kind == "arched" else 0.0
    middle = -half_x * (0.52 if kind == "pen" else 0.6)
    draft.look(
        word.at(pose(middle, 0.0, height(middle) + 0.0003, rpy_deg=(0.0, -slope_deg, 0.0))), lettered(paint, "NEXT")
    )
    nose = [(half_z * 0.55, half_x - 0.002), (half_z * 0.45, half_x + 0.004)]
    level = half_z * (0.72 if kind == "arched" else 1.0)
    draft.lathe(nose, shade("plastic", "gray"), at=lying(z=level), sectors=10)
    draft.look(cylinder(half_z * 0.26, 0.0008, 8).at(lying(x=half_x + 0.004, z=level)), shade("glass", "red"))
    tail = draw.length(0.003, 0.007)  # half of what sticks out
    draft.block((tail, half_y * 0.5, half_z * 0.3), (-half_x - tail + 0.001, 0.0, level), bare)
    draft.body(body, shape="oval" if kind == "pen" else "curved" if kind == "arched" else "rectangular")
    draft.grip(90.0, height=max(_LOWEST_M, half_z))
    draft.grip(90.0, x=-half_x * 0.25, height=max(_LOWEST_M, half_z * 0.9), tilts_deg=(0.0,))
    return draft


def gamepad(draw: Draw) -> Draft:
    """A controller with its keys up: with two grips and sticks, a dog-bone, or a plain retro box."""
    draft = Draft(mass_kg=draw.mass(0.12, 0.22))
    kind = draw.cycle("kind", ("grips", "bone", "retro"))
    half_y = draw.cycle("size", (0.78, 1.0)) * draw.length(0.058, 0.07)
    paint = draw.paint("plastic", "black", "white", "blue", "red", "gray", "pink", "green")
    dark = luminance(paint.rgba) < 0.15
    keys = shade("rubber", "gray" if dark else "black")
    sticks: tuple[tuple[float, float], ...] = ()
    if kind == "grips":
        half_x, height = draw.length(0.022, 0.0265), draw.length(0.025, 0.032)
        outline = rounded_rectangle(half_x, half_y * 0.86, half_x * 0.7, 4)
        body = prism(outline, [(0.0, 0.93), (height * 0.7, 1.0), (height, 0.92)])
        draft.solid(body, paint)
        for side in (-1, 1):
            path = [
                (-half_x * 0.1, side * half_y * 0.62, height * 0.52),
                (half_x * 0.9, side * half_y * 0.76, height * 0.5),
                (half_x * 2.0, side * half_y * 0.9, height * 0.4),
                (half_x * 2.3, side * half_y * 0.92, height * 0.37),
            ]
            radii = [height * 0.5, height * 0.5, height * 0.4, height * 0.2]
            draft.look(tube(path, radii, 8), paint)
            draft.touch(*tube_parts(path, radii, 8))
            draft.solid(
                box(0.004, half_y * 0.2, height * 0.16).moved(-half_x, side * half_y * 0.52, height * 0.6), keys
            )
        pad, fires, sticks = (-0.2, 0.6), (-0.2, 0.6), ((0.5, 0.3), (0.5, -0.3))
    elif kind == "bone":
        radius, height = draw.length(0.0255, 0.029), draw.length(0.017, 0.022)
        half_x = radius * 0.66
        for side in (-1, 1):
            disc = revolve(
                [(radius * 0.94, 0.0), (radius, 0.003), (radius, height - 0.003), (radius * 0.93, height)], 16
            )
            draft.solid(disc.moved(y=side * (half_y - radius)), paint)
        draft.block((half_x, half_y - radius, height * 0.46), (0.0, 0.0, height * 0.47), paint)
        body = disc
        share = 1.0 - radius / half_y
        pad, fires = (0.0, share), (0.0, share)
    else:
        half_x, height = draw.length(0.0235, 0.028), draw.length(0.016, 0.021)
        body = rounded_box(half_x, half_y, height / 2.0, 0.004, bevel=0.0015).moved(z=height / 2.0)
        draft.solid(body, paint)
        plate = rounded_box(half_x * 0.66, half_y * 0.92, 0.0004, 0.002).moved(half_x * 0.1, 0.0, height)
        tone = tuple(channel + 0.05 if dark else channel * 0.93 for channel in rgb_of(paint))
        draft.look(plate, solid("plastic", (tone[0], tone[1], tone[2])))
        pad, fires = (0.1, 0.62), (0.1, 0.6)
    top = height + 0.001
    arm, thin = half_y * 0.17, half_y * 0.055
    for half in ((arm, thin), (thin, arm)):
        draft.look(box(half[0], half[1], 0.0016).moved(half_x * pad[0], -half_y * pad[1], top), keys)
    step, size = half_y * 0.13, half_y * 0.062
    around = ((0, 1), (1, 0), (0, -1), (-1, 0)) if kind != "retro" else ((0.4, 1.1), (0.4, -0.6))
    for (x, y), word in zip(around, ("red", "yellow", "blue", "green"), strict=False):
        key = cylinder(size * (1.5 if kind == "retro" else 1.0), 0.0016, 8)
        tint = shade("rubber", "red" if kind == "retro" and paint.rgba[0] < 0.7 else word)
        draft.look(key.moved(half_x * fires[0] + step * x, half_y * fires[1] + step * y, top), tint)
    for x, y in sticks:
        at = (half_x * x, half_y * y)
        draft.look(cylinder(half_y * 0.12, 0.001, 9).moved(*at, height), shade("rubber", "gray", 2))
        draft.look(cylinder(half_y * 0.09, 0.004, 8).moved(*at, height + 0.004), keys)
    for y in (-0.1, 0.1):
        draft.look(box(0.0017, half_y * 0.055, 0.0012).moved(half_x * 0.05, half_y * y, top), keys)
    # Sticks and keys can be touched, but not between them where a jaw goes.
    for y, reach in ((-pad[1], arm), (fires[1], step + size)):
        x = half_x * pad[0]
        draft.touch(box_part((reach * 0.8, reach * 0.8, 0.0013), pose(x, half_y * y, height + 0.0013)))
    draft.body(body, shape={"grips": "irregular", "bone": "oval", "retro": "rectangular"}[kind])
    draft.grip(0.0, height=max(_LOWEST_M, height * 0.5))
    draft.grip(0.0, y=half_y * 0.08, height=max(_LOWEST_M, height * 0.5), tilts_deg=(0.0,))
    return draft


BUILDERS = {
    "mouse": mouse,
    "tv_remote": tv_remote,
    "ac_remote": ac_remote,
    "presenter_clicker": presenter_clicker,
    "gamepad": gamepad,
}
