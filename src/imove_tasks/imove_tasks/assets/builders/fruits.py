"""Fruit, each flattened a little where it rests so that it does not roll away."""

from __future__ import annotations

import numpy as np

from imove_tasks.assets.convex import hull_part, tube_parts
from imove_tasks.assets.draft import Draft, lying, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.model import CollisionPart
from imove_tasks.assets.palette import LEAF, STEM
from imove_tasks.assets.primitives import Mesh, ellipsoid, revolve, tube


def scaled_profile(profile: list[tuple[float, float]], radius: float, height: float) -> list[tuple[float, float]]:
    """A profile given in units of radius and height, in m."""
    return [(r * radius, z * height) for r, z in profile]


def leaf(length: float, x: float, z: float, yaw_deg: float) -> Mesh:
    """A thin leaf of a given length in m that starts at (x, 0, z) and points sideways."""
    blade = ellipsoid(length / 2.0, length / 5.0, 0.0009, 8, 3).moved(x=length / 2.0)
    return blade.at(pose(x, 0.0, z, rpy_deg=(0.0, -15.0, yaw_deg)))


def apple(draw: Draw) -> Draft:
    """A round fruit, widest above its middle, with a dimple, a stem and a leaf."""
    draft = Draft(mass_kg=draw.mass(0.12, 0.2), rolls=True)
    radius = draw.length(0.0265, 0.0305)
    height = radius * 2.0 * draw.cycle("aspect", (0.92, 0.98))
    paint = draw.paint("food", "red", "green", "yellow")
    unit = [
        (0.36, 0.0), (0.66, 0.07), (0.88, 0.25), (0.99, 0.48), (1.0, 0.62), (0.92, 0.8), (0.7, 0.95),
        (0.45, 1.0), (0.2, 0.95), (0.05, 0.86),
    ]  # fmt: skip
    body = revolve(scaled_profile(unit, radius, height), 18)
    draft.solid(body, paint)
    stem = [(0.0, 0.0, height * 0.86), (0.001, 0.0, height), (0.004, 0.0, height * 1.12)]
    draft.look(tube(stem, 0.0013, 6), solid("plant", STEM))
    draft.look(leaf(0.018, 0.001, height, draw.length(0.0, 360.0)), solid("plant", LEAF))
    draft.body(body)
    draft.grip(0.0, 90.0, free_yaw=True, height=height * 0.5)
    return draft


def lemon(draw: Draw) -> Draft:
    """An oval fruit with a nipple at each end, lying along x."""
    draft = Draft(mass_kg=draw.mass(0.06, 0.12), rolls=True)
    radius, half = draw.length(0.021, 0.026), draw.length(0.033, 0.039)
    paint = draw.paint("food", "yellow", "yellow", "green")
    body = ellipsoid(radius, radius, half * 0.92, 16, 11).at(lying())  # poles at the ends
    ends = body.vertices.copy()
    along = np.abs(ends[:, 0]) / (half * 0.92)
    ends[:, 0] *= 1.0 + 0.2 * np.clip((along - 0.86) / 0.14, 0.0, 1.0)
    body = Mesh(ends, body.faces).clamped_below(-radius * 0.93)
    draft.solid(body, paint)
    tip = shade("plant", "green", 2)
    draft.look(ellipsoid(0.003, 0.0035, 0.0035, 8, 3).moved(x=-half * 1.1), tip)
    draft.body(body)
    draft.grip(90.0, height=radius * 0.95)
    draft.grip(70.0, 110.0, height=radius * 0.95, tilts_deg=(0.0,))
    return draft


