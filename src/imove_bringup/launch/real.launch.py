"""The devices of a rig, or emulated ones, with object tracker and console."""

from imove_bringup.graphs import graph_definition
from imove_bringup.ros_launch import launch_description


def generate_launch_description():
    """The graph `real` as ROS launch sees it."""
    return launch_description(graph_definition("real"))
