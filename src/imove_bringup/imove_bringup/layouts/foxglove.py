"""A layout of Foxglove, or of Lichtblick, its free sibling: scene, cameras, joints, episode and health of one rig.

Panel types and the keys of their settings are those of Lichtblick's sources (version 1.x); Foxglove reads the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from imove_bringup.markers import MARKERS_TOPIC
from imove_core import contract
from imove_core.rig import WORLD_FRAME, Camera, Rig

PLOT_SECONDS = 10.0
_COLOURS = ("#4e98e2", "#f5774d", "#f7df71", "#5cd6a9", "#a395e2", "#e26ea4", "#9ac447", "#c0c0c0")
_DOCUMENTS = {
    "sim": (contract.INSTRUCTION_TOPIC, contract.POLICY_STATUS_TOPIC, contract.RESULT_TOPIC),
    "real": (contract.INSTRUCTION_TOPIC, contract.TRIAL_TOPIC, contract.TRACKER_TOPIC, contract.POLICY_STATUS_TOPIC),
}
Panel = tuple[str, dict[str, Any]]


def foxglove_layout(rig: Rig, domain: str) -> dict[str, Any]:
    """The layout, to be written as JSON.

    Args:
        rig: Whose cameras and arms.
        domain: `sim` or `real`: real cameras send JPEG, and only a real table has trials and a tracker.
    """
    panels: dict[str, dict[str, Any]] = {}

    def put(name: str, panel: Panel) -> str:
        kind, settings = panel
        key = f"{kind}!{name}"
        panels[key] = settings
        return key

    cameras = [put(camera.name, _image(camera, domain)) for camera in rig.cameras]
    plots = [put(arm.name, _joints(arm.name, arm.joint_names)) for arm in rig.arms]
    texts = [put(topic.strip("/").replace("/", "_"), _raw(topic)) for topic in _DOCUMENTS[domain]]
    scene, health = put("scene", _scene()), put("health", _diagnostics())
    events, stop = put("stages", _stages()), put("stop", _stop())
    layout = _column(
        [
            _row([_column([_row(texts), scene], 0.25), _column(cameras)], 0.65),
            _row([*plots, events, _column([health, stop], 0.8)]),
        ],
        0.68,
    )
    return {
        "configById": panels,
        "globalVariables": {},
        "userNodes": {},
        "playbackConfig": {"speed": 1},
        "layout": layout,
    }


def _scene() -> Panel:
    return "3D", {
        "followTf": WORLD_FRAME,
        "followMode": "follow-none",
        # From above and behind the robot, so that left in the picture is the robot's left.
        "cameraState": {
            "perspective": True,
            "distance": 1.4,
            "phi": 50,
            "thetaOffset": 90,
            "target": [0.3, 0, 0],
            "targetOffset": [0, 0, 0],
            "targetOrientation": [0, 0, 0, 1],
            "fovy": 45,
            "near": 0.01,
            "far": 100,
        },
        "scene": {"transforms": {"showLabel": False, "axisScale": 0.1}},
        "transforms": {},
        "topics": {contract.ROBOT_DESCRIPTION_TOPIC: {"visible": True}, MARKERS_TOPIC: {"visible": True}},
        "layers": {
            "grid": {"layerId": "foxglove.Grid", "visible": True, "frameId": WORLD_FRAME, "size": 2, "divisions": 20}
        },
    }


def _image(camera: Camera, domain: str) -> Panel:
    topic = contract.compressed_topic(camera.name) if domain == "real" else contract.color_topic(camera.name)
    return "Image", {
        "imageMode": {"imageTopic": topic, "calibrationTopic": contract.color_info_topic(camera.name)},
        "foxglovePanelTitle": camera.name,
    }


def _joints(arm: str, joint_names: Sequence[str]) -> Panel:
    """Measured joints in full lines, their targets as thin ones of the same colour."""
    paths = []
    for topic, size in ((contract.joint_states_topic(arm), 1.5), (contract.joint_target_topic(arm), 0.5)):
        for index, name in enumerate(joint_names):
            paths.append(
                {
                    "value": f"{topic}.position[{index}]",
                    "label": name if size > 1.0 else f"{name}, target",
                    "enabled": True,
                    "timestampMethod": "headerStamp",
                    "color": _COLOURS[index % len(_COLOURS)],
                    "showLine": True,
                    "lineSize": size,
                }
            )
    return "Plot", {
        "paths": paths,
        "showLegend": True,
        "legendDisplay": "left",
        "showPlotValuesInLegend": True,
        "showXAxisLabels": True,
        "showYAxisLabels": True,
        "isSynced": True,
        "xAxisVal": "timestamp",
        "followingViewWidth": PLOT_SECONDS,
        "foxglovePanelTitle": f"{arm}: measured and target",
    }


def _raw(topic: str) -> Panel:
    return "RawMessages", {
        "topicPath": topic,
        "diffEnabled": False,
        "diffMethod": "previous message",
        "diffTopicPath": "",
        "showFullMessageForDiff": False,
        "expansion": "all",
        "foxglovePanelTitle": topic,
    }


def _stages() -> Panel:
    paths = [
        {"value": f"{contract.STAGE_EVENTS_TOPIC}.stage", "label": "stage"},
        {"value": f"{contract.PHASE_TOPIC}.phase", "label": "phase"},
        {"value": f"{contract.SAFETY_EVENTS_TOPIC}.kind", "label": "safety"},
    ]
    return "StateTransitions", {
        "paths": [{**path, "timestampMethod": "receiveTime"} for path in paths],
        "isSynced": True,
        "foxglovePanelTitle": "stages, phases, safety",
    }


def _diagnostics() -> Panel:
    return "DiagnosticSummary", {
        "topicToRender": contract.DIAGNOSTICS_TOPIC,
        "minLevel": 0,
        "pinnedIds": [],
        "hardwareIdFilter": "",
        "sortByLevel": True,
    }


def _stop() -> Panel:
    return "Publish", {
        "topicName": contract.EMERGENCY_STOP_TOPIC,
        "datatype": "std_msgs/msg/Bool",
        "value": '{"data": true}',
        "buttonText": "Stop all arms",
        "buttonTooltip": "imove stop --release lets the next episode be set up",
        "buttonColor": "#c62828",
        "advancedView": False,
    }


def _row(parts: Sequence[Any], share: float | None = None) -> Any:
    return _split("row", parts, share)


def _column(parts: Sequence[Any], share: float | None = None) -> Any:
    return _split("column", parts, share)


def _split(direction: str, parts: Sequence[Any], share: float | None) -> Any:
    """Parts beside each other, equally large unless the share of the first is given."""
    if len(parts) == 1:
        return parts[0]
    first = 1.0 / len(parts) if share is None else share
    rest = _split(direction, parts[1:], None)
    return {"direction": direction, "first": parts[0], "second": rest, "splitPercentage": round(100.0 * first, 1)}
