"""Reads loose mesh files (scans, downloads) that a short `import.yaml` beside them describes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, ValidationError

from imove_core.values import FrozenValue, first_fault
from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.importing.files import Folder, read_yaml
from imove_tasks.assets.importing.foreign import Captions, Facts, Foreign
from imove_tasks.assets.importing.meshes import read_meshes

SHEET_NAME = "import.yaml"

SHEET_HELP = f"""Loose meshes need a file {SHEET_NAME} in their folder:

    defaults:               # hold for every mesh of this folder and below
      unit: mm              # m, cm, mm or inch
      up: z                 # x, y or z; glTF files are y up unless this says otherwise
    assets:                 # by path relative to this file; meshes that are not listed take the defaults
      mug_scan.glb:
        category: mug       # of the taxonomy, see `imove assets list`; the name of the file where it is left out
        material: ceramic   # optional: else told from the names of materials
        mass_kg: 0.32       # optional, or density_kg_m3
        shape: tapered      # optional: for what silhouettes cannot tell
        color: [0.8, 0.1, 0.1]                  # optional: red, green, blue of a mesh without colours
        collision: mug_scan_parts.obj           # optional: convex pieces
        seen: [red mug]                         # optional phrases; their words are checked
        unseen: [red drinking mug]
"""

Unit = Literal["m", "cm", "mm", "inch"]
Unit01 = Annotated[float, Field(ge=0, le=1)]
_UNITS_M: dict[Unit, float] = {"m": 1.0, "cm": 0.01, "mm": 0.001, "inch": 0.0254}
# (3, 3) rotations that turn the axis which is up in the file to z.
_UPRIGHT = {
    "x": np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]),
    "y": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]),
    "z": np.eye(3),
}
_GLTF_SUFFIXES = (".glb", ".gltf")  # the format demands metres and y up


class Entry(FrozenValue):
    """What a user says of a mesh file; see `SHEET_HELP`."""

    category: str | None = None
    unit: Unit | None = None
    up: Literal["x", "y", "z"] | None = None
    material: str | None = None
    shape: str | None = None
    color: tuple[Unit01, Unit01, Unit01] | None = None
    mass_kg: float | None = Field(default=None, gt=0)
    density_kg_m3: float | None = Field(default=None, gt=0)
    collision: str | None = None
    uuid: str | None = None
    skip: bool = False
    seen: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()

    def over(self, defaults: Entry) -> Entry:
        """This entry, with the defaults where it says nothing."""
        said = {name: getattr(self, name) for name in self.model_fields_set}
        return defaults.model_copy(update=said)


class Sheet(FrozenValue):
    """An `import.yaml`.

    Attributes:
        defaults: What holds for all meshes.
        assets: What holds for one, by its path relative to the sheet.
    """

    defaults: Entry = Entry()
    assets: dict[str, Entry] = {}

    def entry(self, name: str) -> Entry:
        """What holds for the mesh with a path relative to the sheet."""
        return self.assets.get(name, Entry()).over(self.defaults)


def read_sheet(path: Path) -> Sheet:
    """Reads an `import.yaml`.

    Raises:
        AssetError: It is no YAML or has unknown keys or values.
    """
    try:
        return Sheet.model_validate(read_yaml(path) or {})
    except ValidationError as error:
        raise AssetError(f"{path}: {first_fault(error, 'the sheet')}") from error


def read_plain(path: Path, folder: Folder, entry: Entry) -> Foreign:
    """The asset of a loose mesh file.

    Args:
        path: The mesh.
        folder: Its folder, from which it may read.
        entry: What the user says of it.

    Raises:
        AssetError: The mesh cannot be read.
    """
    unit = _UNITS_M[entry.unit or "m"]
    is_gltf = path.suffix.lower() in _GLTF_SUFFIXES
    upright = np.eye(4)
    upright[:3, :3] = unit * _UPRIGHT[entry.up or ("y" if is_gltf else "z")]
    contacts = () if entry.collision is None else read_meshes(folder, folder.find(entry.collision), looks=False)
    facts = Facts(
        uuid=entry.uuid or "",
        category=entry.category or path.stem,
        shapes=() if entry.shape is None else (entry.shape.lower(),),
        materials=() if entry.material is None else (entry.material.lower(),),
        masses_kg=() if entry.mass_kg is None else (entry.mass_kg,),
        density_kg_m3=entry.density_kg_m3,
    )
    meshes = read_meshes(folder, path)
    if entry.color is not None:
        meshes = tuple(mesh if mesh.colored else mesh.painted(entry.color) for mesh in meshes)
    return Foreign(
        facts, tuple(mesh.at(upright) for mesh in meshes), tuple(mesh.at(upright) for mesh in contacts),
        captions=Captions(seen=entry.seen, unseen=entry.unseen),
    )  # fmt: skip
