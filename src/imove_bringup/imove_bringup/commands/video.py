"""`imove video`: videos of the episodes of a run."""

import json
from pathlib import Path
from typing import Annotated

import typer

from imove_bringup.arguments import POSITIVE
from imove_bringup.commands.options import Assets, OtherRig, checked_option


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
    from rich.console import Console
    from rich.progress import Progress

    from imove_analysis.runs import open_run
    from imove_bringup.episode_video import VideoMaker
    from imove_bringup.episode_video.choosing import choose_episodes, video_path
    from imove_core.errors import ImoveError

    opened = open_run(run)
    for problem in opened.problems:
        typer.echo(f"note: {problem}", err=True)
    wanted = [(episode, video_path(opened, episode)) for episode in choose_episodes(opened, episodes, most)]
    todo = [(episode, path) for episode, path in wanted if not path.is_file()]
    missing: list[str] = []
    maker = VideoMaker(opened, rig=rig, assets=assets or ())
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("videos", total=len(todo))
        try:
            for episode, path in todo:
                if episode.trace is None and episode.bag is None:
                    missing.append(episode.key)
                else:
                    maker.make(episode, path)
                progress.advance(task)
        finally:
            maker.close()
    if todo and len(missing) == len(todo):
        raise ImoveError(f"none of the {len(todo)} episodes has control steps or a bag; run them with traces")
    made = [str(path) for episode, path in wanted if episode.key not in missing]
    if as_json:
        typer.echo(json.dumps({"videos": made, "without_trace": missing}, indent=2))
        return
    typer.echo(f"{len(todo) - len(missing)} videos made, {len(wanted) - len(todo)} were there: {run / 'videos'}")
    if missing:
        typer.echo(f"left out: {len(missing)} episodes whose control steps were not kept")
