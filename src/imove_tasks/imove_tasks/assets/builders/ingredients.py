"""Vegetables and eggs, flattened a little where they rest."""

from __future__ import annotations

import numpy as np

from imove_tasks.assets.builders.fruits import scaled_profile
from imove_tasks.assets.convex import hull_part
from imove_tasks.assets.draft import Draft, lying, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.palette import LEAF
from imove_tasks.assets.primitives import Mesh, cylinder, ellipsoid, revolve, tube


def potato(draw: Draw) -> Draft:
    """A lumpy oval with dark eyes."""
    draft = Draft(mass_kg=draw.mass(0.1, 0.2), rolls=True)
    rx, ry, rz = draw.length(0.034, 0.043), draw.length(0.024, 0.0285), draw.length(0.02, 0.024)
    paint = solid("food", draw.cycle("skin", ((0.62, 0.45, 0.26), (0.84, 0.72, 0.52), (0.6, 0.2, 0.17))))
    ball = ellipsoid(1.0, 1.0, 1.0, 16, 9)
    x, y, z = ball.vertices.T
    phase = draw.length(0.0, 6.2)
    lumps = 1.0 + 0.05 * np.sin(2.3 * x + phase) * np.cos(2.0 * y + phase) - 0.05 * np.cos(3.0 * x * y + z + phase)
    body = Mesh(ball.vertices * (lumps / lumps.max())[:, None] * [rx, ry, rz], ball.faces).clamped_below(-rz * 0.78)
    draft.solid(body, paint)
    dark = shade("food", "brown", 2)
    for index in (
        16 * 5 + 2,
        16 * 5 + 11,
        16 * 6 + 6,
        16 * 7 + 1,
        16 * 7 + 9,
        16 * 6 + 14,
    ):  # on the upper half
        draft.look(ellipsoid(0.0024, 0.0018, 0.0013, 6, 3).moved(*body.vertices[index]), dark)
    draft.body(body, shape="oval")
    draft.grip(90.0, height=rz * 0.8)
    draft.grip(75.0, 105.0, height=rz * 0.8, tilts_deg=(0.0,))
    return draft


def tomato(draw: Draw) -> Draft:
    """A flattened ball with a green star and a short stalk."""
    draft = Draft(mass_kg=draw.mass(0.09, 0.16), rolls=True)
    radius = draw.length(0.026, 0.0305)
    height = radius * draw.cycle("aspect", (1.5, 1.7))
    paint = draw.paint("food", "red", "orange", "red", "yellow")
    unit = [
        (0.4, 0.0), (0.75, 0.08), (0.95, 0.28), (1.0, 0.5), (0.95, 0.72), (0.75, 0.92), (0.4, 1.0),
        (0.12, 0.95),
    ]  # fmt: skip
    body = revolve(scaled_profile(unit, radius, height), 18)
    draft.solid(body, paint)
    green = solid("plant", LEAF)
    for index in range(5):
        sepal = ellipsoid(radius * 0.28, radius * 0.09, 0.0009, 6, 3).moved(x=radius * 0.28)
        draft.look(sepal.at(pose(z=height * 1.005, rpy_deg=(0.0, 3.0, 72.0 * index))), green)
    draft.look(tube([(0, 0, height * 0.94), (0.001, 0, height), (0.003, 0, height + 0.008)], 0.0018, 6), green)
    draft.body(body, shape="round")
    draft.grip(0.0, 90.0, free_yaw=True, height=height * 0.5)
    return draft


def egg(draw: Draw) -> Draft:
    """A hen's egg on its side."""
    draft = Draft(mass_kg=draw.mass(0.05, 0.07), rolls=True)
    radius, length = draw.length(0.0205, 0.0235), draw.length(0.053, 0.06)
    paint = draw.paint("food", "white", "brown", "beige")
    t = np.linspace(0.0, np.pi, 13)[1:-1]
    blunt = 1.0 + 0.16 * np.cos(t)  # fatter toward the blunt end
    rings = np.stack([radius * np.sin(t) * blunt / 1.013, length / 2.0 * (1.0 - np.cos(t))], 1)
    body = revolve([(float(r), float(z)) for r, z in rings], 16).at(lying())
    body = body.clamped_below(float(body.vertices[:, 2].min()) + 0.0016)
    draft.solid(body, paint)
    draft.body(body, shape="oval")
    draft.grip(90.0, x=length * 0.44, height=radius * 0.92)
    draft.grip(70.0, 110.0, x=length * 0.44, height=radius * 0.92, tilts_deg=(0.0,))
    return draft


