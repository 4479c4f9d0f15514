"""From a foreign asset to one of ours: true size, mended, standing, measured, named."""

from __future__ import annotations

import uuid as uuids
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from imove_tasks.assets.affordances import Region
from imove_tasks.assets.arrays import Array
from imove_tasks.assets.convex import hull_part
from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.expressions import description
from imove_tasks.assets.importing.atlas import tidied
from imove_tasks.assets.importing.contacts import Decompose, convex_pieces
from imove_tasks.assets.importing.floors import floor_of
from imove_tasks.assets.importing.foreign import Foreign, ForeignMesh
from imove_tasks.assets.importing.grips import grips_of
from imove_tasks.assets.importing.labels import labels_of, materials_of, visual_mesh
from imove_tasks.assets.importing.mass import mass_of
from imove_tasks.assets.importing.phrases import phrases_of
from imove_tasks.assets.importing.report import Journal
from imove_tasks.assets.importing.scale import in_metres, require_plausible
from imove_tasks.assets.importing.settle import settled
from imove_tasks.assets.importing.simplify import lighter
from imove_tasks.assets.importing.welding import cleaned
from imove_tasks.assets.importing.words import find_category
from imove_tasks.assets.model import TAG_CONTAINER, TAG_GRASPABLE, Asset, CollisionPart, size_bucket
from imove_tasks.assets.stability import MIN_TIP_ANGLE_RAD, stable_poses
from imove_tasks.assets.taxonomy import DESTINATIONS, Category
from imove_tasks.assets.vocabulary import MATERIALS

_NAMESPACE = uuids.uuid5(uuids.NAMESPACE_DNS, "imove.assets.import")
_ROLLING_FRICTION_M = 2e-4  # as of generated objects that roll


@dataclass(frozen=True)
class Tools:
    """What the assembly works with.

    Attributes:
        categories: Patterns of source words, to names of categories.
        decompose: Cuts a mesh that is not convex; None takes its hull.
    """

    categories: Mapping[str, str] = field(default_factory=dict)
    decompose: Decompose | None = None


def assembled(foreign: Foreign, source: str, tools: Tools, journal: Journal) -> Asset:
    """The asset in our terms.

    Args:
        foreign: As its source has it.
        source: Its path below the source folder; an asset without an id gets one from it.
        tools: The user's mapping of categories, and the decomposer.
        journal: Takes everything that was mended, doubted or left out.

    Raises:
        AssetError: It is of no known category or of no plausible size, or it encloses no volume.
    """
    category = find_category(foreign.facts.category, tools.categories)
    sized = in_metres(foreign, category, journal)
    meshes = lighter(tuple(tidied(mesh) for mesh in _mended(sized.visuals, journal)))
    pieces = convex_pieces(sized, meshes, tools.decompose, journal)
    placed = settled(meshes, pieces, journal)
    words, material_known = materials_of(placed.visuals, foreign.facts, category, journal)
    if not all(mesh.colored for mesh in placed.visuals):
        journal.noted("it has no colour: drawn in gray; give one in the sheet")
    visuals = tuple(visual_mesh(mesh, word) for mesh, word in zip(placed.visuals, words, strict=True))
    labels = labels_of(visuals, foreign.facts, material_known, journal)
    parts = tuple(hull_part(points) for points in placed.pieces)
    corners = np.concatenate([mesh.vertices for mesh in visuals])
    box_min, box_max = corners.min(0), corners.max(0)
    require_plausible(float((box_max - box_min).max()), category)
    grips = grips_of(parts, box_min, box_max, foreign.grasps, placed.object_from_link, journal)
    region = _region(category, foreign.facts.tags, parts, box_min, box_max, journal)
    if TAG_GRASPABLE in foreign.facts.tags and not grips:
        journal.mislabelled("its record says it is graspable, but nothing of it fits the jaw from above")
    bucket = size_bucket(float((box_max - box_min).max()))
    truth = {"category": category.name, "color": labels.color, "shape": labels.shape, "size_bucket": bucket}
    if material_known:
        truth["material"] = labels.material
    speakable = [labels.material] if material_known and MATERIALS[labels.material].speakable else []
    name = " ".join([labels.color, *speakable, category.nouns[0]])
    poses = stable_poses(parts)
    return Asset(
        uuid=_id_of(foreign, source, journal),
        name=name,
        domain=category.domain,
        super_category=category.super_category,
        category=category.name,
        color=labels.color,
        shape=labels.shape,
        material=labels.material,
        size_bucket=bucket,
        tags=frozenset(({TAG_GRASPABLE} if grips else set()) | ({TAG_CONTAINER} if region else set())),
        mass_kg=mass_of(foreign.facts, parts, labels.material, category, journal),
        friction=foreign.facts.friction or MATERIALS[labels.material].friction,
        rolling_friction=_ROLLING_FRICTION_M if poses[0].tip_angle_rad < MIN_TIP_ANGLE_RAD else 0.0,
        visuals=visuals,
        collisions=parts,
        grips=grips,
        box_min=box_min,
        box_max=box_max,
        expressions=phrases_of(foreign.captions, category, labels, truth, journal),
        description=description(name, labels.shape, (box_max - box_min).tolist()),
        stable_poses=poses,
        region=region,
    )


def _mended(meshes: tuple[ForeignMesh, ...], journal: Journal) -> tuple[ForeignMesh, ...]:
    """The meshes welded, outward and closed where they can be; specks without a face are left out."""
    mended = []
    for mesh in meshes:
        better, was_closed_now, closed = cleaned(mesh)
        if was_closed_now:
            journal.repaired("its visual mesh had holes: closed")
        elif not closed:
            journal.noted("its visual mesh is not closed")
        if len(better.faces):
            mended.append(better)
    if not mended:
        raise AssetError("its visual meshes have no face with an area")
    return tuple(mended)


def _region(
    category: Category, tags: tuple[str, ...], parts: tuple[CollisionPart, ...], box_min: Array,
    box_max: Array, journal: Journal,
) -> Region | None:  # fmt: skip
    if category.name not in DESTINATIONS and TAG_CONTAINER not in tags:
        return None
    region = floor_of(parts, box_min, box_max)
    if region is None and TAG_CONTAINER in tags:
        journal.mislabelled("its record says it is a container, but its contacts leave no level floor to put things on")
    return region


def _id_of(foreign: Foreign, source: str, journal: Journal) -> str:
    """The source's id where it is one, else one made of the path, the same at every import."""
    if not foreign.facts.uuid:
        return str(uuids.uuid5(_NAMESPACE, source))
    try:
        return str(uuids.UUID(foreign.facts.uuid))
    except ValueError:
        made = str(uuids.uuid5(_NAMESPACE, foreign.facts.uuid))
        journal.repaired(f"its id {foreign.facts.uuid!r} is no UUID: {made} is made of it")
        return made
