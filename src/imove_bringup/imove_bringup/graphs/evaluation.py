"""Arguments and nodes of graphs in which policies run the episodes of a suite and are scored, in either domain."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from imove_bringup import preflight
from imove_bringup.arguments import (
    BOOL,
    COUNT,
    PATH,
    POSITIVE,
    SEED,
    LaunchArgument,
    Values,
    choice,
    conditions_kind,
    latency_kind,
    policies_kind,
    policy_kind,
)
from imove_bringup.graphs import parts
from imove_bringup.graphs.model import NodeDescription

if TYPE_CHECKING:
    from imove_eval.blinded.policies import PolicyChoice


def policy_arguments() -> tuple[LaunchArgument, ...]:
    """The choice of what drives the arms, one policy or several to be compared."""
    return (
        LaunchArgument("policy", "What drives the arms.", "expert", policy_kind()),
        LaunchArgument("policy_url", "Address of the policy server; empty for the usual one of the protocol.", ""),
        LaunchArgument(
            "policy_config",
            "Mapping, manifest or bag of the policy: a shipped name or a path.",
            "",
        ),
        LaunchArgument(
            "policies",
            "Policies to compare, blinded and interleaved, in place of policy; empty for one policy.",
            "",
            policies_kind(),
        ),
        LaunchArgument("episodes", "How many episodes of the suite to run, from its start.", "10", POSITIVE),
        LaunchArgument("condition", "What the policy is told on the same scenes.", "normal", conditions_kind()),
    )


SEED_ARGUMENT = LaunchArgument(
    "seed", "Seed of the policy's random draws, and of the order of trials of a comparison.", "0", SEED
)


def scheduling_arguments() -> tuple[LaunchArgument, ...]:
    """How answers of a policy become commands."""
    from imove_policy_node.scheduling.registry import scheduler_names

    schedulers = scheduler_names()
    return (
        LaunchArgument("scheduler", "How action chunks become commands.", schedulers[0], choice(schedulers)),
        LaunchArgument(
            "execute_steps", "Control steps from an answer to the next question; 0: the scheduler's own.", "0", COUNT
        ),
        LaunchArgument(
            "latency",
            "How long answers take in simulated time; in real time it adds to what they take.",
            "0",
            latency_kind(),
        ),
        LaunchArgument(
            "answer_timeout", "Seconds, in the world's time, after which an answer is given up.", "30", POSITIVE
        ),
        parts.SAFETY,
    )


OUTPUT = LaunchArgument(
    "output",
    "Folder of the results; one that exists is resumed; empty for runs/<task>-<policy>-<time>.",
    "",
    PATH,
)


TRACES = LaunchArgument(
    "traces",
    "Whether the control steps of episodes are kept, to be scored and shown again; 0.2 MB each.",
    "true",
    BOOL,
)


def output_name(values: Values, task: str) -> str:
    """Name of the folder of a run; a comparison's tells nothing of the order of its policies."""
    return f"{task}-comparison" if values.text("policies") else f"{task}-{values.text('policy').replace(':', '-')}"


def with_labels(values: Values, rng: np.random.Generator) -> Values:
    """Puts the policies of a comparison into the order of their labels: those of its folder, or new ones.

    Args:
        values: Completed ones, with `policies` and `output`.
        rng: A source that nobody can repeat.

    Raises:
        ImoveError: The folder holds a comparison of other policies.
    """
    if not values.text("policies"):
        return values
    from imove_eval.blinded.folder import labelled
    from imove_eval.blinded.policies import PolicyChoice, in_label_order, parse_policies, policies_text

    choices = [
        PolicyChoice(choice.name, parts.config_reference(choice.config), choice.url)
        for choice in parse_policies(values.text("policies"))
    ]
    key = labelled(Path(values.text("output")), choices, rng)
    return values.replaced(policies=policies_text(in_label_order(key)))


