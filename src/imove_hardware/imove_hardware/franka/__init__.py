"""A Franka arm behind franka_ros2: its trajectory controller, its hand and its state, as the topic contract says."""
