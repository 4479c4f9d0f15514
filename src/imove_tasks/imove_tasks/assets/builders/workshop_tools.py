"""Tools that measure, strike and glue."""

from __future__ import annotations

import numpy as np

from imove_tasks.assets import textures
from imove_tasks.assets.builders.packs import add_bar, flat_radius, ink_on, printed, toned
from imove_tasks.assets.convex import box_part
from imove_tasks.assets.draft import Draft, lying, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.looks import Material
from imove_tasks.assets.mapping import laid
from imove_tasks.assets.palette import INK, SHADES, STEEL
from imove_tasks.assets.primitives import box, cylinder, prism, rounded_rectangle

_BRIGHT = ("red", "yellow", "blue", "green", "orange", "black", "purple")


def _graduated() -> Material:
    """Yellow steel with long and short ticks across u."""
    u, v = np.meshgrid(np.arange(64), np.arange(16))
    ticks = (u % 8 < 2) & ((v < 6) | ((u % 32 < 2) & (v < 11)))
    return textures.painted(textures.two_tone(ticks, SHADES["yellow"][1], INK), "metal")


def measuring_tape(draw: Draw) -> Draft:
    """A case with a graduated steel tape that peeks out: standing, or lying square or round."""
    kind = draw.cycle("kind", ("standing", "square", "round"))
    draft = Draft(mass_kg=draw.mass(0.1, 0.2))
    paint = draw.paint("plastic", "red", "black", "green", "blue", "orange", "gray", "purple", "pink")
    half = draw.length(0.024, 0.0285) * draw.cycle("size", (1.0, 0.86))
    out = draw.length(0.014, 0.03)
    steel = solid("metal", STEEL)
    if kind == "standing":
        return _standing_tape(draft, draw, paint, half, out)
    half_z = draw.length(0.013, 0.018)
    corner = 1.0 if kind == "round" else draw.cycle("corner", (0.35, 0.6))
    outline = rounded_rectangle(half, half, half * corner, 5)
    body = prism(outline, [(0.0, 0.94), (0.0025, 1.0), (half_z * 2 - 0.0025, 1.0), (half_z * 2.0, 0.94)])
    draft.solid(body, paint)
    draft.look(
        cylinder(half * 0.66, 0.0006, 18).moved(z=half_z * 2.0),
        solid("rubber", INK if sum(paint.rgba[:3]) > 0.6 else SHADES["gray"][0]),
    )
    badge = laid(cylinder(half * 0.54, 0.0006, 18).moved(z=half_z * 2.0 + 0.0006))
    draft.look(badge, _badge(paint))
    y = -half * (0.72 if kind == "square" else 0.5)
    start = half * (1.0 if kind == "square" else 0.8)
    blade = box((out + half - start) / 2.0 + 0.004, 0.0008, half_z * 0.62)
    middle = (start + half + out) / 2.0 - 0.004
    draft.look(laid(blade.moved(middle, y, half_z), axis=1, repeat=(1.0, 1.0)), _graduated())
    draft.block((0.0008, 0.005, half_z * 0.62), (half + out, y, half_z), steel)
    draft.touch(
        box_part(((out + half - start) / 2.0, 0.0008, half_z * 0.62), pose((start + half + out) / 2.0, y, half_z))
    )
    draft.body(body, shape="round" if kind == "round" else "square")
    draft.grip(0.0, 90.0)
    return draft


def _badge(paint: Material) -> Material:
    """A word on the badge of a case."""
    yellow = shade("paper", "yellow")
    return printed(
        yellow if paint.rgba[2] < 0.5 or paint.rgba[0] < 0.8 else shade("paper", "white"), ["TAPE"], size=(32, 32)
    )


