"""Reading mesh files: OBJ, glTF, STL and PLY by trimesh, which is given nothing but the asset's own folder."""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.importing.files import Folder
from imove_tasks.assets.importing.foreign import ForeignMesh, Picture, Rgba
from imove_tasks.assets.importing.msh import read_msh
from imove_tasks.assets.importing.pictures import read_picture
from imove_tasks.assets.vocabulary import color_word

MESH_SUFFIXES = (".obj", ".glb", ".gltf", ".stl", ".ply", ".msh")
"""Formats that are opened; archives and pickles are not."""

_PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".tga", ".webp")
_GRAY: Rgba = (0.6, 0.6, 0.6, 1.0)


def read_meshes(folder: Folder, path: Path, *, looks: bool = True, materials: bool = True) -> tuple[ForeignMesh, ...]:
    """The meshes of a file, one a material, in the file's own axes and unit.

    Args:
        folder: The asset's folder.
        path: A file in it.
        looks: False leaves out colours and texture coordinates, for contacts.
        materials: False leaves out the material files of an OBJ, for formats that bring their own.

    Raises:
        AssetError: The format is not opened, a file it refers to is missing, outside or no picture, or the mesh is
            empty or not finite.
    """
    suffix = path.suffix.lower()
    if suffix not in MESH_SUFFIXES:
        raise AssetError(
            f"its mesh {path.name!r} has a format that is not opened, allowed are {', '.join(MESH_SUFFIXES)}"
        )
    blob = folder.read(path)
    if suffix == ".msh":
        return (read_msh(blob, path.name),)
    files = _Files(folder, path.parent)
    if suffix in (".glb", ".gltf") and looks:
        _check_gltf_pictures(blob, files.__getitem__)
    options = {"skip_materials": True} if suffix == ".obj" and not (looks and materials) else {}
    meshes = _read_by_trimesh(blob, suffix[1:], files, path.name, looks, options)
    if files.problem is not None:
        raise files.problem
    if not meshes:
        raise AssetError(f"its mesh {path.name!r} is empty")
    return meshes


class _Files(Mapping[str, bytes]):
    """What trimesh asks for files by name; keeps the first problem, since trimesh only logs it."""

    def __init__(self, folder: Folder, base: Path) -> None:
        self._folder = folder
        self._base = base
        self.problem: AssetError | None = None

    def __getitem__(self, name: str) -> bytes:
        """The content of a file that the mesh refers to."""
        try:
            blob = self._folder.read(self._folder.find(name.strip(), self._base))
            if name.strip().lower().endswith(_PICTURE_SUFFIXES):
                read_picture(blob, name)
        except AssetError as error:
            self.problem = self.problem or error
            raise
        return blob

    def __iter__(self) -> Iterator[str]:
        """No names: files are found when asked for."""
        return iter(())

    def __len__(self) -> int:
        """No names."""
        return 0


def _read_by_trimesh(
    blob: bytes, kind: str, files: _Files, name: str, looks: bool, options: dict[str, Any]
) -> tuple[ForeignMesh, ...]:
    # Loaded here: trimesh is slow to import, and only imports of assets need it.
    import trimesh

    try:
        scene = trimesh.load_scene(
            io.BytesIO(blob), file_type=kind, resolver=files, allow_remote=False, process=False, **options
        )
        found: list[ForeignMesh] = []
        for node in scene.graph.nodes_geometry:
            scene_from_mesh, geometry = scene.graph[node]
            mesh = scene.geometry[geometry]
            if isinstance(mesh, trimesh.Trimesh) and len(mesh.faces):
                found.extend(piece.at(scene_from_mesh) for piece in _by_color(mesh, looks))
    except AssetError:
        raise
    except Exception as error:  # trimesh raises whatever its parsers stumble over
        raise files.problem or AssetError(f"its mesh {name!r} cannot be read: {error}") from error
    return tuple(found)


def _by_color(mesh: Any, looks: bool) -> list[ForeignMesh]:
    """The mesh with its texture, or cut by colour word where its vertices or faces have colours."""
    vertices, faces = np.asarray(mesh.vertices, np.float64), np.asarray(mesh.faces, np.int64)
    plain = ForeignMesh(vertices, faces, _GRAY, colored=False)
    if not looks or not mesh.visual.defined:
        return [plain]
    if mesh.visual.kind == "texture":
        return [_textured(vertices, faces, mesh.visual)]
    colors = np.asarray(mesh.visual.face_colors, np.float64) / 255.0
    words = np.array([color_word(color) for color in colors.tolist()])
    pieces = []
    for word in sorted(set(words.tolist())):
        mine = words == word
        mean = colors[mine].mean(0)
        pieces.append(ForeignMesh(vertices, faces[mine], (float(mean[0]), float(mean[1]), float(mean[2]), 1.0)))
    return pieces


def _textured(vertices: Any, faces: Any, visual: Any) -> ForeignMesh:
    material = visual.material
    image = getattr(material, "baseColorTexture", None) or getattr(material, "image", None)
    factor = getattr(material, "baseColorFactor", None)
    color = _unit_rgba(material.diffuse if factor is None and hasattr(material, "diffuse") else factor)
    picture: Picture | None = None
    if image is not None and visual.uv is not None:
        picture = _tinted(_small(image), color) if factor is not None else _small(image)
    uv = None if visual.uv is None else np.asarray(visual.uv, np.float64)[faces]
    return ForeignMesh(vertices, faces, color, picture, uv, label=str(getattr(material, "name", "") or ""))


def _small(image: Any) -> Picture:
    buffer = io.BytesIO()
    image.convert("RGB").save(buffer, "BMP")
    return read_picture(buffer.getvalue(), "texture")


def _tinted(picture: Picture, tint: Rgba) -> Picture:
    """The picture times a colour, as glTF draws it."""
    return np.asarray(np.round(picture * np.array(tint[:3])), np.uint8)


def _unit_rgba(color: Any) -> Rgba:
    """Any trimesh colour (bytes or floats, with or without opacity) as four values in [0, 1]."""
    if color is None:
        return (1.0, 1.0, 1.0, 1.0)
    values = np.asarray(color)
    unit = np.clip(values / 255.0 if values.dtype.kind in "ui" else values.astype(np.float64), 0.0, 1.0).tolist()
    return (unit[0], unit[1], unit[2], unit[3] if len(unit) > 3 else 1.0)


def _check_gltf_pictures(blob: bytes, read: Callable[[str], bytes]) -> None:
    """Reads every picture of a glTF file once, since trimesh leaves out bad ones in silence.

    Raises:
        AssetError: The file is broken, or a picture is.
    """
    try:
        text, binary = blob, b""
        if blob[:4] == b"glTF":
            length = struct.unpack_from("<I", blob, 12)[0]
            text, binary = blob[20 : 20 + length], blob[28 + length :]
        tree = json.loads(text)
        for number, image in enumerate(tree.get("images", [])):
            if "bufferView" in image and binary:
                view = tree["bufferViews"][image["bufferView"]]
                start = view.get("byteOffset", 0)
                read_picture(binary[start : start + view["byteLength"]], f"image {number}")
            elif not str(image.get("uri", "data:")).startswith("data:"):
                read(image["uri"])
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, struct.error) as error:
        raise AssetError(f"its glTF file is broken: {error}") from error
