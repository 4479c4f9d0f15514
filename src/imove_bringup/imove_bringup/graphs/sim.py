"""The graph `sim`: the simulated rig and a viewer, to look at topics or to drive the arms by hand."""

from datetime import datetime

from imove_bringup import preflight
from imove_bringup.arguments import PATH, SEED, LaunchArgument, Values
from imove_bringup.graphs import console_part, parts
from imove_bringup.graphs.model import Graph, GraphDefinition


def _arguments() -> tuple[LaunchArgument, ...]:
    return (
        *parts.suite_arguments(),
        parts.RIG,
        parts.sim_argument(),
        LaunchArgument("episode", "Which episode of the suite is set up, from 0.", "0", SEED),
        LaunchArgument(
            "clock",
            "Whether simulated time runs by itself or waits for /imove/advance.",
            "realtime",
            parts.CLOCKS,
        ),
        parts.SAFETY,
        parts.IMAGE_SIZE_ARGUMENT,
        parts.ASSETS,
        parts.RECORD,
        LaunchArgument("output", "Folder of the bags; empty for runs/sim-<time>.", "", PATH),
        *console_part.ON_DEMAND,
        LaunchArgument("view", "What shows the scene.", "rviz", parts.VIEWS),
        parts.SHOW_TARGET,
    )


def complete(values: Values, now: datetime) -> Values:
    """Fills in suite, rig and output.

    Args:
        values: As parsed.
        now: Local time, for the name of the output folder.

    Raises:
        ImoveError: No suite is shipped for the task and the rig, or one of them cannot be opened.
    """
    suite, rig = parts.suite_and_rig(values.text("suite"), values.text("task"), values.text("rig"))
    output = values.text("output") or f"runs/sim-{now:%Y%m%d-%H%M%S}"
    assets = parts.asset_references(values.text("assets"))
    safety = parts.safety_reference(values.text("safety"), rig)
    return values.replaced(suite=suite, rig=rig, assets=assets, safety=safety, output=parts.absolute(output))


def _preflight(values: Values) -> None:
    preflight.check_view(values.text("view"))
    preflight.check_assets(values.text("assets"))
    preflight.check_suite(values.text("suite"), values.text("rig"), episodes=values.number("episode") + 1)
    preflight.check_recording(values.flag("record"), values.text("output"))
    preflight.check_gl()


def _build(values: Values) -> Graph:
    bridge = parts.sim_bridge(values, start_episode=values.number("episode"))
    recorder = parts.recorder(values, autostart=True, required=True)
    console = console_part.console(values, simulated=True)
    return Graph("sim", (bridge, *recorder, *console, *parts.viewer(values)))


def definition() -> GraphDefinition:
    """The definition of this graph."""
    return GraphDefinition(
        name="sim",
        description="The simulated rig and a viewer.",
        arguments=_arguments(),
        complete=lambda values: complete(values, datetime.now()),
        preflight=_preflight,
        build=_build,
    )
