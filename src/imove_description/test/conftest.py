"""Shared fixtures: every packaged arm in turn, with its attachable MuJoCo specification, and the PiPER X."""

import mujoco
import pytest

from imove_description.arm_model import ArmModel, arm_names, load_arm_model
from imove_description.meshes import mesh_files
from imove_description.mjcf import arm_mjcf


@pytest.fixture(scope="session", params=arm_names())
def arm(request: pytest.FixtureRequest) -> ArmModel:
    """The arm under test."""
    return load_arm_model(request.param)


@pytest.fixture(scope="session")
def piper_x() -> ArmModel:
    """The arm of the default rig."""
    return load_arm_model("piper_x")


@pytest.fixture
def arm_spec(arm: ArmModel) -> mujoco.MjSpec:
    """A fresh specification of the arm, as a scene would attach it."""
    return mujoco.MjSpec.from_string(arm_mjcf(arm), assets=mesh_files(arm))
