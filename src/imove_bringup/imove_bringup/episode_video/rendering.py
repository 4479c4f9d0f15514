"""Videos of the episodes of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from imove_analysis.episodes import Episode
from imove_analysis.rescoring import checked_states
from imove_analysis.runs import Run
from imove_bringup.episode_video.banner import stage_signs
from imove_bringup.episode_video.frames import STRIDE, Footage, Pixels, recorded, rendered
from imove_bringup.episode_video.picture import DESTINATION, TARGET, Caption, draw_picture
from imove_bringup.episode_video.video_file import FPS, write_video
from imove_core.bag.reader import EpisodeBag
from imove_core.episode_rig import episode_rig
from imove_core.errors import ImoveError
from imove_sim_bridge.backend import SimBackend
from imove_sim_bridge.registry import create_backend
from imove_tasks.assets.library import open_library

IMAGE_SIZE = (320, 240)
"""Width and height of each camera's image."""
RUBRIC = "strict"
"""Whose stages are shown."""


class VideoMaker:
    """Makes videos of one run; its simulator is opened when the first episode needs it."""

    def __init__(self, run: Run, *, rig: str = "", assets: Sequence[Path] = ()) -> None:
        """Opens suite and rig.

        Args:
            run: The run.
            rig: File of its rig, "" for the shipped one.
            assets: Corpus folders with objects beside the shipped ones.

        Raises:
            ImoveError: Suite or rig are not at hand.
        """
        self._run, self._assets = run, tuple(assets)
        self._rig = run.open_rig(rig)
        self._backend: SimBackend | None = None

    def make(self, episode: Episode, path: Path) -> int:
        """Writes the video of an episode, and a poster beside it.

        Args:
            episode: A finished one of the run; where it has a bag, that bag's images are taken.
            path: Ends in `.mp4`.

        Returns:
            How many pictures it has.

        Raises:
            ImoveError: Neither bag nor control steps are there, they are damaged, nothing can be rendered here, or the
                video cannot be written.
        """
        footage = self._footage(episode)
        return write_video(path, self._pictures(episode, footage))

    def close(self) -> None:
        """Closes the simulator."""
        if self._backend is not None:
            self._backend.close()
            self._backend = None

    def _footage(self, episode: Episode) -> Footage:
        root = self._run.folder.resolve()
        if episode.bag is not None:
            bag = (root / episode.bag).resolve()
            if not bag.is_relative_to(root):
                raise ImoveError(f"bag {episode.bag} of episode {episode.key} lies outside of {self._run.folder}")
            if bag.exists() or episode.trace is None:
                return recorded(EpisodeBag(bag), IMAGE_SIZE)
        states, spec = checked_states(self._run, episode), self._run.specs[episode.spec_id]
        if self._backend is None:
            name = str(self._run.settings.get("sim", "mujoco"))
            self._backend = create_backend(name, self._rig, open_library(self._assets).get, IMAGE_SIZE)
        return rendered(self._backend, episode_rig(self._rig, spec.randomization), spec, states)

    def _pictures(self, episode: Episode, footage: Footage) -> Iterator[Pixels]:
        spec, result = self._run.specs[episode.spec_id], episode.rubrics[RUBRIC]
        rate_hz = self._rig.control_rate_hz
        caption = _caption(episode, spec.instruction(episode.condition).text)
        names = {item.id: item.phrase for item in spec.objects}
        for frame in footage.frames:
            step = frame.state.step
            signs = stage_signs(result.stages, result.events, names, episode.target is None, step, rate_hz)
            yield draw_picture(frame, footage.rig, caption, signs, _clock(step, rate_hz))


def render_video(run: Run, episode: Episode, path: Path, *, rig: str = "", assets: Sequence[Path] = ()) -> int:
    """Makes the video of one episode; `VideoMaker` makes several without opening everything anew.

    Args:
        run: The run.
        episode: One of its finished episodes.
        path: Ends in `.mp4`; a poster is written beside it.
        rig: File of the run's rig, "" for the shipped one.
        assets: Corpus folders with objects beside the shipped ones.

    Returns:
        How many pictures it has.

    Raises:
        ImoveError: See `VideoMaker`.
    """
    maker = VideoMaker(run, rig=rig, assets=assets)
    try:
        return maker.make(episode, path)
    finally:
        maker.close()


def _caption(episode: Episode, instruction: str) -> Caption:
    outlined = {episode.destination: DESTINATION, episode.target: TARGET}
    return Caption(
        instruction=instruction,
        note=f"{episode.spec_id}, {episode.condition}",
        outlined={name: colour for name, colour in outlined.items() if name is not None},
    )


def _clock(step: int, rate_hz: int) -> str:
    speed = STRIDE * FPS / rate_hz
    return f"{step / rate_hz:5.1f} s, {speed:g}x"
