"""What an image changes in the tracks: what is still there, what moved, what a hand carries, what is gone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from imove_core.transforms import Array
from imove_tracker.arm_mask import ArmMask
from imove_tracker.cloud import Mask, TableImage
from imove_tracker.evidence import Evidence, Outline, evidence_for, outline_of
from imove_tracker.known import KnownObject
from imove_tracker.pose import fit_pose
from imove_tracker.seeing import Wanted, connected, find, grown, look_at
from imove_tracker.tracks import Track

IN_VIEW = 0.35
"""Share of the surface that must be open to view before the image says anything of the object."""
THERE = 0.6
"""Of the surface in view, the share that must agree: below, the object is not there."""
SHIFTED = 0.06
"""An agreement that is so much worse than in full view asks for a new fit."""
FULL_VIEW = 0.8
TRACKING_SCALE_M = 0.06
TAKEN_AWAY_M = 0.02
"""A carried object that is so far from where it was taken up leaves that place empty."""
LEFT_BEHIND = 0.25
LOST_AFTER_NS = 400_000_000
"""What is not where it was may be on its way to where it will be seen next."""


class Updater:
    """Brings tracks up to date with one image after another."""

    def __init__(self, arms: ArmMask) -> None:
        """Uses the mask of a rig's arms."""
        self._arms = arms
        self._changed_ns: dict[str, int] = {}
        self._missed_ns: dict[str, int] = {}

    def changed(self, name: str, stamp_ns: int) -> None:
        """The joints say that an object was taken up or let go: an image from before says nothing of it."""
        self._changed_ns[name] = stamp_ns

    def explained(self, image: TableImage, known: Mapping[str, KnownObject], tracks: Mapping[str, Track]) -> Mask:
        """Pixels (H, W) of all objects that were seen."""
        found = np.zeros(image.shape, bool)
        for name, track in tracks.items():
            if track.seen_ns:
                found |= grown(look_at(image, known[name], track.pose)[0].mask(image.shape))
        return found

    def update(
        self,
        stamp_ns: int,
        image: TableImage,
        positions: Array,
        tools: dict[str, Array],
        known: Mapping[str, KnownObject],
        tracks: Mapping[str, Track],
    ) -> dict[str, Track]:
        """The tracks after an image.

        Args:
            stamp_ns: When it was exposed.
            image: The image.
            positions: (D,) of the joints then.
            tools: Poses (4, 4) of the tools then, by arm name.
            known: The objects.
            tracks: Before it.
        """
        looks = {name: look_at(image, known[name], track.pose_with(tools)) for name, track in tracks.items()}
        masks = {name: grown(outline.mask(image.shape)) for name, (outline, _) in looks.items()}
        result = dict(tracks)
        missing = []
        for name, track in tracks.items():
            if stamp_ns < self._changed_ns.get(name, stamp_ns):
                continue
            if track.arm:
                result[name] = self._in_hand(stamp_ns, image, known[name], track, looks[name], tools)
            elif _is_there(looks[name][1]):
                others = [masks[other] for other in tracks if other != name]
                result[name] = self._there(stamp_ns, image, known[name], track, looks[name], masks[name], others)
                self._missed_ns.pop(name, None)
            elif looks[name][1].open < IN_VIEW and track.basis != "lost":
                result[name] = track.hidden(stamp_ns)
            else:
                missing.append(name)
        if missing:
            self._search(stamp_ns, image, positions, known, result, missing, masks)
        return result

    def _in_hand(
        self,
        stamp_ns: int,
        image: TableImage,
        known: KnownObject,
        track: Track,
        look: tuple[Outline, Evidence],
        tools: dict[str, Array],
    ) -> Track:
        """A carried object; it is no longer one where the image shows it at the place that it should have left."""
        away_m = float(np.linalg.norm(track.pose_with(tools)[:3, 3] - track.pose[:3, 3]))
        if away_m < TAKEN_AWAY_M:
            return track
        outline, evidence = look
        # Beside the object in the hand: over its old place it may agree with it by chance.
        old = outline_of(image, known.shape, track.pose).without(grown(outline.mask(image.shape)))
        left = evidence_for(image, old)
        if left.agrees >= LEFT_BEHIND and left.trust >= THERE and evidence.trust < THERE:
            return track.seen(stamp_ns, track.pose, left.trust, track.clear, None)
        return track.carried(seen_in_hand=evidence.agrees >= LEFT_BEHIND)

    def _there(
        self,
        stamp_ns: int,
        image: TableImage,
        known: KnownObject,
        track: Track,
        look: tuple[Outline, Evidence],
        own: Mask,
        others: list[Mask],
    ) -> Track:
        """An object that is where it was, or hardly beside it."""
        outline, evidence = look
        if evidence.open < FULL_VIEW:
            return track.seen(stamp_ns, track.pose, evidence.trust, track.clear, None)
        if evidence.trust < track.clear - SHIFTED:
            free = image.above_table()
            for mask in others:
                free &= ~mask
            fit = fit_pose(image, known.shape, connected(free, own), [track.pose])
            if fit.evidence.trust > evidence.trust:
                clear = max(track.clear - SHIFTED / 2, fit.evidence.trust)
                return track.seen(stamp_ns, fit.pose, fit.score, clear, None)
        color = (
            image.rgb[outline.pixels[:, 1], outline.pixels[:, 0]].mean(axis=0) / 255.0 if track.color is None else None
        )
        return track.seen(stamp_ns, track.pose, evidence.trust, max(track.clear, evidence.trust), color)

    def _search(
        self,
        stamp_ns: int,
        image: TableImage,
        positions: Array,
        known: Mapping[str, KnownObject],
        result: dict[str, Track],
        missing: list[str],
        masks: Mapping[str, Mask],
    ) -> None:
        """Looks everywhere for objects that are not where they were."""
        above = image.above_table()
        for name, mask in masks.items():
            if name not in missing:
                above &= ~mask
        free = above & ~self._arms.own(image, above, positions)
        wanted = {name: Wanted(known[name], result[name].pose, result[name].color, True) for name in missing}
        found = find(image, free, wanted, TRACKING_SCALE_M, np.ones(3))
        for name in missing:
            if name in found:
                fit, track = found[name].fit, result[name]
                self._missed_ns.pop(name, None)
                result[name] = track.seen(stamp_ns, fit.pose, fit.score, min(track.clear, fit.evidence.trust), None)
            elif stamp_ns - self._missed_ns.setdefault(name, stamp_ns) >= LOST_AFTER_NS:
                result[name] = result[name].lost()
            elif result[name].basis != "lost":
                result[name] = replace(result[name].hidden(stamp_ns), confidence=0.4)


def _is_there(evidence: Evidence) -> bool:
    return evidence.open >= IN_VIEW and evidence.trust >= THERE
