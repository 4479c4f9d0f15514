"""The graph `sim_eval`: a policy runs the episodes of a suite in simulation and is scored."""

from datetime import datetime
from pathlib import Path

import numpy as np

from imove_bringup import preflight
from imove_bringup.arguments import LaunchArgument, Values
from imove_bringup.graphs import console_part, evaluation, parts
from imove_bringup.graphs.model import Graph, GraphDefinition, NodeDescription

DOMAIN = "sim"


def _arguments() -> tuple[LaunchArgument, ...]:
    return (
        *parts.suite_arguments(),
        *evaluation.policy_arguments(),
        parts.RIG,
        evaluation.SEED_ARGUMENT,
        parts.sim_argument(),
        LaunchArgument(
            "clock",
            "Whether simulated time waits for the policy or runs by itself.",
            "lockstep",
            parts.CLOCKS,
        ),
        *evaluation.scheduling_arguments(),
        parts.IMAGE_SIZE_ARGUMENT,
        parts.ASSETS,
        parts.RECORD,
        evaluation.TRACES,
        evaluation.OUTPUT,
        *console_part.ON_DEMAND,
        LaunchArgument("view", "What shows the scene.", "none", parts.VIEWS),
        parts.SHOW_TARGET,
    )


def _preflight(values: Values) -> None:
    evaluation.check(values, _evaluator(values))
    preflight.check_gl()


def _evaluator(values: Values) -> NodeDescription:
    return evaluation.evaluator(values, domain=DOMAIN, clock=values.text("clock"), sim=values.text("sim"))


def build(values: Values) -> Graph:
    """Makes the graph from completed values."""
    nodes = (
        parts.sim_bridge(values),
        *evaluation.policy_nodes(values, domain=DOMAIN, clock=values.text("clock")),
        _evaluator(values),
        # The evaluator notices when it is gone, and says so.
        *parts.recorder(values, autostart=False, required=False),
        *console_part.console(values, simulated=True),
        *parts.viewer(values),
    )
    return Graph("sim_eval", nodes, log_parent=Path(values.text("output")) / "log")


def definition() -> GraphDefinition:
    """The definition of this graph."""
    return GraphDefinition(
        name="sim_eval",
        description="A policy runs the episodes of a suite in simulation and is scored.",
        arguments=_arguments(),
        complete=lambda values: evaluation.with_labels(
            evaluation.complete(values, datetime.now()), np.random.default_rng()
        ),
        preflight=_preflight,
        build=build,
    )
