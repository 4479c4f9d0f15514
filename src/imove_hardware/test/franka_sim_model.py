"""Run by a Python with franka-sim: makes a model of the arm for its physics from the URDF that it brings, offline.

The arm that franka-sim would load by itself is downloaded when it starts. Shapes are left out: nothing is touched.
"""

from __future__ import annotations

import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

import franka_sim
import mujoco

SETTINGS = {"fusestatic": "false", "balanceinertia": "true", "inertiafromgeom": "false", "boundmass": "1"}
JOINT = '<joint armature="0.195" damping="1" frictionloss="0.2" '


def main(path: str) -> None:
    """Writes the model to a path."""
    source = pathlib.Path(franka_sim.__file__).parent / "models" / "fr3.urdf"
    robot = ElementTree.fromstring(source.read_text())
    for parent in list(robot.iter()):
        for child in list(parent):
            if child.tag in ("visual", "collision", "safety_controller", "mimic", "calibration", "ros2_control"):
                parent.remove(child)
    settings = ElementTree.SubElement(ElementTree.SubElement(robot, "mujoco"), "compiler", SETTINGS)
    settings.set("boundinertia", "0.02")
    model = mujoco.MjModel.from_xml_string(ElementTree.tostring(robot, encoding="unicode"))
    mujoco.mj_saveLastXML(path, model)
    saved = pathlib.Path(path)
    # Effort limits and damping of the URDF are not those of a position-controlled arm.
    bare = re.sub(r' (damping|frictionloss|armature|actuatorfrcrange)="[^"]*"', "", saved.read_text())
    saved.write_text(re.sub(r'<joint (?=name="[^"]*joint[1-7]")', JOINT, bare))


if __name__ == "__main__":
    main(sys.argv[1])
