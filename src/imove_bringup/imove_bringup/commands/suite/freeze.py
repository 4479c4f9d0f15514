"""`imove suite freeze`."""

from pathlib import Path
from typing import Annotated

import typer

from imove_bringup.commands.options import Assets


def freeze(
    task: Annotated[str, typer.Option(help="Task family.")],
    split: Annotated[str, typer.Option(help="Split of the family; `train` draws a training set.")],
    out: Annotated[Path, typer.Option(help="File to write, ending in .jsonl.")],
    episodes: Annotated[int, typer.Option(min=1, help="Number of episodes.")] = 100,
    rig: Annotated[str, typer.Option(help="Shipped rig, or a .yaml file.")] = "piperx_dual",
    seed: Annotated[int, typer.Option(min=0, help="Seed of all draws.")] = 0,
    randomize: Annotated[
        str, typer.Option(help="Domain randomisation: a preset (off, default, full), or a .yaml file.")
    ] = "default",
    workers: Annotated[int, typer.Option(min=1, help="Processes side by side; the suite does not depend on it.")] = 1,
    assets: Assets = None,
) -> None:
    """Draw scenes, settle them, carry out all that can be asked for, and freeze what holds; resumes after a kill."""
    from rich.console import Console
    from rich.progress import Progress

    from imove_bringup.freezing.running import SceneJob
    from imove_bringup.freezing.suites import freeze_suite
    from imove_core.errors import ImoveError
    from imove_tasks.randomization import load_randomization
    from imove_tasks.suites import write_suite

    if out.suffix != ".jsonl":
        raise ImoveError(f"out is {out}; a file that ends in .jsonl is needed")
    job = SceneJob(task, split, rig, "mujoco", load_randomization(randomize), tuple(assets or ()))
    with Progress(console=Console(stderr=True)) as progress:
        bar = progress.add_task(f"{task}/{split}", total=episodes)
        frozen = freeze_suite(job, episodes, seed, workers, out, lambda: progress.advance(bar))
    write_suite(frozen.suite, out)
    frozen.journal.close()
    typer.echo(f"{out}: {episodes} episodes, {frozen.draws} draws, content hash {frozen.suite.content_hash[:12]}")
