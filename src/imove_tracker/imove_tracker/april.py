"""Optional AprilTags (family 36h11) on objects: a tag says beyond doubt which object it is, and how it lies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import cv2
import numpy as np
import yaml
from numpy.typing import NDArray
from pydantic import Field, PositiveFloat, ValidationError

from imove_core.errors import ImoveError
from imove_core.rig import Intrinsics, Pose
from imove_core.spec import SceneObject
from imove_core.transforms import Array, inverse, transform
from imove_core.values import FrozenValue, first_fault
from imove_tracker.carrying import upright

MOST_TAGS = 587
"""Tags in the family 36h11 (Olson, AprilTag, 2011)."""
MOST_BYTES = 1_000_000
MOST_LEAN_RAD = 0.6
"""A small tag's tilt is measured this badly; what leans more has fallen over."""


class Tag(FrozenValue):
    """One tag.

    Attributes:
        asset: UUID of the object that it sticks on.
        object_from_tag: Pose of the tag in the object's frame: z out of its face, x to its right, y up.
    """

    asset: str
    object_from_tag: Pose


class TagMap(FrozenValue):
    """The tags of a lab.

    Attributes:
        side_m: Of the black square.
        tags: By number.
    """

    side_m: PositiveFloat
    tags: dict[Annotated[int, Field(ge=0, lt=MOST_TAGS)], Tag]


def load_tags(path: Path) -> TagMap:
    """Reads a tag map from a YAML file.

    Raises:
        ImoveError: There is no such file, it is too large, no YAML, or breaks the schema.
    """
    if not path.is_file():
        raise ImoveError(f"tag map {path} does not exist")
    if path.stat().st_size > MOST_BYTES:
        raise ImoveError(f"tag map {path} has {path.stat().st_size} bytes; {MOST_BYTES} are allowed")
    try:
        return TagMap.model_validate(yaml.safe_load(path.read_bytes()))
    except yaml.YAMLError as error:
        raise ImoveError(f"tag map {path} is not YAML: {' '.join(str(error).split())}") from error
    except ValidationError as error:
        raise ImoveError(f"tag map {path}: {first_fault(error, 'the map')}") from error


@dataclass(frozen=True, eq=False)
class Sighting:
    """A tag in an image.

    Attributes:
        world_from_tag: (4, 4); its place is known far better than its tilt.
        object_from_tag: (4, 4), of the map.
    """

    world_from_tag: Array
    object_from_tag: Array

    def pose(self, item: SceneObject) -> Array:
        """Pose (4, 4) of the object that wears it, which lies as it was laid out unless the tag leans far."""
        seen = self.world_from_tag @ inverse(self.object_from_tag)
        lying = upright(item, seen)
        leans = np.arccos(np.clip(lying[2, :3] @ seen[2, :3], -1.0, 1.0))
        if leans < MOST_LEAN_RAD:
            seen = lying
            seen[:3, 3] = self.world_from_tag[:3, 3] - lying[:3, :3] @ self.object_from_tag[:3, 3]
        return seen


class TagReader:
    """Finds the tags of a map in images."""

    def __init__(self, tags: TagMap) -> None:
        """Prepares the detector."""
        self._map = tags
        settings = cv2.aruco.DetectorParameters()
        settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
        family = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
        self._detector = cv2.aruco.ArucoDetector(family, settings)
        half = tags.side_m / 2
        # In the order of the detector: upper left, upper right, lower right, lower left.
        self._corners = np.array([[-half, half, 0], [half, half, 0], [half, -half, 0], [-half, -half, 0]])

    def read(self, rgb: NDArray[np.uint8], intrinsics: Intrinsics, world_from_camera: Array) -> Mapping[str, Sighting]:
        """Tags by the UUID of the asset that wears them; of several on one object the largest counts.

        Args:
            rgb: (H, W, 3).
            intrinsics: Of the image, which has no distortion.
            world_from_camera: (4, 4).
        """
        corners, numbers, _ = self._detector.detectMarkers(cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY))
        found: dict[str, tuple[float, Sighting]] = {}
        for outline, number in zip(corners, [] if numbers is None else numbers.ravel(), strict=True):
            tag = self._map.tags.get(int(number))
            if tag is None:
                continue
            camera_from_tag = self._pose(outline.reshape(4, 2).astype(float), intrinsics)
            area = float(cv2.contourArea(outline.reshape(4, 2)))
            if camera_from_tag is not None and area > found.get(tag.asset, (0.0, None))[0]:
                sighting = Sighting(world_from_camera @ camera_from_tag, tag.object_from_tag.matrix)
                found[tag.asset] = (area, sighting)
        return {asset: sighting for asset, (_, sighting) in found.items()}

    def _pose(self, corners: Array, intrinsics: Intrinsics) -> Array | None:
        good, turn, place = cv2.solvePnP(
            self._corners, corners, intrinsics.matrix, None, flags=cv2.SOLVEPNP_IPPE_SQUARE
        )
        return transform(cv2.Rodrigues(turn)[0], place.ravel()) if good else None