def _standing_tape(draft: Draft, draw: Draw, paint: Material, half: float, out: float) -> Draft:
    """A case upright on its flat foot, the tape level at its toe."""
    half_y = draw.length(0.0145, 0.0185)
    tall = half * 1.9
    outline = np.array(
        [(-half, 0.0), (half, 0.0), (half, tall * 0.5), (half * 0.82, tall * 0.8), (half * 0.3, tall),
         (-half * 0.4, tall), (-half * 0.86, tall * 0.82), (-half, tall * 0.5)]
    )  # fmt: skip
    upright = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
    center = outline.mean(0)
    levels = [(-half_y, 0.92), (-half_y + 0.003, 1.0), (half_y - 0.003, 1.0), (half_y, 0.92)]
    body = prism(outline - center, levels).at(upright).moved(float(center[0]), 0.0, float(center[1]))
    draft.solid(body, paint)
    for turn in (-1.0, 1.0):
        disc = cylinder(half * 0.62, 0.0008, 16).at(pose(0.0, turn * half_y, tall * 0.5, rpy_deg=(90.0, 0.0, 0.0)))
        draft.look(disc, shade("paper", "yellow"))
    stripe = box(half * 0.5, half_y * 0.5, 0.0006).moved(z=tall, x=-half * 0.05)
    draft.look(laid(stripe), printed(paint, ["TAPE"], size=(32, 64)))
    blade = box(out / 2.0 + 0.003, 0.0095, 0.0008).moved(half + out / 2.0 - 0.003, 0.0, 0.005)
    draft.look(laid(blade, repeat=(max(1.0, round(out / 0.012)), 1.0)), _graduated())
    draft.touch(box_part((out / 2.0, 0.0095, 0.0008), pose(half + out / 2.0, 0.0, 0.005)))
    draft.block((0.0008, 0.0095, 0.0045), (half + out, 0.0, 0.0045), solid("metal", STEEL))
    draft.body(body, shape="rectangular")
    draft.grip(90.0, height=tall * 0.52)
    draft.grip(90.0, x=-half * 0.2, height=tall * 0.52, tilts_deg=(0.0,))
    return draft


def mini_hammer(draw: Draw) -> Draft:
    """A short hammer lying on its side: claw, ball-peen, or a mallet of one material."""
    kind = draw.cycle("kind", ("claw", "ball", "mallet"))
    draft = Draft(mass_kg=draw.mass(0.13, 0.26))
    half, length = draw.length(0.0108, 0.0125), draw.length(0.112, 0.138)
    reach = draw.length(0.0265, 0.0305)
    stuff = draw.cycle("stuff", ("wood", "rubber", "plastic"))
    words = ("brown", "beige", "orange") if stuff == "wood" else ("red", "black", "blue", "yellow", "green")
    paint = draw.paint(stuff, *words, key=f"paint {stuff}")
    axis = flat_radius(half, 12)
    at = lying(z=axis)
    handle = [
        (half * 0.85, 0.0),
        (half, 0.006),
        (half, length * 0.46),
        (half * 0.76, length * 0.64),
        (half * 0.76, length),
    ]
    draft.lathe(handle, paint, at=at, sectors=12)
    if stuff == "wood":
        draft.look(cylinder(half * 0.9, 0.004, 12).at(lying(x=length * 0.1, z=axis)).scaled(z=1.0), toned(paint, 0.8))
    head_volume = _hammer_head(draft, kind, length, reach, half, paint)
    handle_volume = np.pi * half**2 * length * 0.82
    balance = (handle_volume * 0.45 + head_volume) * length / (handle_volume + head_volume)
    draft.body(cylinder(half, length / 2.0, 12).at(at), shape="cylindrical")
    hold = min(float(balance), length - half - 0.013)
    draft.grip(90.0, x=hold, height=max(0.0102, axis))
    draft.grip(90.0, x=hold - 0.008, height=max(0.0102, axis), tilts_deg=(0.0,))
    return draft


def _hammer_head(draft: Draft, kind: str, x: float, reach: float, half: float, paint: Material) -> float:
    """Adds the head across the handle's end and gives back its volume, m3."""
    steel = solid("metal", STEEL)
    if kind == "mallet":
        radius = half * 1.42
        profile = [(radius * 0.9, -reach), (radius, -reach * 0.85), (radius, reach * 0.85), (radius * 0.9, reach)]
        head = pose(x, 0.0, flat_radius(radius, 12), rpy_deg=(90.0, 0.0, 0.0))
        draft.lathe(profile, paint, at=head, sectors=12)
        for side in (-1.0, 1.0):
            ring = cylinder(radius * 1.015, 0.0015, 12).moved(z=side * reach * 0.6)
            draft.look(ring.at(head), toned(paint, 0.7) if sum(paint.rgba[:3]) > 0.5 else shade("rubber", "gray"))
        return float(np.pi * radius**2 * reach * 2.0)
    draft.block((half, reach * 0.42, half), (x, 0.0, half), steel)
    face = [(half * 0.72, 0.0), (half * 0.72, reach * 0.28), (half, reach * 0.34), (half, reach * 0.62)]
    draft.lathe(face, steel, at=pose(x, -reach * 0.4, half, rpy_deg=(90.0, 0.0, 0.0)), sectors=12)
    back = pose(x, reach * 0.42, half, rpy_deg=(-90.0, 0.0, 0.0))
    if kind == "ball":
        ball = [(half * 0.6, 0.0), (half * 0.6, reach * 0.15), (half * 0.86, reach * 0.3), (half * 0.86, reach * 0.45),
                (half * 0.5, reach * 0.62)]  # fmt: skip
        draft.lathe(ball, steel, at=back, sectors=12)
    else:
        for side in (-1.0, 1.0):
            stages = np.array([(0.5, 0.36, 1.0), (0.62, 0.8, 0.9), (0.8, 1.2, 0.62)])
            path = stages * [side * half, reach, half] + [x, 0.0, 0.0]
            add_bar(
                draft, path, half * np.array([0.5, 0.36, 0.2]), half * np.array([0.95, 0.6, 0.25]), steel, bevel=0.0
            )
    draft.look(cylinder(half * 0.5, 0.001, 10).at(lying(x=x + half, z=half)), paint)
    return float(4.0 * half**2 * reach * 1.7)


