"""Which episodes of a run get a video."""

from __future__ import annotations

from imove_analysis.episodes import Episode
from imove_analysis.runs import Run
from imove_bringup.episode_video.rendering import RUBRIC
from imove_core.errors import unknown_name

FAILED, ALL = "failed", "all"


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
