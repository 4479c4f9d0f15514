"""Arguments and nodes that several graphs share."""

from pathlib import Path

from imove_bringup.arguments import BOOL, IMAGE_SIZE, PATH, LaunchArgument, Values, choice
from imove_bringup.graphs.model import NodeDescription, ParameterValue

RIG = LaunchArgument(
    "rig", "Embodiment with its cameras: a shipped name or a .yaml file; empty for the one that the suite is for.", ""
)
IMAGE_SIZE_ARGUMENT = LaunchArgument("image_size", "Size of every camera image.", "224x224", IMAGE_SIZE)
ASSETS = LaunchArgument("assets", "Corpus folders with objects beside the shipped ones, separated by commas.", "", PATH)
SHOW_TARGET = LaunchArgument(
    "show_target",
    "Whether the viewer highlights the instructed object; leave false when a person judges.",
    "false",
    BOOL,
)
SAFETY = LaunchArgument(
    "safety",
    "What the safety layer holds commands to: default, off (places are free), or a .yaml file.",
    "default",
)
RECORD = LaunchArgument("record", "Whether every episode is recorded into a bag of its own.", "false", BOOL)

CLOCKS = choice(["lockstep", "realtime"])
# The value by which the bridge waits for /imove/reset_episode.
NO_EPISODE = -1

# Folder of the bags within the output folder.
BAGS = "bags"

VIEWS = choice(["none", "rviz", "rerun"])


def sim_argument() -> LaunchArgument:
    """The choice of the simulator."""
    from imove_sim_bridge.registry import backend_names

    names = backend_names()
    return LaunchArgument("sim", "Physics engine.", names[0], choice(names))


def suite_arguments() -> tuple[LaunchArgument, ...]:
    """The choice of the episodes."""
    from imove_tasks.registry import family_names

    tasks = family_names()
    return (
        LaunchArgument("task", "Task family; only used when no suite is given.", tasks[0], choice(tasks)),
        LaunchArgument(
            "suite",
            "Episode set: a shipped name or a .jsonl file; empty for the split seen of the task.",
            "",
        ),
    )


def sim_bridge(values: Values, start_episode: int = NO_EPISODE) -> NodeDescription:
    """The simulator node.

    Args:
        values: With `rig`, `sim`, `clock`, `suite`, `assets`, `safety` and `image_size`.
        start_episode: Episode of the suite that is set up at the start, counted from 0.
    """
    return NodeDescription(
        package="imove_sim_bridge",
        executable="sim_bridge",
        name="sim_bridge",
        parameters={
            "use_sim_time": True,
            "rig": values.text("rig"),
            "sim": values.text("sim"),
            "clock": values.text("clock"),
            "suite": values.text("suite"),
            "assets": values.text("assets"),
            "safety": values.text("safety"),
            "start_episode": start_episode,
            # Somebody who drives by hand sends a command and is gone.
            "watchdog": start_episode == NO_EPISODE,
            **image_parameters(values),
        },
    )


def image_parameters(values: Values) -> dict[str, int]:
    """The parameters that say how large camera images are."""
    size = values.size("image_size")
    return {"image_width": size.width, "image_height": size.height}


def recorder(values: Values, *, autostart: bool, required: bool, simulated: bool = True) -> tuple[NodeDescription, ...]:
    """The node that writes episode bags into `bags` of the output folder, none for `record:=false`.

    Args:
        values: With `record`, `rig`, `clock` and `output`.
        autostart: Whether it records whatever episode is set up; else it waits to be told.
        required: Whether the graph ends with it.
        simulated: Whether time and images are simulated.
    """
    if not values.flag("record"):
        return ()
    return (
        NodeDescription(
            package="imove_recorder",
            executable="recorder",
            name="recorder",
            parameters={
                "use_sim_time": simulated,
                **({} if simulated else {"domain": "real", "colour": "jpeg"}),
                "rig": values.text("rig"),
                "clock": values.text("clock"),
                "dataset": str(Path(values.text("output")) / BAGS),
                "autostart": autostart,
            },
            required=required,
        ),
    )


def viewer(values: Values, *, simulated: bool = True) -> tuple[NodeDescription, ...]:
    """The nodes that show the scene to a person, none for `view:=none`; the layout of rviz2 is written.

    Args:
        values: With `view`, `rig`, `assets` and `show_target`.
        simulated: Whether time is simulated.
    """
    parameters: dict[str, ParameterValue] = {
        "use_sim_time": simulated,
        "rig": values.text("rig"),
        "assets": values.text("assets"),
        "show_target": values.flag("show_target"),
    }
    if values.text("view") == "rviz":
        from imove_bringup.layouts.files import temporary_rviz_file
        from imove_core.rig import load_rig

        layout = temporary_rviz_file(load_rig(values.text("rig")))
        return (
            NodeDescription("imove_bringup", "markers", "markers", parameters=parameters),
            NodeDescription(
                "rviz2",
                "rviz2",
                "rviz",
                parameters={"use_sim_time": simulated},
                arguments=("-d", str(layout)),
            ),
        )
    if values.text("view") == "rerun":
        return (NodeDescription("imove_bringup", "rerun_viewer", "rerun_viewer", parameters=parameters),)
    return ()


def absolute(path: str) -> str:
    """The path as every node sees it, whatever its working directory."""
    return str(Path(path).expanduser().absolute())


def asset_references(assets: str) -> str:
    """Corpus folders, separated by commas, as every node can find them."""
    return ",".join(absolute(folder) for folder in assets.split(",") if folder)


def config_reference(config: str) -> str:
    """The set-up of a policy as every node can find it: a name stays, what is written as a path becomes absolute."""
    return absolute(config) if "/" in config or Path(config).suffix else config


def safety_reference(safety: str, rig: str) -> str:
    """The settings of the safety layer as every node can find them.

    Raises:
        ImoveError: They cannot be read, or do not fit the rig.
    """
    from imove_core.rig import load_rig
    from imove_motion.safety.settings import load_safety

    load_safety(safety, load_rig(rig))
    return config_reference(safety)


def suite_and_rig(suite: str, task: str, rig: str) -> tuple[str, str]:
    """Fills in which suite and which rig a graph runs with.

    Args:
        suite: Name or file, "" for the one that `task` is evaluated on.
        task: Name of a family.
        rig: Name or file, "" for the one that the suite is for.

    Returns:
        The suite as every node can find it, and the rig.

    Raises:
        ImoveError: No suite is shipped for the task and the rig, or one of them cannot be opened.
    """
    from imove_tasks.suites import open_suite

    suite = suite_reference(suite or task_suite(task, rig))
    return suite, rig or open_suite(suite).rig


def task_suite(task: str, rig: str) -> str:
    """Name of the suite that a task is evaluated on with a rig (name or file, "" for any)."""
    from imove_core.rig import load_rig
    from imove_tasks.registry import get_family
    from imove_tasks.suites import default_suite

    return default_suite(get_family(task).name, load_rig(rig).name if rig else "")


def suite_reference(suite: str) -> str:
    """The suite as every node can find it: a name stays, a .jsonl file becomes an absolute path."""
    return absolute(suite) if suite.endswith(".jsonl") else suite
