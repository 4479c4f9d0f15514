"""Vegetables, flattened a little where they rest."""

from __future__ import annotations

import numpy as np

from imove_tasks.assets import textures
from imove_tasks.assets.builders.fruits import pressed_tube, scaled_profile, skin
from imove_tasks.assets.builders.packs import flat_radius, toned
from imove_tasks.assets.builders.parts import rgb_of
from imove_tasks.assets.convex import hull_part
from imove_tasks.assets.draft import Draft, lying, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.mapping import wrapped
from imove_tasks.assets.palette import LEAF, SHADES
from imove_tasks.assets.primitives import Mesh, cylinder, ellipsoid, revolve, tube

_POTATO_SKINS = (
    (0.62, 0.45, 0.26), (0.86, 0.75, 0.55), (0.60, 0.16, 0.15), (0.36, 0.20, 0.44), (0.88, 0.72, 0.28),
    (0.93, 0.91, 0.86),
)  # fmt: skip


def potato(draw: Draw) -> Draft:
    """A lumpy tuber with dark eyes: oval, round or long."""
    draft = Draft(mass_kg=draw.mass(0.06, 0.2), rolls=True)
    kind = draw.cycle("kind", ("oval", "round", "long"))
    ry, rz = draw.length(0.023, 0.0282), draw.length(0.019, 0.0235)
    size = draw.cycle("size", (1.0, 0.9))
    ry, rz = ry * size, rz * size
    rx = ry * {"oval": 1.42, "round": 1.06, "long": 1.95}[kind]
    rz = rz * (1.12 if kind == "round" else 1.0)
    paint = solid("food", draw.cycle("skin", _POTATO_SKINS))
    ball = ellipsoid(1.0, 1.0, 1.0, 16, 9)
    x, y, z = ball.vertices.T
    phase = draw.length(0.0, 6.2)
    lumps = 1.0 + 0.05 * np.sin(2.3 * x + phase) * np.cos(2.0 * y + phase) - 0.05 * np.cos(3.0 * x * y + z + phase)
    body = Mesh(ball.vertices * (lumps / lumps.max())[:, None] * [rx, ry, rz], ball.faces).clamped_below(-rz * 0.78)
    earthy = draw.cycle("earth", (False, True))
    picture = textures.speckles(rgb_of(paint), rgb_of(toned(paint, 0.76)), draw.rng, share=0.12) if earthy else None
    skin(draft, body, paint, picture, around=2.0, along=1.0)
    dark = shade("food", "brown", 2)
    for index in (82, 91, 102, 113, 121, 110):  # vertices of the upper half
        draft.look(ellipsoid(0.0022, 0.0017, 0.0012, 6, 3).moved(*(body.vertices[index] * 0.985)), dark)
    draft.body(body, shape="round" if kind == "round" else "oval")
    draft.grip(90.0, height=max(0.0102, rz * 0.8))
    draft.grip(75.0, 105.0, height=max(0.0102, rz * 0.8), tilts_deg=(0.0,))
    return draft


