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


def evaluate(
    task: Annotated[str, typer.Option(help="Task family; only used without --suite.")] = "pick_category",
    suite: Annotated[str, typer.Option(help="Shipped suite, or a .jsonl file; split seen of the task by itself.")] = "",
    policy: Annotated[str, checked_option("--policy", policy_kind(), "NAME", "What drives.")] = "expert",
    policy_url: Annotated[
        str, typer.Option(help="Address of the policy server; the usual one of the protocol by itself.")
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
            "--condition", conditions_kind(), "NAMES", f"What the policy is told on the same scenes: {CONDITION_RULE}."
        ),
    ] = "normal",
    rig: Annotated[
        str, typer.Option(help="Shipped rig, or a .yaml file; the one that the suite is for by itself.")
    ] = "",
    seed: Annotated[int, checked_option("--seed", SEED, "N", "Seed of the policy's random draws.")] = 0,
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
    assets: Assets = None,
    traces: Annotated[
        bool, typer.Option(help="Keep the control steps of episodes, to score and show them again; 0.2 MB each.")
    ] = True,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the results; one that exists is resumed; runs/... by itself.")
    ] = None,
) -> None:
    """Run and score the episodes of a suite, as sim_eval.launch.py does and with the same results, without ROS."""
    from rich.console import Console

    from imove_bringup.graphs.parts import config_reference, task_suite
    from imove_bringup.in_process import InProcessExecutor, PoolExecutor, WorkerSettings
    from imove_core import provenance
    from imove_eval.console_report import ConsoleReporter
    from imove_eval.runner import run_suite
    from imove_eval.settings import run_from
    from imove_eval.store import RunStore, check_free_space, lock_folder
    from imove_tasks.assets.library import open_library

    run = run_from(
        {
            "suite": suite or task_suite(task, rig),
            "policy": policy,
            "policy_config": config_reference(policy_config),
            "episodes": episodes,
            "condition": condition,
            "rig": rig,
            "seed": seed,
            "clock": "lockstep",
            "scheduler": scheduler,
            "execute_steps": execute_steps,
            "latency": latency,
            "safety": config_reference(safety),
            "sim": sim,
            "image_width": image_size.width,
            "image_height": image_size.height,
        }
    )
    title = f"{run.suite.name}-{policy}".replace("/", "-").replace(":", "-")
    output = out or Path("runs") / f"{title}-{datetime.now():%Y%m%d-%H%M%S}"
    check_free_space(output)
    library = open_library(assets or ())
    reporter = ConsoleReporter(Console(), lambda uuid: library.get(uuid).phrase, run.title, str(output))
    facts = {**provenance.collect(), "asset_snapshot": run.suite.asset_snapshot, "runtime": "in-process"}
    worker_settings = WorkerSettings.of(run.settings, rig or run.rig.name, assets or (), policy_url, traces)
    with lock_folder(output):
        store = RunStore(output, run.settings, facts)
        execute = InProcessExecutor(worker_settings) if workers == 1 else PoolExecutor(worker_settings, workers)
        try:
            lost = run_suite(run, execute, store, reporter)
        finally:
            execute.close()
    if lost:
        print(f"imove: {lost}; the same command goes on from here", file=sys.stderr)
        raise typer.Exit(1)
