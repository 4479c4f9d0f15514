"""Frames of an episode: state, action and labels of each; and their images, read in a second pass through the bag."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from imove_core.bag.errors import BagError
from imove_core.bag.reader import EpisodeBag
from imove_core.transforms import Array
from imove_datasets.alignment import Alignment, Indices, as_of
from imove_datasets.collectors import Track
from imove_datasets.pixels import Pixels, color_from
from imove_datasets.tracks import EpisodeTracks
from imove_tasks.stages.events import PLACE_STAGES

UNKNOWN = -1
"""Label of what a bag does not tell."""
PHASE, STAGES, HELD, SUCCESS = "label.phase", "label.stages", "label.target_held", "label.success"
"""Columns of labels. None begins with `observation` or `action`, which a policy would take for its own."""


@dataclass(frozen=True, eq=False)
class Frames:
    """What is known at each frame.

    Attributes:
        stamps_ns: When the reference image was taken (N,).
        state: Measured positions (N, D) in the rig's order, rad and m.
        action: Targets one control period later (N, D), the same.
        labels: Whole numbers (N,) or (N, 4) by column; -1 is unknown.
        images: By camera, index of its image in the bag (N,).
    """

    stamps_ns: NDArray[np.int64]
    state: Array
    action: Array
    labels: Mapping[str, NDArray[np.int64]]
    images: Mapping[str, Indices]

    def __len__(self) -> int:
        """Number of frames."""
        return len(self.stamps_ns)

    def cut(self, first: int, end: int) -> Frames:
        """The frames from `first` up to, but without, `end`."""
        part = slice(first, end)
        return replace(
            self,
            stamps_ns=self.stamps_ns[part],
            state=self.state[part],
            action=self.action[part],
            labels={name: values[part] for name, values in self.labels.items()},
            images={name: index[part] for name, index in self.images.items()},
        )


def make_frames(tracks: EpisodeTracks, alignment: Alignment, max_age_s: float) -> Frames:
    """Takes what belongs to each frame from the tracks."""
    picks = alignment.picks
    arms = tracks.facts.rig.arms

    def joined(by_arm: Mapping[str, Track]) -> Array:
        return np.hstack([by_arm[arm.name].values[picks[by_arm[arm.name].topic]] for arm in arms])

    return Frames(
        stamps_ns=alignment.stamps_ns,
        state=joined(tracks.states),
        action=joined(tracks.targets),
        labels=_labels(tracks, alignment.stamps_ns, round(max_age_s * 1e9)),
        images={camera: picks[track.topic] for camera, track in tracks.images.items()},
    )


def _labels(tracks: EpisodeTracks, times_ns: Indices, max_age_ns: int) -> dict[str, NDArray[np.int64]]:
    stages = np.full((len(times_ns), len(PLACE_STAGES)), UNKNOWN, np.int64)
    if tracks.reached is not None:
        for column, stage in enumerate(PLACE_STAGES):
            at = tracks.reached.get(stage)
            stages[:, column] = 0 if at is None else times_ns >= at
    success = tracks.facts.success
    labels: dict[str, NDArray[np.int64]] = {STAGES: stages}
    for name, track in ((PHASE, tracks.phases), (HELD, tracks.held)):
        index, old = as_of(track.stamps_ns, times_ns, max_age_ns)
        values = np.full(len(times_ns), UNKNOWN, np.int64)
        known = (index >= 0) & ~old
        values[known] = track.values[index[known]]
        labels[name] = values
    labels[SUCCESS] = np.full(len(times_ns), UNKNOWN if success is None else int(success), np.int64)
    return {name: labels[name] for name in (PHASE, STAGES, HELD, SUCCESS)}


def frame_images(bag: EpisodeBag, tracks: EpisodeTracks, frames: Frames) -> Iterator[dict[str, Pixels]]:
    """The images of each frame by camera, (H, W, 3) uint8 RGB; as few at a time in memory as the bag's order allows.

    Raises:
        BagError: An image cannot be decoded, or is of another size than the first.
    """
    cameras = {track.topic: camera for camera, track in tracks.images.items()}
    seen = dict.fromkeys(cameras, -1)
    wanted = {camera: deque(index.tolist()) for camera, index in frames.images.items()}
    ready: dict[str, deque[Pixels]] = {camera: deque() for camera in wanted}
    for record, message in bag.decoded(list(cameras)):
        camera = cameras[record.topic]
        seen[record.topic] += 1
        queue = wanted[camera]
        if not queue or queue[0] != seen[record.topic]:
            continue
        pixels = color_from(message, record.type)
        track = tracks.images[camera]
        if pixels.shape[:2] != (track.height, track.width):
            raise BagError(
                f"{tracks.facts.name}: images on {record.topic} change from {(track.width, track.height)} to "
                f"{pixels.shape[1::-1]} pixels"
            )
        # Two frames share an image where a camera is slower than the reference.
        while queue and queue[0] == seen[record.topic]:
            queue.popleft()
            ready[camera].append(pixels)
        while all(ready.values()):
            yield {name: images.popleft() for name, images in ready.items()}
