"""Sweets and biscuits."""

from __future__ import annotations

from imove_tasks.assets.draft import Draft, lying, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.palette import PAPER, STEEL
from imove_tasks.assets.primitives import box, cylinder, ellipsoid, prism, rectangle, revolve


def chocolate(draw: Draw) -> Draft:
    """A bar half out of its wrapper: squares at one end, foil at the edge of the paper."""
    draft = Draft(mass_kg=draw.mass(0.06, 0.1))
    half_x, half_y, height = draw.length(0.044, 0.056), draw.length(0.02, 0.026), draw.length(0.0125, 0.0145)
    paint = draw.paint("paper", "red", "blue", "purple", "yellow", "green", "orange")
    cocoa = shade("food", draw.cycle("cocoa", ("brown", "beige")), 2)
    base = height * 0.65
    draft.block((half_x, half_y, base / 2.0), (0.0, 0.0, base / 2.0), cocoa)
    edge = half_x * 0.42  # the wrapper reaches from the -x end to here
    draft.block(((edge + half_x) / 2, half_y + 0.0008, height / 2), ((edge - half_x) / 2, 0.0, height / 2), paint)
    draft.look(
        box(half_x * 0.06, half_y + 0.0012, height / 2.0 + 0.0003).moved(x=edge, z=height / 2.0),
        solid("metal", STEEL),
    )
    columns, rows = 2, 3
    cell_x, cell_y = (half_x - edge * 1.15) / columns, 2.0 * half_y / rows
    square = prism(rectangle(cell_x * 0.44, cell_y * 0.42), [(0.0, 1.0), (height - base, 0.75)])
    for i in range(columns):
        for j in range(rows):
            draft.look(square.moved(half_x - cell_x * (i + 0.5), cell_y * (j - 1), base), cocoa)
    label = box(half_x * 0.38, half_y * 0.45, 0.0004).moved(x=-half_x * 0.35, z=height + 0.0001)
    draft.look(label, solid("paper", PAPER))
    draft.body(box(half_x, half_y, height / 2.0))
    draft.grip(90.0, x=-half_x * 0.2)
    draft.grip(90.0, x=-half_x * 0.6, tilts_deg=(0.0,))
    return draft


def candy(draw: Draw) -> Draft:
    """A sweet in a wrapper twisted at both ends."""
    draft = Draft(mass_kg=draw.mass(0.02, 0.03), rolls=True)
    radius, half = draw.length(0.0115, 0.0145), draw.length(0.016, 0.022)
    paint = draw.paint("plastic", "pink", "red", "green", "yellow", "blue", "purple")
    body = ellipsoid(half, radius, radius, 14, 7).clamped_below(-radius * 0.85)
    draft.solid(body, paint)
    fan = [(radius * 0.25, 0.0), (radius * 0.85, 0.012), (radius * 0.7, 0.014)]
    for at in (lying(x=half * 0.93), pose(rpy_deg=(0.0, 0.0, 180.0)) @ lying(x=half * 0.93)):
        draft.look(revolve(fan, 8).at(at), paint)
        draft.look(revolve([(radius * 0.34, 0.0), (radius * 0.34, 0.002)], 8).at(at), shade("plastic", "white"))
    for x in (-0.45, 0.0, 0.45):
        r = radius * float((1.0 - x * x) ** 0.5) + 0.0004
        stripe = cylinder(r, 0.0017, 14).at(lying(x=half * x))
        draft.look(stripe.clamped_below(-radius * 0.85), shade("plastic", "white"))
    draft.body(body, shape="oval")
    draft.grip(90.0, height=max(0.010, radius * 0.85))
    draft.grip(70.0, 110.0, height=max(0.010, radius * 0.85), tilts_deg=(0.0,))
    return draft


def biscuit(draw: Draw) -> Draft:
    """A thick round or square biscuit with chips on top."""
    draft = Draft(mass_kg=draw.mass(0.02, 0.04))
    radius, height = draw.length(0.023, 0.029), draw.length(0.013, 0.016)
    dough = draw.paint("food", "beige", "brown", "orange")
    chips = shade("food", "brown", 2) if dough.rgba[0] > 0.6 else shade("food", "beige")
    if draw.cycle("shape", ("round", "square")) == "round":
        profile = [
            (radius * 0.93, 0.0),
            (radius, height * 0.4),
            (radius * 0.95, height * 0.75),
            (radius * 0.6, height),
        ]
        body = draft.lathe(profile, dough, sectors=18)
    else:
        body = prism(rectangle(radius * 0.92, radius * 0.92), [(0.0, 0.97), (height * 0.5, 1.0), (height, 0.93)])
        draft.solid(body, dough)
    for x, y in ((0.0, 0.1), (0.42, 0.25), (-0.4, 0.35), (0.25, -0.42), (-0.35, -0.3), (0.05, 0.5)):
        draft.look(ellipsoid(0.0034, 0.003, 0.0022, 7, 3).moved(radius * x, radius * y, height * 0.98), chips)
    draft.body(body)
    draft.grip(0.0, 90.0, height=0.010)
    return draft


BUILDERS = {"chocolate": chocolate, "candy": candy, "biscuit": biscuit}
