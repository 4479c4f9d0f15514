"""`imove suite yield`."""

import json
from pathlib import Path
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
    out: Annotated[
        Path | None, typer.Option(help="File that keeps every draw, one a line; the same command goes on with it.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    assets: Assets = None,
) -> None:
    """Draw scenes once each and say how many are certified, why the others are refused, and what that costs."""
    from tempfile import TemporaryDirectory

    from rich.console import Console
    from rich.progress import Progress

    from imove_bringup.freezing.journal import Journal
    from imove_bringup.freezing.running import Draw, SceneJob, try_draws
    from imove_bringup.freezing.yields import summarise
    from imove_core.rig import load_rig
    from imove_tasks.assets.library import open_library
    from imove_tasks.randomization import load_randomization

    job = SceneJob(task, split, rig, "mujoco", load_randomization(randomize), tuple(assets or ()))
    identity = job.identity(seed, load_rig(rig).name, open_library(job.assets).snapshot_hash())
    with TemporaryDirectory() as unkept, Progress(console=Console(stderr=True)) as progress:
        journal = Journal(out or Path(unkept) / "draws.jsonl", identity, Draw, lambda draw: draw.index)
        missing = [index for index in range(draws) if index not in journal.items]
        bar = progress.add_task(f"drawing {task}/{split}", total=draws, completed=draws - len(missing))
        for draw in try_draws(job, seed, missing, workers) if missing else ():
            journal.add(draw)
            progress.advance(bar)
        summary = summarise([journal.items[index] for index in range(draws)])
    if as_json:
        typer.echo(json.dumps({"task": task, "split": split, "rig": rig, **summary.to_record()}, indent=2))
        return
    typer.echo(
        f"{task}/{split} on {rig}: {summary.certified} of {draws} draws certified, the others refused with a reason; "
        f"{summary.cpu_s_a_draw:.2f} CPU-s a draw, {summary.cpu_s_a_scene:.2f} CPU-s a certified scene"
    )
    for step, count, reason in summary.refusals:
        typer.echo(f"  {count:>5}  refused at {step}, e.g. {reason}")
