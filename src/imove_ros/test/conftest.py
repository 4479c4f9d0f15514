"""A rig and random control steps."""

from collections.abc import Callable

import numpy as np
import pytest

from imove_core.rig import Rig, load_rig
from imove_core.state import ObjectState, RobotState, StepState

MakeState = Callable[..., StepState]


@pytest.fixture(scope="session")
def rig() -> Rig:
    """The dual PiPER X."""
    return load_rig("piperx_dual")


@pytest.fixture
def rng() -> np.random.Generator:
    """A seeded source of randomness."""
    return np.random.default_rng(7)


@pytest.fixture
def make_state(rig: Rig, rng: np.random.Generator) -> MakeState:
    """Makes a control step full of random numbers, three objects among them."""

    def one_object(index: int) -> ObjectState:
        return ObjectState(
            id=f"object_{index}",
            position=rng.normal(size=3),
            quaternion_xyzw=rng.normal(size=4),
            box_min=rng.normal(size=3),
            box_max=rng.normal(size=3),
            linear_velocity=rng.normal(size=3) * 1e-17,
            angular_velocity=rng.normal(size=3),
            moved=bool(rng.integers(2)),
            held_by=("", "left", "right")[index % 3],
            touched_by=("left", "right")[: index % 3],
            supported_by=("table", "object_0")[: index % 3],
            contacts_known=bool(rng.integers(2)),
        )

    def make(step: int = 0, stamp_ns: int = 1_000_000_000) -> StepState:
        robot = RobotState(*(rng.normal(size=rig.size) for _ in range(3)))
        return StepState(stamp_ns, step, robot, tuple(one_object(index) for index in range(3)))

    return make
