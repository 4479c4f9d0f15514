"""MoveIt configuration of a rig: SRDF and parameter files, as text."""
