"""Arm models, meshes and rig files of imove (data and their generators)."""

from imove_description.arm_model import ArmModel, arm_names, load_arm_model
from imove_description.facts import (
    GripperFacts,
    JointFacts,
    LinkFacts,
    MountFacts,
    PadFacts,
    ServoFacts,
)
from imove_description.reading import DescriptionError

__all__ = [
    "ArmModel",
    "DescriptionError",
    "GripperFacts",
    "JointFacts",
    "LinkFacts",
    "MountFacts",
    "PadFacts",
    "ServoFacts",
    "arm_names",
    "load_arm_model",
]