def tomato(draw: Draw) -> Draft:
    """A fruit with a green star: a globe, a ribbed beef tomato, or a plum tomato on its side."""
    draft = Draft(mass_kg=draw.mass(0.06, 0.16), rolls=True)
    kind = draw.cycle("kind", ("globe", "ribbed", "plum"))
    radius = draw.length(0.0262, 0.0303) * draw.cycle("size", (1.0, 0.8, 1.0))
    word = draw.cycle("paint", ("red", "orange", "red", "yellow", "green", "purple"))
    rgb = (0.34, 0.13, 0.40) if word == "purple" else SHADES[word][draw.cycle("shade", (0, 1))]
    paint = solid("food", rgb)
    green = solid("plant", LEAF if word != "green" else (0.10, 0.30, 0.10))
    if kind == "plum":
        radius *= 0.82
        half = radius * draw.length(1.26, 1.46)
        body = ellipsoid(radius, radius, half, 16, 9).at(lying()).clamped_below(-radius * 0.86)
        draft.solid(body, paint)
        crown = pose(-half * 0.985, 0.0, 0.0, rpy_deg=(0.0, -90.0, 0.0))
        top = draw.length(0.0, 0.006)
    else:
        height = radius * (1.7 if kind == "globe" else 1.36) * draw.length(0.93, 1.07)
        unit = [
            (0.4, 0.0), (0.75, 0.08), (0.95, 0.28), (1.0, 0.5), (0.95, 0.72), (0.75, 0.92), (0.4, 1.0), (0.12, 0.95),
        ]  # fmt: skip
        round_ = revolve(scaled_profile(unit, radius, height), 20)
        points = round_.vertices.copy()
        if kind == "ribbed":
            turn = np.arctan2(points[:, 1], points[:, 0])
            points[:, :2] *= (1.0 - 0.06 * np.cos(5.0 * turn) ** 2)[:, None]
        body = Mesh(points, round_.faces)
        streaks = textures.stripes(rgb, rgb_of(toned(paint, 0.78)), share=0.3, upright=True)
        skin(
            draft, body, paint, streaks if draw.cycle("streaks", (False, False, True)) else None, around=10.0, along=1.0
        )
        crown = pose(z=height * 1.005)
        top = draw.length(0.005, 0.012)
    for index in range(5):
        sepal = ellipsoid(radius * 0.28, radius * 0.09, 0.0009, 6, 3).moved(x=radius * 0.28)
        draft.look(sepal.at(crown @ pose(rpy_deg=(0.0, 3.0, 72.0 * index))), green)
    stem = tube([(0, 0, -0.003), (0.001, 0, 0.002), (0.003, 0, 0.004 + top)], 0.0018, 6)
    draft.look(stem.at(crown), green)
    draft.body(body, shape="oval" if kind == "plum" else "round")
    low = max(0.0102, radius * 0.9) if kind == "plum" else max(0.0102, height * 0.5)
    draft.grip(90.0, height=low)
    draft.grip(0.0 if kind != "plum" else 75.0, 105.0 if kind == "plum" else 45.0, height=low, tilts_deg=(0.0,))
    return draft


def garlic(draw: Draw) -> Draft:
    """A bulb of cloves that closes to a dry neck, short or long, or a single fat clove on its side."""
    kind = draw.cycle("kind", ("bulb", "clove", "necked"))
    draft = Draft(mass_kg=draw.mass(0.03, 0.07) if kind != "clove" else draw.mass(0.015, 0.03), rolls=True)
    rgb = draw.cycle(
        "skin", (SHADES["white"][0], (0.76, 0.66, 0.80), SHADES["beige"][1], (0.88, 0.66, 0.70), (0.52, 0.36, 0.56))
    )
    paint = solid("food", rgb)
    dry = shade("food", "brown")
    if kind == "clove":
        radius, length = draw.length(0.0118, 0.0145), draw.length(0.032, 0.044)
        share = np.array([0.0, 0.1, 0.28, 0.5, 0.72, 0.88, 1.0])
        bow = 0.18 * radius * np.sin(np.pi * share)
        path = np.column_stack([share * length, bow * 2.0, np.zeros(7)])
        radii = radius * np.array([0.42, 0.78, 1.0, 0.96, 0.72, 0.42, 0.12])
        body = tube(path, radii, 10).clamped_below(-radius * 0.8)
        draft.solid(body, paint)
        draft.look(cylinder(radius * 0.42, 0.0008, 8).at(lying(x=-0.0004)), dry)
        draft.body(body, shape="tapered")
        draft.grip(90.0, x=length * 0.38, height=max(0.0102, radius * 0.8))
        draft.grip(75.0, 105.0, x=length * 0.38, height=max(0.0102, radius * 0.8), tilts_deg=(0.0,))
        return draft
    radius, height = draw.length(0.0225, 0.0285), draw.length(0.036, 0.046)
    neck, tip = 1.0 if kind == "bulb" else 1.42, draw.length(0.02, 0.16)
    unit = [
        (0.45, 0.0), (0.85, 0.08), (1.0, 0.3), (0.92, 0.5), (0.62, 0.7), (0.3, 0.84), (0.17, 0.94), (0.14, neck + tip),
    ]  # fmt: skip
    smooth = revolve(scaled_profile(unit, radius, height), 24)
    points = smooth.vertices.copy()
    lobes = draw.cycle("lobes", (6, 8))
    points[:, :2] *= 1.0 - 0.08 * (1.0 - np.abs(np.cos(lobes / 2.0 * np.arctan2(points[:, 1], points[:, 0]))))[:, None]
    body = Mesh(points, smooth.faces)
    if draw.cycle("veins", (True, False)):
        veins = textures.stripes(rgb, rgb_of(toned(paint, 0.82)), share=0.18, upright=True)
        draft.look(wrapped(body, around=12.0), textures.painted(veins, "food"))
    else:
        draft.look(body, paint)
    shoulder = height * 0.5 + 1e-6
    draft.touch(hull_part(points[points[:, 2] <= shoulder]), hull_part(points[points[:, 2] >= shoulder - 2e-6]))
    draft.look(cylinder(radius * 0.3, 0.001, 10).moved(z=0.001), dry)
    draft.look(cylinder(radius * 0.1, 0.0008, 8).moved(z=height * (neck + tip)), dry)
    draft.body(body, shape="round")
    draft.grip(0.0, 90.0, height=max(0.0102, height * 0.32))
    return draft


