"""What stands out in an image of a table: the blobs that differ from the table's own colour.

Light falls off over a table and shines in places by more than a pale object differs from it, so the table's colour is a
smooth surface over the table, fitted to the pixels that it explains.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from imove_core.rig import Camera
from imove_core.transforms import Array
from imove_tasks.salience import salience

# Differences in RGB, 0 to 255, below which a pixel belongs to the table.
CONTRAST_THRESHOLD = 24.0
# Smaller blobs are noise, larger ones no object that a hand can hold.
AREA_RANGE_M2 = (2e-4, 2.5e-2)
# The fit of the table's colour keeps pixels within this many medians of their difference, and never asks for less
# than the rounding of colours.
KEPT_MEDIANS = 3.0
LEAST_KEPT_CONTRAST = 4.0
FIT_ROUNDS = 8


@dataclass(frozen=True)
class Blob:
    """A salient region on the table plane.

    Attributes:
        center: (2,) x and y in the world, m.
        minor_axis: (2,) unit vector across the region.
        width_m: Extent along the minor axis.
        saliency: See `imove_tasks.salience`, with the contrast in 0 to 255.
    """

    center: Array
    minor_axis: Array
    width_m: float
    saliency: float


def table_points(camera: Camera, width: int, height: int, plane_height_m: float) -> Array:
    """World x and y (H, W, 2) at which each pixel's ray meets a horizontal plane; NaN where it does not.

    Args:
        camera: A camera that stands still in the world.
        width: Of the image, pixels.
        height: Of the image, pixels.
        plane_height_m: Height of the plane in the world.
    """
    intrinsics = camera.intrinsics.resized(width, height)
    columns, rows = np.meshgrid(np.arange(width), np.arange(height))
    rays = np.stack(
        [
            (columns - intrinsics.cx) / intrinsics.fx,
            (rows - intrinsics.cy) / intrinsics.fy,
            np.ones_like(rows, float),
        ],
        axis=-1,
    )
    world_from_optical = camera.parent_from_optical.matrix
    rays = rays @ world_from_optical[:3, :3].T
    origin = world_from_optical[:3, 3]
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = (plane_height_m - origin[2]) / rays[..., 2]
        points: Array = origin[:2] + distance[..., None] * rays[..., :2]
    points[~(distance > 0)] = np.nan
    return points


def table_contrast(image: NDArray[np.uint8], points: Array, region: NDArray[np.bool_]) -> Array:
    """How far each pixel's colour is from that of the table at its place (H, W), 0 outside `region`.

    The table's colour is a quadratic polynomial of the place, fitted by least squares to the pixels that it explains;
    objects drop out of the fit.

    Args:
        image: (H, W, 3) RGB.
        points: (H, W, 2) world x and y of each pixel on the table, m.
        region: (H, W) where to look.
    """
    colours = image[region].astype(float)
    places = points[region] - points[region].mean(axis=0)
    x, y = (places / np.abs(places).max(axis=0)).T
    terms = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=1)
    table = np.ones(len(colours), dtype=bool)
    difference = np.zeros(len(colours))
    for _ in range(FIT_ROUNDS):
        weights = np.linalg.lstsq(terms[table], colours[table], rcond=None)[0]
        difference = np.linalg.norm(colours - terms @ weights, axis=1)
        table = difference < max(KEPT_MEDIANS * float(np.median(difference)), LEAST_KEPT_CONTRAST)
    contrast = np.zeros(region.shape)
    contrast[region] = difference
    return contrast


def salient_blobs(image: NDArray[np.uint8], points: Array, region: NDArray[np.bool_]) -> list[Blob]:
    """Blobs that lie wholly within a region, most salient first.

    What crosses the region's border reaches in from outside, as an arm does, or is not seen whole.

    Args:
        image: (H, W, 3) RGB.
        points: (H, W, 2) world x and y of each pixel on the table, m.
        region: (H, W) where to look.
    """
    contrast = table_contrast(image, points, region)
    labels, count = ndimage.label(contrast > CONTRAST_THRESHOLD)
    border = region & ~ndimage.binary_erosion(region)
    crossing = set(np.unique(labels[border]).tolist())
    pixel_area = _pixel_area(points, region)
    blobs = []
    for label in range(1, count + 1):
        mask = labels == label
        area = float(mask.sum()) * pixel_area
        if label in crossing or not AREA_RANGE_M2[0] <= area <= AREA_RANGE_M2[1]:
            continue
        blobs.append(_blob(points[mask], pixel_area**0.5, salience(float(contrast[mask].mean()), area)))
    return sorted(blobs, key=lambda blob: -blob.saliency)


def _blob(places: Array, pixel_m: float, saliency: float) -> Blob:
    center = places.mean(axis=0)
    _, vectors = np.linalg.eigh(np.cov((places - center).T))
    minor_axis = vectors[:, 0]
    # From the outer edges of the outermost pixels.
    return Blob(center, minor_axis, float(np.ptp(places @ minor_axis)) + pixel_m, saliency)


def _pixel_area(points: Array, region: NDArray[np.bool_]) -> float:
    along_row = np.linalg.norm(np.diff(points, axis=1), axis=-1)[region[:, 1:]]
    along_column = np.linalg.norm(np.diff(points, axis=0), axis=-1)[region[1:]]
    return float(np.nanmedian(along_row) * np.nanmedian(along_column))
