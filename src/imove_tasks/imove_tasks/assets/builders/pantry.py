"""Eggs and bread."""

from __future__ import annotations

import numpy as np

from imove_tasks.assets import textures
from imove_tasks.assets.builders.fruits import pressed_tube
from imove_tasks.assets.builders.packs import toned
from imove_tasks.assets.builders.parts import rgb_of
from imove_tasks.assets.convex import hull_part
from imove_tasks.assets.draft import Draft, lying, pose
from imove_tasks.assets.draw import Draw, shade, solid
from imove_tasks.assets.looks import Material
from imove_tasks.assets.mapping import laid, wrapped
from imove_tasks.assets.palette import Rgb
from imove_tasks.assets.primitives import Mesh, ellipsoid, prism, revolve, tube

_SHELLS: tuple[Rgb, ...] = (
    (0.95, 0.94, 0.91), (0.60, 0.38, 0.24), (0.90, 0.79, 0.62), (0.64, 0.80, 0.72), (0.64, 0.76, 0.88),
)  # fmt: skip
_CRUSTS: tuple[Rgb, ...] = ((0.58, 0.35, 0.16), (0.82, 0.52, 0.22), (0.88, 0.74, 0.50), (0.36, 0.22, 0.13))
_CRUMB: Rgb = (0.95, 0.88, 0.72)


def egg(draw: Draw) -> Draft:
    """An egg on its side: pointed, roundish, or a small speckled one."""
    kind = draw.cycle("kind", ("pointed", "roundish", "small"))
    draft = Draft(mass_kg=draw.mass(0.045, 0.07) if kind != "small" else draw.mass(0.03, 0.04), rolls=True)
    radius = draw.length(0.0202, 0.0242) * (0.8 if kind == "small" else 1.0)
    length = radius * {"pointed": 2.62, "roundish": 2.3, "small": 2.5}[kind] * draw.length(0.97, 1.04)
    paint = solid("food", draw.cycle("shell", _SHELLS))
    t = np.linspace(0.0, np.pi, 13)[1:-1]
    blunt = 1.0 + (0.17 if kind == "pointed" else 0.1) * np.cos(t)  # fatter toward the blunt end
    rings = np.stack([radius * np.sin(t) * blunt / 1.013, length / 2.0 * (1.0 - np.cos(t))], 1)
    body = wrapped(revolve([(float(r), float(z)) for r, z in rings], 16), around=2.0, along=2.0).at(lying())
    body = body.clamped_below(float(body.vertices[:, 2].min()) + radius * 0.08)
    if kind == "small" or draw.cycle("speckles", (False, True, False)):
        ink = (0.30, 0.20, 0.14) if kind == "small" else rgb_of(toned(paint, 0.72))
        picture = textures.speckles(rgb_of(paint), ink, draw.rng, share=0.13)
        draft.solid(body, textures.painted(picture, "food"))
    else:
        draft.solid(Mesh(body.vertices, body.faces), paint)
    draft.body(body, shape="round" if kind == "roundish" else "oval")
    low = max(0.0102, radius * 0.92)
    draft.grip(90.0, x=length * 0.44, height=low)
    draft.grip(70.0, 110.0, x=length * 0.44, height=low, tilts_deg=(0.0,))
    return draft


def bread(draw: Draw) -> Draft:
    """A small tin loaf, a baguette, a roll, a thick slice or a croissant."""
    kind = draw.cycle("kind", ("loaf", "baguette", "slice", "roll", "croissant"))
    crust = solid("food", draw.cycle("crust", _CRUSTS))
    draft = Draft(mass_kg=draw.mass(0.05, 0.16))
    return {"loaf": _loaf, "baguette": _baguette, "slice": _slice, "roll": _roll, "croissant": _croissant}[kind](
        draft, draw, crust
    )


def _cut_marks(crust: Material) -> Material:
    """The pale colour where the crust burst open."""
    red, green, blue = rgb_of(crust)
    return solid("food", (0.45 * red + 0.5, 0.45 * green + 0.42, 0.45 * blue + 0.28))


