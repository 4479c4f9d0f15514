"""Small office tools and consumables."""

from __future__ import annotations

from imove_tasks.assets.convex import disc_part, wall_parts
from imove_tasks.assets.draft import Draft
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.palette import INK, PAPER, STEEL
from imove_tasks.assets.primitives import box, revolve, rounded_box


def scotch_tape(draw: Draw) -> Draft:
    """A roll of sticky tape on a cardboard core, lying flat."""
    draft = Draft(mass_kg=draw.mass(0.04, 0.08))
    outer, height = draw.length(0.024, 0.0295), draw.length(0.018, 0.025)
    inner = outer * draw.cycle("core", (0.56, 0.68))
    core = inner + 0.0025
    tape = draw.paint("plastic", "yellow", "blue", "brown", "red", "green", "white")
    draft.look(revolve([(outer, 0.0), (outer, height), (core, height), (core, 0.0)], 20, closed=True), tape)
    ring = [(core, 0.0005), (core, height - 0.001), (inner, height - 0.001), (inner, 0.0005)]
    draft.look(revolve(ring, 20, closed=True), shade("paper", "beige"))
    # The plate shuts the hole just above the table, where nothing can reach it, and carries the roll.
    draft.touch(disc_part(outer, 0.001), *wall_parts(outer, outer, outer - inner, 0.001, height))
    draft.look(box(0.006, 0.0008, height / 2.0).moved(outer * 0.9, outer * 0.44, height / 2.0), solid("paper", PAPER))
    draft.body(revolve([(outer, 0.0), (outer, height)]), shape="ring-shaped")
    draft.grip(0.0, 90.0, free_yaw=True)
    return draft


def stamp(draw: Draw) -> Draft:
    """A rubber stamp: block with a coloured rim and a turned knob to hold."""
    draft = Draft(mass_kg=draw.mass(0.04, 0.09))
    half_x, half_y = draw.length(0.019, 0.026), draw.length(0.014, 0.019)
    height = draw.length(0.054, 0.068)
    stuff = draw.cycle("stuff", ("wood", "plastic"))
    words = ("brown", "black", "beige", "red", "brown", "blue")
    paint = draw.paint(stuff, *words)
    draft.block((half_x, half_y, 0.003), (0.0, 0.0, 0.003), solid("rubber", INK))
    base = rounded_box(half_x, half_y, 0.007, 0.003, bevel=0.001).moved(z=0.013)
    draft.solid(base, paint)
    knob = draw.length(0.0115, 0.014)
    profile = [
        (0.010, 0.019), (0.0075, height * 0.5), (knob * 0.85, height * 0.66), (knob, height * 0.8),
        (knob * 0.85, height * 0.94), (knob * 0.4, height),
    ]  # fmt: skip
    draft.lathe(profile, paint, sectors=16)
    label = box(half_x * 0.5, 0.0005, 0.004).moved(y=-half_y - 0.0005, z=0.013)
    draft.look(label, solid("paper", PAPER))
    draft.body(base, shape="rectangular")
    draft.grip(90.0, 0.0, height=height * 0.78, free_yaw=False)
    return draft


def staples_box(draw: Draw) -> Draft:
    """A cardboard box with a picture of a strip of staples on its lid."""
    draft = Draft(mass_kg=draw.mass(0.08, 0.15))
    half_x, half_y, half_z = draw.length(0.028, 0.034), draw.length(0.018, 0.024), draw.length(0.011, 0.015)
    paint = draw.paint("paper", "blue", "green", "red", "yellow", "white", "orange")
    draft.block((half_x, half_y, half_z), (0.0, 0.0, half_z), paint)
    label = box(half_x * 0.72, half_y * 0.6, 0.0004).moved(z=2.0 * half_z + 0.0002)
    draft.look(label, solid("paper", PAPER))
    for row in range(5):
        staple = box(half_x * 0.07, half_y * 0.42, 0.0006).moved((row - 2) * half_x * 0.24, 0.0, 2 * half_z + 0.0007)
        draft.look(staple, solid("metal", STEEL))
    draft.body(box(half_x, half_y, half_z))
    draft.grip(90.0, 0.0)
    return draft


def sticky_notes(draw: Draw) -> Draft:
    """A thick pad of notes in two tones with a few written lines."""
    draft = Draft(mass_kg=draw.mass(0.04, 0.08))
    half_y = draw.length(0.022, 0.029)
    half_x = half_y * draw.cycle("aspect", (1.0, 1.35, 1.0))
    half_z = draw.length(0.008, 0.012)
    paint = draw.paint("paper", "yellow", "pink", "green", "blue", "orange", "purple")
    draft.block((half_x, half_y, half_z), (0.0, 0.0, half_z), paint)
    band = box(half_x + 0.0003, half_y + 0.0003, half_z * 0.2).moved(z=half_z * 0.8)
    draft.look(band, solid("paper", PAPER))
    for row in range(3):
        width = half_x * (0.7, 0.6, 0.4)[row]
        line = box(width, half_y * 0.05, 0.0004).moved(width - half_x * 0.75, half_y * (0.4 - 0.35 * row), 2 * half_z)
        draft.look(line, solid("paper", INK))
    draft.body(box(half_x, half_y, half_z))
    draft.grip(90.0, 0.0)
    return draft


BUILDERS = {
    "scotch_tape": scotch_tape,
    "stamp": stamp,
    "staples_box": staples_box,
    "sticky_notes": sticky_notes,
}
