"""Layouts of rviz2 and Foxglove for a rig, made from the topic contract."""
