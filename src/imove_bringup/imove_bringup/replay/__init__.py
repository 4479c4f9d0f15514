"""Replay of episode bags: in the simulator, to check them, and through ROS, to look at them."""
