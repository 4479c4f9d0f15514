"""Records episodes into rosbag2 bags."""
