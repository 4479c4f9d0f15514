"""Typed descriptions of node graphs: the single source for launch files and for the supervisor."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from imove_bringup.arguments import LaunchArgument, Values, parse_values

ParameterValue = str | int | float | bool


@dataclass(frozen=True)
class NodeDescription:
    """One node, that is one process.

    Attributes:
        package: ROS package that installs the executable.
        executable: File name under `lib/<package>`.
        name: Node name.
        parameters: ROS parameters by name.
        remappings: Pairs (name in the node, name in the graph).
        arguments: Command line arguments before the ROS ones.
        required: The graph ends when this node ends, and takes over its exit status.
        output: "screen" shows stdout and stderr, "log" only stderr; both are also kept in a file.
    """

    package: str
    executable: str
    name: str
    parameters: Mapping[str, ParameterValue] = field(default_factory=dict)
    remappings: tuple[tuple[str, str], ...] = ()
    arguments: tuple[str, ...] = ()
    required: bool = False
    output: Literal["screen", "log"] = "log"

    def __post_init__(self) -> None:
        """Makes the parameters unchangeable."""
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))


@dataclass(frozen=True)
class Graph:
    """Nodes that run together.

    Attributes:
        name: Name of the launch file without `.launch.py`.
        nodes: In the order in which they start.
        log_parent: Folder in which the run's log folder is made; None for the usual place.
    """

    name: str
    nodes: tuple[NodeDescription, ...]
    log_parent: Path | None = None


@dataclass(frozen=True)
class GraphDefinition:
    """What a launch file offers: arguments, checks, and the graph for given values.

    Attributes:
        name: Name of the launch file without `.launch.py`.
        description: One sentence.
        arguments: What may be given, in the order in which it is shown.
        complete: Fills in what follows from other values or from the time of day.
        preflight: Raises ImoveError for completed values that cannot work on this machine; starts nothing.
        build: Makes the graph from completed values.
    """

    name: str
    description: str
    arguments: tuple[LaunchArgument, ...]
    complete: Callable[[Values], Values]
    preflight: Callable[[Values], None]
    build: Callable[[Values], Graph]

    def graph(self, texts: Mapping[str, str]) -> Graph:
        """Parses and checks argument texts, then builds the graph.

        Raises:
            ImoveError: An argument is unknown or not allowed, or something that the graph needs is missing.
        """
        values = self.complete(parse_values(self.arguments, texts))
        self.preflight(values)
        return self.build(values)
