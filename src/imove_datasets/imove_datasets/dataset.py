"""A dataset in memory but for its videos: episodes with numbers, features, statistics; what writers of layouts take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imove_core.transforms import Array
from imove_datasets.episode import EpisodeData, Signature
from imove_datasets.frames import STAGES
from imove_datasets.layout import Layout, Vector
from imove_datasets.statistics import (
    Floored,
    ImageHistogram,
    Statistics,
    column_statistics,
    narrow_dimensions,
    with_floor,
)
from imove_datasets.tasks import EpisodeTasks
from imove_datasets.video import CODEC, PIXEL_FORMAT
from imove_tasks.stages.events import PLACE_STAGES

Column = NDArray[np.float32] | NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class DatasetEpisode:
    """An episode of the dataset.

    Attributes:
        index: Its number.
        start: Number of its first frame within the dataset.
        data: Its values and videos.
        tasks: Its texts.
    """

    index: int
    start: int
    data: EpisodeData
    tasks: EpisodeTasks

    def columns(self, layout: Layout, fps: int) -> dict[str, Column]:
        """Its table, a row a frame: vectors, labels, and the columns that every LeRobot dataset has.

        The time of frame k is exactly k / fps, as readers expect it; when things happened is in the bag.
        """
        frames = np.arange(len(self.data))
        vectors = {vector.key: vector_of(self.data, vector) for vector in layout.vectors}
        return {
            **vectors,
            **self.data.labels,
            "timestamp": (frames / fps).astype(np.float32),
            "frame_index": frames,
            "episode_index": np.full(len(frames), self.index),
            "index": frames + self.start,
            "task_index": self.tasks.task_index,
        }


def vector_of(data: EpisodeData, vector: Vector) -> NDArray[np.float32]:
    """A column of floats (N, d)."""
    return (data.state if vector.source == "state" else data.action)[:, list(vector.joints)]


@dataclass(frozen=True, eq=False)
class Dataset:
    """What is written.

    Attributes:
        layout: Keys and order.
        signature: What all episodes have in common.
        episodes: In order.
        tasks: Texts; their place is their number.
    """

    layout: Layout
    signature: Signature
    episodes: Sequence[DatasetEpisode]
    tasks: tuple[str, ...]

    @property
    def fps(self) -> int:
        """Frames a second."""
        return self.signature.fps

    @property
    def frames(self) -> int:
        """Frames of all episodes."""
        return sum(len(episode.data) for episode in self.episodes)

    @property
    def image_keys(self) -> tuple[str, ...]:
        """Keys of videos."""
        return tuple(self.episodes[0].data.sizes)

    def columns(self, episode: DatasetEpisode) -> dict[str, Column]:
        """The table of an episode."""
        return episode.columns(self.layout, self.fps)

    def features(self) -> dict[str, dict[str, Any]]:
        """Description of every column and video, as in `meta/info.json`."""
        described: dict[str, dict[str, Any]] = {}
        for vector in self.layout.vectors:
            names = [self.layout.joint_names[joint] for joint in vector.joints]
            described[vector.key] = {"dtype": "float32", "shape": [len(names)], "names": names}
        for key, (height, width) in self.episodes[0].data.sizes.items():
            described[key] = _video_feature(height, width, self.fps)
        for key, values in self.episodes[0].data.labels.items():
            names = list(PLACE_STAGES) if key == STAGES else [key.removeprefix("label.")]
            described[key] = {"dtype": "int64", "shape": [1 if values.ndim == 1 else values.shape[1]], "names": names}
        described["timestamp"] = {"dtype": "float32", "shape": [1], "names": None}
        for key in ("frame_index", "episode_index", "index", "task_index"):
            described[key] = {"dtype": "int64", "shape": [1], "names": None}
        return described

    def episode_statistics(self, episode: DatasetEpisode) -> dict[str, Statistics]:
        """Statistics of one episode, as they are, without floors."""
        columns = {key: column_statistics(values) for key, values in self.columns(episode).items()}
        images = {key: histogram.statistics() for key, histogram in episode.data.histograms.items()}
        return {**columns, **images}

    @cached_property
    def statistics(self) -> tuple[dict[str, Statistics], tuple[Floored, ...]]:
        """Statistics of all frames together, and the dimensions that got a floor."""
        tables = [self.columns(episode) for episode in self.episodes]
        found = {key: column_statistics(np.concatenate([table[key] for table in tables])) for key in tables[0]}
        floored: list[Floored] = []
        floors = self.layout.floors()
        for vector in self.layout.vectors:
            names = [self.layout.joint_names[joint] for joint in vector.joints]
            least = floors[list(vector.joints)]
            floored += narrow_dimensions(found[vector.key], least, vector.key, names)
            found[vector.key] = with_floor(found[vector.key], least)
        for key in self.image_keys:
            found[key] = ImageHistogram.sum(episode.data.histograms[key] for episode in self.episodes).statistics()
        return found, tuple(floored)


def as_lists(statistics: Mapping[str, Array]) -> dict[str, Any]:
    """Statistics as plain lists for JSON and parquet."""
    return {name: values.tolist() for name, values in statistics.items()}


def _video_feature(height: int, width: int, fps: int) -> dict[str, Any]:
    return {
        "dtype": "video",
        "shape": [height, width, 3],
        "names": ["height", "width", "channels"],
        "info": {
            "video.height": height,
            "video.width": width,
            "video.codec": CODEC,
            "video.pix_fmt": PIXEL_FORMAT,
            "video.is_depth_map": False,
            "video.fps": fps,
            "video.channels": 3,
            "has_audio": False,
        },
    }
