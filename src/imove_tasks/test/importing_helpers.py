"""Foreign assets written for tests: small OBJ, STL, URDF and MJCF files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from PIL import Image

from imove_tasks.assets import primitives as p
from imove_tasks.assets.importing import ImportSettings, import_folder
from imove_tasks.assets.importing.assemble import Tools
from imove_tasks.assets.storage import read_asset

UUID = "3f1e7c52-6f0e-4b52-9a6e-0d6f0a1f2b3c"
CUP = p.revolve([(0.030, -0.045), (0.036, 0.045)])
"""Upright, z up, 72 mm wide and 90 mm tall: a plausible mug."""
Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
"""(3, 3) from our axes to those of a file whose y axis is up."""


def obj_text(
    mesh: p.Mesh, *, scale: float = 1.0, turn: np.ndarray | None = None, material: str = "", start: int = 1
) -> str:
    """An OBJ of a mesh, with planar texture coordinates where it has a material."""
    vertices = mesh.vertices @ (np.eye(3) if turn is None else turn.T) * scale
    lines = [f"mtllib material.mtl\nusemtl {material}"] if material else []
    lines += [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in vertices]
    low, size = vertices.min(0), np.ptp(vertices, axis=0)
    lines += [f"vt {u:.6f} {v:.6f}" for u, v in ((vertices - low) / size)[:, :2]]
    corner = "{0}/{0}" if material else "{0}"
    lines += ["f " + " ".join(corner.format(index + start) for index in face) for face in mesh.faces]
    return "\n".join(lines) + "\n"


def write_mtl(folder: Path, rgb=(0.8, 0.1, 0.1), name="material_0", picture="") -> None:
    lines = [f"newmtl {name}", "Kd " + " ".join(map(str, rgb)), *([f"map_Kd {picture}"] if picture else [])]
    (folder / "material.mtl").write_text("\n".join(lines) + "\n")


def write_picture(path: Path, rgb=(30, 60, 200), size=(64, 64)) -> None:
    Image.new("RGB", size, rgb).save(path)


URDF = """<robot name="{name}"><link name="{name}">
  <visual><origin xyz="0 0 0" rpy="{rpy}"/><geometry><mesh filename="{mesh}" scale="1.0 1.0 1.0"/></geometry></visual>
  {collision}
  {inertial}
  <extra_info>{extra}</extra_info>
</link></robot>
"""
COLLISION = (
    '<collision><origin xyz="0 0 0" rpy="1.5708 0 0"/><geometry><mesh filename="mesh/mug_collision.obj"/></geometry>'
    "<gazebo><mu1>0.8</mu1><mu2>0.8</mu2></gazebo></collision>"
)
INERTIAL = '<inertial><mass value="0.3"/><inertia ixx="1.0" iyy="1.0" izz="1.0"/></inertial>'
EXTRA = {
    "uuid": UUID, "domain": "kitchen_supplies", "super_category": "ware", "category": "mug", "real_height": "0.09",
    "min_mass": "0.25", "max_mass": "0.35", "color": "Red, white", "material": "Ceramic", "shape": "tapered",
    "tags": "is_graspable",
}  # fmt: skip


def embodied(folder: Path, *, scale=1.0, mesh="mesh/mug.obj", rpy="1.5708 0 0", collision=COLLISION, inertial=INERTIAL,
             extra=None, drop=(), body=CUP) -> Path:  # fmt: skip
    """An asset folder as EmbodiedGen writes it: y-up meshes that the URDF turns; gives back the URDF."""
    (folder / "mesh").mkdir(parents=True)
    (folder / "mesh" / "mug.obj").write_text(obj_text(body, scale=scale, turn=Y_UP, material="material_0"))
    (folder / "mesh" / "mug_collision.obj").write_text(obj_text(body, scale=scale, turn=Y_UP))
    write_mtl(folder / "mesh")
    said = {key: value for key, value in {**EXTRA, **(extra or {})}.items() if key not in drop}
    text = "".join(f"<{key}>{value}</{key}>" for key, value in said.items())
    urdf = folder / "mug.urdf"
    urdf.write_text(
        URDF.format(name="mug", rpy=rpy, mesh=mesh, collision=collision, inertial=inertial, extra=text),
        encoding="utf-8",
    )
    return urdf


def loose(folder: Path, sheet: str, **files: str | bytes) -> Path:
    """Loose files (a double underscore stands for the dot) and the `import.yaml` that describes them."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "import.yaml").write_text(sheet)
    for name, content in files.items():
        path = folder / name.replace("__", ".")
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def run(source: Path, corpus: Path, **settings):
    """Imports without a decomposer; gives back the report and the assets by source."""
    tools = Tools(settings.pop("categories", {}), settings.pop("decompose", None))
    report = import_folder(source, corpus, ImportSettings(tools=tools, **settings))
    rows = {row["uuid"]: row for row in index_rows(corpus)}
    assets = {
        outcome.source: read_asset(corpus / rows[outcome.uuid]["origin"]) for outcome in report.outcomes if outcome.uuid
    }
    return report, assets


def only(source: Path, corpus: Path, **settings):
    """Imports the only asset of a source; gives back its outcome and the asset, None when refused."""
    report, assets = run(source, corpus, **settings)
    (outcome,) = report.outcomes
    return outcome, assets.get(outcome.source)


def index_rows(corpus: Path) -> list[dict]:
    return [json.loads(line) for line in (corpus / "index.jsonl").read_text().splitlines()[1:]]


def told(outcome, kind: str = "") -> str:
    """All findings of a kind as one text."""
    return " | ".join(finding.text for finding in outcome.findings if kind in ("", finding.kind))
