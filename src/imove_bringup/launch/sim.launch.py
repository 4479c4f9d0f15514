"""The simulated rig and a viewer."""

from imove_bringup.graphs import graph_definition
from imove_bringup.ros_launch import launch_description


def generate_launch_description():
    """The graph `sim` as ROS launch sees it."""
    return launch_description(graph_definition("sim"))
