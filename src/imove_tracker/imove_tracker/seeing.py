"""Finds the objects of a spec in one image: those nobody has seen yet, and those that are not where they were."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from imove_core.transforms import Array
from imove_tracker.appearance import light_gain
from imove_tracker.cloud import Mask, TableImage
from imove_tracker.clusters import Cluster, clusters_of, split_apart
from imove_tracker.evidence import Evidence, outline_of
from imove_tracker.identity import Assignment, Expected, assign
from imove_tracker.known import KnownObject
from imove_tracker.pose import Fit, fit_pose

GOOD_SCORE = 0.7
"""Other ways to lie are not tried any more."""
UPRIGHT_SCORE = 0.6
TOPPLED_BETTER = 0.15
"""Things fall over seldom: where it may as well stand as it was laid out, it does."""
BETTER = 0.02
LEAST_TRUST = 0.55
"""Below, it is not the object."""


@dataclass(frozen=True, eq=False)
class Sighting:
    """Where an object was found.

    Attributes:
        fit: Its pose, with what speaks for it.
        color: (3,) its mean colour in the image.
        rival: Id of another object that it could as well be, "" where there is no doubt.
    """

    fit: Fit
    color: Array
    rival: str = ""


@dataclass(frozen=True, eq=False)
class Wanted:
    """An object that is looked for.

    Attributes:
        known: The object.
        pose: (4, 4) where it was, or should be.
        color: (3,) as this camera has seen it, None where it has not.
        find_height: Whether it may lie in or on another object.
    """

    known: KnownObject
    pose: Array
    color: Array | None = None
    find_height: bool = False


def find(
    image: TableImage, free: Mask, wanted: Mapping[str, Wanted], place_scale_m: float, gain: Array | None = None
) -> dict[str, Sighting]:
    """Finds objects among the pixels (H, W) that nothing else explains; leaves out those that are nowhere.

    Args:
        image: The image.
        free: Pixels above the table that belong to no arm and to no other object.
        wanted: By id.
        place_scale_m: How far from where it should be an object may well lie.
        gain: (3,) of the light on colours; None works it out from what is found.
    """
    if not wanted:
        return {}
    masks = [outline_of(image, one.known.shape, one.pose).mask(image.shape) for one in wanted.values()]
    clusters = split_apart(image, clusters_of(image, free), masks)
    if not clusters:
        return {}

    def assigned(light: Array) -> tuple[list[Assignment], list[Expected]]:
        expected = [one.known.expected(image, one.pose, light, one.color) for one in wanted.values()]
        return assign(expected, clusters, place_scale_m), expected

    pairs, expected = assigned(np.ones(3) if gain is None else gain)
    if gain is None:
        # Most pairs are right without it, and the light is the same for all.
        chosen = [index for index, pair in enumerate(pairs) if pair.cluster is not None]
        seen = np.array([clusters[pairs[index].cluster or 0].color for index in chosen]).reshape(-1, 3)
        usual = np.array([expected[index].color for index in chosen]).reshape(-1, 3)
        pairs, _ = assigned(light_gain(seen, usual))
    return _fitted(image, clusters, list(wanted), wanted, pairs)


def _fitted(
    image: TableImage,
    clusters: Sequence[Cluster],
    names: Sequence[str],
    wanted: Mapping[str, Wanted],
    assigned: Sequence[Assignment],
) -> dict[str, Sighting]:
    found = {}
    for name, pair in zip(names, assigned, strict=True):
        if pair.cluster is None:
            continue
        cluster = clusters[pair.cluster]
        fit = fit_cluster(image, cluster, wanted[name])
        if fit is not None:
            found[name] = Sighting(fit, cluster.color, "" if pair.rival is None else names[pair.rival])
    return found


def fit_cluster(image: TableImage, cluster: Cluster, wanted: Wanted) -> Fit | None:
    """The pose of an object that a cluster is; None where its shape does not fit."""
    known = wanted.known
    best = _best(image, cluster, wanted, known.starts(wanted.pose, cluster.middle))
    if best.score < UPRIGHT_SCORE:
        other = _best(image, cluster, wanted, known.toppled(cluster.middle))
        if other.score > best.score + TOPPLED_BETTER:
            best = other
    return best if best.evidence.trust >= LEAST_TRUST else None


def _best(image: TableImage, cluster: Cluster, wanted: Wanted, starts: Iterable[Array]) -> Fit:
    """The best of the fits from some poses, or the first that is good; a hopeless one without any pose."""
    best = Fit(wanted.pose, Evidence(0.0, 0.0, 0.0, 0.0), np.inf, 1.0)
    for start in starts:
        fit = fit_pose(image, wanted.known.shape, cluster.mask, start, find_height=wanted.find_height)
        # Of poses that are as good as each other the first counts: it is nearest to what it was.
        if fit.score > best.score + BETTER:
            best = fit
        if best.score >= GOOD_SCORE:
            break
    return best
