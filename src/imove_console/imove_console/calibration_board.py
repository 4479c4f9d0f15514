"""Finds a ChArUco board in an image, and where it is before the camera."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from imove_console.frames import jpeg_of
from imove_core.calibration.board import CharucoBoard
from imove_core.errors import ImoveError, unknown_name
from imove_core.rig import Intrinsics
from imove_core.transforms import Array, transform

FEWEST_CORNERS = 8
"""Fewer, or all in one row, leave the board's pose open."""
PRINT_DPI = 300
MARGIN_M = 0.01
THUMBNAIL_WIDTH = 480
INCH_M = 0.0254


@dataclass(frozen=True)
class BoardView:
    """A board as a camera sees it.

    Attributes:
        ids: (N,) of the corners that are seen.
        pixels: (N, 2) where they are.
        camera_from_board: (4, 4); the board's z points away from the camera.
        reprojection_px: Root mean square of the distances between corners and where that pose puts them.
    """

    ids: NDArray[np.int64]
    pixels: Array
    camera_from_board: Array
    reprojection_px: float


def corners_of(image: NDArray[np.uint8], board: CharucoBoard) -> tuple[NDArray[np.int64], Array]:
    """Finds the inner corners of a board.

    Args:
        image: (H, W, 3) uint8 RGB, or (H, W) grey.
        board: What is looked for.

    Returns:
        Ids (N,) and pixels (N, 2), the centre of the top left pixel at (0, 0); N is 0 where no board is seen.

    Raises:
        ImoveError: OpenCV has no such set of markers.
    """
    grey = image if image.ndim == 2 else cv2.cvtColor(np.ascontiguousarray(image), cv2.COLOR_RGB2GRAY)
    # OpenCV gives None where it finds nothing, which its types do not say.
    found: tuple[Any, ...] = cv2.aruco.CharucoDetector(_charuco(board)).detectBoard(grey)
    corners, ids = found[:2]
    if ids is None:
        return np.zeros(0, np.int64), np.zeros((0, 2))
    return np.asarray(ids, np.int64).ravel(), np.asarray(corners, np.float64).reshape(-1, 2)


def view_of(image: NDArray[np.uint8], board: CharucoBoard, intrinsics: Intrinsics, distortion: Array) -> BoardView:
    """Where a board is before the camera.

    Args:
        image: (H, W, 3) uint8 RGB.
        board: What is looked for.
        intrinsics: Of the image.
        distortion: (5,) of the image: k1, k2, p1, p2, k3.

    Raises:
        ImoveError: Too little of the board is seen.
    """
    ids, pixels = corners_of(image, board)
    if len(ids) < FEWEST_CORNERS:
        raise ImoveError(
            f"{len(ids)} corners of the board are seen; at least {FEWEST_CORNERS} are needed: turn the board to the "
            "camera, closer and without glare"
        )
    points = board.corners_m[ids]
    if np.linalg.matrix_rank(points[:, :2] - points[0, :2], tol=board.square_m / 2) < 2:
        raise ImoveError("only one row of the board's corners is seen; show more of the board")
    camera = intrinsics.matrix, distortion
    _, turn, shift = cv2.solvePnP(points, pixels, *camera, flags=cv2.SOLVEPNP_IPPE)
    turn, shift = cv2.solvePnPRefineLM(points, pixels, *camera, turn, shift)
    projected = cv2.projectPoints(points, turn, shift, *camera)[0].reshape(-1, 2)
    gaps = np.linalg.norm(projected - pixels, axis=1)
    pose = transform(cv2.Rodrigues(turn)[0], np.asarray(shift, np.float64).ravel())
    return BoardView(ids, pixels, pose, float(np.sqrt(np.mean(gaps**2))))


def thumbnail(image: NDArray[np.uint8], view: BoardView) -> bytes:
    """A small JPEG of an image with the corners that were found in it."""
    drawn = np.ascontiguousarray(image).copy()
    for x, y in view.pixels:
        cv2.circle(drawn, (round(float(x)), round(float(y))), max(2, image.shape[1] // 160), (255, 40, 160), -1)
    height = round(image.shape[0] * THUMBNAIL_WIDTH / image.shape[1])
    small = cv2.resize(drawn, (THUMBNAIL_WIDTH, height), interpolation=cv2.INTER_AREA)
    return jpeg_of(np.asarray(small, np.uint8))


def board_png(board: CharucoBoard) -> bytes:
    """The board as a PNG that is printed in its true size."""
    pixels_a_m = PRINT_DPI / INCH_M
    size = (
        round((board.columns * board.square_m + 2 * MARGIN_M) * pixels_a_m),
        round((board.rows * board.square_m + 2 * MARGIN_M) * pixels_a_m),
    )
    drawn = _charuco(board).generateImage(size, marginSize=round(MARGIN_M * pixels_a_m))
    file = io.BytesIO()
    Image.fromarray(np.asarray(drawn, np.uint8)).save(file, "PNG", dpi=(PRINT_DPI, PRINT_DPI))
    return file.getvalue()


def _charuco(board: CharucoBoard) -> cv2.aruco.CharucoBoard:
    names = [name for name in dir(cv2.aruco) if name.startswith("DICT_")]
    if board.dictionary not in names:
        raise unknown_name("set of markers", board.dictionary, names)
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, board.dictionary))
    needed, there = board.columns * board.rows // 2, len(dictionary.bytesList)
    if needed > there:
        raise ImoveError(
            f"a board of {board.columns} x {board.rows} needs {needed} markers; {board.dictionary} has {there}"
        )
    return cv2.aruco.CharucoBoard((board.columns, board.rows), board.square_m, board.marker_m, dictionary)
