"""Synthesis of demonstrations: certified specs, planned, rolled out in physics, judged, and kept as episode bags."""
