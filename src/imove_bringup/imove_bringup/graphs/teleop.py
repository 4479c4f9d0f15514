"""The graph `teleop`: a person guides leaders, arms follow, and every episode is recorded."""

from datetime import datetime
from pathlib import Path

from imove_bringup import preflight
from imove_bringup.arguments import (
    BOOL,
    PATH,
    POSITIVE,
    SEED,
    LaunchArgument,
    Values,
    choice,
)
from imove_bringup.graphs import parts
from imove_bringup.graphs.model import Graph, GraphDefinition, NodeDescription
from imove_core.errors import ImoveError

ARMS, JOG, SCRIPTED = "arms", "jog", "scripted"
LEADER_DRIVES, RELAYED = "A", "B"


def _arguments() -> tuple[LaunchArgument, ...]:
    return (
        *parts.suite_arguments(),
        parts.RIG,
        LaunchArgument("sim", "Whether the arms that follow are simulated.", "true", BOOL),
        LaunchArgument(
            "wiring",
            "Of real arms. A: leader and follower share a bus, the leader drives it; B: each has its own bus.",
            RELAYED,
            choice([RELAYED, LEADER_DRIVES]),
        ),
        LaunchArgument(
            "leader",
            "What leads: arms; jog (keys or a space mouse in the console); scripted (moves by itself, to try out). "
            "The latter two in simulation only.",
            JOG,
            choice([JOG, ARMS, SCRIPTED]),
        ),
        LaunchArgument(
            "deadman",
            "What a person holds while arms follow: none, pedal, key (space bar of `imove teleop`), console.",
            "none",
            choice(["none", "pedal", "key", "console"]),
        ),
        LaunchArgument("pedal", "Input device of a foot pedal, e.g. /dev/input/by-id/...; empty for none.", "", PATH),
        LaunchArgument("episodes", "How many episodes are wanted.", "50", POSITIVE),
        LaunchArgument("episode_s", "Seconds that a person has for an episode.", "60", POSITIVE),
        LaunchArgument("condition", "Which instruction of the scenes is given.", "normal"),
        LaunchArgument("operator", "Who drives, as it is to be in the bags.", ""),
        LaunchArgument("seed", "Seed of the order of scenes; 0 for that of the suite.", "0", SEED),
        LaunchArgument("camera_hz", "Rate of the cameras that is expected.", "30", POSITIVE),
        parts.SAFETY,
        parts.IMAGE_SIZE_ARGUMENT,
        parts.ASSETS,
        LaunchArgument("record", "Whether every episode is recorded into a bag of its own.", "true", BOOL),
        LaunchArgument(
            "output",
            "Folder of the bags and the log; one that exists is gone on with; empty for runs/teleop-<task>-<time>.",
            "",
            PATH,
        ),
        LaunchArgument("view", "What shows the scene.", "none", parts.VIEWS),
        parts.SHOW_TARGET,
    )


def complete(values: Values, now: datetime) -> Values:
    """Fills in suite, rig and output.

    Args:
        values: As parsed.
        now: Local time, for the name of the output folder.

    Raises:
        ImoveError: No suite is shipped for the task and the rig, one of them cannot be opened, or arguments do not go
            together.
    """
    if not values.flag("sim"):
        raise ImoveError("launch argument sim:=false is not possible here; allowed: true")
    if values.text("deadman") == "pedal" and not values.text("pedal"):
        raise ImoveError("deadman:=pedal needs pedal:=DEVICE, the input device of the pedal")
    suite, rig = parts.suite_and_rig(values.text("suite"), values.text("task"), values.text("rig"))
    task = Path(suite).stem if Path(suite).is_absolute() else suite.partition("/")[0]
    output = values.text("output") or f"runs/teleop-{task}-{now:%Y%m%d-%H%M%S}"
    return values.replaced(
        suite=suite,
        rig=rig,
        clock="realtime",
        assets=parts.asset_references(values.text("assets")),
        safety=parts.safety_reference(values.text("safety"), rig),
        output=parts.absolute(output),
    )


def _preflight(values: Values) -> None:
    preflight.check_view(values.text("view"))
    preflight.check_assets(values.text("assets"))
    preflight.check_suite(values.text("suite"), values.text("rig"), episodes=1)
    preflight.check_recording(values.flag("record"), values.text("output"))
    preflight.check_gl()


def followers(values: Values) -> tuple[NodeDescription, ...]:
    """The arms that follow, and what sets up their scenes: a simulator that runs by itself."""
    from imove_sim_bridge.registry import backend_names

    simulated = values.replaced(sim=backend_names()[0])
    # An episode is set up from the start, so that rates can be seen before the first one is recorded.
    return (parts.sim_bridge(simulated, start_episode=0),)


def leaders(values: Values) -> tuple[NodeDescription, ...]:
    """The node that moves leaders by itself, none for leaders that a person moves."""
    if values.text("leader") != SCRIPTED:
        return ()
    parameters = {"use_sim_time": True, "rig": values.text("rig"), "seed": values.number("seed")}
    return (NodeDescription("imove_teleop_aloha", "scripted_leader", "scripted_leader", parameters=parameters),)


def teleop(values: Values) -> NodeDescription:
    """The node that a person commands; the graph ends with it."""
    texts = ("rig", "suite", "condition", "deadman", "pedal", "operator", "assets", "output")
    numbers = ("episodes", "episode_s", "seed")
    return NodeDescription(
        package="imove_teleop_aloha",
        executable="teleop",
        name="teleop",
        parameters={
            "use_sim_time": True,
            **{name: values.text(name) for name in texts},
            **{name: values.number(name) for name in numbers},
            "wiring": "sim",
            "leader": JOG if values.text("leader") == JOG else ARMS,
            "camera_hz": float(values.number("camera_hz")),
            "record": values.flag("record"),
        },
        required=True,
        output="screen",
    )


def build(values: Values) -> Graph:
    """Makes the graph from completed values."""
    nodes = (
        *followers(values),
        *leaders(values),
        teleop(values),
        # Teleoperation notices when it is gone, and says so.
        *parts.recorder(values, autostart=False, required=False),
        *parts.viewer(values),
    )
    return Graph("teleop", nodes, log_parent=Path(values.text("output")) / "log")


def definition() -> GraphDefinition:
    """The definition of this graph."""
    return GraphDefinition(
        name="teleop",
        description="A person guides leaders, arms follow, and every episode is recorded.",
        arguments=_arguments(),
        complete=lambda values: complete(values, datetime.now()),
        preflight=_preflight,
        build=build,
    )
