"""A rig, a real scene, and a trial of it."""

import pytest

from imove_core.rig import load_rig
from imove_tasks.assets.library import open_library
from imove_tasks.suites import open_suite
from imove_trials.trial import Trial


@pytest.fixture(scope="session")
def rig():
    """The dual PiPER X."""
    return load_rig("piperx_dual")


@pytest.fixture(scope="session")
def library():
    """The shipped objects."""
    return open_library(())


@pytest.fixture(scope="session")
def spec():
    """A shipped scene."""
    return open_suite("pick_category/seen").first(1)[0]


@pytest.fixture
def trial(spec):
    """A trial of a blinded comparison."""
    return Trial(f"{spec.id}/normal/A", spec, "normal")
