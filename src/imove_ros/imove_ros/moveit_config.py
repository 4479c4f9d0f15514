"""A rig's MoveIt configuration as parameters of a node, read from the files that `imove moveit` writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from imove_core.errors import ImoveError
from imove_core.rig import Rig
from imove_description.moveit.files import (
    JOINT_LIMITS_FILE,
    KINEMATICS_FILE,
    MOVEIT_PY_FILE,
    PIPELINES_FILE,
    SRDF_FILE,
)
from imove_description.urdf import rig_urdf

Parameters = dict[str, Any]


def moveit_parameters(rig: Rig, folder: Path) -> Parameters:
    """Parameters with which MoveIt knows the rig.

    Args:
        rig: The rig; its URDF is made here.
        folder: Folder of all rigs' configurations, `share/imove_bringup/config/moveit` of an installation.

    Raises:
        ImoveError: A file is missing or is not what it should be.
    """
    arms = [(arm.joint_prefix, arm.arm_model, arm.world_from_base.matrix) for arm in rig.arms]
    here = folder / rig.name
    return {
        "robot_description": rig_urdf(rig.name, arms),
        "robot_description_semantic": _text(here / SRDF_FILE),
        "robot_description_kinematics": _mapping(here / KINEMATICS_FILE),
        "robot_description_planning": _mapping(here / JOINT_LIMITS_FILE),
        **_mapping(here / PIPELINES_FILE),
        **_mapping(here / MOVEIT_PY_FILE),
    }


def _text(path: Path) -> str:
    if not path.is_file():
        raise ImoveError(f"MoveIt file {path} does not exist; `imove moveit --rig RIG --out FOLDER` writes it")
    return path.read_text(encoding="utf-8")


def _mapping(path: Path) -> Parameters:
    try:
        value = yaml.safe_load(_text(path))
    except yaml.YAMLError as error:
        raise ImoveError(f"MoveIt file {path} is not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(value, dict):
        raise ImoveError(f"MoveIt file {path} must hold a mapping, got {type(value).__name__}")
    return value
