"""Grasps, picks and places of imove (ROS-free)."""
