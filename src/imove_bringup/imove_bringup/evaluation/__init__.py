"""Which runs a command means, and the workers that carry out their episodes without a ROS graph."""
