"""LeRobot's layout v3.0: many episodes a parquet file and a video, found by the tables of `meta/episodes`."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from imove_datasets.dataset import Dataset, as_lists
from imove_datasets.files import MEGABYTE, frame_table, task_table, write_json, write_parquet
from imove_datasets.video import join_videos

VERSION = "v3.0"
CHUNK = 1000
DATA_FILE_MB, VIDEO_FILE_MB = 100, 200
DATA_PATH = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
VIDEO_PATH = "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4"
EPISODES_PATH = "meta/episodes/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
_EPISODES_A_FILE = 1000


@dataclass(frozen=True)
class _Place:
    """A file by its running number."""

    number: int

    @property
    def indices(self) -> dict[str, int]:
        return {"chunk_index": self.number // CHUNK, "file_index": self.number % CHUNK}


def write_v30(dataset: Dataset, root: Path) -> None:
    """Writes the tree; the episodes' videos are joined into its files and removed."""
    rows: list[dict[str, Any]] = [
        {
            "episode_index": episode.index,
            "tasks": list(episode.tasks.texts),
            "length": len(episode.data),
            "dataset_from_index": episode.start,
            "dataset_to_index": episode.start + len(episode.data),
        }
        for episode in dataset.episodes
    ]
    _write_data(dataset, root, rows)
    for key in dataset.image_keys:
        _write_videos(dataset, root, key, rows)
    _write_episodes(dataset, root, rows)
    statistics, _ = dataset.statistics
    write_json(root / "meta" / "stats.json", {key: as_lists(value) for key, value in statistics.items()})
    write_parquet(root / "meta" / "tasks.parquet", task_table(dataset.tasks))
    write_json(root / "meta" / "info.json", _info(dataset))


def _groups(sizes: list[int], limit: int) -> list[list[int]]:
    """Episodes in order, as many a file as stay within `limit` bytes, but at least one."""
    groups: list[list[int]] = []
    filled = 0
    for at, size in enumerate(sizes):
        if not groups or filled + size > limit:
            groups.append([])
            filled = 0
        groups[-1].append(at)
        filled += size
    return groups


def _write_data(dataset: Dataset, root: Path, rows: list[dict[str, Any]]) -> None:
    tables = [frame_table(dataset.columns(episode)) for episode in dataset.episodes]
    for number, group in enumerate(_groups([table.nbytes for table in tables], DATA_FILE_MB * MEGABYTE)):
        place = _Place(number).indices
        path = root / DATA_PATH.format(**place)
        path.parent.mkdir(parents=True, exist_ok=True)
        with pq.ParquetWriter(path, tables[0].schema, compression="snappy") as writer:
            # A row group an episode: a reader of one episode reads no other.
            for at in group:
                writer.write_table(tables[at])
                rows[at] |= {f"data/{name}": value for name, value in place.items()}


def _write_videos(dataset: Dataset, root: Path, key: str, rows: list[dict[str, Any]]) -> None:
    parts = [episode.data.videos[key] for episode in dataset.episodes]
    for number, group in enumerate(_groups([part.stat().st_size for part in parts], VIDEO_FILE_MB * MEGABYTE)):
        place = _Place(number).indices
        path = root / VIDEO_PATH.format(video_key=key, **place)
        path.parent.mkdir(parents=True, exist_ok=True)
        join_videos([parts[at] for at in group], path)
        frames = 0
        for at in group:
            os.unlink(parts[at])
            start, frames = frames, frames + len(dataset.episodes[at].data)
            rows[at] |= {f"videos/{key}/{name}": value for name, value in place.items()}
            rows[at] |= {
                f"videos/{key}/from_timestamp": start / dataset.fps,
                f"videos/{key}/to_timestamp": frames / dataset.fps,
            }


def _write_episodes(dataset: Dataset, root: Path, rows: list[dict[str, Any]]) -> None:
    for first in range(0, len(rows), _EPISODES_A_FILE):
        place = _Place(first // _EPISODES_A_FILE).indices
        part = rows[first : first + _EPISODES_A_FILE]
        for row, episode in zip(part, dataset.episodes[first : first + _EPISODES_A_FILE], strict=True):
            for key, statistics in dataset.episode_statistics(episode).items():
                row |= {f"stats/{key}/{name}": value for name, value in as_lists(statistics).items()}
            row |= {f"meta/episodes/{name}": value for name, value in place.items()}
        write_parquet(root / EPISODES_PATH.format(**place), pa.Table.from_pylist(part))


def _info(dataset: Dataset) -> dict[str, Any]:
    return {
        "codebase_version": VERSION,
        "robot_type": dataset.signature.rig,
        "total_episodes": len(dataset.episodes),
        "total_frames": dataset.frames,
        "total_tasks": len(dataset.tasks),
        "chunks_size": CHUNK,
        "data_files_size_in_mb": DATA_FILE_MB,
        "video_files_size_in_mb": VIDEO_FILE_MB,
        "fps": dataset.fps,
        "splits": {"train": f"0:{len(dataset.episodes)}"},
        "data_path": DATA_PATH,
        "video_path": VIDEO_PATH,
        "features": dataset.features(),
    }
