"""LeRobot's layout v2.1: one parquet file and one video a camera for each episode."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from imove_datasets.dataset import Dataset, as_lists
from imove_datasets.files import frame_table, write_json, write_json_lines, write_parquet

VERSION = "v2.1"
CHUNK = 1000
DATA_PATH = "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet"
VIDEO_PATH = "videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4"


def write_v21(dataset: Dataset, root: Path) -> None:
    """Writes the tree; the episodes' videos are moved into it."""
    for episode in dataset.episodes:
        place = {"episode_chunk": episode.index // CHUNK, "episode_index": episode.index}
        write_parquet(root / DATA_PATH.format(**place), frame_table(dataset.columns(episode)))
        for key, video in episode.data.videos.items():
            target = root / VIDEO_PATH.format(video_key=key, **place)
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(video, target)
    meta = root / "meta"
    write_json(meta / "info.json", _info(dataset))
    write_json_lines(
        meta / "tasks.jsonl", ({"task_index": number, "task": text} for number, text in enumerate(dataset.tasks))
    )
    write_json_lines(
        meta / "episodes.jsonl",
        (
            {"episode_index": item.index, "tasks": list(item.tasks.texts), "length": len(item.data)}
            for item in dataset.episodes
        ),
    )
    write_json_lines(
        meta / "episodes_stats.jsonl",
        (
            {
                "episode_index": item.index,
                "stats": {key: as_lists(value) for key, value in dataset.episode_statistics(item).items()},
            }
            for item in dataset.episodes
        ),
    )
    statistics, _ = dataset.statistics
    write_json(meta / "stats.json", {key: as_lists(value) for key, value in statistics.items()})


def _info(dataset: Dataset) -> dict[str, Any]:
    count = len(dataset.episodes)
    return {
        "codebase_version": VERSION,
        "robot_type": dataset.signature.rig,
        "total_episodes": count,
        "total_frames": dataset.frames,
        "total_tasks": len(dataset.tasks),
        "total_videos": count * len(dataset.image_keys),
        "total_chunks": -(-count // CHUNK),
        "chunks_size": CHUNK,
        "fps": dataset.fps,
        "splits": {"train": f"0:{count}"},
        "data_path": DATA_PATH,
        "video_path": VIDEO_PATH,
        "features": dataset.features(),
    }
