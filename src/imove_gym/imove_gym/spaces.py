"""What an environment shows and takes, as gymnasium spaces."""

import string
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from gymnasium import spaces
from gymnasium.error import CustomSpaceError
from gymnasium.vector.utils import create_shared_memory

from imove_core.rig import Rig
from imove_core.spec import EpisodeSpec
from imove_core.transforms import Array

TEXT_LENGTH = 256
"""Longest instruction; the same for every suite, so that environments of different suites have equal spaces."""
MARGIN = 0.5
"""By which share of its range a joint is allowed to be measured outside of its limits, where contacts push it."""


class InstructionText(spaces.Text):
    """A space of texts that refuses shared memory.

    In gymnasium 1.4.0 an AsyncVectorEnv with shared memory reads texts once, when it is made, and shows blanks ever
    after: the policy would not get its instruction.
    """


@create_shared_memory.register(InstructionText)
def _refuse_shared_memory(space: InstructionText, n: int = 1, ctx: object = None) -> NoReturn:
    raise CustomSpaceError("instructions do not pass through shared memory; give AsyncVectorEnv shared_memory=False")


def joint_limits(rig: Rig) -> Array:
    """Lower and upper limits of all joints (D, 2) in rig order; rad, gripper opening in m."""
    return np.concatenate([arm.limits for arm in rig.arms])


def action_space(rig: Rig, *, normalized: bool) -> spaces.Box:
    """Joint targets of one control step (D,) float32, in rig order.

    Args:
        rig: The embodiment.
        normalized: From -1 to 1 over the joint limits; otherwise the limits themselves, rad and m.
    """
    low, high = joint_limits(rig).T.astype(np.float32)
    if normalized:
        low, high = -np.ones_like(low), np.ones_like(high)
    return spaces.Box(low, high, dtype=np.float32)


def observation_space(
    rig: Rig, cameras: Sequence[str], image_size: tuple[int, int], specs: Sequence[EpisodeSpec]
) -> spaces.Dict:
    """Camera images, joint state and instruction.

    Args:
        rig: The embodiment.
        cameras: Names of the cameras to show, which may be none.
        image_size: Width and height of every image, pixels.
        specs: Episodes whose instructions must be in the space of texts.

    Returns:
        `images` by camera name, (height, width, 3) uint8, left out without cameras; `state` (D,) float32 joint
        positions, rad and m; `instruction`.
    """
    width, height = image_size
    low, high = joint_limits(rig).T
    reach = MARGIN * (high - low)
    shown: dict[str, spaces.Space[Any]] = {
        "state": spaces.Box((low - reach).astype(np.float32), (high + reach).astype(np.float32), dtype=np.float32),
        "instruction": _text_space(specs),
    }
    if cameras:
        image = spaces.Box(0, 255, (height, width, 3), np.uint8)
        shown["images"] = spaces.Dict({name: image for name in cameras})
    return spaces.Dict(shown)


def _text_space(specs: Sequence[EpisodeSpec]) -> InstructionText:
    texts = [instruction.text for spec in specs for instruction in spec.instructions.values()]
    characters = frozenset(string.ascii_letters + string.digits + string.punctuation + " ").union(*texts)
    longest = max(TEXT_LENGTH, *(len(text) for text in texts))
    return InstructionText(longest, min_length=0, charset=characters)
