"""What stands out in an image of a table: the blob that differs most from the table's own colour."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from imove_core.rig import Camera
from imove_core.transforms import Array

# Differences in RGB, 0 to 255, below which a pixel belongs to the table.
CONTRAST_THRESHOLD = 24.0
# Blobs outside these areas on the table are noise, or arms.
AREA_RANGE_M2 = (2e-4, 2.5e-2)


@dataclass(frozen=True)
class Blob:
    """A salient region on the table plane.

    Attributes:
        center: (2,) x and y in the world, m.
        minor_axis: (2,) unit vector across the region.
        width_m: Extent across.
        saliency: Mean colour contrast times the square root of the area.
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
        points = origin[:2] + distance[..., None] * rays[..., :2]
    points[~(distance > 0)] = np.nan
    return points


def salient_blobs(image: NDArray[np.uint8], points: Array, region: NDArray[np.bool_]) -> list[Blob]:
    """Blobs in order of saliency, most salient first.

    Args:
        image: (H, W, 3) RGB.
        points: (H, W, 2) world x and y of each pixel on the table, m.
        region: (H, W) where to look.
    """
    colour = image.astype(float)
    table = np.median(colour[region], axis=0)
    contrast = np.linalg.norm(colour - table, axis=-1)
    labels, count = ndimage.label((contrast > CONTRAST_THRESHOLD) & region)
    pixel_area = _pixel_area(points, region)
    blobs = []
    for label in range(1, count + 1):
        mask = labels == label
        area = float(mask.sum()) * pixel_area
        if not AREA_RANGE_M2[0] <= area <= AREA_RANGE_M2[1]:
            continue
        places = points[mask]
        center = places.mean(axis=0)
        values, vectors = np.linalg.eigh(np.cov((places - center).T))
        # A uniform strip of width w has variance w^2 / 12 across.
        width = float(np.sqrt(12 * values[0]))
        blobs.append(Blob(center, vectors[:, 0], width, float(contrast[mask].mean()) * area**0.5))
    return sorted(blobs, key=lambda blob: -blob.saliency)


def _pixel_area(points: Array, region: NDArray[np.bool_]) -> float:
    along_row = np.linalg.norm(np.diff(points, axis=1), axis=-1)[region[:, 1:]]
    along_column = np.linalg.norm(np.diff(points, axis=0), axis=-1)[region[1:]]
    return float(np.nanmedian(along_row) * np.nanmedian(along_column))
