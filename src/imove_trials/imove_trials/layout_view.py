"""The picture that an operator lays a scene out by: the live image, where each object goes, and how far it is off."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from imove_core.spec import EpisodeSpec
from imove_core.transforms import Array
from imove_trials.layout_check import LayoutReport, PlacedObject
from imove_trials.silhouettes import Contours, Silhouettes

Pixels = NDArray[np.uint8]
Box = tuple[float, float, float, float]
"""Left, top, right and bottom edge in pixels."""
LEAST_WIDTH = 960
"""Smaller images are enlarged, so that lines and words are sharp on a big screen."""
IN_PLACE, MISPLACED, UNSEEN = (64, 214, 118), (255, 190, 40), (255, 96, 96)
_DARK = (16, 20, 24)
_LINE = 2
_FONT = 17
_DASH_PX = 9.0
_PAD = 5
_ARROW_LEAST_PX = 12.0
_TURN_WORTH_RAD = 0.09
JPEG_QUALITY = 85


class LayoutView:
    """Draws the layout of one scene over images of one camera."""

    def __init__(self, spec: EpisodeSpec, silhouettes: Silhouettes) -> None:
        """Computes where objects go in the image, once for all pictures.

        Args:
            spec: Scene.
            silhouettes: Of the camera whose images are drawn over.
        """
        self._contours: dict[str, Contours] = {item.id: silhouettes.of(item) for item in spec.objects}
        self._silhouettes = silhouettes
        self._heights = {item.id: float(item.position[2]) for item in spec.objects}
        self._font = ImageFont.load_default(_FONT)

    def draw(self, rgb: Pixels, report: LayoutReport) -> Pixels:
        """The picture.

        Args:
            rgb: (H, W, 3) live image.
            report: What lies where.

        Returns:
            (H', W', 3), enlarged where the image is small.
        """
        scale = max(1.0, LEAST_WIDTH / rgb.shape[1])
        size = (round(rgb.shape[1] * scale), round(rgb.shape[0] * scale))
        canvas = np.asarray(cv2.resize(rgb, size, interpolation=cv2.INTER_LINEAR), np.uint8).copy()
        for item in report.objects:
            self._draw_outline(canvas, item, scale)
        for item in report.objects:
            self._draw_arrow(canvas, item, scale)
        image = Image.fromarray(canvas)
        draw = ImageDraw.Draw(image)
        outlines = [box for item in report.objects if (box := self._bounds(item, scale)) is not None]
        taken = [self._banner(draw, report)]
        for number, item in enumerate(report.objects, start=1):
            text = f"{number}  {item.name}: {describe(item)}"
            self._label(draw, text, item, scale, size, taken, outlines)
        return np.asarray(image)

    def _bounds(self, item: PlacedObject, scale: float) -> Box | None:
        """The box around an outline, None where it is not seen."""
        if not self._contours[item.id]:
            return None
        points = np.vstack(self._contours[item.id]) * scale
        (left, top), (right, bottom) = points.min(axis=0).tolist(), points.max(axis=0).tolist()
        return left, top, right, bottom

    def _draw_outline(self, canvas: Pixels, item: PlacedObject, scale: float) -> None:
        for contour in self._contours[item.id]:
            line = (contour + 0.5) * scale - 0.5
            # Dark below, so that it shows on every table; whole lines mean in place for who cannot tell the colours.
            for colour, width in ((_DARK, _LINE + 3), (colour_of(item), _LINE)):
                for part in [line] if item.ok else dashes(line, _DASH_PX):
                    points = np.round(part * 16).astype(np.int32)
                    cv2.polylines(canvas, [points], item.ok, colour, width, cv2.LINE_AA, shift=4)

    def _draw_arrow(self, canvas: Pixels, item: PlacedObject, scale: float) -> None:
        if item.ok or item.measured_xy_m is None:
            return
        ends = np.array([item.measured_xy_m, item.target_xy_m])
        pixels = self._silhouettes.pixels(np.column_stack([ends, np.full(2, self._heights[item.id])]))
        if pixels is None:
            return
        start, end = np.round((pixels + 0.5) * scale - 0.5).astype(int).tolist()
        length = math.dist(start, end)
        if length < _ARROW_LEAST_PX:
            return
        for colour, width in ((_DARK, _LINE + 4), (colour_of(item), _LINE + 1)):
            cv2.arrowedLine(canvas, start, end, colour, width, cv2.LINE_AA, tipLength=min(0.5, 14.0 / length))

    def _banner(self, draw: ImageDraw.ImageDraw, report: LayoutReport) -> Box:
        right = sum(item.ok for item in report.objects)
        done = right == len(report.objects)
        text = f"{right} of {len(report.objects)} in place"
        return self._box(draw, (8.0, 8.0), text, IN_PLACE if done else MISPLACED)

    def _label(
        self,
        draw: ImageDraw.ImageDraw,
        text: str,
        item: PlacedObject,
        scale: float,
        size: tuple[int, int],
        taken: list[Box],
        outlines: list[Box],
    ) -> None:
        """Writes beside an outline, where it covers least of what else there is to see."""
        bounds = self._bounds(item, scale)
        if bounds is None:
            return
        left, top, right, bottom = bounds
        width, height = self._extent(draw, text)
        middle, level = (left + right - width) / 2, (top + bottom - height) / 2
        places = [(middle, top - height - 4), (middle, bottom + 4), (right + 4, level), (left - width - 4, level)]
        for step in (1, 2, 3):
            places += [(middle, bottom + 4 + step * (height + 3)), (middle, top - height - 4 - step * (height + 3))]
        inside = [
            (min(max(x, 2.0), size[0] - width - 2.0), min(max(y, 2.0), size[1] - height - 2.0)) for x, y in places
        ]

        def covered(corner: tuple[float, float]) -> float:
            box = (*corner, corner[0] + width, corner[1] + height)
            return 10 * sum(_common(box, other) for other in taken) + sum(_common(box, other) for other in outlines)

        # The first of those that are equally good is the nearest.
        taken.append(self._box(draw, min(inside, key=covered), text, colour_of(item)))

    def _extent(self, draw: ImageDraw.ImageDraw, text: str) -> tuple[float, float]:
        return draw.textlength(text, font=self._font) + 2 * _PAD, _FONT + 2.0 * _PAD

    def _box(
        self, draw: ImageDraw.ImageDraw, corner: tuple[float, float], text: str, colour: tuple[int, int, int]
    ) -> Box:
        width, height = self._extent(draw, text)
        box = (corner[0], corner[1], corner[0] + width, corner[1] + height)
        draw.rounded_rectangle(box, radius=4, fill=_DARK, outline=colour)
        draw.text((corner[0] + _PAD, corner[1] + _PAD - 1), text, fill=colour, font=self._font)
        return box


def describe(item: PlacedObject) -> str:
    """How an object lies, in two or three words."""
    if item.ok:
        return "in place"
    if item.error_m is None or item.yaw_error_rad is None:
        return "not seen"
    turn = f", turn {math.degrees(item.yaw_error_rad):.0f} deg" if item.yaw_error_rad > _TURN_WORTH_RAD else ""
    return f"{1000 * item.error_m:.0f} mm off{turn}"


def _common(first: Box, second: Box) -> float:
    """Area that two boxes have in common."""
    width = min(first[2], second[2]) - max(first[0], second[0])
    height = min(first[3], second[3]) - max(first[1], second[1])
    return max(0.0, width) * max(0.0, height)


def colour_of(item: PlacedObject) -> tuple[int, int, int]:
    """Colour (RGB) of what is drawn of an object."""
    if item.ok:
        return IN_PLACE
    return UNSEEN if item.measured_xy_m is None else MISPLACED


def dashes(line: Array | NDArray[np.float32], length_px: float) -> list[NDArray[np.float32]]:
    """Every second piece, about so long, of a closed line (K, 2)."""
    closed = np.vstack([line, line[:1]])
    marks = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1))])
    count = max(2, round(marks[-1] / length_px / 2) * 2)
    edges = np.linspace(0.0, marks[-1], count + 1)
    pieces = []
    for start, end in zip(edges[:-1:2], edges[1::2], strict=True):
        at = np.concatenate([[start], marks[(marks > start) & (marks < end)], [end]])
        pieces.append(np.column_stack([np.interp(at, marks, column) for column in closed.T]).astype(np.float32))
    return pieces


def jpeg_of(rgb: Pixels) -> bytes:
    """A picture (H, W, 3) as JPEG."""
    _, data = cv2.imencode(".jpg", rgb[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    return data.tobytes()


def image_of(data: bytes) -> Pixels | None:
    """The image (H, W, 3) RGB of a JPEG or PNG, None where the bytes are none."""
    found = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    return None if found is None else np.ascontiguousarray(found[..., ::-1])
