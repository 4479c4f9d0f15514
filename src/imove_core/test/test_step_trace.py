"""Traces of episodes: exact, whole or refused."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from imove_core.errors import ImoveError
from imove_core.state import ObjectState, RobotState, StepState
from imove_core.step_trace import read_trace, trace_bytes

FINITE = st.floats(allow_nan=False, width=64)
NAMES = st.text(st.characters(codec="ascii", categories=("L", "N"), include_characters="_-"), min_size=1, max_size=6)


def vectors(size: int) -> Any:
    return arrays(np.float64, size, elements=FINITE)


@st.composite
def episodes(draw: Any) -> tuple[StepState, ...]:
    ids = draw(st.lists(NAMES, max_size=3, unique=True))
    names = st.lists(NAMES, max_size=2).map(tuple)

    def item(name: str) -> ObjectState:
        return ObjectState(
            name, *(draw(vectors(size)) for size in (3, 4, 3, 3, 3, 3)), draw(st.booleans()),
            draw(st.one_of(st.just(""), NAMES)), draw(names), draw(names), draw(st.booleans()),
        )  # fmt: skip

    def state(k: int) -> StepState:
        robot = RobotState(*(draw(vectors(2)) for _ in range(3)))
        return StepState(k * 33_333_333, k, robot, tuple(item(name) for name in ids))

    return tuple(state(k) for k in range(draw(st.integers(1, 3))))


def plain(value: Any) -> Any:
    """Arrays as their bytes, so that values compare bit for bit."""
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.tobytes()
    if isinstance(value, tuple):
        return tuple(plain(part) for part in value)
    if isinstance(value, StepState | RobotState | ObjectState):
        return tuple((name, plain(getattr(value, name))) for name in value.__dataclass_fields__)
    return value


@settings(max_examples=40)
@given(episodes())
def test_what_is_read_is_what_was_written_bit_for_bit(tmp_path_factory, states):
    path = tmp_path_factory.mktemp("traces") / "one.npz"
    path.write_bytes(trace_bytes(states))
    assert plain(read_trace(path)) == plain(states)


@settings(max_examples=10)
@given(episodes(), st.integers(0, 2**60))
def test_stamps_count_from_the_first_observation(states, start_ns):
    later = [replace(state, stamp_ns=state.stamp_ns + start_ns) for state in states]
    assert trace_bytes(later) == trace_bytes(states)


def one_step() -> StepState:
    zeros = np.zeros(3)
    item = ObjectState("mug", zeros, np.array([0.0, 0.0, 0.0, 1.0]), zeros, zeros, zeros, zeros)
    return StepState(0, 0, RobotState(zeros, zeros, zeros), (item,))


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.99])
def test_a_trace_that_is_cut_is_refused(tmp_path, share):
    path = tmp_path / "one.npz"
    whole = trace_bytes([one_step()])
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(ImoveError, match=r"one\.npz"):
        read_trace(path)


def test_pickles_are_not_loaded(tmp_path):
    path = tmp_path / "hostile.npz"
    np.savez(path, step=np.array([object()], dtype=object))
    with pytest.raises(ImoveError, match="no whole trace"):
        read_trace(path)


@pytest.mark.parametrize("place", range(0, 4096, 131))
def test_a_trace_with_a_changed_byte_is_refused_or_read_as_it_was(tmp_path, place):
    path = tmp_path / "one.npz"
    whole = bytearray(trace_bytes([one_step()]))
    whole[place % len(whole)] ^= 0x5A
    path.write_bytes(whole)
    try:
        found = read_trace(path)
    except ImoveError as error:
        assert "one.npz" in str(error)
    else:
        # Not every byte of a zip file says something.
        assert plain(found) == plain((one_step(),))


def test_objects_that_change_and_places_that_are_not_there(tmp_path):
    first = one_step()
    with pytest.raises(ImoveError, match="at first they were mug"):
        trace_bytes([first, replace(first, step=1, objects=())])
    with pytest.raises(ImoveError, match="cannot be read"):
        read_trace(tmp_path / "none.npz")
