"""Where the videos of a run lie: whoever makes them and whoever shows them looks here."""

from __future__ import annotations

from pathlib import Path

from imove_analysis.episodes import Episode
from imove_analysis.runs import Run
from imove_core.errors import ImoveError

VIDEOS = "videos"
"""Folder of the videos within that of a run."""


def video_path(run: Run, episode: Episode) -> Path:
    """Where the video of an episode lies, or is to lie.

    Raises:
        ImoveError: The names in the record lead out of the folder of the run.
    """
    root = run.folder.resolve()
    path = root / (episode.video or f"{VIDEOS}/{episode.spec_id}/{episode.condition}.mp4")
    if not path.resolve().is_relative_to(root):
        raise ImoveError(f"the video of episode {episode.key} would lie outside of {run.folder}")
    return path


def poster_path(video: Path) -> Path:
    """The still picture that stands for a video until it is played, beside it."""
    return video.with_suffix(".png")
