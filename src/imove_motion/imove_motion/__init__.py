"""Grasps and atomic pick motions of imove (ROS-free)."""
