"""A person guides leaders, arms follow, and every episode is recorded."""

from imove_bringup.graphs import graph_definition
from imove_bringup.ros_launch import launch_description


def generate_launch_description():
    """The graph `teleop` as ROS launch sees it."""
    return launch_description(graph_definition("teleop"))
