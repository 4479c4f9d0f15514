"""Shared fixtures: the PiPER X and its attachable MuJoCo specification."""

import mujoco
import pytest

from imove_description.arm_model import ArmModel, load_arm_model
from imove_description.meshes import mesh_files
from imove_description.mjcf import arm_mjcf


@pytest.fixture(scope="session")
def piper_x() -> ArmModel:
    """The arm under test."""
    return load_arm_model("piper_x")


@pytest.fixture
def arm_spec(piper_x: ArmModel) -> mujoco.MjSpec:
    """A fresh specification of the arm, as a scene would attach it."""
    return mujoco.MjSpec.from_string(arm_mjcf(piper_x), assets=mesh_files(piper_x))
