"""Rotation matrices as URDF and MJCF write them."""

from __future__ import annotations

import numpy as np

from imove_description.reading import FloatArray


def quaternion_wxyz(rotation: FloatArray) -> FloatArray:
    """(4,) unit quaternion w, x, y, z of a (3, 3) rotation matrix, its largest component positive."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = rotation
    # The outer product 4 q q^T; its column with the largest diagonal is the best conditioned multiple of q.
    outer = np.array(
        [
            [1 + xx + yy + zz, zy - yz, xz - zx, yx - xy],
            [zy - yz, 1 + xx - yy - zz, xy + yx, xz + zx],
            [xz - zx, xy + yx, 1 - xx + yy - zz, yz + zy],
            [yx - xy, xz + zx, yz + zy, 1 - xx - yy + zz],
        ]
    )
    column = outer[int(np.argmax(np.diag(outer)))]
    return np.asarray(column / np.linalg.norm(column))


def roll_pitch_yaw(rotation: FloatArray) -> FloatArray:
    """(3,) roll, pitch, yaw about the fixed x, y, z axes in rad, of a (3, 3) rotation matrix.

    At a pitch of +-90 degrees, where only roll and yaw together are defined, roll is 0.
    """
    pitch = np.arctan2(-rotation[2, 0], np.hypot(rotation[0, 0], rotation[1, 0]))
    if np.hypot(rotation[0, 0], rotation[1, 0]) < 1e-9:
        return np.array([0.0, pitch, np.arctan2(-rotation[0, 1], rotation[1, 1])])
    roll = np.arctan2(rotation[2, 1], rotation[2, 2])
    yaw = np.arctan2(rotation[1, 0], rotation[0, 0])
    return np.array([roll, pitch, yaw])


def rotation_z_to(direction: FloatArray) -> FloatArray:
    """(3, 3) rotation whose z axis points along a (3,) direction of any length above 0."""
    z = direction / np.linalg.norm(direction)
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=1)
