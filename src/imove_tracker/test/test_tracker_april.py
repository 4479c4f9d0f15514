"""AprilTags: read where they are, mapped to objects, refused where the map is wrong."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
import yaml

from imove_core.errors import ImoveError
from imove_core.fixed_camera import fixed_camera, pixels_of
from imove_core.transforms import inverse, rotation_about_axis, transform
from imove_tracker.april import Sighting, TagReader, load_tags
from imove_tracker.pose import turned

from .tracked_scenes import RIG, scene

SIDE_M = 0.04
CAMERA = fixed_camera(RIG)
ASSET = "an-asset"


def written(folder, **changes):
    """A map of one tag in the middle of an object's top, 3 cm above its origin."""
    path = folder / "tags.yaml"
    tag = {"asset": ASSET, "object_from_tag": {"xyz": [0, 0, 0.03]}}
    path.write_text(yaml.safe_dump({"side_m": SIDE_M, "tags": {7: tag}} | changes))
    return path


def picture(world_from_tag, number=7):
    """A grey table with one tag, as the fixed camera sees it."""
    family = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    # Eight cells of black border and code, and one of white about them.
    tag = cv2.copyMakeBorder(cv2.aruco.generateImageMarker(family, number, 160), 20, 20, 20, 20, 0, value=255)
    half = SIDE_M / 2 * 200 / 160
    corners = np.array([[-half, half, 0, 1], [half, half, 0, 1], [half, -half, 0, 1], [-half, -half, 0, 1]])
    pixels = pixels_of(CAMERA, 640, 480, (corners @ world_from_tag.T)[:, :3])
    source = np.array([[-0.5, -0.5], [199.5, -0.5], [199.5, 199.5], [-0.5, 199.5]], np.float32)
    motion = cv2.getPerspectiveTransform(source, pixels.astype(np.float32))
    image = np.full((480, 640), 128, np.uint8)
    cv2.warpPerspective(tag, motion, (640, 480), image, cv2.INTER_AREA, cv2.BORDER_TRANSPARENT)
    return np.dstack([image] * 3)


@pytest.mark.parametrize("yaw_rad", [0.0, 1.0, -2.2])
def test_a_tag_says_where_its_object_is(tmp_path, yaw_rad):
    reader, item = TagReader(load_tags(written(tmp_path))), scene(0).objects[0]
    true = turned(item.world_from_object, yaw_rad)
    true[:2, 3] = (0.36, -0.08)
    level = transform(rotation_about_axis([0, 0, 1.0], 0.4 + yaw_rad), (0.36, -0.08, 0.06))
    mounted = inverse(true) @ level
    image = picture(level)
    (found,) = reader.read(image, CAMERA.intrinsics, CAMERA.parent_from_optical.matrix).values()
    pose = replace(found, object_from_tag=mounted).pose(item)
    assert pose[:2, 3] == pytest.approx([0.36, -0.08], abs=0.004)
    assert pose[:3, :3] == pytest.approx(true[:3, :3], abs=0.06)


def test_a_tag_that_leans_far_says_that_its_object_has_fallen_over(tmp_path):
    item = scene(0).objects[0]
    fallen = transform(rotation_about_axis([1.0, 0, 0], 1.4), (0.36, 0, 0.05)) @ item.world_from_object
    assert Sighting(fallen, np.eye(4)).pose(item) == pytest.approx(fallen)


def test_tags_that_are_not_in_the_map_say_nothing(tmp_path):
    reader = TagReader(load_tags(written(tmp_path)))
    image = picture(transform(translation=(0.36, 0, 0.05)), number=8)
    assert not reader.read(image, CAMERA.intrinsics, CAMERA.parent_from_optical.matrix)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"side_m": -1}, "side_m"),
        ({"tags": {587: {"asset": "a", "object_from_tag": {"xyz": [0, 0, 0]}}}}, "587"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_maps_that_break_the_schema_are_refused_by_name(tmp_path, changes, message):
    with pytest.raises(ImoveError, match=message):
        load_tags(written(tmp_path, **changes))


def test_a_map_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(ImoveError, match="does not exist"):
        load_tags(tmp_path / "tags.yaml")
