"""`imove bag info`."""

from pathlib import Path
from typing import Annotated

import typer


def info(
    bag: Annotated[Path, typer.Argument(help="Folder of a bag, or an MCAP file.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show what an episode bag holds: facts, labels, topics with counts and rates, attachments."""
    import json

    from imove_core.bag.description import describe, summary_text
    from imove_core.bag.reader import EpisodeBag

    described = describe(EpisodeBag(bag))
    typer.echo(json.dumps(described, indent=2, ensure_ascii=False) if as_json else summary_text(described))
