"""`imove suite`: lists, freezes and verifies episode sets."""

import json
from pathlib import Path
from typing import Annotated

import typer

from imove_bringup.commands.options import Assets

app = typer.Typer(help="List, freeze and verify episode sets.", no_args_is_help=True)

DRIFT_LIMIT_M = 0.001


@app.command("list")
def list_suites(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the shipped suites."""
    from imove_tasks.suites import open_suite, suite_names

    rows = []
    for name in suite_names():
        suite = open_suite(name)
        rows.append({"suite": name, "episodes": len(suite.specs), "content_hash": suite.content_hash})
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
        return
    for row in rows:
        typer.echo(f"{row['suite']:<28} {row['episodes']:>4} episodes  {row['content_hash'][:12]}")


@app.command()
def freeze(
    task: Annotated[str, typer.Option(help="Task family.")],
    split: Annotated[str, typer.Option(help="Split of the family.")],
    out: Annotated[Path, typer.Option(help="File to write, ending in .jsonl.")],
    episodes: Annotated[int, typer.Option(min=1, help="Number of episodes.")] = 100,
    rig: Annotated[str, typer.Option(help="Shipped rig, or a .yaml file.")] = "piperx_dual",
    seed: Annotated[int, typer.Option(min=0, help="Seed of all draws.")] = 0,
    assets: Assets = None,
) -> None:
    """Draw episodes, settle them, lift every object of every scene, and write what holds."""
    from rich.progress import Progress

    from imove_bringup.freezing import Freezer
    from imove_core.errors import ImoveError, unknown_name
    from imove_core.rig import load_rig
    from imove_core.spec import EpisodeSpec
    from imove_sim_bridge.mujoco_backend import MujocoBackend
    from imove_tasks.assets.library import open_library
    from imove_tasks.registry import get_family
    from imove_tasks.suites import write_suite

    family = get_family(task)
    if split not in family.splits:
        raise unknown_name(f"split of {task}", split, family.splits)
    if out.suffix != ".jsonl":
        raise ImoveError(f"out is {out}; a file that ends in .jsonl is needed")
    loaded_rig = load_rig(rig)
    library = open_library(assets or ())
    freezer = Freezer(library, loaded_rig, MujocoBackend(loaded_rig, library.get))
    draws = 0
    with Progress() as progress:
        bar = progress.add_task(f"{task}/{split}", total=episodes)

        def count(spec: EpisodeSpec, taken: int) -> None:
            nonlocal draws
            draws += taken
            progress.advance(bar)

        suite = freezer.suite(family, split, episodes, seed, count)
    write_suite(suite, out)
    typer.echo(f"{out}: {episodes} episodes of {draws} draws, content hash {suite.content_hash[:12]}")


@app.command()
def verify(
    suite: Annotated[str, typer.Argument(help="Shipped suite, or a .jsonl file.")],
    rig: Annotated[str, typer.Option(help="Shipped rig, or a .yaml file.")] = "piperx_dual",
    assets: Assets = None,
) -> None:
    """Check the content hash, and settle every scene on the installed engine; exit 1 when one drifts."""
    from rich.progress import track

    from imove_bringup.freezing import verify as verify_suite
    from imove_core.rig import load_rig
    from imove_sim_bridge.mujoco_backend import MujocoBackend
    from imove_tasks.assets.library import open_library
    from imove_tasks.suites import open_suite

    opened = open_suite(suite)
    library = open_library(assets or ())
    loaded_rig = load_rig(rig)
    backend = MujocoBackend(loaded_rig, library.get)
    drifts = {
        spec.id: verify_suite(spec, backend) for spec in track(opened.specs, description=f"settling {opened.name}")
    }
    worst = max(drifts, key=lambda key: drifts[key])
    typer.echo(
        f"{opened.name}: {len(drifts)} scenes, content hash {opened.content_hash[:12]}, largest drift "
        f"{drifts[worst] * 1e3:.3f} mm in {worst}, engine {backend.provenance()['engine']}"
    )
    if library.snapshot_hash() != opened.asset_snapshot:
        typer.echo("the asset library has changed since the suite was frozen; its assets are checked one by one")
    if drifts[worst] > DRIFT_LIMIT_M:
        raise typer.Exit(1)
