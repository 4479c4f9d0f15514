"""`imove eval`: runs the episodes of a suite in this process, without a ROS graph."""

import sys
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from imove_analysis.conditions import CONDITION_RULE
from imove_bringup.arguments import (
    COUNT,
    IMAGE_SIZE,
    POSITIVE,
    SEED,
    ImageSize,
    choice,
    conditions_kind,
    latency_kind,
    policy_kind,
)
from imove_bringup.commands.options import Assets, checked_option
from imove_policy_node.scheduling.latency import LATENCY_RULE
from imove_policy_node.scheduling.registry import scheduler_names
from imove_sim_bridge.registry import backend_names

_IMAGE_SIZE = ImageSize(224, 224)
_SEVERAL = {"task": "suites", "suite": "suites", "policy": "policies", "policy_config": "policies"}
"""Options for one, by that for several in place of it."""


def evaluate(
    context: typer.Context,
    task: Annotated[str, typer.Option(help="Task family; only used without --suite.")] = "pick_category",
    suite: Annotated[str, typer.Option(help="Shipped suite, or a .jsonl file; split seen of the task by itself.")] = "",
    suites: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="Several suites one after another, separated by commas; paper: the seven shipped ones of the paper's "
            "tasks.",
        ),
    ] = "",
    policy: Annotated[str, checked_option("--policy", policy_kind(), "NAME", "What drives.")] = "expert",
    policies: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="Several policies one after another, separated by commas, each NAME, NAME=CONFIG, NAME@URL or "
            "NAME=CONFIG@URL.",
        ),
    ] = "",
    policy_url: Annotated[
        str,
        typer.Option(
            help="Address of the policy server, the usual one of the protocol by itself; several, separated by commas, "
            "share the workers."
        ),
    ] = "",
    policy_config: Annotated[
        str, typer.Option(help="Mapping, manifest or bag of the policy: a shipped name or a path.")
    ] = "",
    episodes: Annotated[
        int, checked_option("--episodes", POSITIVE, "N", "How many episodes of the suite, from its start.")
    ] = 10,
    condition: Annotated[
        str,
        checked_option(
            "--condition",
            conditions_kind(),
            "NAMES",
            f"What the policy is told on the same scenes: {CONDITION_RULE}.",
            also=("--conditions",),
        ),
    ] = "normal",
    rig: Annotated[
        str, typer.Option(help="Shipped rig, or a .yaml file; the one that the suite is for by itself.")
    ] = "",
    seed: Annotated[int, checked_option("--seed", SEED, "N", "Seed of the policy's random draws.")] = 0,
    repeats: Annotated[
        int, checked_option("--repeats", POSITIVE, "K", "Run everything with K seeds, from the one given on.")
    ] = 1,
    sim: Annotated[str, checked_option("--sim", choice(backend_names()), "NAME", "Physics engine.")] = "mujoco",
    scheduler: Annotated[
        str, checked_option("--scheduler", choice(scheduler_names()), "NAME", "How action chunks become commands.")
    ] = "receding",
    execute_steps: Annotated[
        int,
        checked_option(
            "--execute-steps", COUNT, "N", "Control steps from an answer to the next question; 0: the scheduler's own."
        ),
    ] = 0,
    latency: Annotated[
        str,
        checked_option(
            "--latency", latency_kind(), "LATENCY", f"How long answers take in simulated time: {LATENCY_RULE}."
        ),
    ] = "0",
    image_size: Annotated[
        ImageSize,
        checked_option("--image-size", IMAGE_SIZE, "WIDTHxHEIGHT", "Size of every camera image.", "224x224"),
    ] = _IMAGE_SIZE,
    safety: Annotated[
        str, typer.Option(help="What the safety layer holds commands to: default, off, or a .yaml file.")
    ] = "default",
    workers: Annotated[int, checked_option("--workers", POSITIVE, "N", "Processes side by side.")] = 1,
    ray: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Run the workers on a Ray cluster; `local` starts one here.")
    ] = "",
    assets: Assets = None,
    traces: Annotated[
        bool, typer.Option(help="Keep the control steps of episodes, to score and show them again; 0.2 MB each.")
    ] = True,
    verify: Annotated[
        Path | None,
        typer.Option(
            metavar="CARD",
            help="Check a result card instead: run that many of its episodes again, with its settings, and compare.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the results; one that exists is resumed; runs/... by itself.")
    ] = None,
) -> None:
    """Run and score the episodes of a suite, as sim_eval.launch.py does and with the same results, without ROS."""
    from rich.console import Console

    from imove_bringup.evaluation.checking import check_runs
    from imove_bringup.evaluation.plan import PlannedRun, chosen_policies, plan_runs
    from imove_bringup.evaluation.protocol_file import write_protocol
    from imove_bringup.evaluation.protocol_tables import print_tables
    from imove_bringup.evaluation.running import Means, carry_out_all
    from imove_bringup.evaluation.verdict import verify_card
    from imove_bringup.graphs.parts import config_reference, task_suite
    from imove_core.errors import ImoveError
    from imove_eval.blinded.policies import PolicyChoice
    from imove_eval.output_folder import NEEDED_BYTES, check_free_space, lock_folder
    from imove_eval.settings import run_from
    from imove_eval.suite_groups import parse_suites
    from imove_policy_node.registry import check_policy_name

    console = Console()
    means = Means(workers, ray, tuple(assets or ()), traces)
    if verify is not None:
        given = {name: value for name, value in context.params.items() if _was_given(context, name)}
        if not verify_card(verify, given, episodes, seed, means, console):
            raise typer.Exit(1)
        return
    for single, several in _SEVERAL.items():
        if context.params[several] and _was_given(context, single):
            raise ImoveError(f"--{single.replace('_', '-')} cannot go together with --{several}, which names them all")
    common = {
        "episodes": episodes,
        "condition": condition,
        "rig": rig,
        "clock": "lockstep",
        "scheduler": scheduler,
        "execute_steps": execute_steps,
        "latency": latency,
        "safety": config_reference(safety),
        "sim": sim,
        "image_width": image_size.width,
        "image_height": image_size.height,
    }
    one = PolicyChoice(policy, config_reference(policy_config), policy_url)
    chosen = chosen_policies(policies, one)
    for each in chosen:
        check_policy_name(each.name)
    wanted = parse_suites(suites) if suites else (suite or task_suite(task, rig),)
    now = f"{datetime.now():%Y%m%d-%H%M%S}"
    if suites or policies or repeats > 1:
        output = out or Path("runs") / f"protocol-{now}"
        planned = plan_runs(wanted, chosen, range(seed, seed + repeats), common, output)
        check_free_space(output, len(planned) * NEEDED_BYTES)
        check_runs(planned, means.assets)
        with lock_folder(output):
            write_protocol(output, planned)
            lost = carry_out_all(planned, rig, means, console)
        print_tables([each.folder for each in planned], console)
    else:
        settings = {**common, "suite": wanted[0], "policy": one.name, "policy_config": one.config, "seed": seed}
        run = run_from(settings)
        output = out or Path("runs") / f"{run.suite.name}-{policy}-{now}".replace("/", "-").replace(":", "-")
        check_free_space(output)
        lost = carry_out_all([PlannedRun(run, wanted[0], output, policy_url)], rig, means, console)
    for lost_run, reason in lost:
        print(f"imove: {lost_run.folder}: {reason}; the same command goes on from here", file=sys.stderr)
    if lost:
        raise typer.Exit(1)


def _was_given(context: typer.Context, name: str) -> bool:
    """Whether an option stands on the command line."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
