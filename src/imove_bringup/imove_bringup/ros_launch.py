"""Graphs under ROS's own launch: for `ros2 launch imove_bringup FILE`, and for `imove launch` where it is there.

`launch` and `launch_ros` are imported inside the functions: they come with a ROS installation only.
"""

import importlib.util
import signal
from collections.abc import Iterable
from contextlib import ExitStack
from datetime import datetime
from typing import TYPE_CHECKING, Any

from imove_bringup.arguments import LaunchArgument
from imove_bringup.domain_lock import hold_domain
from imove_bringup.escalation import Patience
from imove_bringup.exit_status import graph_exit_status
from imove_bringup.graphs.model import Graph, GraphDefinition, NodeDescription
from imove_bringup.guard import Guard
from imove_bringup.log_folder import log_parent, make_log_dir
from imove_bringup.ros_actions import node_actions

if TYPE_CHECKING:
    from launch.events.process import ProcessExited

    from launch import LaunchContext, LaunchDescription

# `ros2 launch` passes options of its own on as arguments.
_OWN_ARGUMENTS = frozenset({"launch-prefix", "launch-prefix-filter"})


def is_available() -> bool:
    """Whether ROS's own launch can be used."""
    return all(importlib.util.find_spec(name) is not None for name in ("launch", "launch_ros"))


def launch_description(definition: GraphDefinition) -> "LaunchDescription":
    """The launch description of a graph, for a launch file.

    The arguments are declared; values are checked when the launch begins, before any node is started. When a
    required node fails the launch ends with an error, so that `ros2 launch` does not exit with 0.
    """
    from launch.actions import DeclareLaunchArgument, OpaqueFunction
    from launch.logging import get_logger

    from launch import LaunchDescription

    def nodes(context: "LaunchContext") -> list[Any]:
        for name in unknown_arguments(context.argv, definition.arguments):
            # No error: it may belong to a launch file that includes this one.
            get_logger("imove").warning(f"{definition.name} has no launch argument '{name}': it changes nothing here")
        texts = {argument.name: context.launch_configurations[argument.name] for argument in definition.arguments}
        graph = definition.graph(texts)
        held, running = ExitStack(), {node.name for node in graph.nodes}
        held.enter_context(hold_domain())
        guard = held.enter_context(Guard(Patience().orphan_grace_s))

        def note(node: NodeDescription, event: "ProcessExited", context: "LaunchContext") -> None:
            running.discard(node.name)
            if not running:
                held.close()
            # An error is the only way to make `ros2 launch` exit with another status than 0.
            if node.required and event.returncode != 0 and not context.is_shutdown:
                raise RuntimeError(f"{event.process_name} failed with exit status {event.returncode}")

        return [action for node in graph.nodes for action in node_actions(node, guard, note)]

    declared = [
        DeclareLaunchArgument(
            argument.name,
            default_value=argument.default,
            description=_description(argument),
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

    with Guard(Patience().orphan_grace_s) as guard:
        actions = [action for node in graph.nodes for action in node_actions(node, guard, note)]
        service = launch.LaunchService()
        service.include_launch_description(launch.LaunchDescription(actions))
        failed = service.run() != 0
    return graph_exit_status(
        required=required[0] if required else None,
        has_crash=failed or bool(crashed),
        interrupted_by=interrupted[0] if interrupted else None,
    )


def unknown_arguments(tokens: Iterable[str], arguments: Iterable[LaunchArgument]) -> list[str]:
    """The names left of `:=` in the words of a command line that are none of the arguments."""
    known = {argument.name for argument in arguments} | _OWN_ARGUMENTS
    names = [name for name, separator, _ in (token.partition(":=") for token in tokens) if separator]
    return [name for name in names if name not in known]


def _description(argument: LaunchArgument) -> str:
    # ROS launch lists choices by itself, and says nothing of other kinds.
    if argument.kind.choices or not argument.rule:
        return argument.description
    return f"{argument.description} Allowed: {argument.rule}."
