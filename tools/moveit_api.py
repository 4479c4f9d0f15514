"""Writes what MoveItPy's sources say of its Python interface: classes, members and names of arguments.

The type stubs that MoveItPy ships take any arguments, so the bindings themselves are read; nothing of them is compiled
or run. imove's planner is checked against the manifest where MoveIt is not installed. What differs between the given
releases is left out, so that what is there holds for all of them. For new releases:

    git clone MOVEIT2 CHECKOUT; git clone MOVEIT_MSGS MESSAGES
    ./imove shell python tools/moveit_api.py CHECKOUT MESSAGES --release jazzy --release kilted
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

MANIFEST = Path(__file__).resolve().parents[1] / "src/imove_ros/test/moveit_api.json"
SCHEMA = 1

BINDINGS = "moveit_py/src/moveit"
CLASSES = {
    "MoveItPy": "moveit_ros/moveit_cpp/moveit_cpp.cpp",
    "PlanRequestParameters": "moveit_ros/moveit_cpp/planning_component.cpp",
    "PlanningComponent": "moveit_ros/moveit_cpp/planning_component.cpp",
    "PlanningSceneMonitor": "moveit_ros/planning_scene_monitor/planning_scene_monitor.cpp",
    "LockedPlanningSceneContextManagerRO": "moveit_ros/planning_scene_monitor/planning_scene_monitor.cpp",
    "AllowedCollisionMatrix": "moveit_core/collision_detection/collision_matrix.cpp",
    "MotionPlanResponse": "moveit_core/planning_interface/planning_response.cpp",
    "PlanningScene": "moveit_core/planning_scene/planning_scene.cpp",
    "RobotState": "moveit_core/robot_state/robot_state.cpp",
    "RobotTrajectory": "moveit_core/robot_trajectory/robot_trajectory.cpp",
}
"""Classes that are described, and the file that binds each."""

RETURNS = {
    "MoveItPy.get_planning_component": "PlanningComponent",
    "MoveItPy.get_planning_scene_monitor": "PlanningSceneMonitor",
    "PlanningSceneMonitor.read_only": "LockedPlanningSceneContextManagerRO",
    "LockedPlanningSceneContextManagerRO.__enter__": "PlanningScene",
    "PlanningScene.current_state": "RobotState",
    "PlanningScene.allowed_collision_matrix": "AllowedCollisionMatrix",
    "PlanningComponent.plan": "MotionPlanResponse",
    "MotionPlanResponse.trajectory": "RobotTrajectory",
}
"""What members give that the bindings name in C++ alone."""

MESSAGES = ("CollisionObject", "AttachedCollisionObject", "MoveItErrorCodes", "RobotTrajectory")

_TEXTS_AND_COMMENTS = re.compile(r'R"\(.*?\)"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_MEMBER = re.compile(r"\.(def\w*)\(")
_WRITABLE = ("def_property", "def_readwrite")


def read(checkout: Path, revision: str, path: str) -> str:
    """A file of a revision."""
    command = ["git", "-C", str(checkout), "show", f"{revision}:{path}"]
    return subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout


def version(checkout: Path, revision: str, package_file: str) -> str:
    """The version in a package.xml."""
    found = re.search(r"<version>(.*?)</version>", read(checkout, revision, package_file))
    assert found is not None, f"{package_file} of {revision} has no version"
    return found[1]


def describe(source: str, name: str) -> dict[str, Any]:
    """Members of a bound class: overloads as lists of arguments, and whether properties can be set."""
    code = _TEXTS_AND_COMMENTS.sub(lambda found: '""' if found[0].startswith("R") else " ", source)
    modules = dict(re.findall(r'py::module (\w+) = m\.def_submodule\("(\w+)"\)', code))
    bound = re.search(rf'\(\s*(\w+),\s*"{name}"', code)
    assert bound is not None, f"class {name} is not bound here"
    module = "moveit.planning" if bound[1] == "m" else f"moveit.core.{modules[bound[1]]}"
    methods: dict[str, list[list[str] | None]] = {}
    properties: dict[str, bool] = {}
    position = _closing(code, bound.start())
    while (member := _MEMBER.match(code, _next(code, position))) is not None:
        position = _closing(code, member.end() - 1)
        arguments = _split(code[member.end() : position - 1])
        if member[1] != "def":
            is_read_only = member[1] == "def_property" and arguments[2] == "nullptr"
            properties[arguments[0].strip('"')] = member[1] in _WRITABLE and not is_read_only
            continue
        label = "__init__" if arguments[0].startswith("py::init") else arguments[0].strip('"')
        methods.setdefault(label, []).append(_names(arguments[1:]))
    return {"module": module, "methods": methods, "properties": properties}


def _names(arguments: list[str]) -> list[str] | None:
    """Names of a binding's arguments, those with a default ending in `=`; None where they have no names."""
    named = [re.match(r'py::arg\("(\w+)"\)\s*(=?)', argument) for argument in arguments]
    return [found[1] + found[2] for found in named if found] or None


