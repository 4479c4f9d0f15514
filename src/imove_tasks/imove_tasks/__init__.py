"""Assets, layouts, instructions, suites and stage scoring of imove (ROS-free)."""
