"""The graph `real`: the devices of a rig, or emulated ones, with tracker and console, to look at."""

from datetime import datetime
from pathlib import Path

from imove_bringup import preflight
from imove_bringup.arguments import PATH, SEED, LaunchArgument, Values
from imove_bringup.graphs import console_part, parts, real_parts
from imove_bringup.graphs.model import Graph, GraphDefinition


def _arguments() -> tuple[LaunchArgument, ...]:
    return (
        LaunchArgument("rig", "The lab's rig file, as `imove rig setup` writes it; or a shipped name.", "piperx_dual"),
        real_parts.HARDWARE,
        LaunchArgument("seed", "Seed of what is random in an emulation.", "0", SEED),
        parts.IMAGE_SIZE_ARGUMENT,
        parts.ASSETS,
        *console_part.ARGUMENTS,
        LaunchArgument("output", "Folder of logs and bags; empty for runs/real-<time>.", "", PATH),
        LaunchArgument("view", "What shows the scene.", "none", parts.VIEWS),
        parts.SHOW_TARGET,
    )


def complete(values: Values, now: datetime) -> Values:
    """Fills in the rig file and the output folder.

    Args:
        values: As parsed.
        now: Local time, for the name of the output folder.

    Raises:
        ImoveError: The rig cannot be read, or does not say where its devices are.
    """
    output = parts.absolute(values.text("output") or f"runs/real-{now:%Y%m%d-%H%M%S}")
    rig = real_parts.rig_reference(
        values.text("rig"), values.text("hardware"), Path(output) / "rig", values.number("seed")
    )
    return values.replaced(rig=rig, assets=parts.asset_references(values.text("assets")), output=output)


def _preflight(values: Values) -> None:
    preflight.check_view(values.text("view"))
    preflight.check_assets(values.text("assets"))
    if values.text("hardware") == real_parts.EMULATED:
        preflight.check_gl()


def build(values: Values) -> Graph:
    """Makes the graph from completed values."""
    nodes = (
        *real_parts.table(values),
        *real_parts.drivers(values),
        real_parts.tracker(values),
        *console_part.console(values, simulated=False),
        *parts.viewer(values, simulated=False),
    )
    return Graph("real", nodes, log_parent=Path(values.text("output")) / "log")


def definition() -> GraphDefinition:
    """The definition of this graph."""
    return GraphDefinition(
        name="real",
        description="The devices of a rig, or emulated ones, with object tracker and console.",
        arguments=_arguments(),
        complete=lambda values: complete(values, datetime.now()),
        preflight=_preflight,
        build=build,
    )
