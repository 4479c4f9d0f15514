"""Ranges of joints as Motus normalises with them, under the name of the rig.

Motus keeps them in its own `data/utils/stat.json`, where the entry is added by hand. Text embeddings (umT5) are the
trainer's to compute: docs/datasets.md says how.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from imove_datasets.dataset import Dataset
from imove_datasets.files import write_json

STAT_FILE = "meta/motus_stat.json"


def write_motus(dataset: Dataset, root: Path) -> None:
    """Writes least and largest value of each dimension, of states and actions together, as it scales both alike.

    A dimension that hardly moves gets its floor, half on either side.
    """
    statistics, _ = dataset.statistics
    columns = [statistics[vector.key] for vector in dataset.layout.vectors]
    low = np.minimum.reduce([column["min"] for column in columns])
    high = np.maximum.reduce([column["max"] for column in columns])
    missing = np.maximum(0.0, dataset.layout.floors() - (high - low)) / 2
    ranges = {"min": (low - missing).tolist(), "max": (high + missing).tolist()}
    write_json(root / STAT_FILE, {dataset.signature.rig: ranges})
