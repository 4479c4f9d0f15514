"""Readers of LeRobot's layouts on disk, written from their description alone and sharing no code with the writers."""

import json
from pathlib import Path
from typing import Any

import av
import numpy as np
import pyarrow.parquet as pq

Episode = dict[str, Any]
"""Columns as arrays, videos as (N, H, W, 3) uint8, and `task`, a text a frame."""


def read_dataset(root: Path) -> list[Episode]:
    """All episodes of a dataset in order, of either layout."""
    info = json.loads((root / "meta/info.json").read_text())
    read = {"v2.1": _read_v21, "v3.0": _read_v30}[info["codebase_version"]]
    episodes = read(root, info)
    assert len(episodes) == info["total_episodes"]
    assert sum(len(episode["index"]) for episode in episodes) == info["total_frames"]
    for episode in episodes:
        for key, feature in info["features"].items():
            shape = tuple(feature["shape"])
            assert episode[key].shape[1:] == (() if shape == (1,) else shape), key
            assert episode[key].dtype == ("uint8" if feature["dtype"] == "video" else feature["dtype"]), key
    return episodes


def json_lines(path: Path) -> list[dict[str, Any]]:
    """Rows of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def decode(path: Path) -> tuple[np.ndarray, list[float]]:
    """All frames of a video and when each is shown, s."""
    with av.open(str(path)) as video:
        assert video.streams.video[0].codec.canonical_name == "h264"
        frames = list(video.decode(video=0))
    return np.stack([frame.to_ndarray(format="rgb24") for frame in frames]), [float(frame.time) for frame in frames]


def _columns(table: Any) -> Episode:
    return {
        name: np.array(table[name].to_pylist(), dtype=_dtype(table.schema.field(name).type))
        for name in table.column_names
    }


def _dtype(arrow: Any) -> str:
    inner = getattr(arrow, "value_type", arrow)
    return {"float": "float32", "int64": "int64"}[str(inner)]


def _video_keys(info: dict[str, Any]) -> list[str]:
    return [key for key, feature in info["features"].items() if feature["dtype"] == "video"]


def _read_v21(root: Path, info: dict[str, Any]) -> list[Episode]:
    tasks = {row["task_index"]: row["task"] for row in json_lines(root / "meta/tasks.jsonl")}
    assert len(tasks) == info["total_tasks"]
    episodes = []
    for row in json_lines(root / "meta/episodes.jsonl"):
        at = row["episode_index"]
        place = {"episode_index": at, "episode_chunk": at // info["chunks_size"]}
        episode = _columns(pq.read_table(root / info["data_path"].format(**place)))
        assert len(episode["index"]) == row["length"]
        for key in _video_keys(info):
            episode[key], times = decode(root / info["video_path"].format(video_key=key, **place))
            assert np.allclose(times, np.arange(row["length"]) / info["fps"], atol=1e-6, rtol=0)
        episode["task"] = [tasks[number] for number in episode["task_index"]]
        assert set(episode["task"]) == set(row["tasks"])
        episodes.append(episode)
    assert info["total_videos"] == len(episodes) * len(_video_keys(info)) == len(list(root.rglob("*.mp4")))
    return episodes


def _read_v30(root: Path, info: dict[str, Any]) -> list[Episode]:
    listed = pq.read_table(root / "meta/tasks.parquet")
    assert json.loads(listed.schema.metadata[b"pandas"])["index_columns"] == ["task"]
    tasks = dict(zip(listed["task_index"].to_pylist(), listed["task"].to_pylist(), strict=True))
    rows = [
        row for path in sorted((root / "meta/episodes").rglob("*.parquet")) for row in pq.read_table(path).to_pylist()
    ]
    episodes = []
    for row in rows:
        place = {name: row[f"data/{name}"] for name in ("chunk_index", "file_index")}
        table = pq.read_table(root / info["data_path"].format(**place))
        index = np.array(table["index"].to_pylist())
        mine = np.flatnonzero((index >= row["dataset_from_index"]) & (index < row["dataset_to_index"]))
        assert len(mine) == row["length"]
        episode = _columns(table.take(mine))
        for key in _video_keys(info):
            where = {name: row[f"videos/{key}/{name}"] for name in ("chunk_index", "file_index")}
            frames, times = decode(root / info["video_path"].format(video_key=key, **where))
            start = row[f"videos/{key}/from_timestamp"]
            assert abs(row[f"videos/{key}/to_timestamp"] - start - row["length"] / info["fps"]) < 1e-9
            wanted = start + np.arange(row["length"]) / info["fps"]
            chosen = [int(np.argmin(np.abs(np.array(times) - time))) for time in wanted]
            assert np.abs(np.array(times)[chosen] - wanted).max() < 1e-4
            episode[key] = frames[chosen]
        episode["task"] = [tasks[number] for number in episode["task_index"]]
        assert set(episode["task"]) == set(row["tasks"])
        episodes.append(episode)
    return episodes
