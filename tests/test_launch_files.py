"""Launch files under ROS's own launch, where it is installed."""

import importlib.util
from pathlib import Path

import pytest

from imove_bringup.graphs import Graph, NodeDescription, graph_definition, graph_names

pytest.importorskip("launch_ros", reason="ROS's own launch comes with a ROS installation only")

from launch.actions import DeclareLaunchArgument  # noqa: E402

from imove_bringup import ros_launch  # noqa: E402
from launch import LaunchContext  # noqa: E402

FOLDER = Path(__file__).parents[1] / "src" / "imove_bringup" / "launch"


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


def test_required_node_decides_the_exit_status(tmp_path):
    nodes = Path(__file__).parent / "supervisor_nodes" / "actor.py"
    node = NodeDescription(None, str(nodes), "job", arguments=("exit_with", "3"), required=True)
    assert ros_launch.run_graph(Graph("test", (node,), tmp_path / "log")) == 3
