"""Tape, stamps and paper consumables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from imove_tasks.assets import textures
from imove_tasks.assets.builders.decals import contrast, decal, lettered, print_on
from imove_tasks.assets.builders.parts import flat, grained, luminance, rgb_of
from imove_tasks.assets.convex import box_part, disc_part, wall_parts
from imove_tasks.assets.draft import Draft, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.looks import Material, Texture
from imove_tasks.assets.palette import INK, PAPER, SHADES, STEEL
from imove_tasks.assets.primitives import box, circle, cylinder, prism, rectangle, revolve, rounded_box, slab
from imove_tasks.assets.sweeps import bar

_LOWEST_M = 0.010  # of a grip's centre above the table


def scotch_tape(draw: Draw) -> Draft:
    """A roll of sticky tape on its core, lying flat: a tall narrow roll, a wide one, or one in a small dispenser."""
    draft = Draft(mass_kg=draw.mass(0.03, 0.08))
    kind = draw.cycle("kind", ("wide", "narrow", "dispenser"))
    if kind == "dispenser":
        return _tape_dispenser(draw, draft)
    outer = draw.cycle("size", (0.78, 1.0)) * draw.length(0.026, 0.0298)
    height = draw.length(0.022, 0.03) if kind == "wide" else draw.length(0.0145, 0.019)
    inner = outer * draw.cycle("core", (0.56, 0.7))
    core = inner + 0.0022
    words = ("yellow", "blue", "brown", "red", "green", "white", "black")
    tape = draw.paint(draw.cycle("stuff", ("plastic", "paper")), *words)
    draft.look(revolve([(outer, 0.0), (outer, height), (core, height), (core, 0.0)], 20, closed=True), tape)
    ring = [(core, 0.0005), (core, height - 0.001), (inner, height - 0.001), (inner, 0.0005)]
    draft.look(revolve(ring, 20, closed=True), shade("paper", "beige" if tape.name == "plastic" else "white"))
    pale = luminance(tape.rgba) > 0.3
    tone = tuple(channel * 0.72 if pale else channel * 0.7 + 0.3 for channel in rgb_of(tape))
    wound = core + (outer - core) * 0.6
    lines = [(wound, height - 0.001), (wound, height + 0.0002), (wound - 0.0005, height + 0.0002),
             (wound - 0.0005, height - 0.001)]  # fmt: skip
    draft.look(revolve(lines, 16, closed=True), solid(tape.name, (tone[0], tone[1], tone[2])))
    # The plate shuts the hole just above the table, where nothing can reach it, and carries the roll.
    draft.touch(disc_part(outer, 0.001), *wall_parts(outer, outer, outer - inner, 0.001, height))
    flap = box(0.006, 0.0006, height / 2.0).at(pose(outer * 0.88, outer * 0.46, height / 2.0, rpy_deg=(0, 0, 12.0)))
    draft.look(flap, tape)
    edge = box(0.0009, 0.0008, height / 2.0 - 0.0002)
    draft.look(edge.moved(outer * 0.88 + 0.006, outer * 0.46 + 0.0013, height / 2.0), solid("paper", PAPER))
    draft.body(revolve([(outer, 0.0), (outer, height)]), shape="ring-shaped")
    draft.grip(0.0, 90.0, free_yaw=True)
    return draft


def _tape_dispenser(draw: Draw, draft: Draft) -> Draft:
    """A snail-shaped holder lying on its side, with the roll in its round part and a toothed steel tongue."""
    outer, height = draw.cycle("size", (0.84, 1.0)) * draw.length(0.025, 0.029), draw.length(0.0165, 0.021)
    paint = draw.paint("plastic", "red", "blue", "green", "black", "pink", "orange", key="case")
    angles = np.linspace(np.pi * 0.5, np.pi * 1.62, 12)
    arc = outer * np.stack([np.cos(angles), np.sin(angles)], 1)
    nose = outer * np.array([[0.95, -0.9], [1.75, -0.62], [1.75, -0.34], [0.98, 0.2], [0.72, 0.7]])
    outline = np.concatenate([arc, nose])
    case = prism(outline - [outer * 0.2, 0.0], [(0.0, 0.97), (0.0015, 1.0), (height - 0.0015, 1.0), (height, 0.97)])
    draft.solid(case, paint)
    x = -outer * 0.2
    roll = shade("plastic", "yellow" if luminance(paint.rgba) < 0.5 else "white")
    draft.look(cylinder(outer * 0.62, 0.0005, 18).moved(x, 0.0, height), roll)
    draft.look(cylinder(outer * 0.42, 0.0005, 16).moved(x, 0.0, height + 0.0004), paint)
    draft.look(cylinder(outer * 0.14, 0.0005, 10).moved(x, 0.0, height + 0.0008), solid("plastic", INK))
    strip = box(outer * 0.45, 0.0005, height * 0.36).at(
        pose(x + outer * 1.18, -outer * 0.06, height / 2.0, rpy_deg=(0.0, 0.0, -35.0))
    )
    draft.look(strip, roll)
    tooth = box(0.0008, outer * 0.2, height * 0.4).moved(x + outer * 1.76, -outer * 0.46, height / 2.0)
    draft.look(tooth, solid("metal", STEEL))
    draft.look(decal(outer * 0.34, outer * 0.13).moved(x + outer * 0.98, -outer * 0.5, height), lettered(paint, "TAPE"))
    draft.body(case, shape="irregular")
    draft.grip(90.0)
    draft.grip(90.0, x=-outer * 0.15, tilts_deg=(0.0,))
    return draft


def stamp(draw: Draw) -> Draft:
    """A rubber stamp: a block or a disc with a turned knob, or a self-inking frame with a bow on top."""
    draft = Draft(mass_kg=draw.mass(0.03, 0.09))
    kind = draw.cycle("kind", ("block", "disc", "frame"))
    height = draw.cycle("size", (0.82, 1.1)) * draw.length(0.052, 0.062)
    word = draw.cycle("word", ("PAID", "OK", "COPY", "FINAL"))
    if kind == "frame":
        return _self_inking_stamp(draw, draft, height, word)
    half_x, half_y = draw.length(0.02, 0.0275), draw.length(0.0155, 0.0195)
    stuff = draw.cycle("stuff", ("wood", "plastic", "metal"))
    words = ("brown", "beige", "orange") if stuff == "wood" else ("black", "red", "blue", "green", "yellow")
    paint = draw.paint(stuff, *words, key=f"paint {stuff}")
    skin = grained(paint, draw) if stuff == "wood" else paint
    rubber = shade("rubber", "red" if luminance(paint.rgba) < 0.25 else "black")
    if kind == "block":
        draft.block((half_x * 0.96, half_y * 0.94, 0.003), (0.0, 0.0, 0.003), rubber)
        base = rounded_box(half_x, half_y, 0.007, 0.003, bevel=0.001).moved(z=0.013)
        draft.look(flat(base, skin), skin)
        draft.touch(box_part((half_x, half_y, 0.007), pose(z=0.013)))
    else:
        draft.lathe([(half_x * 0.92, 0.0), (half_x * 0.92, 0.006)], rubber, sectors=18)
        base = revolve([(half_x, 0.006), (half_x, 0.016), (half_x * 0.8, 0.02)], 18)
        draft.solid(base, paint)
    knob = draw.length(0.0115, 0.014)
    if draw.cycle("knob", ("ball", "post")) == "ball":
        profile = [
            (0.010, 0.0198), (0.0075, height * 0.5), (knob * 0.85, height * 0.66), (knob, height * 0.8),
            (knob * 0.85, height * 0.94), (knob * 0.4, height),
        ]  # fmt: skip
    else:
        profile = [(0.009, 0.0198), (knob * 0.92, height * 0.7), (knob * 0.98, height * 0.94), (knob * 0.8, height)]
    draft.lathe(profile, paint, sectors=14)
    label = decal(half_x * 0.5, 0.0045).at(pose(y=-half_y - 0.0002, z=0.013, rpy_deg=(90.0, 0.0, 0.0)))
    if kind == "block":
        draft.look(label, textures.painted(print_on(PAPER, [word], size=(24, 48), frame=False), "paper"))
        dot = cylinder(0.0016, 0.0004, 8).moved(half_x * 0.82, 0.0, 0.02)  # marks the upper edge of the print
        draft.look(dot, rubber)
    draft.body(base, shape="rectangular" if kind == "block" else "round")
    draft.grip(90.0, 0.0, height=height * 0.78)
    return draft


def _self_inking_stamp(draw: Draw, draft: Draft, height: float, word: str) -> Draft:
    """A foot with a window, legs on two sides and a rounded bow whose plate shows the print."""
    half_x, half_y = draw.length(0.021, 0.027), draw.length(0.014, 0.0185)
    paint = draw.paint("plastic", "red", "blue", "black", "green", "purple", "orange", key="bow")
    dark = shade("plastic", "black" if luminance(paint.rgba) > 0.15 else "gray")
    foot = rounded_box(half_x, half_y, height * 0.14, 0.003, bevel=0.001).moved(z=height * 0.14)
    draft.solid(foot, dark)
    draft.block((half_x * 0.7, half_y * 0.7, height * 0.16), (0.0, 0.0, height * 0.4), shade("plastic", "gray"))
    side = [
        (-half_x * 0.9, height * 0.27), (half_x * 0.9, height * 0.27), (half_x * 0.9, height * 0.82),
        (half_x * 0.72, height * 0.95), (half_x * 0.45, height), (-half_x * 0.45, height),
        (-half_x * 0.72, height * 0.95), (-half_x * 0.9, height * 0.82),
    ]  # fmt: skip
    bow = slab(side, half_y * 0.84)
    draft.solid(bow, paint)
    for y in (-1, 1):
        window = box(half_x * 0.55, 0.0004, height * 0.14).moved(0.0, y * half_y * 0.84, height * 0.48)
        draft.look(window, shade("plastic", "gray"))
    white = textures.painted(print_on(PAPER, [word], size=(32, 48)), "paper")
    draft.look(decal(half_x * 0.42, half_y * 0.52).moved(z=height), white)
    draft.body(foot, shape="rectangular")
    draft.grip(90.0, 0.0, height=height * 0.7)
    return draft


def staples_box(draw: Draw) -> Draft:
    """A small cardboard box, shut with a printed lid to put things on, or open and half full of strips of staples."""
    draft = Draft(mass_kg=draw.mass(0.06, 0.15))
    half_x = draw.cycle("size", (0.8, 1.25)) * draw.length(0.027, 0.034)
    half_y, half_z = draw.length(0.019, 0.027), draw.length(0.0095, 0.0155)
    stuff = draw.cycle("stuff", ("paper", "paper", "plastic"))
    paint = draw.paint(stuff, "blue", "green", "red", "yellow", "white", "orange", "pink")
    base, ink = rgb_of(paint), contrast(rgb_of(paint))
    if draw.cycle("kind", ("shut", "open", "sleeved")) == "open":
        return _open_staples_box(draft, half_x, half_y, half_z * 2.0, paint)
    draft.block((half_x, half_y, half_z), (0.0, 0.0, half_z), paint)
    top = 2.0 * half_z
    # A drawn strip of staples and a word; the lid itself stays flat.
    label = textures.label(base, ink, ["STAPLES"], size=(32, 64), frame=False).pixels.copy()
    label[25:30, 6:58:2] = np.round(np.array(STEEL) * 255.0)
    label[24:25, 5:59] = np.round(np.array(ink) * 255.0)
    picture = textures.painted(Texture(label), paint.name)
    draft.look(decal(half_x * 0.96, half_y * 0.96).moved(z=top), picture)
    if draw.cycle("trim", ("lid", "stripe")) == "lid":
        draft.look(box(half_x + 0.0002, half_y + 0.0002, 0.0005).moved(z=half_z * 1.4), solid(stuff, ink))
    else:
        stripe = box(half_x * 0.1, half_y + 0.0002, half_z + 0.0001).moved(half_x * 0.86, 0.0, half_z + 0.0002)
        draft.look(stripe, solid(stuff, ink))
    draft.body(box(half_x, half_y, half_z))
    draft.floor((0.0, 0.0, top), (half_x * 0.95, half_y * 0.95), round_=False)
    draft.grip(90.0, 0.0)
    draft.grip(90.0, x=half_x * 0.3, tilts_deg=(0.0,))
    return draft


def _open_staples_box(draft: Draft, half_x: float, half_y: float, height: float, paint: Material) -> Draft:
    """Walls and floor of one colour; strips of staples fill the -x half, the other half is free."""
    wall, floor = 0.0018, 0.0015
    draft.block((half_x, half_y, floor / 2.0), (0.0, 0.0, floor / 2.0), paint)
    middle, half_z = (height + floor) / 2.0, (height - floor) / 2.0
    for side in (-1.0, 1.0):
        draft.block((wall / 2.0, half_y, half_z), (side * (half_x - wall / 2.0), 0.0, middle), paint)
        draft.block((half_x - wall, wall / 2.0, half_z), (0.0, side * (half_y - wall / 2.0), middle), paint)
        label = decal(half_x * 0.62, half_z * 0.62)
        at = pose(0.0, side * (half_y + 0.0001), middle, rpy_deg=(90.0, 0.0, 0.0 if side < 0 else 180.0))
        draft.look(label.at(at), lettered(paint, "STAPLES"))
    fill = (height - floor) * 0.34
    ridges = textures.painted(textures.stripes(STEEL, SHADES["gray"][2], share=0.4), "metal")
    reach = half_x * 0.34
    strips = box(reach, half_y - wall - 0.0006, fill).moved(-half_x + wall + reach, 0.0, floor + fill)
    draft.look(flat(strips, ridges, repeat=(1.0, 9.0)), ridges)
    draft.touch(box_part((reach, half_y - wall - 0.0006, fill), pose(-half_x + wall + reach, 0.0, floor + fill)))
    free_low, free_high = -half_x + wall + 2.0 * reach, half_x - wall
    center, half = (free_low + free_high) / 2.0, (free_high - free_low) / 2.0
    draft.floor((center, 0.0, floor), (half * 0.95, (half_y - wall) * 0.95), round_=False)
    draft.body(box(half_x, half_y, height / 2.0))
    draft.grip(90.0, x=-half_x * 0.2)
    draft.grip(90.0, tilts_deg=(0.0,))
    return draft


def sticky_notes(draw: Draw) -> Draft:
    """A thick pad of notes, square, oblong, round or heart-shaped, written on, its top sheet curling."""
    draft = Draft(mass_kg=draw.mass(0.03, 0.08))
    kind = draw.cycle("kind", ("square", "oblong", "round", "square", "oblong", "heart"))
    half_y = draw.cycle("size", (0.8, 1.0)) * draw.length(0.0255, 0.0298)
    half_x = half_y * (draw.length(1.3, 1.5) if kind == "oblong" else 1.0)
    half_z = draw.length(0.0075, 0.014)
    paint = draw.paint("paper", "yellow", "pink", "green", "blue", "orange", "purple")
    outline = {"round": circle(half_y, 20), "heart": _heart(half_y)}.get(kind, rectangle(half_x, half_y))
    pad = prism(outline, [(0.0, 1.0), (2.0 * half_z, 1.0)])
    draft.solid(pad, paint)
    under = solid("paper", PAPER) if draw.cycle("band", ("pale", "bright")) == "pale" else shade("paper", "green", 1)
    if luminance(under.rgba) < 0.8 and luminance(paint.rgba) < 0.3:
        under = shade("paper", "yellow")
    draft.look(prism(outline * 1.004, [(half_z * 0.5, 1.0), (half_z * 0.95, 1.0)]), under)
    top = 2.0 * half_z
    word = draw.cycle("word", ("TODO", "CALL", "NOTE", "BUY"))
    words = [word, draw.cycle("second", ("MILK", "MUM", "NOW"))] if draw.cycle("lines", (1, 2)) == 2 else [word]
    tall = (48, 48) if kind != "oblong" else (32, 48)
    print_ = textures.painted(print_on(rgb_of(paint), words, size=tall, frame=False), "paper")
    share = {"round": 0.62, "heart": 0.42}.get(kind, 0.8)
    if kind in ("square", "oblong"):
        path = [(-half_x, 0.0, top), (half_x * 0.4, 0.0, top + 0.0003), (half_x * 0.75, 0.0, top + 0.0025),
                (half_x * 0.97, 0.0, top + draw.length(0.005, 0.009))]  # fmt: skip
        draft.look(bar(path, half_y, 0.0002), paint)
        draft.look(decal(half_x * 0.62, half_y * share).moved(-half_x * 0.33, 0.0, top + 0.0004), print_)
    else:
        draft.look(
            decal(half_x * share, half_y * share).moved(half_x * 0.2 if kind == "heart" else 0.0, 0.0, top), print_
        )
    draft.body(pad, shape="irregular" if kind == "heart" else None)
    draft.grip(90.0, height=max(_LOWEST_M, half_z))
    draft.grip(90.0, x=half_x * 0.15, height=max(_LOWEST_M, half_z), tilts_deg=(0.0,))
    draft.grip(0.0, height=max(_LOWEST_M, half_z), tilts_deg=(0.0,))
    return draft


def _heart(half: float) -> NDArray[np.float64]:
    """(20, 2) points of a heart that points to -x, counter-clockwise, m."""
    t = np.linspace(0.0, 2.0 * np.pi, 20, endpoint=False)
    x = 13.0 * np.cos(t) - 5.0 * np.cos(2.0 * t) - 2.0 * np.cos(3.0 * t) - np.cos(4.0 * t)
    y = 16.0 * np.sin(t) ** 3
    points = np.stack([x + 2.5, y], 1)
    heart: NDArray[np.float64] = points * half / 16.0
    return heart


BUILDERS = {
    "scotch_tape": scotch_tape,
    "stamp": stamp,
    "staples_box": staples_box,
    "sticky_notes": sticky_notes,
}
