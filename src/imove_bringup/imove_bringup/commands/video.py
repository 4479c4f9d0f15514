"""`imove video`: videos of the episodes of a run."""

import json
from pathlib import Path
from typing import Annotated

import typer

from imove_bringup.arguments import POSITIVE
from imove_bringup.commands.options import Assets, OtherRig, checked_option
from imove_bringup.commands.progress_bar import progress_bar
from imove_bringup.commands.run_folders import tell_problems


def video(
    run: Annotated[Path, typer.Argument(help="Folder of a run, from imove eval.")],
    episodes: Annotated[
        str, typer.Option(metavar="WORDS", help="failed, all, or SCENE/CONDITION separated by commas.")
    ] = "failed",
    most: Annotated[int, checked_option("--most", POSITIVE, "N", "How many at most, from the start of the run.")] = 50,
    rig: OtherRig = "",
    assets: Assets = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the paths as JSON.")] = False,
) -> None:
    """Render episodes again from their control steps, or from their bags, into RUN/videos; what is there is kept."""
    from imove_analysis.runs import open_run
    from imove_analysis.videos import VIDEOS
    from imove_bringup.episode_video.choosing import choose_episodes
    from imove_bringup.episode_video.missing import render_missing
    from imove_core.errors import ImoveError

    opened = open_run(run)
    tell_problems(opened.problems)
    wanted = choose_episodes(opened, episodes, most)
    with progress_bar() as progress:
        found = render_missing(opened, wanted, progress, rig=rig, assets=assets or ())
    if found.left_out and not found.videos:
        raise ImoveError(
            f"none of the {len(found.left_out)} episodes has control steps or a bag; run them with --traces"
        )
    if as_json:
        record = {"videos": [str(path) for path in found.videos], "without_trace": list(found.left_out)}
        typer.echo(json.dumps(record, indent=2))
        return
    typer.echo(f"{found.made} videos made, {len(found.videos) - found.made} were there: {run / VIDEOS}")
    if found.left_out:
        typer.echo(f"left out: {len(found.left_out)} episodes whose control steps were not kept")
