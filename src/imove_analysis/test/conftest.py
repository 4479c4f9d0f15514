"""A rig, and a source of randomness; what else is made up comes from `imove_analysis.testing`."""

import numpy as np
import pytest

from imove_core.rig import Rig, load_rig


@pytest.fixture(scope="session")
def rig() -> Rig:
    """The dual PiPER X."""
    return load_rig("piperx_dual")


@pytest.fixture
def rng() -> np.random.Generator:
    """A seeded source of randomness."""
    return np.random.default_rng(20240611)
