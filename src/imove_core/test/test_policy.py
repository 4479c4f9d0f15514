"""What a policy may answer."""

import numpy as np
import pytest

from imove_core.errors import ImoveError
from imove_core.policy import Chunk, prompt_hash
from imove_core.rig import Rig


def chunk(positions: np.ndarray, dt_s: float = 1 / 30) -> Chunk:
    return Chunk(positions, dt_s, observation_stamp_ns=0, prompt="pick up the mug", policy_id="tester")


def test_chunks_of_one_and_of_many_rows_pass(rig: Rig) -> None:
    for rows in (1, 50):
        chunk(np.zeros((rows, 14), np.float32)).check(rig)


@pytest.mark.parametrize("shape", [(0, 14), (5, 13), (14,), (2, 5, 14)])
def test_a_wrong_shape_is_shown_beside_the_right_one(rig: Rig, shape: tuple[int, ...]) -> None:
    with pytest.raises(ImoveError) as caught:
        chunk(np.zeros(shape, np.float32)).check(rig)
    assert f"policy tester answered a chunk of shape {shape}; rig piperx_dual takes (H, 14)" in str(caught.value)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_not_finite_is_named_by_joint_and_row(rig: Rig, value: float) -> None:
    positions = np.zeros((4, 14), np.float32)
    positions[2, 8] = value
    with pytest.raises(ImoveError, match=rf"tester answered {value} for joint 'right_joint2' in row 2; only finite"):
        chunk(positions).check(rig)


@pytest.mark.parametrize("dt_s", [0.0, -0.1, np.nan, np.inf])
def test_a_time_step_that_is_not_positive_is_refused(rig: Rig, dt_s: float) -> None:
    with pytest.raises(ImoveError, match=rf"tester answered a chunk with dt {dt_s} s; a positive time is needed"):
        chunk(np.zeros((4, 14), np.float32), dt_s).check(rig)


def test_prompt_hash_tells_texts_apart() -> None:
    assert prompt_hash("pick up the mug") == prompt_hash("pick up the mug")
    assert prompt_hash("pick up the mug") != prompt_hash("pick up the mug.")
