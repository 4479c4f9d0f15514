"""A ChArUco board: a chessboard with a marker in each white square, so that a part of it is enough."""

import re
from typing import Annotated, Self

import numpy as np
from pydantic import Field, PositiveFloat, model_validator

from imove_core.transforms import Array
from imove_core.values import FrozenValue


class CharucoBoard(FrozenValue):
    """A board as it is printed.

    The board's frame has its origin at the outer corner of the first square, x along the columns, y along the rows and
    z into the board, as OpenCV has it.

    Attributes:
        columns: Squares along x.
        rows: Squares along y.
        square_m: Side of a square: measure it on the print.
        marker_m: Side of a marker.
        dictionary: Name of OpenCV's set of markers.
    """

    columns: Annotated[int, Field(ge=3, le=40)] = 7
    rows: Annotated[int, Field(ge=3, le=40)] = 5
    square_m: PositiveFloat = 0.035
    marker_m: PositiveFloat = 0.026
    dictionary: str = "DICT_5X5_250"

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not self.marker_m < self.square_m:
            raise ValueError(f"marker_m is {self.marker_m:g}; it must be less than square_m, {self.square_m:g}")
        if not re.fullmatch(r"DICT_\w+", self.dictionary):
            raise ValueError(f"dictionary is '{self.dictionary}'; allowed: a name of OpenCV's, such as DICT_5X5_250")
        return self

    @property
    def corners_m(self) -> Array:
        """Inner corners ((columns - 1) (rows - 1), 3) in the board's frame, in the order of their ids."""
        x, y = np.meshgrid(np.arange(1, self.columns), np.arange(1, self.rows))
        flat = np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1)
        return np.asarray(flat * self.square_m, dtype=np.float64)

    @property
    def outline_m(self) -> Array:
        """The four outer corners (4, 3) in the board's frame."""
        width, height = self.columns * self.square_m, self.rows * self.square_m
        return np.array([[0, 0, 0], [width, 0, 0], [width, height, 0], [0, height, 0]], dtype=np.float64)
