"""Reads an asset back from its folder."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import ParseError

import defusedxml.ElementTree
import numpy as np
from defusedxml.common import DefusedXmlException

from imove_tasks.assets.affordances import Grip, Region, StablePose
from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.looks import Material, VisualMesh
from imove_tasks.assets.model import Asset, CollisionPart, Expression
from imove_tasks.assets.record import SAME_NAMES, AssetRecord, PartRecord, VisualRecord
from imove_tasks.assets.storage.folders import inside
from imove_tasks.assets.storage.images import read_png
from imove_tasks.assets.storage.obj import read_obj
from imove_tasks.assets.storage.urdf import RECORD_ELEMENT


def read_asset(urdf: Path) -> Asset:
    """Reads what `write_asset` wrote.

    The record, the meshes of the visuals and hulls, and the pictures make the asset; the other elements of the URDF
    and the JSON files repeat it for other readers.

    Raises:
        AssetError: A file is missing, damaged or outside the folder, or the content is not what the record says.
    """
    record = read_record(urdf)
    folder = urdf.parent
    asset = Asset(
        **{name: getattr(record, name) for name in SAME_NAMES if name != "tags"},
        tags=frozenset(record.tags),
        visuals=tuple(_visual(folder, visual) for visual in record.visuals),
        collisions=tuple(_part(folder, part) for part in record.collisions),
        grips=tuple(Grip(**grip.model_dump()) for grip in record.grips),
        expressions=tuple(Expression(**expression.model_dump()) for expression in record.expressions),
        stable_poses=tuple(StablePose(**pose.model_dump()) for pose in record.stable_poses),
        region=None if record.region is None else Region(**record.region.model_dump()),
    )
    if asset.content_hash() != record.content_hash:
        raise AssetError(
            f"{urdf} holds content {asset.content_hash()[:12]} but its record says {record.content_hash[:12]}; a file "
            "in its folder was changed after it was written"
        )
    return asset


def read_record(urdf: Path) -> AssetRecord:
    """Reads the record of an asset, without meshes and pictures.

    Raises:
        AssetError: The file is missing, is no URDF, or has no record of this version.
    """
    try:
        root = defusedxml.ElementTree.parse(urdf).getroot()
    except (OSError, ParseError, UnicodeDecodeError, DefusedXmlException) as error:
        raise AssetError(f"{urdf} cannot be read as a URDF: {error}") from error
    text = root.findtext(f"./link/extra_info/{RECORD_ELEMENT}")
    if text is None:
        raise AssetError(f"{urdf} has no {RECORD_ELEMENT} in its extra_info; `imove assets import` takes such files")
    return AssetRecord.from_json(text, str(urdf))


def _visual(folder: Path, record: VisualRecord) -> VisualMesh:
    mesh = read_obj(inside(folder, record.mesh))
    texture = None if record.texture is None else read_png(inside(folder, record.texture))
    return VisualMesh(
        mesh.vertices, mesh.faces, Material(record.material, record.rgba, texture, record.finish), mesh.uv
    )


def _part(folder: Path, record: PartRecord) -> CollisionPart:
    vertices = None
    if record.shape == "hull":
        if record.mesh is None:
            raise AssetError(f"a hull of {folder} names no mesh, expected an .obj file")
        vertices = read_obj(inside(folder, record.mesh)).vertices
    return CollisionPart(record.shape, record.size, np.array(record.object_from_part), vertices)
