"""Mixing plans of `imove mix` for openpi, which by itself reads one LeRobot data set.

A plan's draws are the samples of the epoch: openpi shuffles them, so that the ratio is exact over the epoch and right
on average in each batch. Texts are those that the plan chose for its epoch.
"""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from lerobot.common.datasets.lerobot_dataset import LeRobotDataset, LeRobotDatasetMetadata
from openpi.models.model import BaseModelConfig
from openpi.training import data_loader
from openpi.training.config import DataConfig

PARQUET_KEY = b"imove_mixing_plan"


class PlannedDataset:
    """The draws of a plan, one after another."""

    def __init__(self, plan: Path, data_config: DataConfig, action_horizon: int) -> None:
        """Opens the data sets of a plan.

        Args:
            plan: What `imove mix` wrote, .json or .parquet.
            data_config: Says which columns are actions.
            action_horizon: Actions a chunk.
        """
        header, self._draws = _read(plan)
        self._texts = {(row["source"], row["episode_index"]): row["text"] for row in header["episodes"]}
        self._sets = []
        for source in header["sources"]:
            folder = Path(source["folder"])
            step_s = 1 / LeRobotDatasetMetadata(folder.name, root=folder).fps
            chunk = {key: [step_s * step for step in range(action_horizon)] for key in data_config.action_sequence_keys}
            self._sets.append(LeRobotDataset(folder.name, root=folder, delta_timestamps=chunk))

    def __len__(self) -> int:
        """Draws of the epoch."""
        return len(self._draws["source"])

    def __getitem__(self, draw: int) -> dict[str, Any]:
        """Returns the frame of a draw, with the actions from there on and the text."""
        place = draw.__index__()
        source, episode, frame = (int(self._draws[name][place]) for name in ("source", "episode_index", "index"))
        return {**self._sets[source][frame], "prompt": self._texts[source, episode]}


def use(plan: Path) -> None:
    """Makes openpi's data loader, and its script for statistics, take the draws of a plan."""

    def create(data_config: DataConfig, action_horizon: int, model_config: BaseModelConfig) -> PlannedDataset:
        return PlannedDataset(plan, data_config, action_horizon)

    data_loader.create_torch_dataset = create


def _read(plan: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    if plan.suffix == ".json":
        header = json.loads(plan.read_text(encoding="utf-8"))
        return header, header.pop("draws")
    table = pq.read_table(plan)
    return json.loads(table.schema.metadata[PARQUET_KEY]), {name: table[name].to_numpy() for name in table.column_names}
