"""Evaluation without a ROS graph: which runs a command means, and the workers that carry out their episodes."""