def _loaf_outline(half: float, tall: float) -> list[tuple[float, float]]:
    """Section of a tin loaf, counter-clockwise from its lower right corner, m."""
    return [
        (half * 0.86, 0.0), (half * 0.88, tall * 0.5), (half, tall * 0.66), (half * 0.94, tall * 0.84),
        (half * 0.62, tall * 0.97), (0.0, tall), (-half * 0.62, tall * 0.97), (-half * 0.94, tall * 0.84),
        (-half, tall * 0.66), (-half * 0.88, tall * 0.5), (-half * 0.86, 0.0),
    ]  # fmt: skip


def _loaf(draft: Draft, draw: Draw, crust: Material) -> Draft:
    half, tall, reach = draw.length(0.025, 0.029), draw.length(0.042, 0.05), draw.length(0.036, 0.056)
    outline = np.array(_loaf_outline(half, tall)) - [0.0, tall / 2.0]
    # The section, made in the xy plane, is set upright with the loaf along x.
    upright = np.array([[0.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, tall / 2.0], [0.0, 0.0, 0.0, 1.0]])
    body = prism(outline, [(-reach, 0.92), (-reach + 0.004, 1.0), (reach - 0.004, 1.0), (reach, 0.92)]).at(upright)
    draft.solid(body.clamped_below(0.0), crust)
    for share in (-0.62, -0.2, 0.22, 0.64):
        slash = ellipsoid(0.0042, half * 0.55, 0.0022, 8, 3).at(
            pose(reach * share, 0.0, tall - 0.001, rpy_deg=(0, 0, 28))
        )
        draft.look(slash, _cut_marks(crust))
    if draw.cycle("cut", (True, False)):
        face = prism(outline * 0.86, [(reach, 1.0), (reach + 0.0006, 1.0)]).at(upright)
        draft.look(face, solid("food", _CRUMB))
    draft.body(body, shape="rectangular")
    draft.grip(90.0, height=tall * 0.5)
    draft.grip(90.0, height=tall * 0.5, x=reach * 0.2, tilts_deg=(0.0,))
    return draft


def _baguette(draft: Draft, draw: Draw, crust: Material) -> Draft:
    radius, half = draw.length(0.0185, 0.0235), draw.length(0.075, 0.105)
    t = np.linspace(-1.0, 1.0, 9)
    radii = radius * (1.0 - np.abs(t) ** 5 * 0.62)
    profile = [(float(r), float(half * x)) for r, x in zip(radii, t, strict=True)]
    body = revolve(profile, 14).at(lying()).scaled(z=0.9).clamped_below(-radius * 0.68)
    draft.solid(body, crust)
    pale = _cut_marks(crust)
    for share in np.linspace(-0.66, 0.66, 5):
        slash = ellipsoid(0.013, 0.0042, 0.0024, 8, 3)
        draft.look(slash.at(pose(half * float(share), 0.0, radius * 0.81, rpy_deg=(0.0, 0.0, 32.0))), pale)
    draft.body(body, shape="cylindrical")
    low = max(0.0102, radius * 0.66)
    draft.grip(90.0, height=low)
    draft.grip(90.0, height=low, x=half * 0.15, tilts_deg=(0.0,))
    return draft


def _slice(draft: Draft, draw: Draw, crust: Material) -> Draft:
    half, tall, thick = draw.length(0.0265, 0.0298), draw.length(0.061, 0.07), draw.length(0.0165, 0.021)
    outline = np.array(_loaf_outline(half, tall)) - [0.0, tall / 2.0]
    crumb = solid("food", _CRUMB if crust.rgba[0] > 0.5 else (0.62, 0.45, 0.29))
    whole = prism(outline, [(0.0, 1.0), (thick, 1.0)])
    draft.look(prism(outline, [(0.0, 0.985), (0.001, 1.0), (thick - 0.001, 1.0), (thick - 0.0004, 0.99)]), crust)
    holes = textures.speckles(rgb_of(crumb), rgb_of(toned(crumb, 0.84)), draw.rng, share=0.1)
    face = prism(outline * 0.91, [(0.0, 1.0), (thick, 1.0)])
    draft.look(laid(face, repeat=(1.5, 1.5)), textures.painted(holes, "food"))
    draft.touch(hull_part(whole.vertices))
    draft.body(whole, shape="square")
    draft.grip(0.0, height=max(0.0102, thick * 0.52))
    draft.grip(0.0, height=max(0.0102, thick * 0.52), y=-tall * 0.12, tilts_deg=(0.0,))
    return draft


