"""The MoveIt files of a rig: one folder, named after it."""

from __future__ import annotations

from imove_description.moveit import parameters
from imove_description.moveit.pairs import disabled_pairs
from imove_description.moveit.srdf import rig_srdf
from imove_description.moveit.values import MoveItRig

SRDF_FILE = "rig.srdf"
KINEMATICS_FILE = "kinematics.yaml"
JOINT_LIMITS_FILE = "joint_limits.yaml"
PIPELINES_FILE = "ompl_planning.yaml"
MOVEIT_PY_FILE = "moveit_py.yaml"

FILES = (SRDF_FILE, KINEMATICS_FILE, JOINT_LIMITS_FILE, PIPELINES_FILE, MOVEIT_PY_FILE)


def moveit_files(rig: MoveItRig) -> dict[str, bytes]:
    """Every file of a rig: path relative to the folder of all rigs, to content.

    Takes a few seconds, in which states of the arms are sampled.
    """
    heading = f"Generated for rig {rig.name} by `imove moveit`."
    documents = {
        KINEMATICS_FILE: parameters.kinematics(rig),
        JOINT_LIMITS_FILE: parameters.joint_limits(rig),
        PIPELINES_FILE: parameters.pipelines(rig),
        MOVEIT_PY_FILE: parameters.moveit_py(),
    }
    texts = {SRDF_FILE: rig_srdf(rig, disabled_pairs(rig))}
    texts |= {name: parameters.yaml_text(values, heading) for name, values in documents.items()}
    return {f"{rig.name}/{name}": texts[name].encode() for name in FILES}
