"""The control steps of one episode as arrays in a file: exact, so that it can be scored again without a simulator.

A trace is a zip of npy files (numpy's npz); nothing in it is unpickled.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imove_core.errors import ImoveError
from imove_core.state import ObjectState, RobotState, StepState

_VECTORS = {
    "position": 3, "quaternion_xyzw": 4, "box_min": 3, "box_max": 3, "linear_velocity": 3, "angular_velocity": 3,
}  # fmt: skip
_FLAGS = ("moved", "contacts_known")
_WORDS = ("held_by", "touched_by", "supported_by")
_ROBOT = ("positions", "velocities", "efforts")
SUFFIX = ".npz"
"""Of files with a trace."""


def trace_bytes(states: Sequence[StepState]) -> bytes:
    """The control steps of an episode as the content of a file.

    Stamps count from the first of them, so that equal episodes give equal bytes whatever ran before.

    Args:
        states: At least one; the objects are the same, in the same order, in all of them.

    Raises:
        ImoveError: The objects change within the episode.
    """
    content = io.BytesIO()
    np.savez_compressed(content, allow_pickle=False, **_arrays(states))
    return content.getvalue()


def read_trace(path: Path) -> tuple[StepState, ...]:
    """Reads what `trace_bytes` gave, bit for bit.

    Raises:
        ImoveError: There is no such file, or it is no whole trace.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            return _states({name: file[name] for name in file.files})
    except OSError as error:
        raise ImoveError(f"trace {path} cannot be read: {error.strerror or error}") from error
    except (ValueError, KeyError, IndexError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise ImoveError(f"{path} is no whole trace of an episode") from error


def _arrays(states: Sequence[StepState]) -> dict[str, NDArray[Any]]:
    ids = [item.id for item in states[0].objects]
    if any([item.id for item in state.objects] != ids for state in states):
        raise ImoveError(f"the objects of an episode changed in its course; at first they were {', '.join(ids)}")
    objects = [item for state in states for item in state.objects]
    shape = (len(states), len(ids))
    words = {name: [_joined(getattr(item, name)) for item in objects] for name in _WORDS}
    # What holds, touches and supports repeats itself at almost every step.
    vocabulary = sorted({word for said in words.values() for word in said})
    place = {word: index for index, word in enumerate(vocabulary)}
    return {
        "stamp_ns": np.array([state.stamp_ns - states[0].stamp_ns for state in states], np.int64),
        "step": np.array([state.step for state in states], np.int64),
        **{name: np.array([getattr(state.robot, name) for state in states], np.float64) for name in _ROBOT},
        "objects": np.array(ids, np.str_),
        "vocabulary": np.array(vocabulary, np.str_),
        **{
            name: np.array([getattr(item, name) for item in objects], np.float64).reshape(*shape, size)
            for name, size in _VECTORS.items()
        },
        **{name: np.array([getattr(item, name) for item in objects], np.bool_).reshape(shape) for name in _FLAGS},
        **{name: np.array([place[word] for word in words[name]], np.int32).reshape(shape) for name in _WORDS},
    }


def _states(arrays: dict[str, NDArray[Any]]) -> tuple[StepState, ...]:
    ids, vocabulary = arrays["objects"].tolist(), arrays["vocabulary"].tolist()
    words = {name: [[vocabulary[place] for place in row] for row in arrays[name].tolist()] for name in _WORDS}

    def item(k: int, column: int) -> ObjectState:
        return ObjectState(
            id=ids[column],
            position=arrays["position"][k, column],
            quaternion_xyzw=arrays["quaternion_xyzw"][k, column],
            box_min=arrays["box_min"][k, column],
            box_max=arrays["box_max"][k, column],
            linear_velocity=arrays["linear_velocity"][k, column],
            angular_velocity=arrays["angular_velocity"][k, column],
            moved=bool(arrays["moved"][k, column]),
            held_by=words["held_by"][k][column],
            touched_by=_split(words["touched_by"][k][column]),
            supported_by=_split(words["supported_by"][k][column]),
            contacts_known=bool(arrays["contacts_known"][k, column]),
        )

    return tuple(
        StepState(
            stamp_ns=int(arrays["stamp_ns"][k]),
            step=int(arrays["step"][k]),
            robot=RobotState(**{name: arrays[name][k] for name in _ROBOT}),
            objects=tuple(item(k, column) for column in range(len(ids))),
        )
        for k in range(len(arrays["step"]))
    )


def _joined(words: str | tuple[str, ...]) -> str:
    """Names of arms and objects have no line breaks."""
    return words if isinstance(words, str) else "\n".join(words)


def _split(text: str) -> tuple[str, ...]:
    return tuple(text.split("\n")) if text else ()
