"""What is known beforehand of the objects of an episode: shapes, boxes, ways to rest, colours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from imove_core.spec import EpisodeSpec, SceneObject
from imove_core.transforms import Array, transform
from imove_tasks.assets.library import AssetLibrary
from imove_tracker.carrying import upright
from imove_tracker.cloud import TableImage
from imove_tracker.evidence import outline_of
from imove_tracker.identity import Expected
from imove_tracker.pose import turned
from imove_tracker.shape import Shape, shape_of

YAW_STARTS_RAD = tuple(np.radians([0.0, 45.0, -45.0, 90.0, -90.0, 135.0, -135.0, 180.0]).tolist())
SHAPE_SEED = 0
"""Points on a shape are the same whenever an episode is run."""


@dataclass(frozen=True, eq=False)
class KnownObject:
    """One object of the spec.

    Attributes:
        item: As the spec has it.
        shape: Its surface.
        rests: Rotations (3, 3) in which it can rest, the one of the spec first, with the height of its origin, m.
    """

    item: SceneObject
    shape: Shape
    rests: tuple[tuple[Array, float], ...]

    @property
    def laid_out(self) -> Array:
        """(4, 4) the pose of the spec."""
        return self.item.world_from_object

    def expected(self, image: TableImage, pose: Array, gain: Array, color: Array | None) -> Expected:
        """What it would look like at a pose (4, 4).

        Args:
            image: Whose camera looks.
            pose: World frame.
            gain: (3,) of the light on colours.
            color: (3,) as this camera has seen it; None takes that of the asset.
        """
        outline = outline_of(image, self.shape, pose)
        if not len(outline.pixels):
            return Expected(pose[:2, 3], float(pose[2, 3]), 0.0, np.clip(self.shape.colors.mean(axis=0) * gain, 0, 1))
        points = outline.points
        middle = (points[:, :2].min(axis=0) + points[:, :2].max(axis=0)) / 2
        area_m2 = float(outline.mask(image.shape).sum()) * image.pixel_m**2
        usual = np.clip(outline.colors.mean(axis=0) * gain, 0.0, 1.0)
        return Expected(middle, float(np.percentile(points[:, 2], 98)), area_m2, usual if color is None else color)

    def starts(self, near: Array, middle: Array) -> Iterator[Array]:
        """Poses (4, 4) to begin a fit at: as it was, then turned, over a place (2,), m.

        Args:
            near: (4, 4) pose that it had.
            middle: Where its outline has its middle now.
        """
        pose = upright(self.item, near)
        pose[:3, 3] = [*middle, self.item.position[2]]
        for yaw_rad in YAW_STARTS_RAD:
            yield turned(pose, yaw_rad)

    def toppled(self, middle: Array) -> Iterator[Array]:
        """Poses (4, 4) in all other ways that it can rest, over a place (2,), m."""
        for rotation, height_m in self.rests[1:]:
            pose = transform(rotation, [*middle, height_m])
            for yaw_rad in YAW_STARTS_RAD:
                yield turned(pose, yaw_rad)


def known_objects(spec: EpisodeSpec, library: AssetLibrary) -> dict[str, KnownObject]:
    """All objects of a spec by id; raises ImoveError for an asset that the library lacks."""
    rng = np.random.default_rng(SHAPE_SEED)
    found = {}
    for item in spec.objects:
        asset = library.get(item.asset)
        settled = item.world_from_object[:3, :3]
        others = [
            (pose.rotation, pose.height_m) for pose in asset.stable_poses if (pose.rotation @ settled.T)[2, 2] < 0.9
        ]
        found[item.id] = KnownObject(item, shape_of(asset, rng), ((settled, item.position[2]), *others))
    return found
