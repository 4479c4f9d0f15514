"""Dishes to put things on and into: destinations, wider than a jaw."""

from __future__ import annotations

from imove_tasks.assets.convex import disc_part, wall_parts
from imove_tasks.assets.draft import Draft
from imove_tasks.assets.draw import Draw, shade
from imove_tasks.assets.looks import Material
from imove_tasks.assets.primitives import band, box, revolve

_CROCKERY = ("white", "blue", "red", "green", "yellow", "gray")


def bowl(draw: Draw) -> Draft:
    """A deep round dish with a rim line."""
    draft = Draft(mass_kg=draw.mass(0.2, 0.4))
    top, height, wall = draw.length(0.062, 0.075), draw.length(0.036, 0.046), 0.004
    foot, floor = top * 0.62, 0.006
    paint = draw.paint(draw.cycle("stuff", ("ceramic", "wood", "metal")), *_CROCKERY)
    profile = [
        (foot, 0.0), (foot + (top - foot) * 0.6, height * 0.4), (top, height), (top - wall, height),
        (foot + (top - foot) * 0.55 - wall, height * 0.42), (foot - wall, floor),
    ]  # fmt: skip
    draft.look(revolve(profile, 24), paint)
    draft.look(band(top + 0.0004, height - 0.004, height - 0.001, 24), shade(paint.name, "black"))
    waist = foot + (top - foot) * 0.6
    draft.touch(
        *wall_parts(foot, waist, wall, 0.001, height * 0.4),
        *wall_parts(waist, top, wall, height * 0.4, height),
    )
    draft.touch(disc_part(foot, floor))
    draft.body(revolve([(foot, 0.0), (top, height)]), shape="round")
    draft.floor((0.0, 0.0, floor), (foot - wall, foot - wall), round_=True)
    return draft


def plate(draw: Draw) -> Draft:
    """A shallow round dish with a raised rim."""
    draft = Draft(mass_kg=draw.mass(0.25, 0.45))
    top, height, wall = draw.length(0.078, 0.09), draw.length(0.014, 0.019), 0.004
    foot, floor = top * 0.72, 0.005
    paint = draw.paint(draw.cycle("stuff", ("ceramic", "plastic", "ceramic")), *_CROCKERY)
    profile = [(foot, 0.0), (top, height), (top - wall, height), (foot - wall, floor)]
    draft.look(revolve(profile, 28), paint)
    draft.touch(*wall_parts(foot, top, wall, 0.001, height, 14), disc_part(foot, floor))
    circle = band(foot * 0.72, floor, floor + 0.0006, 24, thickness=foot * 0.06)
    draft.look(circle, shade(paint.name, draw.cycle("line", ("gray", "black"))))
    draft.body(revolve([(foot, 0.0), (top, height)]), shape="round")
    draft.floor((0.0, 0.0, floor), (foot - wall, foot - wall), round_=True)
    return draft


def coaster(draw: Draw) -> Draft:
    """A flat round or square mat with a border."""
    draft = Draft(mass_kg=draw.mass(0.05, 0.1))
    half, height = draw.length(0.045, 0.052), draw.length(0.006, 0.009)
    paint = draw.paint(
        draw.cycle("stuff", ("wood", "rubber", "wood")), "brown", "black", "blue", "red", "green", "beige"
    )
    inlay = shade(paint.name, "beige" if sum(paint.rgba[:3]) < 1.6 else "brown")
    round_ = draw.cycle("shape", ("round", "square")) == "round"
    if round_:
        body = draft.lathe([(half, 0.0), (half, height)], paint, sectors=24)
        draft.look(band(0.8 * half, height, height + 0.0005, 24, thickness=0.08 * half), inlay)
    else:
        body = box(half, half, height / 2.0).moved(z=height / 2.0)
        draft.solid(body, paint)
        draft.look(box(half * 0.6, half * 0.6, 0.0003).moved(z=height), inlay)
    draft.body(body)
    draft.floor((0.0, 0.0, height), (half, half), round_=round_)
    return draft


def tray(draw: Draw) -> Draft:
    """A rectangular board with a low wall all round."""
    draft = Draft(mass_kg=draw.mass(0.25, 0.5))
    half_x, half_y, height = draw.length(0.065, 0.08), draw.length(0.085, 0.105), draw.length(0.02, 0.028)
    paint = draw.paint(
        draw.cycle("stuff", ("wood", "plastic", "metal")), "brown", "black", "white", "beige", "blue", "green"
    )
    open_box(draft, half_x, half_y, height, wall=0.006, floor=0.005, paint=paint)
    return draft


def open_box(
    draft: Draft, half_x: float, half_y: float, height: float, *, wall: float, floor: float, paint: Material
) -> None:
    """Adds an open box with its floor region and body: a tray or a bin; all lengths in m."""
    pieces = [((half_x, half_y, floor / 2.0), (0.0, 0.0, floor / 2.0))]
    middle, half_z = (height + floor) / 2.0, (height - floor) / 2.0
    for side in (-1.0, 1.0):
        pieces.append(((wall / 2.0, half_y, half_z), (side * (half_x - wall / 2.0), 0.0, middle)))
        pieces.append(((half_x - wall, wall / 2.0, half_z), (0.0, side * (half_y - wall / 2.0), middle)))
    for half, center in pieces:
        draft.block(half, center, paint)
    draft.body(box(half_x, half_y, height / 2.0))
    draft.floor((0.0, 0.0, floor), (half_x - wall, half_y - wall), round_=False)


BUILDERS = {"bowl": bowl, "coaster": coaster, "plate": plate, "tray": tray}
