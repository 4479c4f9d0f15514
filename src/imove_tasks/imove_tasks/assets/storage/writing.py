"""Writes an asset as a folder."""

from __future__ import annotations

from pathlib import Path

from imove_tasks.assets.model import Asset
from imove_tasks.assets.normals import corner_normals
from imove_tasks.assets.record import record_of
from imove_tasks.assets.storage.companions import CAPTIONS_NAME, INTERACTION_NAME, captions_text, interaction_text
from imove_tasks.assets.storage.folders import asset_folder, whole_folder
from imove_tasks.assets.storage.images import png_bytes
from imove_tasks.assets.storage.materials import mtl_text
from imove_tasks.assets.storage.obj import ObjMesh, obj_text
from imove_tasks.assets.storage.parts import part_mesh
from imove_tasks.assets.storage.urdf import urdf_text

MTL_NAME = "material.mtl"


def write_asset(asset: Asset, corpus: Path) -> Path:
    """Writes an asset below a corpus, in place of an older one with its id; the folder appears whole or not at all.

    Returns:
        The URDF file.

    Raises:
        AssetError: The asset has a name that would not do for a folder.
        OSError: The disk is full or the folder not writable.
    """
    folder = asset_folder(asset, corpus)
    with whole_folder(folder) as partial:
        name = fill_folder(asset, partial, asset.category).name
    return folder / name


def fill_folder(asset: Asset, folder: Path, name: str) -> Path:
    """Writes the files of an asset into an empty folder.

    Args:
        asset: What to write.
        folder: Exists.
        name: Of the URDF file, without ending.

    Returns:
        The URDF file.
    """
    record = record_of(asset)
    (folder / "mesh").mkdir()
    materials = {}
    for visual, written in zip(asset.visuals, record.visuals, strict=True):
        material = Path(written.mesh).stem
        mesh = ObjMesh(visual.vertices, visual.faces, visual.uv, corner_normals(visual))
        (folder / written.mesh).write_text(obj_text(mesh, library=MTL_NAME, material=material), encoding="utf-8")
        picture = None
        if visual.material.texture is not None and written.texture is not None:
            picture = Path(written.texture).name
            (folder / written.texture).write_bytes(png_bytes(visual.material.texture))
        materials[material] = (visual.material, picture)
    (folder / "mesh" / MTL_NAME).write_text(mtl_text(materials), encoding="utf-8")
    for part, described in zip(asset.collisions, record.collisions, strict=True):
        if described.mesh is not None:
            (folder / described.mesh).write_text(obj_text(part_mesh(part)), encoding="utf-8")
    (folder / INTERACTION_NAME).write_text(interaction_text(asset), encoding="utf-8")
    (folder / CAPTIONS_NAME).write_text(captions_text(asset), encoding="utf-8")
    urdf = folder / f"{name}.urdf"
    urdf.write_text(urdf_text(asset, record), encoding="utf-8")
    return urdf
