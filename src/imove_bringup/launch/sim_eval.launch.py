"""A policy runs the episodes of a suite in simulation and is scored."""

from imove_bringup.graphs import graph_definition
from imove_bringup.ros_launch import launch_description


def generate_launch_description():
    """The graph `sim_eval` as ROS launch sees it."""
    return launch_description(graph_definition("sim_eval"))
