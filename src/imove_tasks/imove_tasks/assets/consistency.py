"""Whether what an asset says of itself agrees with what can be measured of it.

Every check is a small function that gives findings: what was measured, what was claimed, whether they agree. Words
and numbers are checked here, form in `consistency_geometry`, looks (from pictures) in `consistency_pictures`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from imove_tasks.assets import consistency_geometry as geometry
from imove_tasks.assets.findings import Finding
from imove_tasks.assets.model import Asset, size_bucket
from imove_tasks.assets.sizes import SIZE_RANGES
from imove_tasks.assets.taxonomy import CATEGORIES
from imove_tasks.assets.vocabulary import COLORS, MATERIALS, SHAPES

MAX_TRIANGLES = 20_000
"""Of all visuals: a scene of six objects must still be drawn without a GPU."""
MAX_PARTS = 64
"""Contact parts: beyond, their contacts cost more than the arms."""
MAX_TEXTURE_PX = 1024
"""Sides of a picture on a mesh."""
_DENSITY_KG_M3 = (10.0, 12_000.0)  # open foam; lead
_STATED_SIZES = re.compile(r"([\d.]+) by ([\d.]+) cm and ([\d.]+) cm tall")
_STATED_TOLERANCE_CM = 0.051

Check = Callable[[Asset], Iterator[Finding]]


def consistency_findings(asset: Asset) -> tuple[Finding, ...]:
    """All findings on an asset that need no pictures, also those that agree."""
    return tuple(finding for check in CHECKS for finding in check(asset))


def scale(asset: Asset) -> Iterator[Finding]:
    """The longest side is plausible for the category."""
    if asset.category in SIZE_RANGES:
        low, high = SIZE_RANGES[asset.category].longest_side_m
        longest = float(asset.extents.max())
        yield Finding("scale", f"{longest:.3f} m", f"{low:g} to {high:g} m", low <= longest <= high)


def mass(asset: Asset) -> Iterator[Finding]:
    """The mass is plausible for the category."""
    if asset.category in SIZE_RANGES:
        low, high = SIZE_RANGES[asset.category].mass_kg
        yield Finding("mass", f"{asset.mass_kg:.3f} kg", f"{low:g} to {high:g} kg", low <= asset.mass_kg <= high)


def density(asset: Asset) -> Iterator[Finding]:
    """The mass is plausible for the space that the contact parts take."""
    low, high = _DENSITY_KG_M3
    measured = asset.mass_kg / sum(part.volume_m3 for part in asset.collisions)
    yield Finding("density", f"{measured:.0f} kg/m^3", f"{low:g} to {high:g} kg/m^3", low <= measured <= high)


def size_class(asset: Asset) -> Iterator[Finding]:
    """The size class is that of the longest side."""
    longest = float(asset.extents.max())
    measured = size_bucket(longest)
    yield Finding("size class", f"{measured} ({longest:.3f} m)", asset.size_bucket, measured == asset.size_bucket)


def place_in_taxonomy(asset: Asset) -> Iterator[Finding]:
    """Domain and super-category are those of the category, where the taxonomy has it."""
    if asset.category in CATEGORIES:
        known = CATEGORIES[asset.category]
        measured = f"{known.domain}/{known.super_category}"
        claimed = f"{asset.domain}/{asset.super_category}"
        yield Finding("taxonomy", measured, claimed, measured == claimed)


def name(asset: Asset) -> Iterator[Finding]:
    """The name speaks of no colour, material or shape but the asset's own."""
    yield _told("name", asset.name, asset)


def expressions(asset: Asset) -> Iterator[Finding]:
    """What every expression demands is true, and it says nothing that it does not mean."""
    for expression in asset.expressions:
        false = [f"{field} {word}" for field, word in expression.meaning if getattr(asset, field) != word]
        true = "; ".join(f"{field} {getattr(asset, field)}" for field, _ in expression.meaning)
        yield Finding("expression meaning", true, f"{expression.text!r}: {', '.join(false) or 'true'}", not false)
        yield _told("expression text", expression.text, asset)
        words = [word for field, word in expression.meaning if field not in ("category", "size_bucket")]
        unsaid = [word for word in words if word not in expression.text]
        yield Finding("expression words", expression.text, ", ".join(words) or "none", not unsaid)


def phrase(asset: Asset) -> Iterator[Finding]:
    """The first expression is the plain noun, and no text comes twice."""
    first = asset.expressions[0]
    fields = [field for field, _ in first.meaning]
    yield Finding("plain phrase", f"{first.text!r} means {', '.join(fields)}", "category", fields == ["category"])
    texts = {expression.text for expression in asset.expressions}
    count = len(asset.expressions)
    yield Finding("distinct expressions", str(len(texts)), str(count), len(texts) == count)


def stated_sizes(asset: Asset) -> Iterator[Finding]:
    """Sizes in the description are those of the box."""
    stated = _STATED_SIZES.search(asset.description)
    if stated:
        measured = asset.extents * 100.0
        off = max(abs(float(text) - value) for text, value in zip(stated.groups(), measured, strict=True))
        told = " x ".join(f"{value:.1f}" for value in measured)
        yield Finding("described size", f"{told} cm", stated.group(), off <= _STATED_TOLERANCE_CM)


def budget(asset: Asset) -> Iterator[Finding]:
    """Meshes, pictures and contact parts stay within what a scene can carry."""
    triangles = sum(len(mesh.faces) for mesh in asset.visuals)
    yield Finding("triangles", str(triangles), f"at most {MAX_TRIANGLES}", triangles <= MAX_TRIANGLES)
    parts = len(asset.collisions)
    yield Finding("contact parts", str(parts), f"at most {MAX_PARTS}", parts <= MAX_PARTS)
    textures = (mesh.material.texture for mesh in asset.visuals)
    side = max((max(texture.pixels.shape[:2]) for texture in textures if texture), default=0)
    yield Finding("texture side", f"{side} px", f"at most {MAX_TEXTURE_PX} px", side <= MAX_TEXTURE_PX)


CHECKS: tuple[Check, ...] = (
    scale, mass, density, size_class, place_in_taxonomy, name, expressions, phrase, stated_sizes, budget,
    *geometry.CHECKS,
)  # fmt: skip
"""In the order in which they are told."""


def _told(check: str, text: str, asset: Asset) -> Finding:
    """Compares the attribute words in a text, the nouns of the category left out, with the asset's."""
    nouns = CATEGORIES[asset.category].nouns if asset.category in CATEGORIES else (asset.category.replace("_", " "),)
    rest = text
    for noun in sorted(nouns, key=len, reverse=True):
        rest = re.sub(rf"\b{re.escape(noun)}\b", "", rest)
    vocabulary = {*COLORS, *SHAPES, *(word for word, kind in MATERIALS.items() if kind.speakable)}
    said = set(re.findall(r"[a-z]+(?:-[a-z]+)*", rest)) & vocabulary
    own = {asset.color, asset.shape, asset.material}
    return Finding(check, ", ".join(sorted(own)), f"{text!r}", said <= own)
