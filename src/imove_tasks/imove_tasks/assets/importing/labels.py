"""The colour, shape and material words of an asset: measured where they can be, and compared with the source's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from imove_tasks.assets.arrays import Array
from imove_tasks.assets.consistency_geometry import SHAPE_TESTS, bodies
from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.hull import convex_hull
from imove_tasks.assets.importing.foreign import Facts, ForeignMesh
from imove_tasks.assets.importing.report import Journal
from imove_tasks.assets.importing.seen_colors import seen_color_shares, texels
from imove_tasks.assets.importing.words import controlled
from imove_tasks.assets.looks import Material, Texture, VisualMesh
from imove_tasks.assets.measure import shape_word, visible_shares, word_shares
from imove_tasks.assets.primitives import Mesh
from imove_tasks.assets.taxonomy import Category

_BY_SUPER_CATEGORY = {"fruits": "food", "ingredients": "food"}


_CLEAR_LEAD = 0.08  # of the visible surface; below, people may name either colour


@dataclass(frozen=True)
class Labels:
    """Words of an asset.

    Attributes:
        color: Measured.
        shape: The source's where silhouettes do not speak against it, else measured.
        material: Of most of what is seen.
        material_known: False when nothing says what it is made of, so that no phrase may speak of it.
    """

    color: str
    shape: str
    material: str
    material_known: bool


def materials_of(
    meshes: Sequence[ForeignMesh], facts: Facts, category: Category, journal: Journal
) -> tuple[tuple[str, ...], bool]:
    """The material word of each mesh, and whether the source says it.

    The source's own list comes first when it names one; else the names of the materials in its files ("Wood_01");
    else what goods of the category usually are.
    """
    listed = controlled(facts.materials, "material")
    unknown = sorted(set(facts.materials) - {word for word in facts.materials if controlled((word,), "material")})
    if unknown:
        journal.noted(f"its material {', '.join(unknown)} is not in the vocabulary")
    usual = _BY_SUPER_CATEGORY.get(category.super_category, "plant" if category.name == "houseplant" else "")
    fallback = listed[0] if listed else usual or "plastic"
    found = []
    named = False
    for mesh in meshes:
        words = controlled(tuple(re.findall(r"[a-z]+", mesh.label.lower())), "material")
        fits = [word for word in words if not listed or word in listed]
        named = named or bool(fits)
        found.append(fits[0] if fits else fallback)
    known = bool(listed or usual or named)
    if not known:
        journal.noted(f"nothing says what it is made of: drawn as {fallback}, and no phrase speaks of it")
    return tuple(found), known


def visual_mesh(mesh: ForeignMesh, material: str) -> VisualMesh:
    """The mesh to draw, with its texture or its colour."""
    rgba = tuple(round(value, 4) for value in mesh.rgba)
    if mesh.picture is not None and mesh.uv is not None:
        texture = Texture(mesh.picture)
        drawn = VisualMesh(mesh.vertices, mesh.faces.astype(np.int32), Material(material, mesh.rgba, texture), mesh.uv)
        mean = texels(drawn).mean((0, 1)).round(4).tolist()
        return replace(drawn, material=Material(material, (mean[0], mean[1], mean[2], rgba[3]), texture))
    paint = Material(material, (rgba[0], rgba[1], rgba[2], rgba[3]))
    return VisualMesh(mesh.vertices, mesh.faces.astype(np.int32), paint)


def labels_of(visuals: Sequence[VisualMesh], facts: Facts, material_known: bool, journal: Journal) -> Labels:
    """Measures the words, and writes down where the source's disagree."""
    (color, share), *others = seen_color_shares(visuals)
    if others and share - others[0][1] < _CLEAR_LEAD:
        journal.noted(f"its colour is not clear: {color} on {share:.0%} of it, {others[0][0]} on {others[0][1]:.0%}")
    material = word_shares([mesh.material.name for mesh in visuals], visible_shares(visuals))[0][0]
    _compare("colour", controlled(facts.colors, "color"), color, journal)
    _compare("material", controlled(facts.materials, "material"), material, journal)
    return Labels(color, _shape(visuals, controlled(facts.shapes, "shape"), journal), material, material_known)


def _shape(visuals: Sequence[VisualMesh], claimed: tuple[str, ...], journal: Journal) -> str:
    # A word is believed where it fits the whole or a main piece: a mug with a handle is cylindrical all the same.
    pieces = bodies(tuple(visuals))
    for word in claimed:
        if word not in SHAPE_TESTS or any(SHAPE_TESTS[word](piece) for piece in pieces):
            return word
    points = np.concatenate([mesh.vertices for mesh in visuals])
    try:
        measured = shape_word(_hull_mesh(points))
    except AssetError:
        return claimed[0] if claimed else "irregular"
    _compare("shape", claimed, measured, journal)
    return measured


def _hull_mesh(points: Array) -> Mesh:
    hull = convex_hull(points)
    return Mesh(np.asarray(points[hull.vertices], np.float64), np.empty((0, 3), np.int32))


def _compare(what: str, claimed: tuple[str, ...], measured: str, journal: Journal) -> None:
    if claimed and measured not in claimed:
        journal.mislabelled(
            f"its record says {what} {', '.join(claimed)}, measured is {measured}: the measured one is used"
        )
