"""Mixing plans: which frame of which data set a trainer sees, in which order, for one epoch.

A plan is made of blocks as long as the sum of the weights. With weights 9 and 1 each block of ten draws has nine frames
of the first data set and one of the second, in an order of its own: the ratio is exact over the epoch and over every
batch whose size is a multiple of ten, and off by less than one block over any other batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from imove_core.errors import ImoveError

Unit = Literal["frames", "episodes"]
"""What counts equally within a data set: each frame, or each episode whatever its length."""

# Streams of random numbers of one seed, so that none depends on another.
_ORDER, _ITEMS, _TEXTS = range(3)


@dataclass(frozen=True)
class MixEpisode:
    """An episode of an exported data set.

    Attributes:
        index: Its `episode_index`.
        length: Frames that it has.
        texts: What it may be called, the canonical instruction first.
    """

    index: int
    length: int
    texts: tuple[str, ...]


@dataclass(frozen=True)
class MixSource:
    """A data set and how much of each block it fills.

    Attributes:
        folder: Where the data set is, as the user gave it.
        weight: Draws of each block that are from it.
        episodes: Its episodes by index.
    """

    folder: str
    weight: int
    episodes: tuple[MixEpisode, ...]

    @property
    def frames(self) -> int:
        """Frames of all episodes."""
        return sum(episode.length for episode in self.episodes)


@dataclass(frozen=True)
class PlannedEpisode:
    """An episode's part in an epoch.

    Attributes:
        source: Index of its data set in the plan.
        episode: The episode.
        draws: Frames of it that the epoch draws, repetitions counted.
        frame_weight: Chance of each of its frames under a sampler with replacement that has the plan's ratio; over all
            frames of all data sets the chances add up to one.
        text: The instruction in this epoch.
    """

    source: int
    episode: MixEpisode
    draws: int
    frame_weight: float
    text: str


@dataclass(frozen=True)
class MixPlan:
    """One epoch.

    Attributes:
        sources: The data sets, in the order of the user's words.
        unit: What counts equally within a data set.
        seed: What all choices follow from.
        epoch: Number of the epoch, from 0.
        episodes: Every episode of every data set.
        draws: (N, 3) int64, a row a draw: index of the data set, `episode_index`, and `frame_index` in the episode.
    """

    sources: tuple[MixSource, ...]
    unit: Unit
    seed: int
    epoch: int
    episodes: tuple[PlannedEpisode, ...]
    draws: NDArray[np.int64]


def make_plan(
    sources: Sequence[MixSource], *, unit: Unit = "frames", seed: int = 0, epoch: int = 0, draws: int | None = None
) -> MixPlan:
    """Plans one epoch; the same arguments give the same plan.

    Within a data set no frame (or, by episodes, no episode) comes a second time more often than any other: the items
    are gone through in shuffled rounds. Of the texts of an episode each comes once in as many epochs as it has texts.

    Args:
        sources: The data sets with their weights.
        unit: What counts equally within a data set.
        seed: What all choices follow from.
        epoch: Number of the epoch, from 0.
        draws: Length of the epoch, a multiple of the sum of the weights; None for the shortest in which every data set
            has as many draws as frames.

    Raises:
        ImoveError: when there is no data set, one has no frames or no weight, or the ratio does not fit into `draws`.
    """
    blocks = _blocks(sources, draws)
    order = np.random.default_rng([seed, epoch, _ORDER])
    labels = np.repeat(np.arange(len(sources)), [source.weight for source in sources])
    which = order.permuted(np.tile(labels, (blocks, 1)), axis=1).ravel()
    table = np.empty((which.size, 3), np.int64)
    table[:, 0] = which
    planned: list[PlannedEpisode] = []
    for index, source in enumerate(sources):
        chosen = _items(source, unit, blocks * source.weight, np.random.default_rng([seed, epoch, _ITEMS, index]))
        numbers = np.array([episode.index for episode in source.episodes])
        table[which == index, 1] = numbers[chosen[:, 0]]
        table[which == index, 2] = chosen[:, 1]
        counts = np.bincount(chosen[:, 0], minlength=len(source.episodes))
        share, frames = source.weight / labels.size, source.frames
        for row, episode in enumerate(source.episodes):
            chance = share / (frames if unit == "frames" else len(source.episodes) * episode.length)
            text = _text(episode, seed, epoch, index)
            planned.append(PlannedEpisode(index, episode, int(counts[row]), chance, text))
    return MixPlan(tuple(sources), unit, seed, epoch, tuple(planned), table)


def _blocks(sources: Sequence[MixSource], draws: int | None) -> int:
    if not sources:
        raise ImoveError("a mixing plan needs at least one data set")
    for source in sources:
        if source.weight < 1:
            raise ImoveError(f"weight of {source.folder} is {source.weight}; a weight is a whole number from 1 on")
        if any(episode.length < 1 for episode in source.episodes) or not source.episodes:
            raise ImoveError(f"{source.folder} has no episodes, or one without frames; there is nothing to mix")
    block = sum(source.weight for source in sources)
    if draws is None:
        return max(-(-source.frames // source.weight) for source in sources)
    if draws < block or draws % block:
        below = max(draws // block, 1) * block
        raise ImoveError(
            f"an epoch of {draws} draws cannot hold the ratio exactly; take a multiple of {block}, e.g. {below} "
            f"or {below + block}"
        )
    return draws // block


def _items(source: MixSource, unit: Unit, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    # (count, 2): row of the episode in `source.episodes`, frame in the episode.
    lengths = np.array([episode.length for episode in source.episodes])
    if unit == "frames":
        starts = np.concatenate(([0], np.cumsum(lengths)))
        flat = _rounds(source.frames, count, rng)
        rows = np.searchsorted(starts, flat, side="right") - 1
        return np.stack((rows, flat - starts[rows]), axis=1)
    rows = _rounds(len(lengths), count, rng)
    frames = np.empty(count, np.int64)
    by_episode = np.split(np.argsort(rows, kind="stable"), np.cumsum(np.bincount(rows, minlength=len(lengths)))[:-1])
    for mine, length in zip(by_episode, lengths, strict=True):
        frames[mine] = _rounds(int(length), mine.size, rng)
    return np.stack((rows, frames), axis=1)


def _rounds(items: int, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    # Shuffled rounds through all items, the last one cut.
    rounds = [rng.permutation(items) for _ in range(-(-count // items))]
    return np.concatenate(rounds)[:count] if rounds else np.empty(0, np.int64)


def _text(episode: MixEpisode, seed: int, epoch: int, source: int) -> str:
    # The order of the texts does not depend on the epoch: that is what makes each come once.
    order = np.random.default_rng([seed, _TEXTS, source, episode.index]).permutation(len(episode.texts))
    return episode.texts[int(order[epoch % len(episode.texts)])]
