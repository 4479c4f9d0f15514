"""A configuration of rviz2 for one rig: table, arms, objects, every camera."""

from __future__ import annotations

from typing import Any

from imove_bringup.markers import MARKERS_TOPIC
from imove_core import contract
from imove_core.rig import WORLD_FRAME, Rig


def rviz_config(rig: Rig) -> dict[str, Any]:
    """The configuration, to be written as YAML; the same for both domains."""
    return {
        "Panels": [
            {"Class": "rviz_common/Displays", "Name": "Displays"},
            {"Class": "rviz_common/Views", "Name": "Views"},
        ],
        "Visualization Manager": {
            "Class": "",
            "Global Options": {"Background Color": "40; 44; 52", "Fixed Frame": WORLD_FRAME, "Frame Rate": 30},
            "Displays": [
                {
                    "Class": "rviz_default_plugins/Grid",
                    "Name": "Table plane",
                    "Enabled": True,
                    "Cell Size": 0.1,
                    "Plane Cell Count": 16,
                    "Alpha": 0.4,
                    "Color": "160; 160; 164",
                },
                {
                    "Class": "rviz_default_plugins/RobotModel",
                    "Name": "Arms",
                    "Enabled": True,
                    "Description Source": "Topic",
                    "Description Topic": _topic(contract.ROBOT_DESCRIPTION_TOPIC, latched=True),
                    "Visual Enabled": True,
                    "Collision Enabled": False,
                },
                {
                    "Class": "rviz_default_plugins/TF",
                    "Name": "Frames",
                    "Enabled": False,
                    "Marker Scale": 0.15,
                    "Show Arrows": False,
                    "Show Names": True,
                },
                {
                    "Class": "rviz_default_plugins/MarkerArray",
                    "Name": "Objects and stages",
                    "Enabled": True,
                    "Topic": _topic(MARKERS_TOPIC),
                },
                *(
                    {
                        "Class": "rviz_default_plugins/Image",
                        "Name": camera.name,
                        "Enabled": True,
                        "Normalize Range": True,
                        "Topic": _topic(contract.color_topic(camera.name), reliable=False),
                    }
                    for camera in rig.cameras
                ),
            ],
            "Tools": [{"Class": f"rviz_default_plugins/{tool}"} for tool in ("Interact", "MoveCamera", "FocusCamera")],
        },
    }


def _topic(name: str, reliable: bool = True, latched: bool = False) -> dict[str, Any]:
    return {
        "Value": name,
        "Depth": 1,
        "History Policy": "Keep Last",
        "Reliability Policy": "Reliable" if reliable else "Best Effort",
        "Durability Policy": "Transient Local" if latched else "Volatile",
    }
