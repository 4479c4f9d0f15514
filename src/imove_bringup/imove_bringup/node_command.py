"""How a node description becomes a command line, a parameter file and an environment."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from imove_bringup.graphs.model import NodeDescription
from imove_bringup.installed import executable_path
from imove_bringup.transport import transport_defaults

ExecutableFinder = Callable[[str, str], Path]


def node_label(node: NodeDescription, index: int) -> str:
    """What the node's output is marked with, e.g. "policy_node-2" for the second node."""
    return f"{node.name}-{index}"


def parameter_file_text(node: NodeDescription) -> str:
    """The node's parameters as a ROS parameter file.

    JSON is a subset of YAML in which every string is quoted: the ROS parser would read a plain 1e5 or yes as
    a number or a truth value.
    """
    rules = {"/**": {"ros__parameters": dict(node.parameters)}}
    return json.dumps(rules, indent=2, ensure_ascii=False) + "\n"


def node_command(
    node: NodeDescription, parameter_file: Path, find_executable: ExecutableFinder = executable_path
) -> list[str]:
    """The command line of a node.

    Args:
        node: The node.
        parameter_file: Where `parameter_file_text` is written.
        find_executable: Package and executable name to file.

    Raises:
        ImoveError: The executable is not installed.
    """
    command = [str(find_executable(node.package, node.executable)), *node.arguments, "--ros-args"]
    command += ["-r", f"__node:={node.name}"]
    for inner, outer in node.remappings:
        command += ["-r", f"{inner}:={outer}"]
    return [*command, "--params-file", str(parameter_file)]


def node_environment(log_dir: Path, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The environment of every node.

    Args:
        log_dir: The run's log folder; what ROS itself logs goes there too.
        environ: The caller's environment, which wins over every default.
    """
    return {
        **transport_defaults(environ),
        **environ,
        # Lines appear when they are printed, although stdout is a pipe.
        "PYTHONUNBUFFERED": "1",
        "ROS_LOG_DIR": str(log_dir),
    }
