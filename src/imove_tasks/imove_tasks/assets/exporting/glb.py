"""GLB files (glTF 2.0, binary) with metallic-roughness materials, textures and the finishes as material variants.

Lengths are metres. glTF's y axis points up and its z axis forward, so that (x, y, z) of the object frame becomes
(x, z, -y). Source: Khronos glTF 2.0 specification and the extension KHR_materials_variants.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

from imove_tasks.assets.exporting.colors import linear_rgb
from imove_tasks.assets.exporting.gltf_buffer import Buffer
from imove_tasks.assets.exporting.labels import labels_of
from imove_tasks.assets.looks import Material, Texture, VisualMesh
from imove_tasks.assets.model import Asset
from imove_tasks.assets.normals import corner_normals
from imove_tasks.assets.storage.images import png_bytes

_MAGIC, _VERSION, _JSON, _BIN = 0x46546C67, 2, 0x4E4F534A, 0x004E4942
_VARIANTS = "KHR_materials_variants"
_LINEAR, _LINEAR_MIPMAP_LINEAR, _REPEAT = 9729, 9987, 10497


def write_glb(asset: Asset, folder: Path, name: str) -> Path:
    """Writes `<name>.glb` into a folder.

    Args:
        asset: What to write.
        folder: Exists.
        name: Of the file, without ending.

    Returns:
        The file.
    """
    path = folder / f"{name}.glb"
    path.write_bytes(glb_bytes(asset))
    return path


def glb_bytes(asset: Asset) -> bytes:
    """The file of an asset."""
    document = _Document(asset)
    text = json.dumps(document.tree(), separators=(",", ":"), sort_keys=True).encode()
    text += b" " * (-len(text) % 4)
    data = document.buffer.data()
    length = 12 + 8 + len(text) + 8 + len(data)
    head = struct.pack("<III", _MAGIC, _VERSION, length)
    return head + struct.pack("<II", len(text), _JSON) + text + struct.pack("<II", len(data), _BIN) + data


class _Document:
    """The parts of one glTF document, numbered as they are added."""

    def __init__(self, asset: Asset) -> None:
        self.buffer = Buffer()
        self._asset = asset
        self._materials: dict[Material, int] = {}
        self._pictures: dict[Texture, int] = {}
        self._primitives = [self._primitive(index, visual) for index, visual in enumerate(asset.visuals)]

    def tree(self) -> dict[str, Any]:
        """The JSON of the document."""
        asset = self._asset
        tree: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": "imove"},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": [{"name": asset.category, "mesh": 0, "extras": labels_of(asset)}],
            "meshes": [{"name": asset.category, "primitives": self._primitives}],
            "materials": [self._material(material) for material in self._materials],
            "accessors": self.buffer.accessors,
            "bufferViews": self.buffer.views,
            "buffers": [{"byteLength": len(self.buffer.data())}],
            "extensionsUsed": [_VARIANTS],
            "extensions": {_VARIANTS: {"variants": [{"name": finish} for finish in asset.finishes]}},
        }
        if self._pictures:
            sampler = {"magFilter": _LINEAR, "minFilter": _LINEAR_MIPMAP_LINEAR, "wrapS": _REPEAT, "wrapT": _REPEAT}
            tree["samplers"] = [sampler]
            tree["images"] = [{"bufferView": view, "mimeType": "image/png"} for view in self._pictures.values()]
            tree["textures"] = [{"sampler": 0, "source": number} for number in range(len(self._pictures))]
        return tree

    def _primitive(self, index: int, visual: VisualMesh) -> dict[str, Any]:
        corners = [visual.vertices[visual.faces.ravel()], corner_normals(visual).reshape(-1, 3)]
        if visual.uv is not None:
            corners.append(visual.uv.reshape(-1, 2) * [1.0, -1.0] + [0.0, 1.0])  # glTF's v points down
        table = np.concatenate(corners, axis=1).astype(np.float32)
        rows, order = np.unique(table, axis=0, return_inverse=True)
        attributes = {
            "POSITION": self.buffer.add_vertices(_y_up(rows[:, :3])),
            "NORMAL": self.buffer.add_vertices(_y_up(rows[:, 3:6])),
        }
        if visual.uv is not None:
            attributes["TEXCOORD_0"] = self.buffer.add_vertices(rows[:, 6:8])
        mappings = [
            {"material": self._number(self._asset.finished(finish)[index].material), "variants": [number]}
            for number, finish in enumerate(self._asset.finishes)
            if visual.material.name == self._asset.material
        ]
        return {
            "attributes": attributes,
            "indices": self.buffer.add_indices(order.ravel().astype(np.uint32)),
            "material": self._number(visual.material),
            **({"extensions": {_VARIANTS: {"mappings": mappings}}} if mappings else {}),
        }

    def _number(self, material: Material) -> int:
        if material.texture is not None and material.texture not in self._pictures:
            self._pictures[material.texture] = self.buffer.add_bytes(png_bytes(material.texture))
        return self._materials.setdefault(material, len(self._materials))

    def _material(self, material: Material) -> dict[str, Any]:
        surface = material.surface
        color = (1.0, 1.0, 1.0) if material.texture else linear_rgb(material.rgba)
        looks: dict[str, Any] = {
            "baseColorFactor": [*color, material.rgba[3]],
            "metallicFactor": surface.metallic,
            "roughnessFactor": surface.roughness,
        }
        if material.texture is not None:
            looks["baseColorTexture"] = {"index": list(self._pictures).index(material.texture)}
        clear = {"alphaMode": "BLEND"} if material.rgba[3] < 1.0 else {}
        return {"name": f"{material.finish} {material.name}", "pbrMetallicRoughness": looks, **clear}


def _y_up(vectors: np.ndarray[Any, np.dtype[np.float32]]) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.stack([vectors[:, 0], vectors[:, 2], -vectors[:, 1]], axis=1)
