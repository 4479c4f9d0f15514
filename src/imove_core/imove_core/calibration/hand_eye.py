"""Where a camera sits on a hand, or stands before an arm, from poses of the arm and views of a board.

Both cases are one equation, A_i X B_i = Y for every sample i: A_i is where the arm is, B_i is the board as the camera
sees it, X is where the camera is, and Y is where the board is. The rotation of X comes in closed form from pairs of
samples (Park and Martin, "Robot sensor calibration: solving AX = XB on the Euclidean group", IEEE T-RA 10(5), 1994),
its translation by linear least squares, and both together are then refined so that the board's corners agree.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from imove_core.calibration.board import CharucoBoard
from imove_core.errors import ImoveError
from imove_core.transforms import Array, inverse

FEWEST_SAMPLES = 5
SMALLEST_TURN_RAD = np.radians(8.0)
"""The hand must turn about two axes by so much at least: about one axis alone, a part of X stays unknown."""


@dataclass(frozen=True)
class HandEye:
    """What samples say.

    Attributes:
        camera: (4, 4) `tool_from_camera` on a hand, `base_from_camera` beside an arm.
        board: (4, 4) `base_from_board` for a camera on a hand, `tool_from_board` for one beside an arm.
        residuals_m: (N,) how far the board's corners are, in the mean, from where each sample should see them.
        residuals_rad: (N,) by how much each sample sees the board turned.
    """

    camera: Array
    board: Array
    residuals_m: Array
    residuals_rad: Array

    @property
    def rms_m(self) -> float:
        """Root mean square of the distances."""
        return float(np.sqrt(np.mean(self.residuals_m**2)))

    @property
    def rms_rad(self) -> float:
        """Root mean square of the turns."""
        return float(np.sqrt(np.mean(self.residuals_rad**2)))


def camera_on_hand(base_from_tool: Sequence[Array], camera_from_board: Sequence[Array], board: CharucoBoard) -> HandEye:
    """Where a camera sits on a hand, the board lying still.

    Args:
        base_from_tool: (4, 4) of each sample.
        camera_from_board: (4, 4) of each sample.
        board: For its size.

    Raises:
        ImoveError: There are too few samples, or the hand turned too little, or about one axis only.
    """
    return _solve(base_from_tool, camera_from_board, board)


def camera_beside_arm(
    base_from_tool: Sequence[Array], camera_from_board: Sequence[Array], board: CharucoBoard
) -> HandEye:
    """Where a camera stands before an arm that carries the board; arguments and errors as in `camera_on_hand`."""
    return _solve([inverse(pose) for pose in base_from_tool], camera_from_board, board)


def _solve(arm: Sequence[Array], views: Sequence[Array], board: CharucoBoard) -> HandEye:
    if len(arm) != len(views) or len(arm) < FEWEST_SAMPLES:
        raise ImoveError(
            f"there are {len(arm)} poses of the arm and {len(views)} views of the board; at least {FEWEST_SAMPLES} of "
            "each are needed, in pairs"
        )
    a, b = np.stack(arm).astype(np.float64), np.stack(views).astype(np.float64)
    x = _closed_form(a, b)
    y = _mean_pose(a @ x @ b)
    corners = np.concatenate([board.outline_m, np.ones((4, 1))], axis=1).T

    def gaps(vector: Array) -> Array:
        seen = ((a @ _pose(vector[:6]) @ b) @ corners)[:, :3]
        return np.asarray(seen - (_pose(vector[6:]) @ corners)[:3]).ravel()

    refined = least_squares(gaps, np.concatenate([_vector(x), _vector(y)]), loss="soft_l1", f_scale=0.002)
    x, y = _pose(refined.x[:6]), _pose(refined.x[6:])
    apart = gaps(refined.x).reshape(len(a), 3, 4)
    turned = Rotation.from_matrix(np.swapaxes((a @ x @ b)[:, :3, :3], 1, 2) @ y[:3, :3]).magnitude()
    return HandEye(x, y, np.linalg.norm(apart, axis=1).mean(axis=1), turned)


def _closed_form(a: Array, b: Array) -> Array:
    """X of A_i X B_i = Y from all pairs of samples: (A_j^-1 A_i) X = X (B_j B_i^-1)."""
    pairs = list(combinations(range(len(a)), 2))
    of_arm = np.stack([inverse(a[j]) @ a[i] for i, j in pairs])
    of_view = np.stack([b[j] @ inverse(b[i]) for i, j in pairs])
    turns = Rotation.from_matrix(of_arm[:, :3, :3]).as_rotvec()
    _check_turns(turns)
    rotation, _ = Rotation.align_vectors(turns, Rotation.from_matrix(of_view[:, :3, :3]).as_rotvec())
    r = rotation.as_matrix()
    left = (of_arm[:, :3, :3] - np.eye(3)).reshape(-1, 3)
    right = (of_view[:, :3, 3] @ r.T - of_arm[:, :3, 3]).ravel()
    x = np.eye(4)
    x[:3, :3], x[:3, 3] = r, np.linalg.lstsq(left, right, rcond=None)[0]
    return x


def _check_turns(turns: Array) -> None:
    spread = np.linalg.svd(turns, compute_uv=False) / np.sqrt(len(turns))
    if spread[0] < SMALLEST_TURN_RAD:
        raise ImoveError(
            f"the hand turned by {np.degrees(spread[0]):.1f} degrees between samples; at least "
            f"{np.degrees(SMALLEST_TURN_RAD):.0f} are needed: turn the wrist farther"
        )
    if spread[1] < SMALLEST_TURN_RAD / 2:
        raise ImoveError(
            "the hand turned about one axis only, which leaves the camera's place along it unknown: turn the wrist "
            "about a second axis as well"
        )


def _mean_pose(poses: Array) -> Array:
    mean = np.eye(4)
    mean[:3, :3] = Rotation.from_matrix(poses[:, :3, :3]).mean().as_matrix()
    mean[:3, 3] = np.median(poses[:, :3, 3], axis=0)
    return mean


def _vector(pose: Array) -> Array:
    return np.concatenate([Rotation.from_matrix(pose[:3, :3]).as_rotvec(), pose[:3, 3]])


def _pose(vector: Array) -> Array:
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = Rotation.from_rotvec(vector[:3]).as_matrix(), vector[3:]
    return pose
