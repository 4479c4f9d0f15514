"""The drawn half of a USD file: meshes, UsdPreviewSurface materials, and one variant a finish."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from imove_tasks.assets.exporting.colors import linear_rgb
from imove_tasks.assets.exporting.usd import FINISH_SET
from imove_tasks.assets.looks import VisualMesh
from imove_tasks.assets.model import Asset
from imove_tasks.assets.normals import corner_normals
from imove_tasks.assets.record import texture_files
from imove_tasks.assets.storage.images import png_bytes

with suppress(ImportError):  # `usd.require_usd` says what to do about it
    from pxr import Sdf, UsdGeom, UsdShade, Vt

_TEXTURES = "textures"
_ST = "st"


def add_visuals(stage: Any, root: Any, asset: Asset, folder: Path) -> None:
    """Adds the meshes of an asset below the root prim, and their pictures below the folder."""
    meshes = UsdGeom.Xform.Define(stage, root.GetPath().AppendChild("Visuals")).GetPath()
    looks = UsdGeom.Scope.Define(stage, root.GetPath().AppendChild("Looks")).GetPath()
    shaders = []
    for index, (visual, picture) in enumerate(zip(asset.visuals, texture_files(asset), strict=True)):
        name = f"visual_{index}"
        mesh = add_mesh(stage, meshes.AppendChild(name), visual.vertices, visual.faces)
        _add_corners(mesh, visual)
        file = None
        if picture is not None and visual.material.texture is not None:
            file = f"{_TEXTURES}/{Path(picture).name}"
            (folder / _TEXTURES).mkdir(exist_ok=True)
            (folder / file).write_bytes(png_bytes(visual.material.texture))
        material, shader = _add_material(stage, looks.AppendChild(name), visual, file)
        UsdShade.MaterialBindingAPI.Apply(mesh.GetPrim()).Bind(material)
        shaders.append(shader)
    _add_finishes(root, asset, shaders)


def add_mesh(stage: Any, path: Any, vertices: np.ndarray[Any, Any], faces: np.ndarray[Any, Any]) -> Any:
    """Adds a polygon mesh of triangles that no renderer smooths.

    Args:
        stage: USD stage.
        path: Of the new prim.
        vertices: (N, 3) m.
        faces: (M, 3) indices.

    Returns:
        The UsdGeom.Mesh.
    """
    mesh = UsdGeom.Mesh.Define(stage, path)
    mesh.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(vertices.astype(np.float32)))
    mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(np.ascontiguousarray(faces, dtype=np.int32).ravel()))
    mesh.CreateFaceVertexCountsAttr(Vt.IntArray([3] * len(faces)))
    mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    mesh.CreateExtentAttr(Vt.Vec3fArray.FromNumpy(np.array([vertices.min(0), vertices.max(0)], dtype=np.float32)))
    return mesh


def _add_corners(mesh: Any, visual: VisualMesh) -> None:
    mesh.CreateNormalsAttr(Vt.Vec3fArray.FromNumpy(corner_normals(visual).reshape(-1, 3).astype(np.float32)))
    mesh.SetNormalsInterpolation(UsdGeom.Tokens.faceVarying)
    mesh.CreateDisplayColorPrimvar(UsdGeom.Tokens.constant).Set([linear_rgb(visual.material.rgba)])
    if visual.uv is not None:
        coordinates = UsdGeom.PrimvarsAPI(mesh).CreatePrimvar(
            _ST, Sdf.ValueTypeNames.TexCoord2fArray, UsdGeom.Tokens.faceVarying
        )
        coordinates.Set(Vt.Vec2fArray.FromNumpy(visual.uv.reshape(-1, 2).astype(np.float32)))


def _add_material(stage: Any, path: Any, visual: VisualMesh, picture: str | None) -> tuple[Any, Any]:
    """The material, and its surface shader without what a finish sets."""
    types = Sdf.ValueTypeNames
    material = UsdShade.Material.Define(stage, path)
    shader = UsdShade.Shader.Define(stage, path.AppendChild("Surface"))
    shader.CreateIdAttr("UsdPreviewSurface")
    material.CreateSurfaceOutput().ConnectToSource(shader.ConnectableAPI(), "surface")
    color = shader.CreateInput("diffuseColor", types.Color3f)
    if picture is None:
        color.Set(linear_rgb(visual.material.rgba))
    else:
        color.ConnectToSource(_add_picture(stage, path, picture).ConnectableAPI(), "rgb")
    if visual.material.rgba[3] < 1.0:
        shader.CreateInput("opacity", types.Float).Set(visual.material.rgba[3])
    return material, shader


def _add_picture(stage: Any, path: Any, picture: str) -> Any:
    """A shader that reads a picture at the mesh's coordinates."""
    types = Sdf.ValueTypeNames
    reader = UsdShade.Shader.Define(stage, path.AppendChild("Coordinates"))
    reader.CreateIdAttr("UsdPrimvarReader_float2")
    reader.CreateInput("varname", types.String).Set(_ST)
    texture = UsdShade.Shader.Define(stage, path.AppendChild("Picture"))
    texture.CreateIdAttr("UsdUVTexture")
    texture.CreateInput("file", types.Asset).Set(f"./{picture}")
    texture.CreateInput("sourceColorSpace", types.Token).Set("sRGB")
    texture.CreateInput("wrapS", types.Token).Set("repeat")
    texture.CreateInput("wrapT", types.Token).Set("repeat")
    coordinates = reader.CreateOutput("result", types.Float2)
    texture.CreateInput("st", types.Float2).ConnectToSource(coordinates)
    texture.CreateOutput("rgb", types.Float3)
    return texture


def _add_finishes(root: Any, asset: Asset, shaders: list[Any]) -> None:
    """Roughness and metalness: in variants where the dominant material has them, in place for the others."""
    made = asset.finishes[0]
    for visual, shader in zip(asset.visuals, shaders, strict=True):
        if visual.material.name == asset.material:
            made = visual.material.finish
        else:
            _set_surface(shader, visual)
    variants = root.GetVariantSets().AddVariantSet(FINISH_SET)
    for finish in asset.finishes:
        variants.AddVariant(finish)
        variants.SetVariantSelection(finish)
        with variants.GetVariantEditContext():
            for visual, shader in zip(asset.finished(finish), shaders, strict=True):
                if visual.material.name == asset.material:
                    _set_surface(shader, visual)
    variants.SetVariantSelection(made)


def _set_surface(shader: Any, visual: VisualMesh) -> None:
    surface = visual.material.surface
    shader.CreateInput("roughness", Sdf.ValueTypeNames.Float).Set(surface.roughness)
    shader.CreateInput("metallic", Sdf.ValueTypeNames.Float).Set(surface.metallic)