def carrot(draw: Draw) -> Draft:
    """A root on its side, long and pointed, stubby or blunt, with leaves or with cut stalks."""
    draft = Draft(mass_kg=draw.mass(0.04, 0.1), rolls=True)
    kind = draw.cycle("kind", ("pointed", "stubby", "blunt"))
    thick = draw.length(0.0128, 0.0155) * (1.25 if kind == "stubby" else 1.0)
    length = draw.length(0.068, 0.078) if kind == "stubby" else draw.length(0.1, 0.125)
    thin = thick * {"pointed": 0.32, "stubby": 0.34, "blunt": 0.66}[kind]
    word = draw.cycle("paint", ("orange", "purple", "orange", "yellow", "beige", "red"))
    paint = solid("food", (0.62, 0.12, 0.10) if word == "red" else SHADES[word][draw.cycle("shade", (0, 1))])
    lean = float(np.degrees(np.arctan2(flat_radius(thick - thin, 12), length)))
    # It lies on a side of its cone: blunt end at the origin, tip toward +x, axis falling by the half angle.
    at = pose(rpy_deg=(0.0, lean, 0.0)) @ lying()
    cone = [(thick * 0.7, -0.004), (thick, 0.0), (thin, length)]
    body = draft.lathe(cone, paint, at=at, sectors=12)
    draft.lathe([(thin, length), (thin * 0.3, length + thin * 0.9)], paint, at=at, sectors=12)
    groove = toned(paint, 0.62)
    for x in (0.2, 0.38, 0.55, 0.7):
        z, r = length * x, thick + (thin - thick) * x + 0.0002
        draft.look(revolve([(r, z - 0.0006), (r, z + 0.0006)], 12).at(at), groove)
    green = solid("plant", LEAF)
    if draw.cycle("leaves", (True, False, True)):
        for yaw, pitch, size in ((158.0, 6.0, 0.8), (176.0, 16.0, 1.0), (198.0, 8.0, 0.9), (186.0, -2.0, 0.7)):
            blade = ellipsoid(0.017 * size, 0.0042, 0.0024, 6, 3).moved(x=0.016 * size)
            draft.look(blade.at(pose(-0.002, 0.0, 0.0, rpy_deg=(0.0, -pitch, yaw))), green)
    else:
        for y in (-0.3, 0.0, 0.3):
            stub = tube([(-0.002, y * thick, 0.0), (-0.009, y * thick * 1.3, 0.001)], 0.0019, 6)
            draft.look(stub, green)
    draft.body(body, shape="tapered")
    low = max(0.0104, thick * 0.78)
    draft.grip(90.0, x=length * (0.34 if kind != "blunt" else 0.42), height=low)
    draft.grip(90.0, x=length * (0.24 if kind != "blunt" else 0.32), height=low, tilts_deg=(0.0,))
    return draft


