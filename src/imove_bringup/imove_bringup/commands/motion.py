"""`imove motion`: how the motion of a run was, beside its rates."""

import json
from pathlib import Path
from typing import Annotated

import typer

from imove_bringup.arguments import SEED
from imove_bringup.commands.options import OtherRig, checked_option
from imove_bringup.commands.progress_bar import progress_bar
from imove_bringup.commands.run_folders import tell_problems


def motion(
    run: Annotated[Path, typer.Argument(help="Folder of a run, from imove eval.")],
    rig: OtherRig = "",
    seed: Annotated[int, checked_option("--seed", SEED, "N", "Seed of resampling.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, with every episode.")] = False,
) -> None:
    """Print how arms moved: paths, speeds, smoothness, idling, regrasps, contacts with the table; beside the rates."""
    import numpy as np
    from rich.console import Console

    from imove_analysis.motion_summary import measure_run, summarise_motion
    from imove_analysis.motion_tables import motion_table
    from imove_analysis.runs import open_run
    from imove_core.errors import ImoveError

    opened = open_run(run)
    arms = opened.open_rig(rig)
    with progress_bar() as progress:
        progress.begin("episodes", len(opened.episodes))
        measured, missing = measure_run(opened, arms, progress.advance)
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
    tell_problems(opened.problems)
    console = Console()
    console.print(motion_table(f"{opened.suite_name}, policy {opened.policy}", summary))
    if missing:
        console.print(f"left out: {missing} episodes whose control steps were not kept", highlight=False)
