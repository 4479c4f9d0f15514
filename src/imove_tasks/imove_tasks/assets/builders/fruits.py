"""Fruit, each flattened a little where it rests so that it does not roll away."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from imove_tasks.assets import textures
from imove_tasks.assets.builders.packs import toned
from imove_tasks.assets.builders.parts import rgb_of
from imove_tasks.assets.convex import hull_part, part_points, tube_parts
from imove_tasks.assets.draft import Draft, lying, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.looks import Material, Texture
from imove_tasks.assets.mapping import laid, wrapped
from imove_tasks.assets.model import CollisionPart
from imove_tasks.assets.palette import LEAF, SHADES, STEM, Rgb
from imove_tasks.assets.primitives import Mesh, cylinder, ellipsoid, revolve, tube

Array = NDArray[np.float64]
_DARK: Rgb = (0.24, 0.14, 0.08)


def scaled_profile(profile: list[tuple[float, float]], radius: float, height: float) -> list[tuple[float, float]]:
    """A profile given in units of radius and height, in m."""
    return [(r * radius, z * height) for r, z in profile]


def leaf(length: float, x: float, z: float, yaw_deg: float) -> Mesh:
    """A thin leaf of a given length in m that starts at (x, 0, z) and points sideways."""
    blade = ellipsoid(length / 2.0, length / 5.0, 0.0009, 8, 3).moved(x=length / 2.0)
    return blade.at(pose(x, 0.0, z, rpy_deg=(0.0, -15.0, yaw_deg)))


def pressed_hull(vertices: ArrayLike, z_min: float) -> CollisionPart:
    """A hull with its lower side pressed flat at ``z_min``, m."""
    points = np.array(vertices, dtype=np.float64)
    points[:, 2] = np.maximum(points[:, 2], z_min)
    return hull_part(points)


def pressed_tube(path: ArrayLike, radii: ArrayLike, sectors: int, z_min: float) -> tuple[CollisionPart, ...]:
    """The parts of a swept circle, see `convex.tube_parts`, with their lower sides pressed flat at ``z_min``, m."""
    return tuple(pressed_hull(part_points(part), z_min) for part in tube_parts(path, radii, sectors))


def skin(draft: Draft, body: Mesh, paint: Material, picture: Texture | None, *, around: float, along: float) -> None:
    """Adds a convex body with a plain skin, or with a picture wrapped round it several times."""
    if picture is None:
        draft.solid(body, paint)
    else:
        draft.solid(wrapped(body, around=around, along=along), textures.painted(picture, paint.name))


def stalk(draft: Draft, height: float, rise: float, *, leafy: bool, yaw_deg: float) -> None:
    """Adds a bent stem on top of a fruit, with a leaf or without; lengths in m."""
    stem = [(0.0, 0.0, height * 0.86), (0.001, 0.0, height), (0.004, 0.0, height + rise)]
    draft.look(tube(stem, 0.0014, 6), solid("plant", STEM))
    if leafy:
        draft.look(leaf(0.02, 0.001, height, yaw_deg), solid("plant", LEAF))


def apple(draw: Draw) -> Draft:
    """A fruit with a dimple and a stem: round, tall or flat; plain, streaked or freckled."""
    draft = Draft(mass_kg=draw.mass(0.09, 0.2), rolls=True)
    kind = draw.cycle("kind", ("round", "tall", "flat"))
    radius = draw.length(0.0268, 0.0305) * draw.cycle("size", (1.0, 0.82, 1.0))
    height = radius * {"round": 1.86, "tall": 2.12, "flat": 1.6}[kind]
    paint = draw.paint("food", "red", "green", "yellow", "pink")
    foot = 0.36 if kind != "tall" else 0.3
    unit = [
        (foot, 0.0), (foot + 0.28, 0.06), (0.85 if kind != "tall" else 0.76, 0.25), (0.98, 0.48), (1.0, 0.62),
        (0.92, 0.8), (0.7, 0.95), (0.45, 1.0), (0.2, 0.95), (0.05, 0.86),
    ]  # fmt: skip
    body = revolve(scaled_profile(unit, radius, height), 18)
    pattern = draw.cycle("pattern", ("plain", "plain", "streaks", "freckles"))
    picture = None
    if pattern == "streaks":
        blush = SHADES["yellow"][1] if paint.rgba[0] < 0.5 else SHADES["red" if paint.rgba[1] > 0.5 else "orange"][0]
        red, green, blue = (0.55 * own + 0.45 * other for own, other in zip(rgb_of(paint), blush, strict=True))
        picture = textures.stripes(rgb_of(paint), (red, green, blue), share=0.3, upright=True)
    elif pattern == "freckles":
        picture = textures.speckles(rgb_of(paint), rgb_of(toned(paint, 1.35)), draw.rng, share=0.08)
    skin(draft, body, paint, picture, around=14.0 if pattern == "streaks" else 3.0, along=1.0)
    stalk(draft, height, height * 0.12, leafy=draw.cycle("leaf", (True, False)), yaw_deg=draw.length(0.0, 360.0))
    draft.body(body, shape="tapered" if kind == "tall" else "round")
    draft.grip(0.0, 90.0, free_yaw=True, height=height * 0.5)
    return draft


def _cut_face(rind: Rgb, pith: Rgb, flesh: Rgb, spokes: int) -> Texture:
    """The cut face of a citrus fruit, as a picture to lay on a disc."""
    axis = (np.arange(64) + 0.5) / 32.0 - 1.0
    x, y = np.meshgrid(axis, -axis)
    radius, turn = np.hypot(x, y), np.arctan2(y, x)
    across = np.abs(np.mod(turn / (2.0 * np.pi) * spokes + 0.5, 1.0) - 0.5) * 2.0 * np.pi / spokes * radius
    kind = np.where(radius > 0.94, 0, np.where((radius > 0.82) | (radius < 0.1) | (across < 0.035), 1, 2))
    return Texture(np.round(np.array([rind, pith, flesh]) * 255.0).astype(np.uint8)[kind])


def lemon(draw: Draw) -> Draft:
    """A fruit with a nipple at each end, long or roundish, or half of one with its cut face up."""
    kind = draw.cycle("kind", ("long", "half", "roundish"))
    draft = Draft(mass_kg=draw.mass(0.05, 0.12), rolls=kind != "half")
    radius = draw.length(0.0229, 0.0265) if kind == "half" else draw.length(0.0205, 0.0262)
    word = draw.cycle("paint", ("yellow", "green", "yellow", "orange"))
    rgb = (0.96, 0.66, 0.12) if word == "orange" else SHADES[word][draw.cycle("shade", (0, 1))]
    paint = solid("food", rgb)
    if kind == "half":
        height = radius * draw.length(0.95, 1.35)
        profile = [
            (radius * 0.4, 0.0),
            (radius * 0.72, height * 0.14),
            (radius * 0.94, height * 0.55),
            (radius, height),
        ]
        body = draft.lathe(profile, paint)
        flesh = {"yellow": (0.97, 0.87, 0.40), "green": (0.70, 0.86, 0.40), "orange": (0.98, 0.66, 0.20)}[word]
        face = laid(cylinder(radius * 0.995, 0.0004, 20).moved(z=height))
        draft.look(
            face, textures.painted(_cut_face(rgb, (0.96, 0.94, 0.84), flesh, draw.cycle("spokes", (8, 10))), "food")
        )
        draft.body(body, shape="round")
        draft.grip(0.0, 90.0, free_yaw=True, height=max(0.0102, height * 0.62))
        return draft
    half = radius * (draw.length(1.42, 1.6) if kind == "long" else draw.length(1.1, 1.2))
    nipple = 0.2 if kind == "long" else 0.12
    ball = ellipsoid(radius, radius, half * 0.92, 16, 11).at(lying())  # poles at the ends
    ends = ball.vertices.copy()
    along = np.abs(ends[:, 0]) / (half * 0.92)
    ends[:, 0] *= 1.0 + nipple * np.clip((along - 0.86) / 0.14, 0.0, 1.0)
    body = Mesh(ends, ball.faces).clamped_below(-radius * 0.88)
    freckled = draw.cycle("pattern", (False, True, False))
    picture = textures.speckles(rgb, rgb_of(toned(paint, 0.86)), draw.rng, share=0.14) if freckled else None
    skin(draft, body, paint, picture, around=2.0, along=2.0)
    draft.look(ellipsoid(0.003, 0.0035, 0.0035, 8, 3).moved(x=-half * (0.92 + nipple)), shade("plant", "green", 2))
    draft.body(body, shape="oval" if kind == "long" else "round")
    draft.grip(90.0, height=radius * 0.95)
    draft.grip(70.0, 110.0, height=radius * 0.95, tilts_deg=(0.0,))
    return draft


def banana(draw: Draw) -> Draft:
    """A bent fruit on its side, slender or stubby, or two on one stalk; plain or with ripe spots."""
    draft = Draft(mass_kg=draw.mass(0.08, 0.18))
    kind = draw.cycle("kind", ("single", "pair", "stubby"))
    bend = draw.length(0.078, 0.098) if kind != "stubby" else draw.length(0.067, 0.076)
    thick = draw.length(0.0145, 0.0175) if kind != "pair" else draw.length(0.0125, 0.014)
    sweep = np.radians(104.0 if kind == "stubby" else draw.cycle("sweep", (82.0, 100.0)))
    word = draw.cycle("paint", ("yellow", "green", "yellow", "brown"))
    rgb = (0.56, 0.24, 0.14) if word == "brown" else SHADES[word][draw.cycle("shade", (0, 1))]
    paint = solid("food", rgb)
    angles = np.linspace(-sweep / 2.0, sweep / 2.0, 11) - np.pi / 2.0
    path = np.stack([bend * np.cos(angles), bend * np.sin(angles), np.zeros(11)], 1)
    path -= path[-1]  # the stalk is at the origin
    radii = thick * np.array([0.46, 0.78, 0.94, 0.99, 1.0, 1.0, 1.0, 0.98, 0.92, 0.7, 0.32])
    flat = -thick * 0.78
    spots = textures.speckles(rgb, _DARK, draw.rng, share=0.07) if draw.cycle("spots", (False, True, False)) else None
    dark = solid("food", _DARK)
    for yaw in (-11.0, 11.0) if kind == "pair" else (0.0,):
        turn = pose(rpy_deg=(0.0, 0.0, yaw))
        turned = path @ turn[:3, :3].T
        body = tube(turned, radii, 8).clamped_below(flat)
        if spots is None:
            draft.look(body, paint)
        else:
            draft.look(laid(body, repeat=(2.0, 1.0)), textures.painted(spots, "food"))
        draft.touch(*pressed_tube(turned[::2], radii[::2], 8, flat))
        draft.look(ellipsoid(thick * 0.36, thick * 0.36, thick * 0.36, 8, 3).moved(*turned[0]), dark)
    neck = np.stack([path[-2] * 0.4, path[-1], path[-1] - 1.2 * path[-2]])
    draft.look(tube(neck, thick * np.array([0.3, 0.36, 0.28]), 6), dark if kind == "pair" else toned(dark, 1.6))
    draft.body(body, shape="curved")
    for index, tilts in ((5, (0.0, 30.0, -30.0)), (4, (0.0,)), (6, (0.0,))):
        slope = float(np.degrees(angles[index])) + 180.0
        draft.grip(
            slope, x=float(path[index, 0]), y=float(path[index, 1]), height=max(0.0102, thick * 0.8), tilts_deg=tilts
        )
    return draft


def pear(draw: Draw) -> Draft:
    """A fruit with a slim neck and a stem: bell-shaped or slender and standing, or on its side."""
    kind = draw.cycle("kind", ("bell", "lying", "slender"))
    draft = Draft(mass_kg=draw.mass(0.1, 0.2), rolls=kind == "lying")
    radius = draw.length(0.0252, 0.0298) * draw.cycle("size", (1.0, 0.9))
    height = radius * (2.9 if kind == "slender" else 2.55) * draw.length(0.97, 1.05)
    paint = draw.paint("food", "green", "yellow", "brown", "red")
    neck = -0.04 if kind == "slender" else 0.0
    unit = [
        (0.46, 0.0), (0.78, 0.06), (0.95, 0.2), (1.0, 0.34), (0.92, 0.5), (0.68 + neck, 0.66), (0.5 + neck, 0.8),
        (0.4 + neck, 0.92), (0.22, 0.99),
    ]  # fmt: skip
    body = revolve(scaled_profile(unit, radius, height), 16)
    freckled = draw.cycle("freckles", (False, True, True))
    picture = textures.speckles(rgb_of(paint), rgb_of(toned(paint, 0.7)), draw.rng, share=0.1) if freckled else None
    at = lying() if kind == "lying" else np.eye(4)
    flat = -radius * 0.85 if kind == "lying" else 0.0
    skinned = wrapped(body, around=2.0, along=2.0) if picture else body
    draft.look(skinned.at(at).clamped_below(flat), textures.painted(picture, "food") if picture else paint)
    for half in (body.vertices[:, 2] <= height * 0.5 + 1e-6, body.vertices[:, 2] >= height * 0.5 - 1e-6):
        draft.touch(pressed_hull(body.at(at).vertices[half], flat))
    stem = [(0.0, 0.0, height * 0.95), (0.001, 0.0, height * 1.02), (0.004, 0.0, height * draw.length(1.06, 1.13))]
    draft.look(tube(stem, 0.0015, 6).at(at), solid("plant", STEM))
    if draw.cycle("leaf", (True, False, True)):
        blade = leaf(0.02, 0.001, height * 1.01, draw.length(0.0, 360.0))
        side = leaf(0.02, 0.0, 0.001, 60.0).moved(x=height * 1.01)
        draft.look(side if kind == "lying" else blade, solid("plant", LEAF))
    draft.body(body, shape="tapered")
    if kind == "lying":
        draft.grip(90.0, x=height * 0.36, height=radius * 0.85)
        draft.grip(78.0, 102.0, x=height * 0.36, height=radius * 0.85, tilts_deg=(0.0,))
    else:
        draft.grip(0.0, 90.0, free_yaw=True, height=max(height * 0.36, height * 1.13 - 0.057))
    return draft


def peach(draw: Draw) -> Draft:
    """A fruit with a crease from pole to pole: a peach with a blush, a nectarine, or a flat one."""
    draft = Draft(mass_kg=draw.mass(0.08, 0.18), rolls=True)
    kind = draw.cycle("kind", ("blushing", "flat", "nectarine"))
    radius = draw.length(0.0265, 0.0303) * draw.cycle("size", (1.0, 0.88, 1.0))
    rise = radius * (0.62 if kind == "flat" else 0.94) * draw.length(0.95, 1.02)
    words = ("red", "orange", "yellow") if kind == "nectarine" else ("pink", "orange", "yellow", "beige")
    paint = draw.paint("food", *words, key=f"paint {kind}")
    ball = ellipsoid(radius, radius, rise, 18, 8).clamped_below(-rise * 0.86)
    points = ball.vertices.copy()
    angle = np.arctan2(points[:, 1], points[:, 0])
    crease = np.exp(-((angle / 0.28) ** 2)) * (points[:, 2] > -rise * 0.8)
    points[:, :2] *= (1.0 - 0.1 * crease)[:, None]
    reach = np.hypot(points[:, 0], points[:, 1]) / (radius * (0.55 if kind == "flat" else 0.4))
    points[:, 2] -= (0.34 if kind == "flat" else 0.16) * rise * np.clip(1.0 - reach, 0, 1) * (points[:, 2] > 0)
    body = Mesh(points, ball.faces)
    draft.solid(body, paint)
    red, green, blue = rgb_of(paint)
    blush = ellipsoid(radius * 0.8, radius * 0.7, rise * 0.7, 12, 7).moved(y=radius * 0.34, z=rise * 0.1)
    draft.look(blush, solid("food", (red, green * 0.82, blue * 0.86)))
    top = rise * (0.66 if kind == "flat" else 0.84)
    draft.look(tube([(0, 0, top * 0.7), (0, 0, top + rise * 0.14)], 0.002, 6), solid("plant", STEM))
    for yaw in draw.cycle("leaves", ((150.0, 215.0), (190.0,), ())):
        draft.look(leaf(0.026, 0.0, rise * 0.86, yaw), solid("plant", LEAF))
    draft.body(body, shape="round")
    draft.grip(90.0, 45.0, height=max(0.0102, rise * 0.84))
    return draft


def strawberry(draw: Draw) -> Draft:
    """A small seeded fruit on its side with a green crown: conical, round or long."""
    draft = Draft(mass_kg=draw.mass(0.012, 0.03), rolls=True)
    kind = draw.cycle("kind", ("conical", "round", "long"))
    radius = draw.length(0.0125, 0.0168) * draw.cycle("size", (1.0, 1.18))
    length = radius * {"conical": 2.3, "round": 1.95, "long": 2.75}[kind] * draw.length(0.94, 1.06)
    word = draw.cycle("paint", ("red", "red", "pink", "white"))
    rgb = SHADES[word][draw.cycle("shade", (0, 1, 2))]
    unit = [(0.3, 0.0), (0.74, 0.04), (0.97, 0.18), (1.0, 0.32), (0.9, 0.54), (0.66, 0.76), (0.36, 0.93), (0.12, 1.0)]
    if kind == "round":
        unit = [
            (0.34, 0.0),
            (0.76, 0.05),
            (0.97, 0.22),
            (1.0, 0.42),
            (0.95, 0.62),
            (0.74, 0.83),
            (0.42, 0.96),
            (0.14, 1.0),
        ]
    seeds = textures.dots(rgb, SHADES["red"][0] if word == "white" else SHADES["yellow"][1], radius=0.13, size=24)
    body = wrapped(revolve(scaled_profile(unit, radius, length), 16), around=10.0, along=6.0).at(lying())
    body = body.clamped_below(-radius * 0.79)
    draft.solid(body, textures.painted(seeds, "food"))
    green = solid("plant", LEAF)
    for index in range(6):
        blade = ellipsoid(radius * 0.66, radius * 0.26, 0.0009, 6, 3).moved(x=radius * 0.6)
        curl = pose(-0.0006, rpy_deg=(0.0, -98.0 - 8.0 * (index % 2), 0.0))
        draft.look(blade.at(pose(rpy_deg=(60.0 * index, 0.0, 0.0)) @ curl), green)
    stem = [
        (0.001, 0.0, 0.0),
        (-radius * 0.35, 0.0, radius * 0.05),
        (-radius * draw.length(0.6, 0.9), radius * 0.12, radius * 0.1),
    ]
    draft.look(tube(stem, 0.0013, 6), green)
    draft.body(body, shape="round" if kind == "round" else "tapered")
    middle = length * 0.36
    draft.grip(90.0, x=middle, height=max(0.0102, radius * 0.86))
    draft.grip(75.0, 105.0, x=middle, height=max(0.0102, radius * 0.86), tilts_deg=(0.0,))
    return draft


BUILDERS = {
    "apple": apple,
    "lemon": lemon,
    "banana": banana,
    "pear": pear,
    "peach": peach,
    "strawberry": strawberry,
}
