"""Joint-space planning: worlds, collisions, planners, timing."""
