"""States of objects and the hash over their poses."""

import dataclasses

import numpy as np

from imove_core.state import ObjectState, pose_hash


def state(object_id: str, x: float = 0.0) -> ObjectState:
    zero = np.zeros(3)
    half = np.sqrt(0.5)
    return ObjectState(object_id, np.array([x, 0, 0]), np.array([0, 0, half, half]), zero - 1, zero + 1, zero, zero)


def test_pose_is_that_of_position_and_quaternion() -> None:
    np.testing.assert_allclose(state("a", 2.0).world_from_object @ [1, 0, 0, 1], [2, 1, 0, 1], atol=1e-12)


def test_pose_hash_sees_every_bit_of_a_pose_and_nothing_else() -> None:
    scene = (state("a"), state("b", 0.1))
    assert pose_hash(scene) == pose_hash((state("a"), dataclasses.replace(state("b", 0.1), moved=True)))
    assert pose_hash(scene) != pose_hash((state("a"), state("b", np.nextafter(0.1, 1))))
    assert pose_hash(scene) != pose_hash((state("b"), state("a", 0.1)))
