"""Settings of realsense2_camera, the vendor's own ROS driver, for labs that prefer it."""
