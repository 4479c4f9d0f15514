"""`imove launch`: starts a graph."""

from collections.abc import Callable
from typing import Annotated

import typer

from imove_bringup.arguments import describe_arguments, split_tokens
from imove_bringup.domain_lock import hold_domain
from imove_bringup.graphs import LAUNCH_SUFFIX, Graph, graph_definition, graph_names
from imove_core.errors import ImoveError, unknown_name

PACKAGE = "imove_bringup"


_FILES = tuple(name + LAUNCH_SUFFIX for name in graph_names())


def launch(
    file: Annotated[str, typer.Argument(metavar="FILE", help=f"Launch file: {' or '.join(_FILES)}.")] = "",
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="NAME:=VALUE", help="E.g. policy:=random_object episodes:=5.")
    ] = None,
    show_args: Annotated[
        bool, typer.Option("--show-args", "-s", help="Print what the launch file accepts, and start nothing.")
    ] = False,
) -> None:
    """Start a graph, as `ros2 launch imove_bringup FILE` does."""
    name, tokens = split_words([word for word in (file, *(arguments or ())) if word])
    definition = graph_definition(name)
    if show_args:
        typer.echo(f"{definition.description}\n\n{describe_arguments(definition.arguments)}")
        return
    graph = definition.graph(split_tokens(tokens))
    with hold_domain():
        status = _runner()(graph)
    raise typer.Exit(status)


def split_words(words: list[str]) -> tuple[str, list[str]]:
    """The graph's name and the argument tokens; the package may be named as with `ros2 launch`."""
    names = [word for word in words if ":=" not in word]
    tokens = [word for word in words if ":=" in word]
    if len(names) == 2 and names[0] == PACKAGE:
        del names[0]
    if len(names) != 1:
        raise ImoveError(
            f"launch takes one of {', '.join(_FILES)} and name:=value arguments, got {' '.join(names) or 'none'}"
        )
    if names[0] not in _FILES:
        raise unknown_name("launch file", names[0], _FILES)
    return names[0].removesuffix(LAUNCH_SUFFIX), tokens


def _runner() -> Callable[[Graph], int]:
    from imove_bringup import ros_launch

    if ros_launch.is_available():
        return ros_launch.run_graph
    from imove_bringup.supervisor import run_graph

    return run_graph
