"""What the calibration wizard is asked for and what it measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from imove_console.calibration_board import BoardView
from imove_core.calibration.board import CharucoBoard
from imove_core.rig import Intrinsics
from imove_core.transforms import Array
from imove_core.values import FrozenValue

HAND_EYE, TABLE = "hand_eye", "table"


class Choice(FrozenValue):
    """What is calibrated.

    Attributes:
        kind: `hand_eye` for where the camera is, `table` for where the table is.
        camera: One of the rig.
        arm: That carries the board before a fixed camera; of no account for a camera on a hand.
        board: As it is printed.
    """

    kind: Literal["hand_eye", "table"]
    camera: str
    arm: str = ""
    board: CharucoBoard = CharucoBoard()


@dataclass(frozen=True)
class View:
    """What is measured at one moment, the arms at rest.

    Attributes:
        rgb: (H, W, 3) uint8.
        intrinsics: Of the image.
        distortion: (5,) of the image, k1, k2, p1, p2, k3; zeros where there is none.
        joints: Positions (size,) of each arm, rad and m, by its name.
    """

    rgb: NDArray[np.uint8]
    intrinsics: Intrinsics
    distortion: Array
    joints: Mapping[str, Array]


class Views(Protocol):
    """Gives what cameras and arms measure."""

    def look(self, camera: str | None) -> None:
        """Listens to a camera, and to the arms, from now on; to none for None."""
        ...

    def view(self) -> View:
        """What is measured now; raises ImoveError where something is missing or an arm moves."""
        ...


@dataclass(frozen=True)
class Sample:
    """One view of the board.

    Attributes:
        number: Counts from 1 in a session.
        board: Where the board is.
        base_from_link: (4, 4) of what carries the camera or the board; None where nothing moves.
        picture: Thumbnail as JPEG.
    """

    number: int
    board: BoardView
    base_from_link: Array | None
    picture: bytes
