"""RealSense cameras on the vendor's library."""
