"""One episode of an export: read, aligned, checked and encoded; what worker processes do."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from imove_core.bag.reader import EpisodeBag
from imove_core.transforms import Array
from imove_datasets.alignment import Alignment, Drop, align
from imove_datasets.facts import EpisodeFacts
from imove_datasets.frames import Frames, frame_images, make_frames
from imove_datasets.guards import check_actions, moving_part
from imove_datasets.layout import Layout, layout_of
from imove_datasets.pixels import T_HEIGHT, T_WIDTH, Pixels, even, padded, t_shaped
from imove_datasets.settings import ExportSettings
from imove_datasets.sources import episode_name
from imove_datasets.statistics import ImageHistogram
from imove_datasets.tracks import EpisodeTracks, read_tracks
from imove_datasets.video import VideoWriter


@dataclass(frozen=True)
class EpisodeJob:
    """What a worker is given.

    Attributes:
        bag: The episode bag.
        folder: Where it may put videos; no other job has it.
        settings: Of the export.
    """

    bag: Path
    folder: Path
    settings: ExportSettings


@dataclass(frozen=True)
class Signature:
    """What all episodes of a dataset must have in common.

    Attributes:
        rig: Name.
        joints: Names in order.
        cameras: Name, width and height in pixels of each.
        fps: Frames a second.
    """

    rig: str
    joints: tuple[str, ...]
    cameras: tuple[tuple[str, int, int], ...]
    fps: int


@dataclass(frozen=True, eq=False)
class EpisodeData:
    """An episode as a dataset takes it.

    Attributes:
        state: Positions (N, D) float32 in the layout's units.
        action: Targets (N, D) float32, the same.
        labels: Whole numbers by column.
        videos: File by image key.
        sizes: Height and width by image key.
        histograms: Of the images by image key.
    """

    state: NDArray[np.float32]
    action: NDArray[np.float32]
    labels: Mapping[str, NDArray[np.int64]]
    videos: Mapping[str, Path]
    sizes: Mapping[str, tuple[int, int]]
    histograms: Mapping[str, ImageHistogram]

    def __len__(self) -> int:
        """Number of frames."""
        return len(self.state)


@dataclass(frozen=True, eq=False)
class EpisodeExport:
    """What has become of an episode.

    Attributes:
        facts: What it is.
        signature: What it has in common with the others.
        drops: Images of the reference camera that became no frames.
        trimmed: Frames cut off at the start and at the end.
        data: The episode; None where it is left out.
        left_out: Why, "" where it is not.
    """

    facts: EpisodeFacts
    signature: Signature
    drops: tuple[Drop, ...]
    trimmed: tuple[int, int]
    data: EpisodeData | None
    left_out: str


def export_episode(job: EpisodeJob) -> EpisodeExport:
    """Makes an episode ready for a dataset.

    Raises:
        BagError: The bag cannot be used; the message names it and says why.
        ImoveError: The format has no place for its rig.
    """
    # Episodes are what runs side by side; one process encodes with one thread.
    name = episode_name(job.bag)
    settings = job.settings
    bag = EpisodeBag(job.bag)
    tracks = read_tracks(bag, name)
    layout = layout_of(settings.format, tracks.facts.rig)
    alignment = align(tracks, settings.alignment)
    frames = make_frames(tracks, alignment, settings.alignment.max_age_s)
    first, end = moving_part(frames) if settings.trim_idle and len(frames) else (0, len(frames))
    reason = _why_left_out(tracks.facts, alignment, settings)
    data = None
    if not reason:
        check_actions(frames, name)
        data = _encoded(bag, tracks, frames.cut(first, end), layout, alignment.fps, job)
    return EpisodeExport(
        facts=tracks.facts,
        signature=_signature(tracks, alignment.fps),
        drops=alignment.drops,
        trimmed=(first, len(frames) - end),
        data=data,
        left_out=reason,
    )


def _why_left_out(facts: EpisodeFacts, alignment: Alignment, settings: ExportSettings) -> str:
    if facts.incomplete:
        return f"its recording stopped early: {facts.incomplete}"
    frames = len(alignment.stamps_ns)
    if frames < 2:
        return f"{frames} frames are left; at least 2 are needed"
    limit = settings.alignment.max_gap_s
    if alignment.longest_gap_s > limit:
        return f"{alignment.longest_gap_s:.3f} s lie between two frames; {limit:g} s are allowed"
    return ""


def _signature(tracks: EpisodeTracks, fps: int) -> Signature:
    rig = tracks.facts.rig
    cameras = tuple((name, track.width, track.height) for name, track in tracks.images.items())
    return Signature(rig.name, rig.joint_names, cameras, fps)


def _encoded(
    bag: EpisodeBag, tracks: EpisodeTracks, frames: Frames, layout: Layout, fps: int, job: EpisodeJob
) -> EpisodeData:
    os.makedirs(job.folder, exist_ok=True)
    sizes = _sizes(tracks, layout, job.settings.video.size)
    videos = {key: job.folder / f"{number}.mp4" for number, key in enumerate(sizes)}
    histograms = {key: ImageHistogram() for key in sizes}
    with ExitStack() as stack:
        writers = {
            key: stack.enter_context(VideoWriter(videos[key], width, height, fps, job.settings.video.crf))
            for key, (height, width) in sizes.items()
        }
        for images in frame_images(bag, tracks, frames):
            for key, pixels in _views(images, layout, sizes).items():
                writers[key].add(pixels)
                histograms[key].add(pixels)
    return EpisodeData(
        state=_stored(layout.converted(frames.state)),
        action=_stored(layout.converted(frames.action)),
        labels=frames.labels,
        videos=videos,
        sizes=sizes,
        histograms=histograms,
    )


def _stored(values: Array) -> NDArray[np.float32]:
    return np.ascontiguousarray(values, np.float32)


def _sizes(tracks: EpisodeTracks, layout: Layout, side: int | None) -> dict[str, tuple[int, int]]:
    sizes = {}
    for camera, key in layout.images.items():
        track = tracks.images[camera]
        native = (track.height + track.height % 2, track.width + track.width % 2)
        sizes[key] = native if side is None else (side, side)
    if layout.stitched:
        sizes[layout.stitched] = (T_HEIGHT, T_WIDTH)
    return sizes


def _views(images: Mapping[str, Pixels], layout: Layout, sizes: Mapping[str, tuple[int, int]]) -> dict[str, Pixels]:
    views = {}
    for camera, key in layout.images.items():
        pixels = even(images[camera])
        views[key] = padded(pixels, *sizes[key])
    if layout.stitched:
        top, left, right = (images[camera] for camera in layout.parts)
        views[layout.stitched] = t_shaped(top, left, right)
    return views
