"""Normalisation statistics as openpi loads them, of what its transforms make of an export.

Facts: scripts/compute_norm_stats.py, src/openpi/shared/normalize.py and src/openpi/training/config.py of openpi.
`AssetsConfig(assets_dir="OUT/assets", asset_id="imove")` finds them; its own script would compute the same.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from imove_datasets.dataset import Dataset, as_lists
from imove_datasets.files import write_json
from imove_datasets.relative import chunk_statistics
from imove_datasets.settings import ExportSettings
from imove_datasets.statistics import Floored, Statistics, column_statistics, with_floor

ASSET_ID = "imove"
NORM_STATS = f"assets/{ASSET_ID}/norm_stats.json"
_NAMES = ("mean", "std", "q01", "q99")


def write_openpi(dataset: Dataset, settings: ExportSettings, root: Path) -> tuple[Floored, ...]:
    """Writes the statistics of `state` and `actions`; returns the dimensions of actions that got a floor."""
    layout = dataset.layout
    joints = [joint for vector in layout.vectors if vector.source == "state" for joint in vector.joints]
    states = np.concatenate([episode.data.state[:, joints] for episode in dataset.episodes])
    state = with_floor(column_statistics(states), layout.floors()[joints])
    actions, floored = chunk_statistics(dataset, settings.actions, settings.horizon, padded=True)
    write_json(root / NORM_STATS, {"norm_stats": {"state": _selected(state), "actions": _selected(actions)}})
    return floored


def _selected(statistics: Statistics) -> dict[str, Any]:
    return as_lists({name: statistics[name] for name in _NAMES})