def _roll(draft: Draft, draw: Draw, crust: Material) -> Draft:
    radius, tall = draw.length(0.0268, 0.0302), draw.length(0.032, 0.042)
    long_ = draw.cycle("roll", (1.14, 1.3))
    unit = [(0.7, 0.0), (0.93, 0.1), (1.0, 0.3), (0.94, 0.55), (0.76, 0.78), (0.46, 0.94), (0.16, 1.0)]
    body = revolve([(r * radius, z * tall) for r, z in unit], 18).scaled(x=long_)
    draft.solid(body, crust)
    pale = _cut_marks(crust)
    if draw.cycle("top", ("cross", "seeds")) == "cross":
        for yaw in (45.0, 135.0):
            slash = ellipsoid(radius * 0.5, 0.003, 0.003, 8, 3).moved(z=tall * 0.965)
            draft.look(slash.at(pose(rpy_deg=(0.0, 0.0, yaw))), pale)
    else:
        for number in range(8):
            turn, reach = 2.4 * number, radius * (0.12 + 0.07 * number)
            z = float(np.interp(reach / radius, [0.16, 0.46, 0.76], [tall, tall * 0.94, tall * 0.78]))
            seed = ellipsoid(0.0022, 0.0013, 0.001, 6, 3).at(pose(rpy_deg=(0.0, 0.0, 50.0 * number)))
            draft.look(
                seed.moved(reach * np.cos(turn) * long_, reach * np.sin(turn), z + 0.0006), shade("food", "white", 1)
            )
    draft.body(body, shape="round" if long_ < 1.2 else "oval")
    draft.grip(90.0, height=max(0.0102, tall * 0.42))
    draft.grip(75.0, 105.0, height=max(0.0102, tall * 0.42), tilts_deg=(0.0,))
    return draft


def _croissant(draft: Draft, draw: Draw, crust: Material) -> Draft:
    bend, thick = draw.length(0.03, 0.036), draw.length(0.0165, 0.0205)
    angles = np.linspace(-1.5, 1.5, 13) - np.pi / 2.0
    path = np.column_stack([bend * 1.25 * np.cos(angles), bend * np.sin(angles), np.zeros(13)])
    swell = np.array([0.22, 0.5, 0.46, 0.72, 0.68, 0.96, 1.0, 0.96, 0.68, 0.72, 0.46, 0.5, 0.22])
    flat = -thick * 0.72
    sunk = path + [0.0, 0.0, 1.0] * (flat * (1.0 - swell))[:, None]  # the thin horns rest on the table too
    body = tube(sunk, thick * swell, 10).clamped_below(flat)
    draft.look(body, crust)
    draft.look(
        laid(ellipsoid(thick * 0.36, thick * 0.9, thick * 0.2, 8, 3)).moved(0.0, -bend, thick * 0.86), _stripe(crust)
    )
    draft.touch(*pressed_tube(sunk[::2], thick * swell[::2], 10, flat))
    draft.body(body, shape="curved")
    height = max(0.0102, thick * 0.72)
    draft.grip(90.0, y=-bend, height=height, tilts_deg=(0.0,))
    draft.grip(90.0, y=-bend, x=bend * 0.16, height=height, tilts_deg=(0.0,))
    draft.grip(90.0, y=-bend, x=-bend * 0.16, height=height, tilts_deg=(0.0,))
    return draft


def _stripe(crust: Material) -> Material:
    """A pale band on a darker fold."""
    pale = _cut_marks(crust)
    return textures.painted(textures.stripes(rgb_of(crust), rgb_of(pale), share=0.5), "food")


BUILDERS = {"egg": egg, "bread": bread}