def _next(code: str, position: int) -> int:
    while position < len(code) and code[position].isspace():
        position += 1
    return position


def _closing(code: str, opening: int) -> int:
    """Position behind the bracket that closes the one at a position."""
    depth = 0
    for position in range(opening, len(code)):
        depth += (code[position] in "([{") - (code[position] in ")]}")
        if depth == 0:
            return position + 1
    raise ValueError(f"bracket at {opening} is not closed")


def _split(code: str) -> list[str]:
    """Arguments of a call, at the commas that are in no bracket."""
    parts, depth, start = [], 0, 0
    for position, letter in enumerate(code):
        depth += (letter in "([{<") - (letter in ")]}") - (letter == ">" and code[position - 1] != "-")
        if letter == "," and depth == 0:
            parts.append(code[start:position].strip())
            start = position + 1
    return [*parts, code[start:].strip()]


def common(described: list[dict[str, Any]]) -> dict[str, Any]:
    """What several descriptions of a class say alike."""
    first = described[0]
    kept: dict[str, Any] = {"module": first["module"]}
    for kind in ("methods", "properties"):
        kept[kind] = {
            name: value
            for name, value in sorted(first[kind].items())
            if all(other[kind].get(name) == value for other in described)
        }
    return kept


def message(text: str) -> dict[str, Any]:
    """A message's fields, and its constants with their values."""
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    entries = [line.split(maxsplit=1)[1] for line in lines if line]
    constants = [entry.partition("=") for entry in entries if "=" in entry]
    return {
        "fields": [entry.split()[0] for entry in entries if "=" not in entry],
        "constants": {name.strip(): int(value) for name, _, value in constants},
    }


def main() -> None:
    """Reads both checkouts and replaces the manifest."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("moveit", type=Path, help="checkout of moveit2")
    parser.add_argument("messages", type=Path, help="checkout of moveit_msgs")
    parser.add_argument("--release", action="append", required=True, help="branch or tag of moveit2; may be repeated")
    parser.add_argument("--messages-release", default="ros2", help="branch or tag of moveit_msgs")
    options = parser.parse_args()
    sources = {
        name: [read(options.moveit, release, f"{BINDINGS}/{path}") for release in options.release]
        for name, path in CLASSES.items()
    }
    manifest = {
        "schema": SCHEMA,
        "moveit_py": {
            release: version(options.moveit, release, "moveit_py/package.xml") for release in options.release
        },
        "moveit_msgs": version(options.messages, options.messages_release, "package.xml"),
        "classes": {name: common([describe(source, name) for source in found]) for name, found in sources.items()},
        "returns": RETURNS,
        "messages": {
            name: message(read(options.messages, options.messages_release, f"msg/{name}.msg")) for name in MESSAGES
        },
    }
    temporary = MANIFEST.with_suffix(".tmp")
    temporary.write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    os.replace(temporary, MANIFEST)


if __name__ == "__main__":
    main()
