"""Hand tools, lying on the table."""

from __future__ import annotations

from imove_tasks.assets.draft import Draft, lying, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.palette import INK, PAPER, STEEL
from imove_tasks.assets.primitives import box, cylinder, prism, rectangle, revolve, rounded_rectangle


def screwdriver(draw: Draw) -> Draft:
    """A fat two-tone handle and a steel blade that hovers above the table."""
    draft = Draft(mass_kg=draw.mass(0.06, 0.12), rolls=True)
    radius, handle, blade = draw.length(0.012, 0.015), draw.length(0.07, 0.085), draw.length(0.055, 0.07)
    paint = draw.paint("plastic", "red", "yellow", "blue", "green", "orange", "black")
    at = lying(z=radius)
    back = [(radius * 0.8, 0.0), (radius, 0.006), (radius, handle * 0.62), (radius * 0.82, handle * 0.74)]
    draft.lathe(back, paint, at=at, sectors=10)
    front = [(radius * 0.82, handle * 0.74), (radius, handle * 0.86), (radius * 0.7, handle)]
    draft.lathe(front, paint, at=at, sectors=10)
    draft.lathe([(0.0032, handle), (0.0032, handle + blade)], solid("metal", STEEL), at=at, sectors=8)
    tip = box(0.005, 0.0036, 0.0009).moved(handle + blade + 0.003, 0.0, radius)
    draft.look(tip, solid("metal", STEEL))
    for x in (0.2, 0.34, 0.48):
        ring = revolve([(radius + 0.0004, handle * x - 0.002), (radius + 0.0004, handle * x + 0.002)], 10)
        draft.look(ring.at(at), solid("rubber", INK))
    draft.body(cylinder(radius, (handle + blade) / 2.0, 10).at(at))
    draft.grip(90.0, x=handle * 0.45, height=max(0.010, radius))
    draft.grip(90.0, x=handle * 0.25, height=max(0.010, radius), tilts_deg=(0.0,))
    return draft


def measuring_tape(draw: Draw) -> Draft:
    """A rounded case lying flat with a round badge and a yellow blade that peeks out."""
    draft = Draft(mass_kg=draw.mass(0.1, 0.2))
    half, half_z = draw.length(0.025, 0.0285), draw.length(0.014, 0.018)
    paint = draw.paint("plastic", "red", "black", "green", "blue", "orange", "gray")
    outline = rounded_rectangle(half, half, half * draw.cycle("corner", (0.5, 0.75)), 4)
    body = prism(outline, [(0.0, 0.94), (0.0025, 1.0), (half_z * 2 - 0.0025, 1.0), (half_z * 2.0, 0.94)])
    draft.solid(body, paint)
    draft.look(cylinder(half * 0.6, 0.0006, 18).moved(z=half_z * 2.0), solid("rubber", INK))
    draft.look(cylinder(half * 0.42, 0.0006, 16).moved(z=half_z * 2.0 + 0.0006), shade("paper", "yellow"))
    blade = shade("metal", "yellow")
    draft.block((0.009, 0.0008, half_z * 0.62), (half + 0.008, -half * 0.72, half_z), blade)
    draft.block((0.0008, 0.005, half_z * 0.62), (half + 0.017, -half * 0.72, half_z), solid("metal", STEEL))
    for mark in range(3):
        line = box(0.0005, 0.0011, half_z * 0.3).moved(half + 0.004 + 0.004 * mark, -half * 0.72, half_z * 1.2)
        draft.look(line, solid("metal", INK))
    draft.body(body, shape="square")
    draft.grip(0.0, 90.0)
    return draft


def mini_hammer(draw: Draw) -> Draft:
    """A short hammer lying on its side: steel head across the end of a swelling handle."""
    draft = Draft(mass_kg=draw.mass(0.15, 0.28))
    half, reach, length = draw.length(0.009, 0.011), draw.length(0.029, 0.036), draw.length(0.115, 0.135)
    stuff = draw.cycle("stuff", ("wood", "rubber"))
    paint = draw.paint(stuff, *(("brown", "beige", "orange") if stuff == "wood" else ("red", "black", "blue")))
    at = lying(z=half)
    grip = [
        (half * 0.85, 0.0),
        (half, 0.006),
        (half, length * 0.5),
        (half * 0.72, length * 0.66),
        (half * 0.72, length),
    ]
    draft.lathe(grip, paint, at=at, sectors=12)
    steel = solid("metal", STEEL)
    draft.block((half, reach * 0.5, half), (length, 0.0, half), steel)
    draft.lathe([(half, 0.0), (half, reach * 0.3), (half * 1.0, reach * 0.5)], steel,
                at=pose(length, -reach * 0.5, half, rpy_deg=(90.0, 0.0, 0.0)), sectors=12)  # fmt: skip
    wedge = prism(rectangle(half, half), [(0.0, 1.0), (reach * 0.6, 0.3)])
    draft.solid(wedge.at(pose(length, reach * 0.5, half, rpy_deg=(-90.0, 0.0, 0.0))), steel)
    draft.look(cylinder(half * 0.74, 0.001, 10).at(lying(x=length + half, z=half)), paint)
    draft.look(box(0.012, 0.0005, 0.004).moved(x=length * 0.3, y=-half, z=half), solid("paper", PAPER))
    draft.body(cylinder(half, length / 2.0, 12).at(at))
    draft.grip(90.0, x=length * 0.4, height=max(0.010, half))
    draft.grip(90.0, x=length * 0.2, height=max(0.010, half), tilts_deg=(0.0,))
    return draft


BUILDERS = {"screwdriver": screwdriver, "measuring_tape": measuring_tape, "mini_hammer": mini_hammer}
