"""Arm models, meshes and rig files of imove (data and their generators)."""
