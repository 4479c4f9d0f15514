"""The graph `teleop`: a person guides leaders, arms follow, and every episode is recorded."""

from dataclasses import replace
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
from imove_bringup.graphs import console_part, parts, real_eval, real_parts
from imove_bringup.graphs.model import Graph, GraphDefinition, NodeDescription
from imove_core.errors import ImoveError
from imove_core.rig import load_rig

ARMS, JOG, SCRIPTED = "arms", "jog", "scripted"
LEADER_DRIVES, RELAYED = "A", "B"
# As many images as the emulated table renders beside everything else on two processors.
EMULATED_CAMERA_HZ = 5


def _arguments() -> tuple[LaunchArgument, ...]:
    return (
        *parts.suite_arguments(),
        parts.RIG,
        LaunchArgument("sim", "Whether the arms that follow are simulated.", "true", BOOL),
        real_parts.HARDWARE,
        LaunchArgument(
            "wiring",
            "Of real arms. A: leader and follower share a bus, the leader drives it; B: each has its own bus.",
            RELAYED,
            choice([RELAYED, LEADER_DRIVES]),
        ),
        LaunchArgument(
            "leader",
            "What leads: arms; jog (keys or a space mouse in the console), in simulation alone; scripted (moves by "
            "itself, to try out), not with real devices.",
            JOG,
            choice([JOG, ARMS, SCRIPTED]),
        ),
        real_eval.CONFIRM,
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
        LaunchArgument("camera_hz", "Rate that cameras are expected to have; emulated ones have 5.", "30", POSITIVE),
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
        *console_part.ARGUMENTS,
        LaunchArgument("view", "What shows the scene beside the console.", "none", parts.VIEWS),
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
    _check_leader(values)
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


def _check_leader(values: Values) -> None:
    """Raises ImoveError where what leads does not go with what follows."""
    leader, simulated = values.text("leader"), values.flag("sim")
    allowed = {JOG, ARMS, SCRIPTED} if simulated else {ARMS, SCRIPTED} if _is_emulated(values) else {ARMS}
    if leader not in allowed:
        follower = "sim:=false hardware:=emulated" if _is_emulated(values) else "sim:=false"
        raise ImoveError(f"leader:={leader} does not go with {follower}; allowed: {', '.join(sorted(allowed))}")


def _is_emulated(values: Values) -> bool:
    return not values.flag("sim") and values.text("hardware") == real_parts.EMULATED


def _preflight(values: Values) -> None:
    preflight.check_view(values.text("view"))
    preflight.check_assets(values.text("assets"))
    preflight.check_suite(values.text("suite"), values.text("rig"), episodes=1)
    preflight.check_recording(values.flag("record"), values.text("output"))
    if values.flag("sim") or _is_emulated(values):
        preflight.check_gl()
    else:
        _check_wiring(values)


def _check_wiring(values: Values) -> None:
    """The rig file has leaders that are wired as the argument says."""
    rig = load_rig(values.text("rig"))
    for arm in rig.arms:
        device = rig.arm_device(arm.name)
        found = LEADER_DRIVES if device.leader_bus == device.bus else RELAYED if device.leader_bus else "no leader"
        if found != values.text("wiring"):
            raise ImoveError(
                f"wiring:={values.text('wiring')} does not go with rig {rig.name}: arm '{arm.name}' on bus "
                f"{device.bus} has leader_bus '{device.leader_bus}', which is {found}"
            )


def with_rig(values: Values) -> Values:
    """The values with the rig file that every node reads; that of an emulated table is written."""
    if values.flag("sim"):
        return values
    if not _is_emulated(values):
        return values.replaced(rig=real_parts.rig_reference(values.text("rig"), real_parts.REAL, Path()))
    from imove_bringup.emulated_table.rig_file import rig_file
    from imove_core.hardware import CameraProfile

    size = values.size("image_size")
    path = rig_file(
        load_rig(values.text("rig")),
        Path(values.text("output")) / real_eval.RIG_FOLDER,
        values.number("seed"),
        leaders="shared" if values.text("wiring") == LEADER_DRIVES else "apart",
        profile=CameraProfile(width=size.width, height=size.height, rate_hz=EMULATED_CAMERA_HZ),
    )
    return values.replaced(rig=str(path), camera_hz=EMULATED_CAMERA_HZ)


def followers(values: Values) -> tuple[NodeDescription, ...]:
    """The arms that follow, and what sets up their scenes."""
    if not values.flag("sim"):
        script = "wander" if values.text("leader") == SCRIPTED else "hold"
        emulated: dict[str, str | int | float] = {"leader_script": script, "camera_rate_hz": float(EMULATED_CAMERA_HZ)}
        return (
            *(replace(node, parameters={**node.parameters, **emulated}) for node in real_parts.table(values)),
            *real_parts.drivers(values),
            real_parts.tracker(values),
            real_eval.conductor(values.replaced(policies="")),
        )
    from imove_sim_bridge.registry import backend_names

    # An episode is set up from the start, so that rates can be seen before the first one is recorded.
    return (parts.sim_bridge(values.replaced(sim=backend_names()[0]), start_episode=0),)


def leaders(values: Values) -> tuple[NodeDescription, ...]:
    """The node that moves leaders by itself, none for leaders that a person, or an emulated hand, moves."""
    if values.text("leader") != SCRIPTED or not values.flag("sim"):
        return ()
    return (
        NodeDescription(
            "imove_teleop_aloha",
            "scripted_leader",
            "scripted_leader",
            parameters={"use_sim_time": True, "rig": values.text("rig"), "seed": values.number("seed")},
        ),
    )


def teleop(values: Values) -> NodeDescription:
    """The node that a person commands; the graph ends with it."""
    texts = ("rig", "suite", "condition", "deadman", "pedal", "operator", "assets", "output")
    numbers = ("episodes", "episode_s", "seed")
    return NodeDescription(
        package="imove_teleop_aloha",
        executable="teleop",
        name="teleop",
        parameters={
            "use_sim_time": values.flag("sim"),
            **{name: values.text(name) for name in texts},
            **{name: values.number(name) for name in numbers},
            "wiring": "sim" if values.flag("sim") else values.text("wiring"),
            "leader": JOG if values.text("leader") == JOG else ARMS,
            "camera_hz": float(values.number("camera_hz")),
            "record": values.flag("record"),
        },
        required=True,
        output="screen",
    )


def build(values: Values) -> Graph:
    """Makes the graph from completed values; the rig file of an emulated table is written."""
    values, simulated = with_rig(values), values.flag("sim")
    nodes = (
        *followers(values),
        *leaders(values),
        teleop(values),
        # Teleoperation notices when it is gone, and says so.
        *parts.recorder(values, autostart=False, required=False, simulated=simulated),
        *console_part.console(values, simulated=simulated),
        *parts.viewer(values, simulated=simulated),
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
