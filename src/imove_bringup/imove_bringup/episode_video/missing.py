"""Makes the videos that are wanted and not there yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from imove_analysis.episodes import Episode
from imove_analysis.report import Progress
from imove_analysis.runs import Run
from imove_analysis.videos import video_path
from imove_bringup.episode_video.rendering import VideoMaker


@dataclass(frozen=True)
class Rendered:
    """What became of the videos that were wanted.

    Attributes:
        videos: That are there now, in the order of the episodes.
        made: How many of them are new.
        left_out: Keys of the episodes that can have none: neither their control steps nor a bag were kept.
    """

    videos: tuple[Path, ...]
    made: int
    left_out: tuple[str, ...]


def render_missing(
    run: Run, episodes: Sequence[Episode], progress: Progress, *, rig: str = "", assets: Sequence[Path] = ()
) -> Rendered:
    """Renders what is not there; simulator, suite and rig are opened only where something is to be rendered.

    Args:
        run: The run.
        episodes: Finished ones of it.
        progress: Is told how far it is.
        rig: File of the run's rig, "" for the shipped one.
        assets: Corpus folders with objects beside the shipped ones.

    Raises:
        ImoveError: See `VideoMaker`.
    """
    paths = {episode.key: video_path(run, episode) for episode in episodes}
    missing = [episode for episode in episodes if not paths[episode.key].is_file()]
    todo = [episode for episode in missing if episode.trace is not None or episode.bag is not None]
    if todo:
        progress.begin(f"videos of {run.folder.name}", len(todo))
        maker = VideoMaker(run, rig=rig, assets=assets)
        try:
            for episode in todo:
                maker.make(episode, paths[episode.key])
                progress.advance()
        finally:
            maker.close()
    made = {episode.key for episode in todo}
    left_out = tuple(episode.key for episode in missing if episode.key not in made)
    return Rendered(tuple(path for key, path in paths.items() if key not in left_out), len(todo), left_out)
