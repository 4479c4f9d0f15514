"""Graphs under ROS's own launch: for `ros2 launch imove_bringup FILE`, and for `imove launch` where it is there.

`launch` and `launch_ros` are imported inside the functions: they come with a ROS installation only.
"""

import importlib.util
import os
import signal
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from imove_bringup.exit_status import graph_exit_status
from imove_bringup.graphs.model import Graph, GraphDefinition, NodeDescription, ParameterValue
from imove_bringup.log_folder import log_parent, make_log_dir
from imove_bringup.transport import transport_defaults

if TYPE_CHECKING:
    from launch.events.process import ProcessExited
    from launch_ros.actions import Node

    from launch import LaunchContext, LaunchDescription

# What the supervisor shows and what it keeps in files, in the words of ROS launch.
_OUTPUT = {"screen": "both", "log": "log"}


def is_available() -> bool:
    """Whether ROS's own launch can be used."""
    return all(importlib.util.find_spec(name) is not None for name in ("launch", "launch_ros"))


def launch_description(definition: GraphDefinition) -> "LaunchDescription":
    """The launch description of a graph, for a launch file.

    The arguments are declared; values are checked when the launch begins, before any node is started. When a
    required node fails the launch ends with an error, so that `ros2 launch` does not exit with 0.
    """
    from launch.actions import DeclareLaunchArgument, OpaqueFunction

    from launch import LaunchDescription

    def nodes(context: "LaunchContext") -> list[Any]:
        texts = {argument.name: context.launch_configurations[argument.name] for argument in definition.arguments}
        return [_node_action(node, _fail_launch) for node in definition.graph(texts).nodes]

    declared = [
        DeclareLaunchArgument(
            argument.name,
            default_value=argument.default,
            description=argument.description,
            choices=list(argument.kind.choices) or None,
        )
        for argument in definition.arguments
    ]
    return LaunchDescription([*declared, OpaqueFunction(function=nodes)])


def run_graph(graph: Graph) -> int:
    """Runs a graph to its end under ROS launch; main thread only.

    Returns:
        The exit status for the shell, see `graph_exit_status`.
    """
    from launch.logging import launch_config

    import launch

    launch_config.log_dir = str(make_log_dir(graph.log_parent or log_parent(), datetime.now()))
    required: list[int] = []
    interrupted: list[signal.Signals] = []
    crashed: list[str] = []

    def note(node: NodeDescription, event: "ProcessExited", context: "LaunchContext") -> None:
        if node.required:
            required.append(event.returncode)
            # Only Ctrl-C shuts this launch down before a required node has ended.
            interrupted.extend([signal.SIGINT] * (context.is_shutdown and len(required) == 1))
        if event.returncode != 0 and not context.is_shutdown:
            crashed.append(node.name)

    description = launch.LaunchDescription([_node_action(node, note) for node in graph.nodes])
    service = launch.LaunchService()
    service.include_launch_description(description)
    failed = service.run() != 0
    return graph_exit_status(
        required=required[0] if required else None,
        has_crash=failed or bool(crashed),
        interrupted_by=interrupted[0] if interrupted else None,
    )


def _fail_launch(node: NodeDescription, event: "ProcessExited", context: "LaunchContext") -> None:
    # An error is the only way to make `ros2 launch` exit with another status than 0.
    if node.required and event.returncode != 0 and not context.is_shutdown:
        raise RuntimeError(f"{event.process_name} failed with exit status {event.returncode}")


def _node_action(
    node: NodeDescription, on_exit: Callable[[NodeDescription, "ProcessExited", "LaunchContext"], None]
) -> "Node":
    from launch.actions import Shutdown
    from launch_ros.actions import Node

    def end(event: "ProcessExited", context: "LaunchContext") -> Any:
        on_exit(node, event, context)
        return Shutdown(reason=f"{node.name} has ended") if node.required else None

    return Node(
        package=node.package,
        executable=node.executable,
        exec_name=node.name,
        name=node.name,
        parameters=[{name: _typed(value) for name, value in node.parameters.items()}],
        remappings=list(node.remappings),
        arguments=list(node.arguments),
        output=_OUTPUT[node.output],
        additional_env={**transport_defaults(os.environ), "PYTHONUNBUFFERED": "1"},
        on_exit=end,
    )


def _typed(value: ParameterValue) -> Any:
    from launch_ros.parameter_descriptions import ParameterValue as Typed

    # Untyped text would be read as YAML: "yes" as true.
    return Typed(value, value_type=str) if isinstance(value, str) else value
