"""Files of a dataset: JSON, JSON lines, and parquet as LeRobot's readers take it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from imove_datasets.dataset import Column

MEGABYTE = 1 << 20


def write_json(path: Path, value: Any) -> None:
    """Writes JSON for people, with the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=4, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")


def write_json_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Writes one line of JSON a row."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")


def frame_table(columns: Mapping[str, Column]) -> pa.Table:
    """Columns as a table: one number a row, or a list of fixed length."""
    arrays = {}
    for key, values in columns.items():
        flat = pa.array(np.ascontiguousarray(values).reshape(-1))
        wide = values.ndim == 2 and values.shape[1] > 1
        arrays[key] = pa.FixedSizeListArray.from_arrays(flat, values.shape[1]) if wide else flat
    return pa.table(arrays)


def write_parquet(path: Path, table: pa.Table) -> None:
    """Writes a table in one row group."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path, compression="snappy", row_group_size=max(1, table.num_rows))


def task_table(texts: Iterable[str]) -> pa.Table:
    """Texts with their numbers, the text being the index of the data frame that pandas makes of it."""
    names = list(texts)
    table = pa.table({"task_index": pa.array(range(len(names)), pa.int64()), "task": pa.array(names, pa.string())})
    # LeRobot reads the text from the index of the data frame, which parquet knows by pandas' own description alone.
    text = {"pandas_type": "unicode", "numpy_type": "object"}
    about = {
        "index_columns": ["task"],
        "column_indexes": [{"name": None, "field_name": None, **text, "metadata": {"encoding": "UTF-8"}}],
        "columns": [
            {
                "name": "task_index",
                "field_name": "task_index",
                "pandas_type": "int64",
                "numpy_type": "int64",
                "metadata": None,
            },
            {"name": "task", "field_name": "task", **text, "metadata": None},
        ],
        "creator": {"library": "pyarrow", "version": pa.__version__},
        "pandas_version": "2.2.3",
    }
    return table.replace_schema_metadata({b"pandas": json.dumps(about).encode()})
