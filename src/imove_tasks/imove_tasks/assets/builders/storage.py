"""Boxes and cases."""

from __future__ import annotations

from imove_tasks.assets.builders.parts import vessel
from imove_tasks.assets.draft import Draft
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.palette import STEEL
from imove_tasks.assets.primitives import box, prism, rounded_rectangle


def storage_box(draw: Draw) -> Draft:
    """An open bin with a label: a destination."""
    draft = Draft(mass_kg=draw.mass(0.2, 0.4))
    half_x, half_y, height = draw.length(0.06, 0.072), draw.length(0.068, 0.085), draw.length(0.045, 0.06)
    paint = draw.paint(
        draw.cycle("stuff", ("plastic", "fabric", "wood")), "blue", "gray", "white", "brown", "pink", "green"
    )
    outline = rounded_rectangle(1.0, half_y / half_x, 0.05, 2)
    draft.body(vessel(draft, [(half_x, 0.0), (half_x, height)], paint, wall=0.004, floor=0.004, outline=outline))
    for side in (-1, 1):
        label = box(0.0006, half_y * 0.4, height * 0.2).moved(side * half_x, 0.0, height * 0.6)
        draft.look(label, shade("paper", "yellow"))
    return draft


def glasses_case(draw: Draw) -> Draft:
    """A long soft-edged clamshell with a seam and a clasp."""
    draft = Draft(mass_kg=draw.mass(0.06, 0.12))
    half_x, half_y, half_z = draw.length(0.07, 0.08), draw.length(0.025, 0.0295), draw.length(0.016, 0.021)
    paint = draw.paint(
        draw.cycle("stuff", ("leather", "fabric", "plastic")),
        "black",
        "brown",
        "red",
        "blue",
        "green",
        "pink",
    )
    outline = rounded_rectangle(half_x, half_y, half_y * 0.75, 4)
    levels = [(0.0, 0.78), (half_z * 0.5, 0.97), (half_z, 1.0), (half_z * 1.6, 0.94), (half_z * 2.0, 0.74)]
    body = prism(outline, levels)
    draft.solid(body, paint)
    seam = prism(outline, [(half_z * 0.98, 1.006), (half_z * 1.08, 1.006)])
    draft.look(seam, shade("metal", "gray"))
    draft.look(box(0.007, 0.0015, half_z * 0.25).moved(y=-half_y, z=half_z), solid("metal", STEEL))
    draft.look(box(half_x * 0.18, half_y * 0.08, 0.0004).moved(x=half_x * 0.4, z=half_z * 2.0), solid("metal", STEEL))
    draft.body(body, shape="rectangular")
    draft.grip(90.0, height=half_z)
    draft.grip(90.0, x=half_x * 0.4, height=half_z, tilts_deg=(0.0,))
    draft.grip(90.0, x=-half_x * 0.4, height=half_z, tilts_deg=(0.0,))
    return draft


BUILDERS = {"storage_box": storage_box, "glasses_case": glasses_case}
