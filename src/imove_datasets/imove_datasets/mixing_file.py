"""Mixing plans on disk: JSON for people and small sets, parquet for long epochs. docs/training.md has the fields."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from imove_core.errors import ImoveError
from imove_datasets.mixing import MixPlan

SCHEMA = 1
PARQUET_KEY = b"imove_mixing_plan"
"""Where a parquet file keeps the part that is not a row a draw."""


def write_plan(plan: MixPlan, path: Path) -> None:
    """Writes a plan whole or not at all.

    Args:
        plan: What to write.
        path: A name that ends in `.json` or `.parquet`; an existing file is replaced.

    Raises:
        ImoveError: when the name has another ending or cannot be written.
    """
    if path.suffix not in (".json", ".parquet"):
        raise ImoveError(f"a mixing plan cannot be written as {path.name!r}; the name ends in .json or .parquet")
    columns = {
        "source": plan.draws[:, 0],
        "episode_index": plan.draws[:, 1],
        "frame_index": plan.draws[:, 2],
        "index": _frame_numbers(plan),
    }
    partial = path.with_name(f".{path.name}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".json":
            record = {**_header(plan), "draws": {name: values.tolist() for name, values in columns.items()}}
            partial.write_text(json.dumps(record, ensure_ascii=False) + "\n", encoding="utf-8")
        else:
            header = json.dumps(_header(plan), ensure_ascii=False).encode()
            table = pa.table({name: pa.array(values) for name, values in columns.items()})
            pq.write_table(table.replace_schema_metadata({PARQUET_KEY: header}), partial, compression="zstd")
        os.replace(partial, path)
    except OSError as error:
        raise ImoveError(f"the mixing plan {path} cannot be written: {error.strerror or error}") from error


def _header(plan: MixPlan) -> dict[str, Any]:
    drawn = np.bincount(plan.draws[:, 0], minlength=len(plan.sources))
    return {
        "schema": SCHEMA,
        "unit": plan.unit,
        "seed": plan.seed,
        "epoch": plan.epoch,
        "sources": [
            {
                "folder": source.folder,
                "weight": source.weight,
                "episodes": len(source.episodes),
                "frames": source.frames,
                "draws": int(count),
            }
            for source, count in zip(plan.sources, drawn, strict=True)
        ],
        "episodes": [
            {
                "source": planned.source,
                "episode_index": planned.episode.index,
                "length": planned.episode.length,
                "draws": planned.draws,
                "frame_weight": planned.frame_weight,
                "text": planned.text,
            }
            for planned in plan.episodes
        ],
    }


def _frame_numbers(plan: MixPlan) -> NDArray[np.int64]:
    # LeRobot's `index`: frames counted through all episodes of a data set in the order of their numbers.
    numbers = np.empty(len(plan.draws), np.int64)
    for index, source in enumerate(plan.sources):
        mine = plan.draws[:, 0] == index
        starts = np.concatenate(([0], np.cumsum([episode.length for episode in source.episodes])[:-1]))
        rows = np.searchsorted([episode.index for episode in source.episodes], plan.draws[mine, 1])
        numbers[mine] = starts[rows] + plan.draws[mine, 2]
    return numbers
