"""A table with a tracker, closed when the tests of a module end."""

import pytest

from .tracked_scenes import new_table


@pytest.fixture(scope="module")
def table():
    """One simulator for a module; each test begins an episode of its own."""
    table = new_table()
    yield table
    table.backend.close()
