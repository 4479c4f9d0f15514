"""The controllers of franka_ros2 as their topics and actions show them."""
