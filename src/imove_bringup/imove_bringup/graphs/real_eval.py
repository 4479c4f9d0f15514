"""The graph `real_eval`: policies run the episodes of a suite on the real table, with a person who lays them out."""

from datetime import datetime
from pathlib import Path

import numpy as np

from imove_bringup import preflight
from imove_bringup.arguments import LaunchArgument, Values, choice
from imove_bringup.graphs import console_part, evaluation, parts, real_parts
from imove_bringup.graphs.model import Graph, GraphDefinition, NodeDescription

DOMAIN, CLOCK, TABLE = "real", "realtime", "real table"
OPERATOR, AUTO = "operator", "auto"
RIG_FOLDER = "rig"
"""Within the output folder: the rig file of an emulated table."""
CONFIRM = LaunchArgument(
    "confirm",
    "Who confirms layouts and starts: the operator, or a rule (emulated rigs and practice).",
    OPERATOR,
    choice([OPERATOR, AUTO]),
)


def _arguments() -> tuple[LaunchArgument, ...]:
    return (
        *parts.suite_arguments(),
        *evaluation.policy_arguments(),
        LaunchArgument(
            "rig", "The lab's rig file; empty for the shipped rig of the suite, which hardware:=emulated takes.", ""
        ),
        real_parts.HARDWARE,
        CONFIRM,
        LaunchArgument("operator", "Who conducts the trials, as it is to be in the results.", ""),
        evaluation.SEED_ARGUMENT,
        *evaluation.scheduling_arguments(),
        LaunchArgument("image_size", "Size of every camera image.", "640x480", parts.IMAGE_SIZE_ARGUMENT.kind),
        parts.ASSETS,
        LaunchArgument("record", "Whether every trial is recorded into a bag of its own.", "true", parts.RECORD.kind),
        evaluation.TRACES,
        evaluation.OUTPUT,
        *console_part.ARGUMENTS,
        LaunchArgument("view", "What shows the scene beside the console.", "none", parts.VIEWS),
        parts.SHOW_TARGET,
    )


def complete(values: Values, now: datetime) -> Values:
    """Fills in suite, rig, task and output; see `evaluation.complete`."""
    return evaluation.complete(values, now, "real-").replaced(clock=CLOCK)


def _preflight(values: Values) -> None:
    evaluation.check(values, _evaluator(values))
    if values.text("hardware") == real_parts.REAL:
        _rig_reference(values)
    else:
        preflight.check_gl()


def _rig_reference(values: Values) -> str:
    folder = Path(values.text("output")) / RIG_FOLDER
    return real_parts.rig_reference(values.text("rig"), values.text("hardware"), folder, values.number("seed"))


def _evaluator(values: Values) -> NodeDescription:
    return evaluation.evaluator(values, domain=DOMAIN, clock=CLOCK, sim=TABLE)


def conductor(values: Values) -> NodeDescription:
    """The node that sets up trials with the operator.

    Args:
        values: Completed ones.
    """
    from imove_eval.blinded.policies import parse_policies

    policies = len(parse_policies(values.text("policies"))) if values.text("policies") else 1
    conditions = len(values.text("condition").split(","))
    return NodeDescription(
        package="imove_trials",
        executable="trial_conductor",
        name="trial_conductor",
        parameters={
            **{name: values.text(name) for name in ("rig", "assets", "safety", "confirm", "operator", "output")},
            "trials": values.number("episodes") * conditions * policies,
        },
    )


def build(values: Values) -> Graph:
    """Makes the graph from completed values; the rig file of an emulated table is written."""
    values = values.replaced(rig=_rig_reference(values))
    nodes = (
        *real_parts.table(values),
        *real_parts.drivers(values),
        real_parts.tracker(values),
        conductor(values),
        *evaluation.policy_nodes(values, domain=DOMAIN, clock=CLOCK),
        _evaluator(values),
        *parts.recorder(values, autostart=False, required=False, simulated=False),
        *console_part.console(values, simulated=False),
        *parts.viewer(values, simulated=False),
    )
    return Graph("real_eval", nodes, log_parent=Path(values.text("output")) / "log")


def definition() -> GraphDefinition:
    """The definition of this graph."""
    return GraphDefinition(
        name="real_eval",
        description="Policies run the episodes of a suite on the real table and are scored.",
        arguments=_arguments(),
        complete=lambda values: evaluation.with_labels(complete(values, datetime.now()), np.random.default_rng()),
        preflight=_preflight,
        build=build,
    )
