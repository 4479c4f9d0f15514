"""The graphs that imove can launch, one module each."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from imove_bringup.graphs import real, real_eval, sim, sim_eval, teleop
from imove_bringup.graphs.model import Graph, GraphDefinition, NodeDescription
from imove_core.errors import unknown_name

LAUNCH_SUFFIX = ".launch.py"

# Functions, because a definition asks lower packages for the names they allow.
_DEFINITIONS: Mapping[str, Callable[[], GraphDefinition]] = MappingProxyType(
    {
        "sim_eval": sim_eval.definition,
        "sim": sim.definition,
        "real_eval": real_eval.definition,
        "teleop": teleop.definition,
        "real": real.definition,
    }
)


def graph_names() -> tuple[str, ...]:
    """Names of all graphs, the main one first."""
    return tuple(_DEFINITIONS)


def graph_definition(name: str) -> GraphDefinition:
    """The definition of a graph by its name, e.g. "sim_eval".

    Raises:
        ImoveError: There is no such graph.
    """
    if name not in _DEFINITIONS:
        raise unknown_name("graph", name, _DEFINITIONS)
    return _DEFINITIONS[name]()


__all__ = ["LAUNCH_SUFFIX", "Graph", "GraphDefinition", "NodeDescription", "graph_definition", "graph_names"]