def banana(draw: Draw) -> Draft:
    """A bent fruit lying on its side, with dark ends."""
    draft = Draft(mass_kg=draw.mass(0.1, 0.18))
    bend, thick = draw.length(0.075, 0.095), draw.length(0.0145, 0.0175)
    sweep = np.radians(draw.cycle("sweep", (85.0, 100.0)))
    paint = draw.paint("food", "yellow", "yellow", "green")
    angles = np.linspace(-sweep / 2.0, sweep / 2.0, 11) - np.pi / 2.0
    path = np.stack([bend * np.cos(angles), bend * np.sin(angles) + bend, np.zeros(11)], 1)
    radii = thick * np.array([0.46, 0.78, 0.94, 0.99, 1.0, 1.0, 1.0, 0.98, 0.92, 0.7, 0.32])
    flat = -thick * 0.78
    body = tube(path, radii, 8).clamped_below(flat)
    draft.look(body, paint)
    for part in tube_parts(path[::2], radii[::2], 8):
        draft.touch(_clamped_hull(part.vertices, flat))
    dark = shade("food", "brown", 2)
    stalk = np.stack([path[-1], path[-1] + 1.3 * (path[-1] - path[-2])])
    draft.look(tube(stalk, [thick * 0.3, thick * 0.24], 6), dark)
    draft.look(ellipsoid(thick * 0.36, thick * 0.36, thick * 0.36, 8, 3).moved(*path[0]), dark)
    draft.body(body, shape="curved")
    draft.grip(90.0, height=thick * 0.8)
    for index in (3, 7):
        slope = float(np.degrees(angles[index])) + 180.0
        draft.grip(slope, x=float(path[index, 0]), y=float(path[index, 1]), height=thick * 0.8, tilts_deg=(0.0,))
    return draft


def pear(draw: Draw) -> Draft:
    """A standing fruit with a slim neck and a stem."""
    draft = Draft(mass_kg=draw.mass(0.12, 0.2))
    radius, height = draw.length(0.026, 0.0295), draw.length(0.068, 0.078)
    paint = draw.paint("food", "green", "yellow", "brown")
    unit = [
        (0.42, 0.0), (0.75, 0.06), (0.95, 0.2), (1.0, 0.34), (0.92, 0.5), (0.66, 0.66), (0.48, 0.8),
        (0.4, 0.92), (0.22, 0.99),
    ]  # fmt: skip
    profile = scaled_profile(unit, radius, height)
    draft.lathe(profile, paint, sectors=16)
    stem = [(0.0, 0.0, height * 0.97), (0.001, 0.0, height * 1.03), (0.004, 0.0, height * 1.08)]
    draft.look(tube(stem, 0.0015, 6), solid("plant", STEM))
    draft.look(leaf(0.018, 0.0, height * 0.99, draw.length(0.0, 360.0)), solid("plant", LEAF))
    draft.body(revolve(profile), shape="tapered")
    draft.grip(0.0, 90.0, free_yaw=True, height=height * 0.36)
    return draft


def peach(draw: Draw) -> Draft:
    """A soft round fruit with a crease from pole to pole and a blushing cheek."""
    draft = Draft(mass_kg=draw.mass(0.1, 0.18), rolls=True)
    radius = draw.length(0.0265, 0.0305)
    paint = draw.paint("food", "pink", "orange", "yellow")
    body = ellipsoid(radius, radius, radius * 0.94, 18, 8).clamped_below(-radius * 0.86)
    points = body.vertices.copy()
    angle = np.arctan2(points[:, 1], points[:, 0])
    crease = np.exp(-((angle / 0.28) ** 2)) * (points[:, 2] > -radius * 0.8)
    points[:, :2] *= (1.0 - 0.1 * crease)[:, None]
    points[:, 2] -= (
        radius * 0.16 * np.clip(1.0 - np.hypot(points[:, 0], points[:, 1]) / (radius * 0.4), 0, 1) * (points[:, 2] > 0)
    )
    body = Mesh(points, body.faces)
    draft.solid(body, paint)
    red, green, blue = paint.rgba[:3]
    blush = ellipsoid(radius * 0.8, radius * 0.7, radius * 0.66, 12, 7).moved(y=radius * 0.34, z=radius * 0.1)
    draft.look(blush, solid("food", (red, green * 0.82, blue * 0.86)))
    draft.look(tube([(0, 0, radius * 0.7), (0, 0, radius * 0.98)], 0.002, 6), solid("plant", STEM))
    for yaw in (150.0, 215.0):
        draft.look(leaf(0.026, 0.0, radius * 0.86, yaw), solid("plant", LEAF))
    draft.body(body)
    draft.grip(90.0, 45.0, height=radius * 0.84)
    return draft


def _clamped_hull(vertices: object, z_min: float) -> CollisionPart:
    """A hull with its lower side pressed flat at ``z_min``."""
    points = np.array(vertices, dtype=np.float64)
    points[:, 2] = np.maximum(points[:, 2], z_min)
    return hull_part(points)


BUILDERS = {"apple": apple, "lemon": lemon, "banana": banana, "pear": pear, "peach": peach}
