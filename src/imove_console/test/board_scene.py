"""Images of a ChArUco board as a camera at a known place would take them."""

import cv2
import numpy as np

from imove_console.calibration_samples import View
from imove_core.calibration.board import CharucoBoard
from imove_core.kinematics import flange_pose, link_poses
from imove_core.rig import load_rig
from imove_core.transforms import inverse, transform_from_xyz_rpy

BOARD = CharucoBoard()
PIXELS_A_SQUARE = 80


def flat_board(board=BOARD):
    """The board's print (rows, columns) of pixels, without a margin."""
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, board.dictionary))
    drawn = cv2.aruco.CharucoBoard((board.columns, board.rows), board.square_m, board.marker_m, dictionary)
    return drawn.generateImage((board.columns * PIXELS_A_SQUARE, board.rows * PIXELS_A_SQUARE))


def picture_of(camera_from_board, intrinsics, board=BOARD):
    """What a camera sees of the board, (H, W, 3) uint8, on a grey ground."""
    # From pixels of the print, centres at whole numbers, to metres on the board, then into the image.
    scale = board.square_m / PIXELS_A_SQUARE
    board_from_print = np.array([[scale, 0, scale / 2], [0, scale, scale / 2], [0, 0, 1]])
    homography = intrinsics.matrix @ camera_from_board[:3, [0, 1, 3]] @ board_from_print
    size = (intrinsics.width, intrinsics.height)
    flat = flat_board(board)
    # Four times the size, then averaged: a lens does not alias either.
    big = np.diag([4.0, 4.0, 1.0])
    big[:2, 2] = 1.5
    seen = cv2.warpPerspective(flat, big @ homography, (4 * size[0], 4 * size[1]), borderValue=150)
    small = cv2.resize(seen, size, interpolation=cv2.INTER_AREA)
    return np.repeat(small[..., None], 3, axis=2)


class Scene:
    """A rig whose camera is not where its file says, and a board; every view is at another place of the arm."""

    def __init__(self, camera, world_from_board, off, seed=0, print_=BOARD, carried=True):
        """Stands up.

        Args:
            camera: Name of the camera that looks.
            world_from_board: (4, 4) where the board lies; for a camera beside an arm, `flange_from_board`.
            off: (4, 4) from where the camera really is to where the file says, in the camera's frame.
            seed: Of the arm's places.
            print_: The board.
            carried: Whether the left arm carries the board before a fixed camera.
        """
        self.rig = load_rig("piperx_dual")
        self._camera, self.board = self.rig.camera(camera), world_from_board
        self.truth = self._camera.parent_from_optical.matrix @ off
        self._rng = np.random.default_rng(seed)
        self.joints = {arm.name: arm.home_positions for arm in self.rig.arms}
        self.looked_at, self.print, self._carried = None, print_, carried

    def look(self, camera):
        self.looked_at = camera

    def wander(self, arm, most_rad):
        """Moves an arm a little away from home."""
        home = self.rig.arm(arm).home_positions
        turns = self._rng.uniform(-most_rad, most_rad, home.shape)
        turns[-1] = 0.0
        self.joints[arm] = home + turns

    def view(self):
        intrinsics = self._camera.intrinsics
        return View(
            picture_of(self.camera_from_board(), intrinsics, self.print), intrinsics, np.zeros(5), dict(self.joints)
        )

    def camera_from_board(self):
        place = self._camera.arm_and_link
        if place is None:
            arm = self.rig.arm("left")
            flange = arm.world_from_base.matrix @ flange_pose(arm.arm_model, self.joints["left"][:-1])
            world_from_board = flange @ self.board if self._carried else self.board
            return inverse(self.truth) @ world_from_board
        arm = self.rig.arm(place[0])
        link = link_poses(arm.arm_model, self.joints[arm.name][:-1])[place[1]]
        return inverse(arm.world_from_base.matrix @ link @ self.truth) @ self.board


def facing(camera_pose, distance_m, board=BOARD, rpy=(0.0, 0.0, 0.0)):
    """(4, 4) of a board in the middle of what a camera at a pose sees."""
    middle = transform_from_xyz_rpy(
        (-board.columns * board.square_m / 2, -board.rows * board.square_m / 2, 0), (0, 0, 0)
    )
    return camera_pose @ transform_from_xyz_rpy((0, 0, distance_m), rpy) @ middle
