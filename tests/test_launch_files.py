"""Launch files under ROS's own launch, where it is installed."""

import importlib.util
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from imove_bringup.graphs import Graph, NodeDescription, graph_definition, graph_names

pytest.importorskip("launch_ros", reason="ROS's own launch comes with a ROS installation only")

from launch.actions import DeclareLaunchArgument  # noqa: E402

from imove_bringup import ros_launch  # noqa: E402
from launch import LaunchContext  # noqa: E402

FOLDER = Path(__file__).parents[1] / "src" / "imove_bringup" / "launch"
ACTOR = Path(__file__).parent / "supervisor_nodes" / "actor.py"
DEADLINE_S = 30.0
OUTLIVED = """
import sys
from pathlib import Path
from imove_bringup.graphs import Graph, NodeDescription
from imove_bringup.ros_launch import run_graph
node = NodeDescription(None, sys.argv[2], "waits", arguments=("stop_when_asked",), output="screen")
run_graph(Graph("test", (node,), Path(sys.argv[1])))
"""
# What `ros2 launch` does with a launch file and its arguments.
AS_ROS2_DOES = """
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
path, *tokens = sys.argv[1:]
service = LaunchService(argv=tokens, noninteractive=True)
arguments = [tuple(token.split(":=", 1)) for token in tokens]
include = IncludeLaunchDescription(PythonLaunchDescriptionSource(path), launch_arguments=arguments)
service.include_launch_description(LaunchDescription([include]))
sys.exit(service.run())
"""


def actor(name, *arguments, **settings):
    return NodeDescription(None, str(ACTOR), name, arguments=arguments, **settings)


@pytest.mark.parametrize("name", graph_names())
def test_launch_file_declares_every_argument(name):
    spec = importlib.util.spec_from_file_location(f"{name}_launch", FOLDER / f"{name}.launch.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    description = module.generate_launch_description()
    declared = {a.name: a for a in description.entities if isinstance(a, DeclareLaunchArgument)}
    assert list(declared) == [argument.name for argument in graph_definition(name).arguments]
    context = LaunchContext()
    for action in declared.values():
        action.execute(context)
    for argument in graph_definition(name).arguments:
        assert context.launch_configurations[argument.name] == argument.default
        assert argument.kind.choices or argument.rule in declared[argument.name].description


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        (["episodes:=0"], "launch argument episodes:=0 must be a whole number of at least 1"),
        (["policy:=nope"], "launch argument policy:=nope must be one of expert, "),
        (["rig:=nobody", "polcy:=hold"], "sim_eval has no launch argument 'polcy': it changes nothing here"),
    ],
)
def test_mistake_starts_nothing(tokens, message):
    command = [sys.executable, "-c", AS_ROS2_DOES, str(FOLDER / "sim_eval.launch.py"), *tokens]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    assert result.returncode == 1
    assert message in result.stdout
    assert "Traceback" not in result.stdout
    assert "process started" not in result.stdout


def test_required_node_decides_the_exit_status(tmp_path):
    waits, job = actor("waits", "stop_when_asked"), actor("job", "exit_with", "3", required=True)
    assert ros_launch.run_graph(Graph("test", (waits, job), tmp_path / "log")) == 3


def test_crash_without_required_node_is_an_error(tmp_path):
    nodes = (actor("fine", "exit_with", "0"), actor("crash", "exit_with", "1"))
    assert ros_launch.run_graph(Graph("test", nodes, tmp_path / "log")) == 1


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_no_node_outlives_a_killed_launch(tmp_path, number):
    command = [sys.executable, "-u", "-c", OUTLIVED, str(tmp_path), str(ACTOR)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as launch:
        lines = iter(launch.stdout.readline, "")
        pid = next(int(line.split("[")[-1].rstrip("]\n")) for line in lines if "started with pid" in line)
        assert any(line.endswith("ready\n") for line in lines)
        launch.send_signal(number)
        deadline = time.monotonic() + DEADLINE_S
        while is_alive(pid) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not is_alive(pid)


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
