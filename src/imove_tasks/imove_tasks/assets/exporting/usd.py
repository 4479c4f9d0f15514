"""USD files: drawn meshes with preview materials, contact parts and mass as rigid body physics has them.

Metres, kilograms, z up. The root prim is the rigid body; its variant set "finish" holds the finishes. Needs the package
usd-core, which is looked for when the first file is written.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from imove_core.errors import ImoveError
from imove_tasks.assets.exporting.labels import labels_of
from imove_tasks.assets.model import Asset

FINISH_SET = "finish"
CREATOR = "imove"


def require_usd() -> None:
    """Checks that USD can be written here.

    Raises:
        ImoveError: usd-core is not installed.
    """
    try:
        from pxr import Usd  # noqa: F401
    except ImportError as error:
        raise ImoveError(
            "writing USD needs the package usd-core, which is not installed; get it with `pip install usd-core` in the "
            "Python environment of imove"
        ) from error


def write_usd(asset: Asset, folder: Path, name: str) -> Path:
    """Writes `<name>.usd` and its pictures into a folder.

    Args:
        asset: What to write.
        folder: Exists and is empty.
        name: Of the file, without ending.

    Returns:
        The file.

    Raises:
        ImoveError: usd-core is not installed.
    """
    require_usd()
    from pxr import Sdf, Usd, UsdGeom

    from imove_tasks.assets.exporting import usd_looks, usd_physics

    path = folder / f"{name}.usd"
    stage = Usd.Stage.CreateNew(str(path))
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    stage.SetMetadata("kilogramsPerUnit", 1.0)
    root = UsdGeom.Xform.Define(stage, Sdf.Path.absoluteRootPath.AppendChild(asset.category)).GetPrim()
    stage.SetDefaultPrim(root)
    _describe(root, asset)
    usd_looks.add_visuals(stage, root, asset, folder)
    usd_physics.add_physics(stage, root, asset)
    stage.GetRootLayer().Save()
    return path


def _describe(root: Any, asset: Asset) -> None:
    from pxr import Kind, Usd, UsdSemantics

    model = Usd.ModelAPI(root)
    model.SetKind(Kind.Tokens.component)
    model.SetAssetName(asset.name)
    model.SetAssetVersion(asset.content_hash()[:12])
    labels = labels_of(asset)
    root.SetCustomDataByKey(CREATOR, {key: " ".join(v) if isinstance(v, list) else v for key, v in labels.items()})
    for kind in ("category", "color", "material", "shape"):
        UsdSemantics.LabelsAPI.Apply(root, kind).CreateLabelsAttr([labels[kind]])
