"""Policies run the episodes of a suite on the real table and are scored."""

from imove_bringup.graphs import graph_definition
from imove_bringup.ros_launch import launch_description


def generate_launch_description():
    """The graph `real_eval` as ROS launch sees it."""
    return launch_description(graph_definition("real_eval"))
