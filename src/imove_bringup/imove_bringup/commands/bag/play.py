"""`imove bag play`."""

from pathlib import Path
from typing import Annotated

import typer

from imove_bringup.arguments import choice
from imove_bringup.commands.options import Assets, OtherRig, checked_option

VIEWS = choice(["none", "rviz", "rerun"])


def play(
    episode: Annotated[Path, typer.Argument(help="Episode bag.")],
    rate: Annotated[float, typer.Option(help="Recorded seconds a second.")] = 1.0,
    view: Annotated[str, checked_option("--view", VIEWS, "NAME", "What shows the scene.")] = "none",
    commands_only: Annotated[
        bool,
        typer.Option(
            "--commands-only",
            help="Set up the episode in a running simulator (clock:=realtime) and send it the recorded commands.",
        ),
    ] = False,
    rig: OtherRig = "",
    assets: Assets = None,
) -> None:
    """Publish the messages of an episode bag on their topics, with their types, QoS and times; /clock is among them."""
    from imove_bringup import preflight
    from imove_bringup.arguments import Values
    from imove_bringup.domain_lock import hold_domain
    from imove_bringup.graphs import Graph, NodeDescription
    from imove_bringup.graphs.parts import absolute, asset_references, viewer
    from imove_bringup.supervisor import run_graph
    from imove_core.bag.reader import EpisodeBag
    from imove_core.errors import ImoveError
    from imove_core.rig import load_rig

    if not rate > 0:
        raise ImoveError(f"--rate is {rate:g}; a positive number is needed")
    if commands_only and (rate != 1 or view != "none"):
        raise ImoveError("--commands-only takes neither --rate nor --view: time and view are the simulator's")
    bag = EpisodeBag(episode)
    shown = ()
    if view != "none":
        preflight.check_view(view)
        name = rig or bag.rig().name
        if load_rig(name) != bag.rig():
            raise ImoveError(f"bag {episode} was recorded with another rig than {name}; give its file as --rig")
        folders = asset_references(",".join(str(folder) for folder in assets or ()))
        shown = viewer(Values({"view": view, "rig": name, "assets": folders, "show_target": False}))
    player = NodeDescription(
        "imove_bringup",
        "bag_player",
        "bag_player",
        parameters={
            "bag": absolute(str(episode)),
            "rate": rate,
            "commands_only": commands_only,
            "listeners": 1 if shown else 0,
            "stay": bool(shown),
        },
        required=True,
        output="screen",
    )
    if commands_only:
        # The domain is the running simulator's.
        raise typer.Exit(run_graph(Graph("bag_play", (player,))))
    with hold_domain():
        status = run_graph(Graph("bag_play", (player, *shown)))
    raise typer.Exit(status)