def chili(draw: Draw) -> Draft:
    """A pepper on its side with a green cap and stem: long and bent, a fat jalapeno, or a lantern."""
    draft = Draft(mass_kg=draw.mass(0.01, 0.025), rolls=True)
    kind = draw.cycle("kind", ("long", "fat", "lantern"))
    word = draw.cycle("paint", ("red", "green", "yellow", "orange", "red", "purple"))
    paint = solid("food", SHADES[word][draw.cycle("shade", (0, 1))])
    if kind == "long":
        thick, length, bow = draw.length(0.0082, 0.0098), draw.length(0.075, 0.11), draw.length(0.008, 0.018)
        share = np.array([0.0, 0.07, 0.22, 0.42, 0.6, 0.78, 0.92, 1.0])
        radii = thick * np.array([0.66, 0.94, 1.0, 0.97, 0.82, 0.56, 0.28, 0.1])
    elif kind == "fat":
        thick, length, bow = draw.length(0.0118, 0.0142), draw.length(0.05, 0.066), draw.length(0.001, 0.004)
        share = np.array([0.0, 0.06, 0.25, 0.5, 0.72, 0.88, 0.97, 1.0])
        radii = thick * np.array([0.6, 0.9, 1.0, 0.97, 0.85, 0.62, 0.34, 0.12])
    else:
        thick, length, bow = draw.length(0.0142, 0.0175), draw.length(0.034, 0.044), 0.0
        share = np.array([0.0, 0.06, 0.2, 0.4, 0.6, 0.8, 0.93, 1.0])
        radii = thick * np.array([0.5, 0.85, 1.0, 1.0, 0.86, 0.56, 0.28, 0.08])
    # The thin end droops, so that the whole underside rests.
    path = np.column_stack([share * length, -bow * np.sin(np.pi * share), -0.74 * (thick - radii)])
    flat = -thick * 0.74
    body = tube(path, radii, 10)
    if kind == "lantern":
        turn = np.arctan2(body.vertices[:, 2], body.vertices[:, 1])
        ribs = 1.0 - 0.1 * np.cos(2.0 * turn) ** 2
        body = Mesh(body.vertices * np.column_stack([np.ones_like(ribs), ribs, ribs]), body.faces)
    body = body.clamped_below(flat)
    draft.look(body, paint)
    if kind == "long":
        few = [0, 1, 3, 4, 5, 7]
        draft.touch(*pressed_tube(path[few], radii[few], 10, flat))
    else:
        draft.touch(hull_part(body.vertices))
    green = solid("plant", LEAF if word != "green" else (0.10, 0.30, 0.10))
    base_z = float(path[0, 2])
    cap = revolve([(thick * 0.2, -0.007), (thick * 0.7, -0.004), (thick, 0.001), (thick * 0.6, 0.004)], 10)
    draft.look(cap.at(lying(z=base_z)), green)
    stem = [(-0.004, 0.0, 0.0), (-0.012, 0.001, 0.001), (-0.020, 0.005, 0.003)]
    draft.look(tube(stem, [0.0024, 0.0018, 0.0022], 6), green)
    draft.body(body, shape="curved" if kind == "long" else "tapered")
    center = 0.4 if kind != "lantern" else 0.36
    y = -bow * float(np.sin(np.pi * center))
    low = max(0.0102, thick * 0.8)
    draft.grip(90.0, x=length * center, y=y, height=low)
    draft.grip(90.0, x=length * (center - 0.1), y=y * 0.9, height=low, tilts_deg=(0.0,))
    return draft


BUILDERS = {"potato": potato, "tomato": tomato, "garlic": garlic, "carrot": carrot, "chili": chili}
