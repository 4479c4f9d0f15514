"""Episode bags: rosbag2 folders with one MCAP file each, written and read without ROS."""
