"""`imove bag recover`."""

from pathlib import Path
from typing import Annotated

import typer


def recover(
    bag: Annotated[Path, typer.Argument(help="Folder of a bag, finished or not, or an MCAP file.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Folder of the new bag; NAME_recovered beside the bag by default."),
    ] = None,
) -> None:
    """Save every whole message of a cut, unfinished or damaged bag into a new one; the source is only read."""
    from rich.console import Console

    from imove_core.bag import recover as recovery

    with Console(stderr=True).status(f"recovering {bag}"):
        saved = recovery.recover(bag, out)
    typer.echo(
        f"{saved.messages} messages in {saved.summary.folder}, {saved.lost_bytes} bytes of the source unreadable"
    )
    if saved.lost_messages:
        typer.echo(f"{saved.lost_messages} messages belong to no topic and are left out")
    for what, names in (("topics", saved.missing_topics), ("attachments", saved.missing_attachments)):
        if names:
            typer.echo(f"missing {what}: {', '.join(names)}")
