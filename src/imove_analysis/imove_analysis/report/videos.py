"""Puts the videos of a run beside its page, so that the page's folder can be copied away as a whole."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from urllib.parse import quote

from imove_analysis.episodes import Episode
from imove_analysis.report.pages import unwritable
from imove_analysis.runs import Run
from imove_analysis.videos import VIDEOS, poster_path, video_path
from imove_core.errors import ImoveError


class VideoShelf:
    """Finds videos in a run's folder and links them into that of the page."""

    def __init__(self, run: Run, number: int, out: Path) -> None:
        """Puts nothing anywhere yet.

        Args:
            run: Whose videos.
            number: Its place among the runs of the page.
            out: Folder of the page.
        """
        self._run = run
        self._out = out
        self._within = Path(VIDEOS) / str(number)

    def __call__(self, episode: Episode) -> tuple[str, str] | None:
        """Addresses of video and poster relative to the page, None where the run has no video of the episode."""
        try:
            found = video_path(self._run, episode)
        except ImoveError:
            # A record may name any file; only one of the run is taken.
            return None
        if not found.is_file():
            return None
        poster = poster_path(found)
        return self._shelve(found, episode), self._shelve(poster, episode) if poster.is_file() else ""

    def _shelve(self, found: Path, episode: Episode) -> str:
        place = self._within / episode.spec_id / f"{episode.condition}{found.suffix}"
        path = (self._out / place).resolve()
        if not path.is_relative_to(self._out.resolve()):
            return ""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            _link_or_copy(found, path)
        except OSError as error:
            raise unwritable(self._out, error) from error
        return quote(place.as_posix())


def _link_or_copy(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