def garlic(draw: Draw) -> Draft:
    """A bulb of cloves that closes to a dry neck."""
    draft = Draft(mass_kg=draw.mass(0.04, 0.07), rolls=True)
    radius, height = draw.length(0.023, 0.0275), draw.length(0.042, 0.05)
    paint = draw.cycle("skin", (shade("food", "white"), solid("food", (0.76, 0.66, 0.8)), shade("food", "beige")))
    unit = [
        (0.45, 0.0),
        (0.85, 0.08),
        (1.0, 0.27),
        (0.92, 0.44),
        (0.62, 0.62),
        (0.3, 0.74),
        (0.17, 0.86),
        (0.14, 1.0),
    ]
    body = revolve(scaled_profile(unit, radius, height), 24)
    points = body.vertices.copy()
    lobes = draw.cycle("lobes", (6, 8))
    dip = 1.0 - 0.07 * (1.0 - np.abs(np.cos(lobes / 2.0 * np.arctan2(points[:, 1], points[:, 0]))))
    points[:, :2] *= dip[:, None]
    body = Mesh(points, body.faces)
    draft.look(body, paint)
    shoulder = height * 0.44 + 1e-6
    draft.touch(hull_part(points[points[:, 2] <= shoulder]), hull_part(points[points[:, 2] >= shoulder - 2e-6]))
    draft.look(cylinder(radius * 0.3, 0.001, 10).moved(z=0.001), shade("food", "brown"))
    draft.look(cylinder(radius * 0.1, 0.0008, 8).moved(z=height), shade("food", "brown"))
    draft.body(body, shape="round")
    draft.grip(0.0, 90.0, height=max(0.010, height * 0.3))
    return draft


def carrot(draw: Draw) -> Draft:
    """A tapering root lying on its side with a tuft of leaves."""
    draft = Draft(mass_kg=draw.mass(0.05, 0.1), rolls=True)
    thick, length = draw.length(0.0125, 0.0155), draw.length(0.1, 0.125)
    thin = thick * 0.35
    paint = draw.paint("food", "orange", "purple", "orange", "yellow")
    lean = float(np.degrees(np.arctan2(thick - thin, length)))
    # It lies on a side of its cone: blunt end at the origin, tip toward +x, axis falling by the half angle.
    at = pose(rpy_deg=(0.0, lean, 0.0)) @ lying()
    cone = [(thick * 0.7, -0.004), (thick, 0.0), (thin, length)]
    body = draft.lathe(cone, paint, at=at, sectors=12)
    draft.lathe([(thin, length), (thin * 0.3, length + 0.008)], paint, at=at, sectors=12)
    groove = shade("food", "brown")
    for x in (0.2, 0.38, 0.55, 0.7):
        z, r = length * x, thick + (thin - thick) * x + 0.0002
        draft.look(revolve([(r, z - 0.0006), (r, z + 0.0006)], 12).at(at), groove)
    for yaw, pitch in ((165.0, 6.0), (180.0, 16.0), (196.0, 8.0), (186.0, -2.0)):
        blade = ellipsoid(0.016, 0.0032, 0.0022, 6, 3).moved(x=0.015)
        draft.look(blade.at(pose(-0.002, 0.0, 0.0, rpy_deg=(0.0, -pitch, yaw))), solid("plant", LEAF))
    draft.body(body, shape="tapered")
    draft.grip(90.0, x=length * 0.28, height=0.0105)
    draft.grip(90.0, x=length * 0.12, height=0.0105, tilts_deg=(0.0,))
    return draft


BUILDERS = {"potato": potato, "tomato": tomato, "egg": egg, "garlic": garlic, "carrot": carrot}
