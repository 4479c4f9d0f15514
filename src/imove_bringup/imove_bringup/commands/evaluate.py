"""`imove eval`: runs the episodes of a suite in this process, without a ROS graph."""

import sys
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer


def evaluate(
    suite: Annotated[str, typer.Option(help="Shipped suite, or a .jsonl file.")] = "pick_category/seen",
    policy: Annotated[str, typer.Option(help="Which policy runs; an unknown name lists them.")] = "expert",
    episodes: Annotated[int, typer.Option(help="How many episodes of the suite, from its start.")] = 10,
    condition: Annotated[str, typer.Option(help="What the policy is told on the same scenes.")] = "normal",
    rig: Annotated[str, typer.Option(help="Shipped rig, or a .yaml file.")] = "piperx_dual",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the policy's random draws.")] = 0,
    sim: Annotated[str, typer.Option(help="Simulator.")] = "mujoco",
    scheduler: Annotated[str, typer.Option(help="receding or sync_hold.")] = "receding",
    image_size: Annotated[str, typer.Option(help="Width and height of camera images, e.g. 224x224.")] = "224x224",
    workers: Annotated[int, typer.Option(min=1, help="Processes side by side.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Folder of the results; one that exists is resumed.")] = None,
) -> None:
    """Run the same episodes as sim_eval without a ROS graph, with the same results."""
    from rich.console import Console

    from imove_bringup.graphs.parts import IMAGE_SIZE_ARGUMENT
    from imove_bringup.in_process import InProcessExecutor, PoolExecutor, WorkerSettings
    from imove_core import provenance
    from imove_core.errors import unknown_name
    from imove_core.rig import load_rig
    from imove_eval.console_report import ConsoleReporter
    from imove_eval.runner import run_suite
    from imove_eval.settings import settings_from
    from imove_eval.store import RunStore, check_free_space, lock_folder
    from imove_policy_node.registry import policy_names
    from imove_policy_node.scheduling import create_scheduler
    from imove_sim_bridge.registry import backend_names
    from imove_tasks.assets.library import AssetLibrary

    loaded_rig = load_rig(rig)
    width, height = IMAGE_SIZE_ARGUMENT.parse(image_size)
    for kind, name, names in (("policy", policy, policy_names()), ("sim", sim, backend_names())):
        if name not in names:
            raise unknown_name(kind, name, names)
    create_scheduler(scheduler)
    settings, opened = settings_from(
        {
            "suite": suite,
            "policy": policy,
            "condition": condition,
            "rig": loaded_rig.name,
            "seed": seed,
            "clock": "lockstep",
            "scheduler": scheduler,
            "sim": sim,
            "image_width": width,
            "image_height": height,
        }
    )
    specs = opened.first(episodes)
    specs[0].instruction(condition)
    output = out or Path("runs") / f"{opened.name.replace('/', '-')}-{policy}-{datetime.now():%Y%m%d-%H%M%S}"
    check_free_space(output)
    library = AssetLibrary.generate()
    title = f"{opened.name}, {condition}, policy {policy}"
    reporter = ConsoleReporter(Console(), lambda uuid: library.get(uuid).captions[0], title, str(output))
    facts = {**provenance.collect(), "asset_snapshot": opened.asset_snapshot, "runtime": "in-process"}
    worker_settings = WorkerSettings.of(settings, rig)
    with lock_folder(output):
        store = RunStore(output, settings, facts)
        execute = InProcessExecutor(worker_settings) if workers == 1 else PoolExecutor(worker_settings, workers)
        try:
            lost = run_suite(specs, condition, seed, loaded_rig, execute, store, reporter)
        finally:
            execute.close()
    if lost:
        print(f"imove: {lost}; the same command goes on from here", file=sys.stderr)
        raise typer.Exit(1)
