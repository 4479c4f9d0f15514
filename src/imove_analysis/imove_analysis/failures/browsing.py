"""Which failures to look at, and in which order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from math import log2
from types import MappingProxyType

from imove_analysis.failures.classes import SUCCESS
from imove_analysis.failures.table import ClassedEpisode
from imove_core.errors import unknown_name


def choose(
    episodes: Sequence[ClassedEpisode],
    classes: Collection[str] = (),
    objects: Collection[str] = (),
    conditions: Collection[str] = (),
    scenes: Collection[str] = (),
) -> tuple[ClassedEpisode, ...]:
    """The episodes that fit, in the order given; an empty collection asks for nothing.

    Args:
        episodes: To choose from.
        classes: Names of classes.
        objects: Phrases or categories, of the named object or the one that was acted on.
        conditions: Names of conditions.
        scenes: Ids of scenes.
    """
    return tuple(
        episode
        for episode in episodes
        if (not classes or episode.name in classes)
        and (not objects or {*episode.called, *episode.acted_on_called} & set(objects))
        and (not conditions or episode.condition in conditions)
        and (not scenes or episode.spec_id in scenes)
    )


def rank(
    episodes: Sequence[ClassedEpisode], among: Sequence[ClassedEpisode], by: str = "surprise"
) -> tuple[ClassedEpisode, ...]:
    """Episodes in the order in which they deserve a look.

    Args:
        episodes: To rank.
        among: All episodes of the run: what is rare is rare among them.
        by: One of `RANKS`: `surprise`, rare classes and scenes that otherwise go well first; `cues`, wrong objects for
            which most cues speak first; `scene`, by scene and condition.

    Raises:
        ImoveError: There is no such order.
    """
    if by not in RANKS:
        raise unknown_name("order of failures", by, RANKS)
    return tuple(sorted(episodes, key=RANKS[by](among)))


def surprise_bits(episode: ClassedEpisode, among: Sequence[ClassedEpisode]) -> float:
    """-log2 of the share of its class among all failures, and of the share of failures in its scene.

    Shares are (k + 1) / (n + 2), so that a single episode does not surprise beyond measure.
    """
    return _surprise(among)(episode)


def _surprise(among: Sequence[ClassedEpisode]) -> Callable[[ClassedEpisode], float]:
    failed = [episode for episode in among if episode.name != SUCCESS]
    by_class = Counter(episode.name for episode in failed)
    by_scene = Counter(episode.spec_id for episode in failed)
    runs = Counter(episode.spec_id for episode in among)

    def bits(episode: ClassedEpisode) -> float:
        rarity = (by_class[episode.name] + 1) / (len(failed) + 2)
        easiness = (by_scene[episode.spec_id] + 1) / (runs[episode.spec_id] + 2)
        return -log2(rarity) - log2(easiness)

    return bits


Key = Callable[[ClassedEpisode], tuple[float, str, str]]


def _by_surprise(among: Sequence[ClassedEpisode]) -> Key:
    bits = _surprise(among)
    return lambda episode: (-bits(episode), episode.spec_id, episode.condition)


def _by_cues(among: Sequence[ClassedEpisode]) -> Key:
    return lambda episode: (-len(episode.cues), episode.spec_id, episode.condition)


def _by_scene(among: Sequence[ClassedEpisode]) -> Key:
    return lambda episode: (0.0, episode.spec_id, episode.condition)


RANKS: Mapping[str, Callable[[Sequence[ClassedEpisode]], Key]] = MappingProxyType(
    {"surprise": _by_surprise, "cues": _by_cues, "scene": _by_scene}
)
"""Orders by name."""
