"""The control steps of an episode, from the folder of its run."""

from __future__ import annotations

from pathlib import Path

from imove_analysis.episodes import Episode
from imove_core.errors import ImoveError
from imove_core.state import StepState
from imove_core.step_trace import read_trace


def states_of(folder: Path, episode: Episode) -> tuple[StepState, ...]:
    """Reads the control steps of an episode, from the first observation on.

    Args:
        folder: Of the run.
        episode: Of that run.

    Raises:
        ImoveError: They were not kept, the record names a place outside of the folder, or the file is damaged.
    """
    if episode.trace is None:
        raise ImoveError(f"the control steps of episode {episode.key} were not kept (traces:=false, or an older run)")
    path = (folder / episode.trace).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise ImoveError(f"trace {episode.trace} of episode {episode.key} lies outside of {folder}")
    states = read_trace(path)
    steps = [state.step for state in states]
    if not steps or steps[0] != 0 or steps != sorted(set(steps)):
        raise ImoveError(f"{path} does not begin at control step 0 and go on from there")
    return states
