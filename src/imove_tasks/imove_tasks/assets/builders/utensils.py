"""Kitchen helpers."""

from __future__ import annotations

from imove_tasks.assets.draft import Draft
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.palette import INK, PAPER
from imove_tasks.assets.primitives import box, cylinder, rounded_box


def spice_jar(draw: Draw) -> Draft:
    """A glass jar full of spice, round or square, with a label and a holed lid."""
    draft = Draft(mass_kg=draw.mass(0.08, 0.16))
    radius, height = draw.length(0.019, 0.024), draw.length(0.048, 0.062)
    spice = draw.paint("glass", "red", "green", "brown", "yellow", "orange", "beige")
    lid = shade(draw.cycle("lid", ("metal", "plastic")), draw.cycle("lid_color", ("gray", "black")))
    neck = height * 0.94
    if draw.cycle("shape", ("round", "square")) == "square":
        body = rounded_box(radius, radius, neck / 2.0, radius * 0.25, bevel=0.0015).moved(z=neck / 2.0)
        draft.solid(body, spice)
    else:
        body = draft.lathe(
            [(radius * 0.95, 0.0), (radius, 0.003), (radius, neck - 0.004), (radius * 0.86, neck)], spice
        )
    lid_radius = radius * 0.8
    draft.lathe(
        [(lid_radius, neck), (lid_radius, height + 0.006), (lid_radius * 0.9, height + 0.008)],
        lid,
        sectors=18,
    )
    for x, y in ((0.0, 0.0), (0.35, 0.2), (-0.35, 0.2), (0.0, -0.4)):
        hole = cylinder(0.0018, 0.0005, 6).moved(x * lid_radius, y * lid_radius, height + 0.008)
        draft.look(hole, solid("plastic", INK))
    for side in (-1, 1):
        label = box(radius * 0.45, 0.0006, height * 0.18).moved(y=side * (radius + 0.0002), z=height * 0.42)
        draft.look(label, solid("paper", PAPER))
    draft.body(body)
    draft.grip(0.0, 90.0, height=height * 0.6)
    return draft


BUILDERS = {"spice_jar": spice_jar}
