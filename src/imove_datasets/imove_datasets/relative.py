"""Statistics of action chunks, as trainers see them that tell arm joints from the state at a chunk's start."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from imove_core.transforms import Array
from imove_datasets.dataset import Dataset
from imove_datasets.settings import Representation
from imove_datasets.statistics import (
    Floored,
    Statistics,
    action_chunks,
    narrow_dimensions,
    streamed_statistics,
    with_floor,
)


def chunk_statistics(
    dataset: Dataset, representation: Representation, horizon: int, padded: bool
) -> tuple[Statistics, tuple[Floored, ...]]:
    """Statistics of all actions of all chunks (D,), with floors.

    Args:
        dataset: Whose actions.
        representation: Whether arm joints are told from the state at the chunk's start; grippers never are.
        horizon: Actions a chunk.
        padded: Whether chunks that reach beyond an episode count, with its last action repeated, as openpi's loader
            makes them; lerobot leaves them out.
    """
    layout = dataset.layout
    relative = layout.relative() & (representation == "relative")
    # Where all episodes are shorter than a chunk there is nothing but padded ones.
    filled = padded or all(len(episode.data) < horizon for episode in dataset.episodes)

    def blocks() -> Iterator[Array]:
        for episode in dataset.episodes:
            state = episode.data.state.astype(np.float64)
            chunks = action_chunks(state, episode.data.action.astype(np.float64), relative, horizon, filled)
            yield chunks.reshape(-1, chunks.shape[-1])

    found, floors = streamed_statistics(blocks), layout.floors()
    column = f"{layout.action.key} ({representation} chunks)"
    return with_floor(found, floors), narrow_dimensions(found, floors, column, layout.joint_names)


def step_statistics(dataset: Dataset, joints: list[int], horizon: int) -> Statistics:
    """Statistics of relative actions apart for each step of a chunk (horizon, d), without floors.

    Args:
        dataset: Whose actions.
        joints: The d dimensions.
        horizon: Actions a chunk; chunks that reach beyond an episode are left out where there are others.
    """
    mask = np.ones(len(joints), bool)
    filled = all(len(episode.data) < horizon for episode in dataset.episodes)

    def blocks() -> Iterator[Array]:
        for episode in dataset.episodes:
            state, action = episode.data.state[:, joints], episode.data.action[:, joints]
            chunks = action_chunks(state.astype(np.float64), action.astype(np.float64), mask, horizon, filled)
            yield chunks.reshape(len(chunks), horizon * len(joints))

    found = streamed_statistics(blocks)
    return {name: values if name == "count" else values.reshape(horizon, len(joints)) for name, values in found.items()}
