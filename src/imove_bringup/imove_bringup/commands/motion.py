"""`imove motion`: how the motion of a run was, beside its rates."""

import json
from pathlib import Path
from typing import Annotated

import typer

from imove_bringup.arguments import SEED
from imove_bringup.commands.options import OtherRig, checked_option


def motion(
    run: Annotated[Path, typer.Argument(help="Folder of a run, from imove eval.")],
    rig: OtherRig = "",
    seed: Annotated[int, checked_option("--seed", SEED, "N", "Seed of resampling.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, with every episode.")] = False,
) -> None:
    """Print how arms moved: paths, speeds, smoothness, idling, regrasps, contacts with the table; beside the rates."""
    import numpy as np
    from rich.console import Console
    from rich.progress import Progress

    from imove_analysis.motion_summary import measure_run, summarise_motion
    from imove_analysis.motion_tables import motion_table
    from imove_analysis.runs import open_run
    from imove_core.errors import ImoveError
    from imove_core.rig import load_rig

    opened = open_run(run)
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("episodes", total=len(opened.episodes))
        arms = load_rig(rig or str(opened.settings["rig"]))
        measured, missing = measure_run(opened, arms, lambda: progress.advance(task))
    if not measured:
        raise ImoveError(
            f"{run} has no finished episode whose control steps were kept (traces:=false, or an older run)"
        )
    summary = summarise_motion(measured, np.random.default_rng(seed))
    if as_json:
        episodes = {item.episode.key: item.motion.to_record() for item in measured}
        data = {"conditions": summary, "episodes": episodes, "without_trace": missing}
        typer.echo(json.dumps({**data, "problems": list(opened.problems)}, indent=2))
        return
    for problem in opened.problems:
        typer.echo(f"note: {problem}", err=True)
    console = Console()
    console.print(motion_table(f"{opened.suite_name}, policy {opened.policy}", summary))
    if missing:
        console.print(f"left out: {missing} episodes whose control steps were not kept", highlight=False)
