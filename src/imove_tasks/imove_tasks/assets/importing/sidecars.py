"""The JSON files beside a released asset: phrases for it, and places to hold it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from imove_tasks.assets.arrays import Array
from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.importing.files import Folder
from imove_tasks.assets.importing.foreign import Captions, Grasp
from imove_tasks.assets.importing.report import Journal

CAPTIONS_FILE = "caption_candidates.json"
INTERACTION_FILE = "interaction.json"


def read_captions(folder: Folder, reference: str, uuid: str, journal: Journal) -> Captions:
    """Phrases of `caption_candidates.json`; the legacy list `candidates` counts as seen.

    Args:
        folder: The asset's folder.
        reference: Path of the file in it; empty for the usual one, if there.
        uuid: Id of the asset; a file of another asset is left out.
        journal: Takes what is wrong with the file, which never refuses the asset.
    """
    tree = _read(folder, reference, CAPTIONS_FILE, journal)
    if not isinstance(tree, dict):
        return Captions()
    owner = tree.get("uuid", uuid)
    if uuid and owner != uuid:
        journal.repaired(f"{CAPTIONS_FILE} is of the asset {owner!r}, not of {uuid!r}: its phrases are left out")
        return Captions()
    seen = [*_strings(tree.get("raw")), *_strings(tree.get("seen")), *_strings(tree.get("candidates"))]
    return Captions(seen=tuple(dict.fromkeys(seen)), unseen=tuple(dict.fromkeys(_strings(tree.get("unseen")))))


def read_grasps(folder: Folder, journal: Journal) -> tuple[Grasp, ...]:
    """Passive picks of `interaction.json`, in the link frame.

    The fingers close along the third axis: square to both the approach direction and the reference axis.
    """
    tree = _read(folder, "", INTERACTION_FILE, journal)
    try:
        picks = [] if tree is None else tree["interaction"]["passive"]["pick"]["body"]
        return tuple(_grasp(pick) for pick in picks)
    except (KeyError, TypeError, ValueError) as error:
        journal.repaired(f"{INTERACTION_FILE} has no list interaction.passive.pick.body of grasps ({error}): left out")
        return ()


def _grasp(pick: dict[str, Any]) -> Grasp:
    center, approach, reference = (_vector(pick[key]) for key in ("xyz", "direction", "ref_frame"))
    closing = np.cross(approach, reference)
    length, reach = float(np.linalg.norm(closing)), float(np.linalg.norm(approach))
    if length < 1e-6 or reach < 1e-6:
        raise ValueError("direction and ref_frame must not be parallel")
    return Grasp(center, approach / reach, closing / length)


def _vector(values: Any) -> Array:
    vector = np.asarray(values, dtype=np.float64)
    if vector.shape != (3,) or not np.isfinite(vector).all():
        raise ValueError(f"expected three numbers, got {values!r}")
    return vector


def _strings(value: Any) -> list[str]:
    listed = [value] if isinstance(value, str) else value
    return [text for text in listed if isinstance(text, str) and text.strip()] if isinstance(listed, list) else []


def _read(folder: Folder, reference: str, usual: str, journal: Journal) -> Any:
    if not reference and not (folder.root / usual).is_file():
        return None
    try:
        return json.loads(folder.read_text(folder.find(reference or usual)))
    except (AssetError, ValueError) as error:
        journal.repaired(f"{reference or usual} is left out: {error}")
        return None
