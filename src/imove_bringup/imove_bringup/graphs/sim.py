"""The graph `sim`: the simulated rig and a viewer, to look at topics or to drive the arms by hand."""

from imove_bringup import preflight
from imove_bringup.arguments import SEED, LaunchArgument, Values
from imove_bringup.graphs import parts
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
        parts.IMAGE_SIZE_ARGUMENT,
        parts.ASSETS,
        LaunchArgument("view", "What shows the scene.", "rviz", parts.VIEWS),
        parts.SHOW_TARGET,
    )


def _complete(values: Values) -> Values:
    suite, rig = parts.suite_and_rig(values.text("suite"), values.text("task"), values.text("rig"))
    return values.replaced(suite=suite, rig=rig, assets=parts.asset_references(values.text("assets")))


def _preflight(values: Values) -> None:
    preflight.check_view(values.text("view"))
    preflight.check_assets(values.text("assets"))
    preflight.check_suite(values.text("suite"), values.text("rig"), episodes=values.number("episode") + 1)
    preflight.check_gl()


def _build(values: Values) -> Graph:
    bridge = parts.sim_bridge(values, start_episode=values.number("episode"))
    return Graph("sim", (bridge, *parts.viewer(values)))


def definition() -> GraphDefinition:
    """The definition of this graph."""
    return GraphDefinition(
        name="sim",
        description="The simulated rig and a viewer.",
        arguments=_arguments(),
        complete=_complete,
        preflight=_preflight,
        build=_build,
    )
