"""Franka arms behind franka_ros2's controllers."""
