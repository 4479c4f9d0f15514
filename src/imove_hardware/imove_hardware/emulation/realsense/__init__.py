"""RealSense cameras as librealsense shows them."""
