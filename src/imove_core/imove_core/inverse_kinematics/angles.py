"""Angles that closed-form solutions are made of."""

import numpy as np

from imove_core.transforms import Array


def angle_about(axis: Array, start: Array, end: Array) -> float:
    """Angle by which `start` must turn about `axis` to point like `end`, all (3,) and square to the axis, rad."""
    return float(np.arctan2(cross(start, end) @ axis, start @ end))


def cross(a: Array, b: Array) -> Array:
    """Cross product of two (3,) vectors; numpy's is ten times slower on single vectors."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def wrap(angle_rad: float) -> float:
    """The same angle in [-pi, pi)."""
    return float((angle_rad + np.pi) % (2 * np.pi) - np.pi)


def wrapped_into(limits: Array, joints_rad: Array) -> Array | None:
    """The joint vector (n,) with every angle moved by whole turns into its limits (n, 2), None where that cannot be."""
    low, high = limits.T
    middle = (low + high) / 2
    moved = middle + (joints_rad - middle + np.pi) % (2 * np.pi) - np.pi
    if np.any(moved < low - 1e-9) or np.any(moved > high + 1e-9):
        return None
    within: Array = np.clip(moved, low, high)
    return within
