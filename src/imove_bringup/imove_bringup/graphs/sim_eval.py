"""The graph `sim_eval`: a policy runs the episodes of a suite in simulation and is scored, or several one by one."""

from datetime import datetime
from pathlib import Path

import numpy as np

from imove_bringup import preflight
from imove_bringup.arguments import LaunchArgument, Values
from imove_bringup.graphs import console_part, evaluation, parts, series
from imove_bringup.graphs.model import Graph, GraphDefinition, NodeDescription

NAME = "sim_eval"
DOMAIN = "sim"


def _arguments() -> tuple[LaunchArgument, ...]:
    return (
        *parts.suite_arguments(),
        series.SUITES,
        *evaluation.policy_arguments(),
        series.conditions_argument(),
        parts.RIG,
        evaluation.SEED_ARGUMENT,
        series.REPEATS,
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


def _complete(values: Values) -> Values:
    values, now = series.with_condition(values), datetime.now()
    if series.is_series(values):
        return series.complete(values, now)
    return evaluation.with_labels(evaluation.complete(values, now), np.random.default_rng())


def _preflight(values: Values) -> None:
    if series.is_series(values):
        series.check(values)
    else:
        evaluation.check(values, _evaluator(values))
    preflight.check_gl()


def _evaluator(values: Values) -> NodeDescription:
    return evaluation.evaluator(values, domain=DOMAIN, clock=values.text("clock"), sim=values.text("sim"))


def build(values: Values) -> Graph:
    """Makes the graph from completed values: that of one run or comparison, or that of a series of runs."""
    if series.is_series(values):
        return series.graph(NAME, values)
    nodes = (
        parts.sim_bridge(values),
        *evaluation.policy_nodes(values, domain=DOMAIN, clock=values.text("clock")),
        _evaluator(values),
        # The evaluator notices when it is gone, and says so.
        *parts.recorder(values, autostart=False, required=False),
        *console_part.console(values, simulated=True),
        *parts.viewer(values),
    )
    return Graph(NAME, nodes, log_parent=Path(values.text("output")) / "log")


def definition() -> GraphDefinition:
    """The definition of this graph."""
    return GraphDefinition(
        name=NAME,
        description="A policy runs the episodes of a suite in simulation and is scored.",
        arguments=_arguments(),
        complete=_complete,
        preflight=_preflight,
        build=build,
    )
