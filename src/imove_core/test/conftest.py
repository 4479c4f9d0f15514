"""Shared fixtures: the default rig."""

import pytest

from imove_core.rig import Rig, load_rig


@pytest.fixture(scope="session")
def rig() -> Rig:
    """The dual PiPER X."""
    return load_rig("piperx_dual")
