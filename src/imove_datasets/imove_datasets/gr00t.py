"""What GR00T N1.7 wants beside a v2.1 tree: modality.json, its own selection of statistics, relative statistics.

Facts: gr00t/data/stats.py and gr00t/data/dataset/lerobot_episode_loader.py of Isaac-GR00T N1.7.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from imove_core.rig import Rig
from imove_datasets.dataset import Dataset, as_lists
from imove_datasets.files import write_json
from imove_datasets.layout import IMAGES, RAD_FLOOR
from imove_datasets.relative import step_statistics
from imove_datasets.settings import ExportSettings
from imove_datasets.statistics import Statistics, with_floor

STATISTICS = ("mean", "std", "min", "max", "q01", "q99")
"""What its loader slices by joint; anything of another length, e.g. a count, would be cut to nothing."""
FINGERPRINTS = "__fingerprints__"
"""Key of the hashes by which its tools know statistics that still fit; without them they compute their own, with no
floor for joints that hardly move."""
EMBODIMENT = "new_embodiment"
"""Tag under which GR00T takes robots that it was not trained on."""
LANGUAGE_KEYS = ("human.task_description", "human.action.task_description")
"""Checkpoints differ in the key that they ask for; both lead to the frame's text."""


def groups_of(rig: Rig) -> dict[str, tuple[int, int]]:
    """Start and end of each joint group in the rig's vector: `left_arm`, `left_gripper` ..., or `arm`, `gripper`."""
    groups, start = {}, 0
    for arm in rig.arms:
        prefix = "" if len(rig.arms) == 1 else f"{arm.name}_"
        groups[f"{prefix}arm"] = (start, start + arm.size - 1)
        groups[f"{prefix}gripper"] = (start + arm.size - 1, start + arm.size)
        start += arm.size
    return groups


def modality_of(rig: Rig) -> dict[str, Any]:
    """Content of `meta/modality.json`."""
    groups = {name: {"start": start, "end": end} for name, (start, end) in groups_of(rig).items()}
    return {
        "state": groups,
        "action": groups,
        "video": {camera.name: {"original_key": IMAGES + camera.name} for camera in rig.cameras},
        "annotation": {key: {"original_key": "task_index"} for key in LANGUAGE_KEYS},
    }


def write_gr00t(dataset: Dataset, rig: Rig, settings: ExportSettings, root: Path) -> None:
    """Writes `modality.json`, `stats.json` and, for relative actions, `relative_stats.json` into `meta`."""
    meta = root / "meta"
    write_json(meta / "modality.json", modality_of(rig))
    statistics, _ = dataset.statistics
    floats = {key: feature for key, feature in dataset.features().items() if feature["dtype"] == "float32"}
    marks = {
        key: _fingerprint({"feature": key, "dtype": feature["dtype"], "shape": list(feature["shape"])})
        for key, feature in floats.items()
    }
    write_json(meta / "stats.json", {**{key: _selected(statistics[key]) for key in floats}, FINGERPRINTS: marks})
    if settings.actions == "relative":
        arms = {name: span for name, span in groups_of(rig).items() if name.endswith("arm")}
        found = {name: _relative(dataset, list(range(*span)), settings.horizon) for name, span in arms.items()}
        marks = {name: _relative_fingerprint(name, settings.horizon) for name in arms}
        write_json(meta / "relative_stats.json", {**found, FINGERPRINTS: marks})


def _relative_fingerprint(action_key: str, horizon: int) -> str:
    """Of relative joint actions that start from the state of the same name, as the shipped recipe configures them."""
    return _fingerprint(
        {
            "embodiment_tag": EMBODIMENT,
            "action_key": action_key,
            "action_delta_indices": list(range(horizon)),
            "state_delta_indices": [0],
            "rep": "RELATIVE",
            "type": "NON_EEF",
            "format": "DEFAULT",
            "state_key": None,
        }
    )


def _fingerprint(payload: Mapping[str, Any]) -> str:
    canonical = json.dumps(payload, sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(canonical.encode()).hexdigest()


def _selected(statistics: Statistics) -> dict[str, Any]:
    return as_lists({name: statistics[name] for name in STATISTICS})


def _relative(dataset: Dataset, joints: list[int], horizon: int) -> dict[str, Any]:
    found = step_statistics(dataset, joints, horizon)
    return _selected(with_floor(found, np.full((horizon, len(joints)), RAD_FLOOR)))
