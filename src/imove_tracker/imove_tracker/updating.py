"""What an image changes in the tracks: what is still there, what moved, what a hand carries, what is gone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from imove_core.transforms import Array
from imove_tracker.evidence import evidence_for, outline_of
from imove_tracker.known import KnownObject
from imove_tracker.looking import Looks, connected, grown
from imove_tracker.pose import fit_pose
from imove_tracker.seeing import Wanted, find
from imove_tracker.tracks import Track

IN_VIEW = 0.35
"""Share of the surface that must be open to view before the image says anything of the object."""
THERE = 0.6
"""Of the surface in view, the share that must agree: below, the object is not there."""
THERE_OF_CLEAR = 0.8
SHIFTED = 0.06
"""An agreement that is so much worse than in full view asks for a new fit."""
FULL_VIEW = 0.8
TRACKING_SCALE_M = 0.06
LEFT_BEHIND = 0.25
STRANGE = 0.5
"""What covers so much of an object and is neither arm nor another object may be the object itself, lying higher."""
LOST_AFTER_NS = 400_000_000
"""What is not where it was may be on its way to where it will be seen next."""
SEARCH_AGAIN_NS = 300_000_000
"""A search in vain is not repeated at every image."""
ON_THE_WAY = 0.4
"""Confidence in the place of what is missing, before it counts as lost."""


class Updater:
    """Brings the tracks of one episode up to date with one image after another."""

    def __init__(self) -> None:
        """Begins with nothing missing."""
        self._changed_ns: dict[str, int] = {}
        self._missed_ns: dict[str, int] = {}
        self._searched_ns: int | None = None

    def changed(self, name: str, stamp_ns: int) -> None:
        """The joints say that an object was taken up or let go: an image from before says nothing of it."""
        self._changed_ns[name] = stamp_ns
        self._searched_ns = None

    def update(
        self, stamp_ns: int, looks: Looks, known: Mapping[str, KnownObject], tracks: Mapping[str, Track]
    ) -> dict[str, Track]:
        """The tracks after an image.

        Args:
            stamp_ns: When it was exposed.
            looks: The image, held against all objects.
            known: The objects.
            tracks: Before it.
        """
        result, missing = dict(tracks), []
        for name, track in tracks.items():
            if stamp_ns < self._changed_ns.get(name, stamp_ns):
                continue
            evidence = looks.evidence[name]
            if track.arm:
                result[name] = _in_hand(stamp_ns, looks, known[name], name, track)
            elif evidence.open >= IN_VIEW and evidence.trust >= _enough(track):
                result[name] = _there(stamp_ns, looks, known[name], name, track)
                self._missed_ns.pop(name, None)
            elif evidence.open < IN_VIEW and track.basis != "lost" and looks.covered_by_stranger(name) < STRANGE:
                result[name] = track.hidden(stamp_ns)
            else:
                missing.append(name)
        if missing:
            self._search(stamp_ns, looks, known, result, missing)
        return result

    def _search(
        self,
        stamp_ns: int,
        looks: Looks,
        known: Mapping[str, KnownObject],
        result: dict[str, Track],
        missing: Sequence[str],
    ) -> None:
        """Looks everywhere for objects that are not where they were."""
        if self._searched_ns is not None and 0 <= stamp_ns - self._searched_ns < SEARCH_AGAIN_NS:
            return
        wanted = {name: Wanted(known[name], result[name].pose, result[name].color, True) for name in missing}
        found = find(looks.image, looks.free(missing), wanted, TRACKING_SCALE_M, np.ones(3))
        self._searched_ns = None if len(found) == len(missing) else stamp_ns
        for name in missing:
            track = result[name]
            if name in found:
                fit = found[name].fit
                self._missed_ns.pop(name, None)
                result[name] = track.seen(stamp_ns, fit.pose, fit.score, min(track.clear, fit.evidence.trust), None)
            elif looks.evidence[name].open < IN_VIEW and track.basis != "lost":
                result[name] = track.hidden(stamp_ns)
            elif stamp_ns - self._missed_ns.setdefault(name, stamp_ns) >= LOST_AFTER_NS:
                result[name] = track.lost()
            elif track.basis != "lost":
                result[name] = replace(track.hidden(stamp_ns), confidence=ON_THE_WAY)


def _enough(track: Track) -> float:
    """The share that must agree for an object to be there: less where not even in full view most of it did."""
    return min(THERE, THERE_OF_CLEAR * track.clear) if track.clear else THERE


def _in_hand(stamp_ns: int, looks: Looks, known: KnownObject, name: str, track: Track) -> Track:
    """A carried object; it is no longer one where the image shows it at the place that it should have left."""
    image, outline, evidence = looks.image, looks.outlines[name], looks.evidence[name]
    # Beside the object in the hand: over its old place it may agree with it by chance.
    old = outline_of(image, known.shape, track.pose).without(grown(outline.mask(image.shape)))
    left = evidence_for(image, old)
    if left.agrees >= LEFT_BEHIND and left.trust >= THERE and evidence.trust < THERE:
        return track.seen(stamp_ns, track.pose, left.trust, track.clear, None)
    return track.carried(seen_in_hand=evidence.agrees >= LEFT_BEHIND)


def _there(stamp_ns: int, looks: Looks, known: KnownObject, name: str, track: Track) -> Track:
    """An object that is where it was, or hardly beside it."""
    image, evidence = looks.image, looks.evidence[name]
    if evidence.open < FULL_VIEW:
        return track.seen(stamp_ns, track.pose, evidence.trust, track.clear, None)
    if evidence.trust < track.clear - SHIFTED:
        own = connected(looks.free_of_objects([name]), looks.explained(name))
        fit = fit_pose(image, known.shape, own, track.pose)
        if fit.evidence.trust > evidence.trust:
            clear = max(track.clear - SHIFTED / 2, fit.evidence.trust)
            return track.seen(stamp_ns, fit.pose, fit.score, clear, None)
    color = _color(looks, name) if track.color is None else None
    return track.seen(stamp_ns, track.pose, evidence.trust, max(track.clear, evidence.trust), color)


def _color(looks: Looks, name: str) -> Array:
    pixels = looks.outlines[name].pixels
    mean: Array = looks.image.rgb[pixels[:, 1], pixels[:, 0]].mean(axis=0) / 255.0
    return mean
