"""Which episodes of a run get a video, and where it lies."""

from __future__ import annotations

from pathlib import Path

from imove_analysis.episodes import Episode
from imove_analysis.runs import Run
from imove_bringup.episode_video.rendering import RUBRIC
from imove_core.errors import ImoveError, unknown_name

FAILED, ALL = "failed", "all"
VIDEOS = "videos"
"""Folder of the videos within that of a run."""


def choose_episodes(run: Run, words: str, most: int) -> list[Episode]:
    """The episodes that are wanted, in the order of the run.

    Args:
        run: The run.
        words: `failed`, `all`, or names of episodes (SCENE/CONDITION) separated by commas.
        most: How many at most.

    Raises:
        ImoveError: The run has no such episode.
    """
    if words == ALL:
        chosen = list(run.episodes)
    elif words == FAILED:
        chosen = [episode for episode in run.episodes if not episode.rubrics[RUBRIC].success]
    else:
        known = {episode.key: episode for episode in run.episodes}
        wanted = [word.strip() for word in words.split(",")]
        for key in wanted:
            if key not in known:
                raise unknown_name(f"episode of {run.folder}", key, (FAILED, ALL, *list(known)[:3]))
        chosen = [episode for key, episode in known.items() if key in wanted]
    return chosen[:most]


def video_path(run: Run, episode: Episode) -> Path:
    """Where the video of an episode lies, or is to lie; its poster is beside it, with the suffix .png.

    Raises:
        ImoveError: The names in the record lead out of the folder.
    """
    root = (run.folder / VIDEOS).resolve()
    path = root / episode.spec_id / f"{episode.condition}.mp4"
    if not path.resolve().is_relative_to(root):
        raise ImoveError(f"the video of episode {episode.key} would lie outside of {run.folder}")
    return path
