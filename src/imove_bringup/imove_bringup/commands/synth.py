"""`imove synth`: makes demonstrations."""

import json
from pathlib import Path
from typing import Annotated

import typer

from imove_bringup.arguments import IMAGE_SIZE, ImageSize
from imove_bringup.commands.options import Assets, checked_option

_IMAGE_SIZE = ImageSize(224, 224)


def synth(
    out: Annotated[Path, typer.Option(help="Folder of the data set; one of the same command goes on.")],
    task: Annotated[str, typer.Option(help="Task family.")] = "pick_category",
    rig: Annotated[str, typer.Option(help="Shipped rig, or a .yaml file; that of the suite by itself.")] = "",
    episodes: Annotated[
        int, typer.Option("-n", "--episodes", min=1, help="Specs to try; more of them go on with an older folder.")
    ] = 10,
    suite: Annotated[
        str, typer.Option(help="Shipped suite, or a .jsonl file, whose specs are used; drawn ones by itself.")
    ] = "",
    split: Annotated[str, typer.Option(help="Split of the family that specs are drawn from.")] = "train",
    planner: Annotated[
        str,
        typer.Option(
            help="Planner of joint motions: rrt_connect, or moveit where ROS has it, whose motions differ by the run."
        ),
    ] = "rrt_connect",
    seed: Annotated[int, typer.Option(min=0, help="Seed of all draws.")] = 0,
    randomize: Annotated[
        str,
        typer.Option(help="Domain randomisation of drawn specs: a preset (off, default, full), or a .yaml file."),
    ] = "default",
    images: Annotated[bool, typer.Option("--images/--no-images", help="Whether cameras are recorded.")] = True,
    image_size: Annotated[
        ImageSize,
        checked_option("--image-size", IMAGE_SIZE, "WIDTHxHEIGHT", "Size of every camera image.", "224x224"),
    ] = _IMAGE_SIZE,
    depth: Annotated[bool, typer.Option("--depth/--no-depth", help="Whether depth is recorded beside colour.")] = True,
    workers: Annotated[int, typer.Option(min=1, help="Processes side by side; nothing depends on it.")] = 1,
    ray: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Run the workers on a Ray cluster; `local` starts one here.")
    ] = "",
    assets: Assets = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the yield as JSON.")] = False,
) -> None:
    """Make demonstrations: plan certified specs, carry them out in physics, and keep as bags what the validators pass.

    A run that was stopped goes on with the same command. Exit 1 when no spec became a demonstration.
    """
    from rich.console import Console
    from rich.progress import Progress

    from imove_bringup.graphs.parts import absolute, suite_reference
    from imove_bringup.synthesis.job import SynthesisJob
    from imove_bringup.synthesis.outcome import Outcome
    from imove_bringup.synthesis.synthesis import synthesise
    from imove_bringup.synthesis.tables import print_yield
    from imove_tasks.randomization import load_randomization
    from imove_tasks.registry import get_family
    from imove_tasks.suites import UNMARKED_RIG, open_suite

    family = get_family(task)
    default_rig = open_suite(suite).rig if suite else UNMARKED_RIG
    job = SynthesisJob(
        task=family.name,
        split=split,
        suite=suite_reference(suite),
        rig=absolute(rig) if rig.endswith((".yaml", ".yml")) else rig or default_rig,
        sim="mujoco",
        planner=planner,
        seed=seed,
        looks=load_randomization(randomize),
        image_size=image_size if images else None,
        depth=depth and images,
        assets=tuple(absolute(str(folder)) for folder in assets or ()),
        out=absolute(str(out)),
    )
    title = f"{family.name} on {job.rig}"
    kept = 0
    with Progress(console=Console(stderr=True)) as progress:
        bar = progress.add_task(title, total=episodes)

        def show(outcome: Outcome) -> None:
            nonlocal kept
            kept += outcome.bag is not None
            progress.update(bar, advance=1, description=f"{title}, {kept} kept")

        found = synthesise(job, episodes, workers, ray, show)
    if as_json:
        typer.echo(json.dumps(found.model_dump(mode="json"), indent=2))
    else:
        print_yield(Console(), title, found)
        typer.echo(f"written: {out}")
    if not found.kept:
        raise typer.Exit(1)
