"""Nodes of a graph as actions of ROS's own launch.

`launch` and `launch_ros` are imported inside the functions: they come with a ROS installation only.
"""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from imove_bringup.graphs.model import NodeDescription, ParameterValue
from imove_bringup.guard import Guard
from imove_bringup.transport import transport_defaults

if TYPE_CHECKING:
    from launch.events.process import ProcessExited, ProcessStarted

    from launch import LaunchContext, LaunchDescriptionEntity

OnExit = Callable[[NodeDescription, "ProcessExited", "LaunchContext"], None]
# What the supervisor shows and what it keeps in files, in the words of ROS launch.
_OUTPUT = {"screen": "both", "log": "log"}


def node_actions(node: NodeDescription, guard: Guard, on_exit: OnExit) -> list["LaunchDescriptionEntity"]:
    """The actions that run a node.

    Args:
        node: The node; a required one shuts the launch down when it ends.
        guard: Stops the node should this process be killed.
        on_exit: Called when the node has ended.
    """
    from launch.actions import RegisterEventHandler, Shutdown
    from launch.event_handlers import OnProcessStart
    from launch_ros.actions import Node

    def started(event: "ProcessStarted", context: "LaunchContext") -> None:
        guard.watch(event.pid)

    def ended(event: "ProcessExited", context: "LaunchContext") -> Any:
        guard.release(event.pid)
        on_exit(node, event, context)
        return Shutdown(reason=f"{node.name} has ended") if node.required else None

    action = Node(
        package=node.package,
        executable=node.executable,
        exec_name=node.name,
        name=node.name,
        parameters=[{name: _typed(value) for name, value in node.parameters.items()}],
        remappings=list(node.remappings),
        arguments=list(node.arguments),
        output=_OUTPUT[node.output],
        additional_env={**transport_defaults(os.environ), "PYTHONUNBUFFERED": "1"},
        on_exit=ended,
    )
    return [RegisterEventHandler(OnProcessStart(target_action=action, on_start=started)), action]


def _typed(value: ParameterValue) -> Any:
    from launch_ros.parameter_descriptions import ParameterValue as Typed

    # Untyped text would be read as YAML: "yes" as true.
    return Typed(value, value_type=str) if isinstance(value, str) else value
