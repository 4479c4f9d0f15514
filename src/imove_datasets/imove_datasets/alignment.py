"""Messages that come at their own times become frames, one for each image of a reference camera.

Everything else is taken as it was at that time (the last message that is not later), and no older than a maximum age.
The action is the first target after it. Nothing is interpolated: a frame that lacks something is dropped and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from imove_core.bag.errors import BagError
from imove_core.errors import ImoveError
from imove_core.rig import Rig
from imove_datasets.collectors import ImageTrack, Track
from imove_datasets.settings import AlignmentSettings
from imove_datasets.tracks import EpisodeTracks

Indices = NDArray[np.int64]
# A camera's period may differ from a whole number of frames a second by as much.
_RATE_TOLERANCE = 0.1


@dataclass(frozen=True)
class Drop:
    """Images of the reference camera that became no frames.

    Attributes:
        topic: What was wrong there.
        reason: `missing` (nothing yet), `too old`, `no later target`, `target too late` or `repeated stamp`.
        frames: How many.
    """

    topic: str
    reason: str
    frames: int


@dataclass(frozen=True, eq=False)
class Alignment:
    """Which message of each topic belongs to each frame.

    Attributes:
        stamps_ns: When the frames' reference images were taken (N,).
        picks: By topic, index of its message for each frame (N,), in the order of the bag.
        drops: What was left out.
        fps: Frames a second of the reference camera.
        longest_gap_s: Longest time between two frames.
    """

    stamps_ns: NDArray[np.int64]
    picks: Mapping[str, Indices]
    drops: tuple[Drop, ...]
    fps: int
    longest_gap_s: float


def as_of(stamps_ns: Indices, times_ns: Indices, max_age_ns: int) -> tuple[Indices, NDArray[np.bool_]]:
    """Index of the last stamp that is not later than each time, and whether it is too old; -1 where there is none."""
    index = np.searchsorted(stamps_ns, times_ns, side="right") - 1
    if not len(stamps_ns):
        return index, np.zeros(len(times_ns), bool)
    return index, (index >= 0) & (times_ns - stamps_ns[np.maximum(index, 0)] > max_age_ns)


def first_after(stamps_ns: Indices, times_ns: Indices, max_wait_ns: int) -> tuple[Indices, NDArray[np.bool_]]:
    """Index of the first stamp later than each time, and whether it is too late; -1 where there is none."""
    index = np.searchsorted(stamps_ns, times_ns, side="right")
    none = index == len(stamps_ns)
    if not len(stamps_ns):
        return np.full(len(times_ns), -1), np.zeros(len(times_ns), bool)
    late = ~none & (stamps_ns[np.minimum(index, len(stamps_ns) - 1)] - times_ns > max_wait_ns)
    return np.where(none, -1, index), late


def reference_camera(rig: Rig, name: str = "") -> str:
    """The camera whose images make frames: the named one, else the first that stands still, else the first.

    Raises:
        ImoveError: The rig has no such camera, or none at all.
    """
    if name:
        return rig.camera(name).name
    if not rig.cameras:
        raise ImoveError(f"rig {rig.name} has no camera; frames are made of images")
    fixed = [camera.name for camera in rig.cameras if camera.arm_and_link is None]
    return fixed[0] if fixed else rig.cameras[0].name


def align(tracks: EpisodeTracks, settings: AlignmentSettings) -> Alignment:
    """Finds what belongs to each frame.

    Raises:
        BagError: The reference camera took fewer than two images, or has no steady rate.
        ImoveError: The rig has no such camera.
    """
    reference = tracks.images[reference_camera(tracks.facts.rig, settings.reference_camera)]
    times_ns = reference.stamps_ns
    fps = _rate(times_ns, reference.topic, tracks.facts.name)
    max_age_ns = round(settings.max_age_s * 1e9)
    reasons = np.full(len(times_ns), "", dtype=object)
    places = np.full(len(times_ns), "", dtype=object)

    def drop(which: NDArray[np.bool_], topic: str, reason: str) -> None:
        # A frame is counted once, under what was found first.
        fresh = which & (reasons == "")
        reasons[fresh], places[fresh] = reason, topic

    picks: dict[str, Indices] = {}
    repeated = np.concatenate([[False], np.diff(times_ns) == 0])
    drop(repeated, reference.topic, "repeated stamp")
    sampled: list[ImageTrack | Track] = [*tracks.images.values(), *tracks.states.values()]
    for track in sampled:
        if track is reference:
            picks[track.topic] = np.arange(len(times_ns))
            continue
        index, old = as_of(track.stamps_ns, times_ns, max_age_ns)
        drop(index < 0, track.topic, "missing")
        drop(old, track.topic, "too old")
        picks[track.topic] = index
    for track in tracks.targets.values():
        index, late = first_after(track.stamps_ns, times_ns, max_age_ns)
        drop(index < 0, track.topic, "no later target")
        drop(late, track.topic, "target too late")
        picks[track.topic] = index
    kept = reasons == ""
    counts = Counter(zip(places[~kept].tolist(), reasons[~kept].tolist(), strict=True))
    stamps_ns = times_ns[kept]
    return Alignment(
        stamps_ns=stamps_ns,
        picks={topic: index[kept] for topic, index in picks.items()},
        drops=tuple(Drop(topic, reason, count) for (topic, reason), count in sorted(counts.items())),
        fps=fps,
        longest_gap_s=float(np.diff(stamps_ns).max(initial=0)) / 1e9,
    )


def _rate(times_ns: Indices, topic: str, name: str) -> int:
    if len(times_ns) < 2:
        raise BagError(f"{name} has {len(times_ns)} image on {topic}; at least 2 are needed")
    period_ns = float(np.median(np.diff(times_ns)))
    rate = 1e9 / period_ns if period_ns > 0 else 0.0
    fps = round(rate)
    if fps < 1 or abs(rate - fps) > _RATE_TOLERANCE * fps:
        raise BagError(f"{name}: images on {topic} come at {rate:.2f} Hz; a whole number of at least 1 is needed")
    return fps
