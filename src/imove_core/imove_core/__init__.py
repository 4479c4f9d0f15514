"""Rigs, transforms, kinematics, episode specs, topic contract and policy protocol of imove (ROS-free)."""