def glue_gun(draw: Draw) -> Draft:
    """A pistol-shaped gun on its side with a nozzle, a trigger and a stick of glue in its back."""
    draft = Draft(mass_kg=draw.mass(0.1, 0.22))
    paint = draw.paint("plastic", "blue", "red", "green", "black", "yellow", "orange", "pink", "purple")
    dark = draw.cycle("accent", (True, False))
    accent = shade("plastic", "black" if sum(paint.rgba[:3]) > 0.5 else "yellow") if dark else shade("plastic", "gray")
    front, back = draw.length(0.04, 0.052), draw.length(0.03, 0.04)
    wide, thick = draw.length(0.0125, 0.015), draw.length(0.0105, 0.013)
    slim = draw.cycle("barrel", (1.0, 0.72))
    barrel = np.column_stack([[-back, -back * 0.86, front * 0.5, front], np.zeros(4), np.full(4, thick)])
    heights = thick * np.array([0.8, 1.0, 1.0, 0.62])
    body = add_bar(draft, barrel, wide * np.array([0.75, 1.0, 0.96, 0.55 * slim + 0.1]), heights, paint, bevel=0.6)
    lean = draw.length(0.004, 0.02)
    grip_length = draw.length(0.05, 0.062)
    handle = np.array([(-back * 0.5, -wide * 0.5, thick), (-back * 0.5 - lean * 0.5, -grip_length * 0.6, thick),
                       (-back * 0.5 - lean, -wide - grip_length, thick)])  # fmt: skip
    add_bar(draft, handle, np.array([0.0125, 0.0112, 0.0128]), thick, paint, bevel=0.6)
    pad = box(0.006, grip_length * 0.22, 0.0006).moved(-back * 0.5 - lean * 0.55, -grip_length * 0.72, thick * 1.97)
    draft.look(pad, shade("rubber", "gray", 2))
    trigger = np.array([(-back * 0.5 + 0.013, -wide * 0.8, thick), (-back * 0.5 + 0.0155, -wide - 0.008, thick),
                        (-back * 0.5 + 0.011, -wide - 0.022, thick)])  # fmt: skip
    add_bar(draft, trigger, np.array([0.0045, 0.004, 0.003]), thick * 0.6, accent, bevel=0.0)
    at = lying(x=front, z=thick)
    draft.lathe(
        [(thick * 0.5, 0.0), (thick * 0.46, 0.007), (thick * 0.16, 0.018)], solid("metal", STEEL), at=at, sectors=10
    )
    draft.look(cylinder(thick * 0.56, 0.003, 10).at(lying(x=front, z=thick)), accent)
    stick = lying(x=-back - 0.02, z=thick)
    draft.lathe([(0.0052, 0.0), (0.0052, 0.022)], shade("plastic", "white"), at=stick, sectors=8)
    label = laid(box(front * 0.36, wide * 0.5, 0.0004).moved(x=front * 0.1, z=thick * 2.0))
    draft.look(label, printed(paint, ["GLUE"], size=(28, 64), ink=ink_on(paint)))
    draft.body(body, shape="irregular")
    draft.grip(0.0, x=-back * 0.5, y=-wide - 0.010, height=max(0.0102, thick))
    draft.grip(90.0, x=front * 0.2, height=max(0.0102, thick), tilts_deg=(0.0,))
    draft.grip(0.0, x=-back * 0.5 - lean * 0.3, y=-wide - 0.022, height=max(0.0102, thick))
    return draft


BUILDERS = {"measuring_tape": measuring_tape, "mini_hammer": mini_hammer, "glue_gun": glue_gun}