def complete(values: Values, now: datetime, prefix: str = "") -> Values:
    """Fills in suite, rig, task and output.

    Args:
        values: As parsed.
        now: Local time, for the name of the output folder.
        prefix: Of that name.

    Returns:
        The values with the suite as a name or an absolute path, its rig, the task that belongs to the suite, and the
        absolute paths of corpus folders and output folder.

    Raises:
        ImoveError: No suite is shipped for the task and the rig, or one of them cannot be opened.
    """
    suite, rig = parts.suite_and_rig(values.text("suite"), values.text("task"), values.text("rig"))
    # A shipped suite is called <task>/<split>; a file is known by its own name.
    task = Path(suite).stem if Path(suite).is_absolute() else suite.partition("/")[0]
    output = values.text("output") or f"runs/{prefix}{output_name(values, task)}-{now:%Y%m%d-%H%M%S}"
    return values.replaced(
        suite=suite,
        rig=rig,
        task=task,
        assets=parts.asset_references(values.text("assets")),
        policy_config=parts.config_reference(values.text("policy_config")),
        safety=parts.safety_reference(values.text("safety"), rig),
        output=parts.absolute(output),
    )


def evaluator(values: Values, *, domain: str, clock: str, sim: str) -> NodeDescription:
    """The node that runs the episodes and writes the results; the graph ends with it.

    Args:
        values: Completed ones.
        domain: `sim` or `real`.
        clock: `lockstep` or `realtime`.
        sim: Name of the simulator, or what stands in its place.
    """
    names = (
        "rig", "suite", "policy", "policy_config", "policies", "condition", "scheduler", "latency", "safety", "assets",
        "output",
    )  # fmt: skip
    return NodeDescription(
        package="imove_eval",
        executable="evaluator",
        name="evaluator",
        parameters={
            "use_sim_time": domain == "sim",
            "domain": domain,
            "clock": clock,
            "sim": sim,
            **{name: values.text(name) for name in names},
            **{name: values.number(name) for name in ("episodes", "seed", "execute_steps")},
            "record": values.flag("record"),
            "traces": values.flag("traces"),
            **parts.image_parameters(values),
        },
        required=True,
        output="screen",
    )


def policy_nodes(values: Values, *, domain: str, clock: str) -> tuple[NodeDescription, ...]:
    """The nodes that turn observations into commands, one a policy.

    Args:
        values: Completed ones.
        domain: `sim` or `real`.
        clock: `lockstep` or `realtime`.
    """
    from imove_eval.blinded.policies import PolicyChoice, parse_policies

    if not values.text("policies"):
        choice = PolicyChoice(*(values.text(name) for name in ("policy", "policy_config", "policy_url")))
        return (_policy_node(values, choice, "", domain, clock),)
    return tuple(
        _policy_node(values, choice, chr(ord("A") + index), domain, clock)
        for index, choice in enumerate(parse_policies(values.text("policies")))
    )


def _policy_node(values: Values, choice: PolicyChoice, label: str, domain: str, clock: str) -> NodeDescription:
    names = ("rig", "scheduler", "latency", "safety", "assets")
    return NodeDescription(
        package="imove_policy_node",
        executable="policy_node",
        name=f"policy_node_{label.lower()}" if label else "policy_node",
        parameters={
            "use_sim_time": domain == "sim",
            "domain": domain,
            "clock": clock,
            "policy": choice.name,
            "policy_url": choice.url,
            "policy_config": choice.config,
            "label": label,
            **{name: values.text(name) for name in names},
            "execute_steps": values.number("execute_steps"),
            "answer_timeout_s": float(values.number("answer_timeout")),
            **parts.image_parameters(values),
        },
    )


def check(values: Values, evaluator_node: NodeDescription) -> None:
    """Checks before anything starts that the run, or the comparison, can be done here.

    Args:
        values: Completed ones.
        evaluator_node: From `evaluator`.

    Raises:
        ImoveError: It cannot.
    """
    preflight.check_view(values.text("view"))
    preflight.check_assets(values.text("assets"))
    preflight.check_run(evaluator_node.parameters)
    preflight.check_recording(values.flag("record"), values.text("output"))
