"""`imove suite yield`."""

import json
from typing import Annotated

import typer

from imove_bringup.commands.options import Assets


def measure_yield(
    task: Annotated[str, typer.Option(help="Task family.")],
    split: Annotated[str, typer.Option(help="Split of the family.")] = "seen",
    draws: Annotated[int, typer.Option("-n", "--draws", min=1, help="Number of draws.")] = 100,
    rig: Annotated[str, typer.Option(help="Shipped rig, or a .yaml file.")] = "piperx_dual",
    seed: Annotated[int, typer.Option(min=0, help="Seed of all draws.")] = 0,
    randomize: Annotated[
        str, typer.Option(help="Domain randomisation: a preset (off, default, full), or a .yaml file.")
    ] = "default",
    workers: Annotated[int, typer.Option(min=1, help="Processes side by side.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    assets: Assets = None,
) -> None:
    """Draw scenes once each and say how many are certified, why the others are refused, and what that costs."""
    from rich.console import Console
    from rich.progress import track

    from imove_bringup.freezing.running import SceneJob, try_draws
    from imove_bringup.freezing.yields import summarise
    from imove_tasks.randomization import load_randomization

    job = SceneJob(task, split, rig, "mujoco", load_randomization(randomize), tuple(assets or ()))
    console = Console(stderr=True)
    results = track(
        try_draws(job, seed, draws, workers), description=f"drawing {task}/{split}", total=draws, console=console
    )
    summary = summarise(list(results))
    if as_json:
        typer.echo(json.dumps({"task": task, "split": split, "rig": rig, **summary.to_record()}, indent=2))
        return
    typer.echo(
        f"{task}/{split} on {rig}: {summary.certified} of {draws} draws certified, the others refused with a reason; "
        f"{summary.cpu_s_a_draw:.2f} CPU-s a draw, {summary.cpu_s_a_scene:.2f} CPU-s a certified scene"
    )
    for step, count, reason in summary.refusals:
        typer.echo(f"  {count:>5}  refused at {step}, e.g. {reason}")
