"""Rigid transforms as 4x4 matrices, named `target_from_source`.

A matrix `a_from_b` maps coordinates given in frame `b` to frame `a`, so `a_from_c = a_from_b @ b_from_c`. Quaternions
are (x, y, z, w) as in ROS messages; `wxyz` in a name says the other order (MuJoCo). Lengths are in m, angles in rad.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def rotation_from_rpy(rpy: ArrayLike) -> Array:
    """Returns the (3, 3) rotation of URDF's roll, pitch, yaw (rad): Rz(yaw) Ry(pitch) Rx(roll)."""
    roll, pitch, yaw = np.asarray(rpy, dtype=float)
    cr, cp, cy = np.cos([roll, pitch, yaw])
    sr, sp, sy = np.sin([roll, pitch, yaw])
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def rpy_from_rotation(rotation: ArrayLike) -> Array:
    """Returns URDF's roll, pitch, yaw (3,), rad, of a (3, 3) rotation; roll is 0 where pitch is 90 degrees."""
    m = np.asarray(rotation, dtype=float)
    across = math.hypot(m[0, 0], m[1, 0])
    pitch = math.atan2(-m[2, 0], across)
    if across < 1e-9:
        return np.array([0.0, pitch, math.atan2(-m[0, 1], m[1, 1])])
    return np.array([math.atan2(m[2, 1], m[2, 2]), pitch, math.atan2(m[1, 0], m[0, 0])])


def rotation_about_axis(axis: Sequence[float] | Array, angle_rad: float) -> Array:
    """Returns the (3, 3) rotation by `angle_rad` about `axis` (3,), by Rodrigues' formula."""
    x, y, z = (float(value) for value in axis)
    length = math.sqrt(x * x + y * y + z * z)
    x, y, z = x / length, y / length, z / length
    c, s = math.cos(angle_rad), math.sin(angle_rad)
    d = 1.0 - c
    return np.array(
        [
            [c + d * x * x, d * x * y - s * z, d * x * z + s * y],
            [d * x * y + s * z, c + d * y * y, d * y * z - s * x],
            [d * x * z - s * y, d * y * z + s * x, c + d * z * z],
        ]
    )


def rotation_from_quaternion(quaternion_xyzw: ArrayLike) -> Array:
    """Returns the (3, 3) rotation of a quaternion (x, y, z, w), which need not be normalised."""
    x, y, z, w = np.asarray(quaternion_xyzw, dtype=float) / np.linalg.norm(quaternion_xyzw)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def quaternion_from_rotation(rotation: ArrayLike) -> Array:
    """Returns the unit quaternion (x, y, z, w) with w >= 0 of a (3, 3) rotation (Shepperd's method)."""
    m = np.asarray(rotation, dtype=float)
    trace = m[0, 0] + m[1, 1] + m[2, 2]
    largest = int(np.argmax([m[0, 0], m[1, 1], m[2, 2], trace]))
    if largest == 3:
        q = np.array([m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], 1 + trace])
    else:
        i, j, k = largest, (largest + 1) % 3, (largest + 2) % 3
        q = np.empty(4)
        q[i] = 1 + m[i, i] - m[j, j] - m[k, k]
        q[j], q[k], q[3] = m[j, i] + m[i, j], m[k, i] + m[i, k], m[k, j] - m[j, k]
    q /= np.linalg.norm(q)
    return q if q[3] >= 0 else -q


def transform(rotation: ArrayLike | None = None, translation: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """Returns the 4x4 matrix of a (3, 3) rotation (identity when None) and a translation (3,), m."""
    matrix = np.eye(4)
    if rotation is not None:
        matrix[:3, :3] = rotation
    matrix[:3, 3] = translation
    return matrix


def transform_from_xyz_rpy(xyz: ArrayLike, rpy: ArrayLike) -> Array:
    """Returns the 4x4 matrix of a URDF origin: xyz (m) and roll, pitch, yaw (rad)."""
    return transform(rotation_from_rpy(rpy), xyz)


def transform_from_position_quaternion(position: ArrayLike, quaternion_xyzw: ArrayLike) -> Array:
    """Returns the 4x4 matrix of a position (3,), m, and a quaternion (x, y, z, w)."""
    return transform(rotation_from_quaternion(quaternion_xyzw), position)


def inverse(a_from_b: ArrayLike) -> Array:
    """Returns `b_from_a` of a rigid 4x4 transform."""
    matrix = np.asarray(a_from_b, dtype=float)
    rotation = matrix[:3, :3].T
    return transform(rotation, -rotation @ matrix[:3, 3])


def apply(a_from_b: ArrayLike, points_in_b: ArrayLike) -> Array:
    """Returns points (..., 3) of frame b in frame a, m."""
    matrix = np.asarray(a_from_b, dtype=float)
    points: Array = np.asarray(points_in_b, dtype=float) @ matrix[:3, :3].T + matrix[:3, 3]
    return points
