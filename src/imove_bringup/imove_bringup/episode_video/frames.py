"""The pictures of an episode at its control steps: rendered again from its states, or as its bag recorded them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from imove_bringup.replay.recorded import read_episode
from imove_core import contract
from imove_core.bag import messages
from imove_core.bag.errors import BagError
from imove_core.bag.reader import EpisodeBag
from imove_core.rig import Rig
from imove_core.spec import EpisodeSpec
from imove_core.state import StepState
from imove_datasets.pixels import color_from
from imove_sim_bridge.backend import SimBackend

Pixels = NDArray[np.uint8]
STRIDE = 2
"""Control steps from one picture to the next."""


@dataclass(frozen=True, eq=False)
class Frame:
    """What is seen at a control step.

    Attributes:
        state: Robot and objects; its step counts from the first observation.
        images: (H, W, 3) RGB by camera, all of one size.
    """

    state: StepState
    images: Mapping[str, Pixels]


@dataclass(frozen=True)
class Footage:
    """The pictures of an episode.

    Attributes:
        rig: With the cameras as they stand in the episode.
        frames: In the order of time.
        count: How many they are.
    """

    rig: Rig
    frames: Iterator[Frame]
    count: int


def shown_states(states: Sequence[StepState]) -> list[StepState]:
    """Every STRIDE-th control step, and the last one."""
    shown = list(states[::STRIDE])
    return shown if shown[-1] is states[-1] else [*shown, states[-1]]


def rendered(backend: SimBackend, rig: Rig, spec: EpisodeSpec, states: Sequence[StepState]) -> Footage:
    """Renders control steps again.

    Args:
        backend: Of the rig; used while the frames are taken.
        rig: As it is in the episode.
        spec: The scene.
        states: Its control steps.

    Raises:
        ImoveError: The scene cannot be loaded, or the states are of another one.
    """
    shown, names = shown_states(states), [camera.name for camera in rig.cameras]

    def frames() -> Iterator[Frame]:
        backend.load(spec)
        backend.reset()
        for state in shown:
            backend.show(state)
            yield Frame(state, {name: frame.rgb for name, frame in backend.observe(names).items()})

    return Footage(rig, frames(), len(shown))


def recorded(bag: EpisodeBag, size: tuple[int, int]) -> Footage:
    """Takes the colour images that are nearest in time to each control step.

    Args:
        bag: Of the episode.
        size: Width and height to which images are cropped about their middle and scaled.

    Raises:
        ImoveError: The bag is damaged, or has no images of a camera.
    """
    episode = read_episode(bag)
    first = episode.states[0].step
    shown = shown_states([replace(state, step=state.step - first) for state in episode.states])
    stamps = [state.stamp_ns for state in shown]
    views = {camera.name: _nearest(bag, camera.name, stamps, size) for camera in episode.rig.cameras}
    frames = (
        Frame(state, {name: images[index] for name, images in views.items()}) for index, state in enumerate(shown)
    )
    return Footage(episode.rig, frames, len(shown))


def _nearest(bag: EpisodeBag, camera: str, stamps: Sequence[int], size: tuple[int, int]) -> list[Pixels]:
    """The image nearest to each stamp, scaled at once: a bag's own images together would fill the memory."""
    present = {topic.name for topic in bag.topics}
    raw, jpeg = contract.color_topic(camera), contract.compressed_topic(camera)
    found: list[tuple[int, Pixels] | None] = [None] * len(stamps)
    for stored, message in bag.decoded([name for name in (raw, jpeg) if name in present]):
        stamp_ns = messages.stamp_ns_of(message)
        place = bisect_left(stamps, stamp_ns)
        for index in (place - 1, place):
            if not 0 <= index < len(stamps):
                continue
            best = found[index]
            if best is None or abs(stamp_ns - stamps[index]) < abs(best[0] - stamps[index]):
                pixels = Image.fromarray(color_from(message, stored.type))
                found[index] = stamp_ns, np.asarray(ImageOps.fit(pixels, size))
    images: list[Pixels] = []
    first = next((image for image in found if image is not None), None)
    if first is None:
        raise BagError(f"bag {bag.path} has no colour image of camera {camera}")
    for image in found:
        # Where a camera paused, what it saw last stays.
        images.append(image[1] if image else (images[-1] if images else first[1]))
    return images
