"""Command line options whose values follow the rules of launch arguments, in the same words."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from imove_bringup.arguments import Kind, Value

Assets = Annotated[
    list[Path] | None,
    typer.Option("--assets", metavar="DIR", help="Corpus folder with objects beside the shipped ones; repeatable."),
]
"""Where a command finds objects."""
OtherRig = Annotated[str, typer.Option("--rig", help="The .yaml file of the suite's rig, where that is not shipped.")]
"""What a suite's own rig is read from."""


def checked_option(
    flag: str, kind: Kind, metavar: str, meaning: str, default: str | None = None, also: tuple[str, ...] = ()
) -> Any:
    """An option that accepts what `kind` allows.

    Args:
        flag: E.g. "--episodes".
        kind: What is allowed.
        metavar: Stands for the value in the help, e.g. "N".
        meaning: One sentence for the help; names that can be chosen from are added.
        default: How the help shows the default; None for its own text.
        also: Other flags for the same.
    """
    names = f" One of {', '.join(kind.choices)}." if kind.choices else ""
    shown = True if default is None else default
    parser = _parser(flag, kind)
    return typer.Option(flag, *also, metavar=metavar, help=meaning + names, parser=parser, show_default=shown)


def _parser(flag: str, kind: Kind) -> Callable[[Any], Value]:
    # The default comes as a value already.
    return lambda text: kind.parse(text, f"{flag} {text}") if isinstance(text, str) else text
