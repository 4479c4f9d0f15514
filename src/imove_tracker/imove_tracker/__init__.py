"""Tracks the objects of an episode on the real table with its static RGB-D camera."""
