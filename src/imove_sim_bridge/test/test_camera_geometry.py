"""Images show what the published camera poses and intrinsics say: to the pixel, and depth to the millimetre."""

import numpy as np
import pytest

from imove_core.kinematics import link_poses
from imove_core.rig import Camera, Rig
from imove_core.transforms import apply, inverse
from imove_sim_bridge.backend import CameraFrame
from imove_sim_bridge.registry import backend_names

pytestmark = pytest.mark.parametrize("engine", backend_names())

BALL_RADIUS_M = 0.006
SIZES = ((640, 480), (224, 224))
HAND_CAMERAS = ("left_hand_camera", "right_hand_camera")
CHANNELS = {"red": 0, "green": 1, "blue": 2}


def changed(rig: Rig, intrinsics: dict | None = None, homes: list | None = None, depth_range_m=None) -> Rig:
    """The rig with other intrinsics or depth range in every camera, or other home positions of the arms."""
    content = rig.model_dump()
    for camera in content["cameras"]:
        camera["intrinsics"] |= intrinsics or {}
        camera["depth_range_m"] = depth_range_m or camera["depth_range_m"]
    for arm, home in zip(content["arms"], homes or [arm.home for arm in rig.arms], strict=True):
        arm["home"] = tuple(np.clip(home, *rig.arm(arm["name"]).limits[:-1].T))
    return Rig.model_validate(content)


def world_from_camera(rig: Rig, camera: Camera) -> np.ndarray:
    """The pose that the rig promises, arms at home."""
    if camera.arm_and_link is None:
        return camera.parent_from_optical.matrix
    arm_name, link = camera.arm_and_link
    arm = rig.arm(arm_name)
    base_from = link_poses(arm.arm_model, np.array(arm.home))
    return arm.world_from_base.matrix @ base_from[link] @ camera.parent_from_optical.matrix


def project(rig: Rig, camera: Camera, size: tuple[int, int], points: np.ndarray) -> np.ndarray:
    """Pixels (N, 2) of world points (N, 3); the centre of the top left pixel is (0, 0)."""
    in_camera = apply(inverse(world_from_camera(rig, camera)), points)
    pixels = in_camera @ camera.intrinsics.resized(*size).matrix.T
    return pixels[:, :2] / pixels[:, 2:]


def centroid(frame: CameraFrame, colour: str) -> tuple[np.ndarray, np.ndarray]:
    """Mean pixel (x, y) of a ball of one pure colour, and its mask."""
    image = frame.rgb.astype(int)
    channel = CHANNELS[colour]
    mask = (image[..., channel] > 60) & (np.delete(image, channel, axis=2).max(axis=2) < 0.5 * image[..., channel])
    assert mask.sum() >= 4, f"no {colour} ball in view"
    rows, columns = np.nonzero(mask)
    return np.array([columns.mean(), rows.mean()]), mask


def points_in_view(rig: Rig, camera: Camera, size: tuple[int, int], rng: np.random.Generator, count: int) -> np.ndarray:
    """World points (count, 3) in the air that the camera sees at this size, apart from each other and from arms."""
    width, height = size
    intrinsics = camera.intrinsics.resized(*size)
    fixed = camera.arm_and_link is None
    found, pixels = [], []
    for _ in range(5000):
        depth_m = rng.uniform(*((0.5, 0.8) if fixed else (0.15, 0.3)))
        # The lower half of a hand camera's image belongs to the fingers.
        pixel = rng.uniform([20, 20], [width - 21, (height if fixed else 0.5 * height) - 21])
        ray = [(pixel[0] - intrinsics.cx) / intrinsics.fx, (pixel[1] - intrinsics.cy) / intrinsics.fy, 1.0]
        point = apply(world_from_camera(rig, camera), np.array(ray) * depth_m)
        clear = point[2] > 0.02 and (point[0] > 0.38 or not fixed)
        if clear and all(np.linalg.norm(pixel - other) > 0.1 * width for other in pixels):
            found.append(point)
            pixels.append(pixel)
        if len(found) == count:
            return np.array(found)
    raise AssertionError(f"{camera.name} sees no free place above the table")


@pytest.fixture
def look(engine, open_backend, make_spec):
    """Renders a scene of balls at points, before anything moves."""

    def render(rig, size, balls, cameras, depth=()):
        backend = open_backend(engine, rig=rig, size=size)
        backend.load(make_spec(*((f"{colour} ball", point) for colour, point in balls), rig_name=rig.name))
        backend.reset()
        return backend.observe(cameras, depth)

    return render


INTRINSICS = {
    "as shipped": {},
    "off-centre": {"fx": 400.0, "fy": 400.0, "cx": 290.0, "cy": 262.0},
    "unequal focal lengths": {"fx": 500.0, "fy": 350.0, "cx": 340.5, "cy": 220.5},
}


@pytest.mark.parametrize("intrinsics", INTRINSICS)
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("camera_name", ["static_camera", *HAND_CAMERAS])
def test_balls_appear_where_the_projection_says(rig, look, camera_name, size, intrinsics):
    """Hand cameras look from arms in random poses; no bias of half a pixel hides in the tolerance."""
    rng = np.random.default_rng(sum(map(ord, camera_name)))
    errors = []
    for _ in range(4):
        # Raised a little, so that there is air between hand and table.
        turns = rng.uniform([-0.3, -0.3, -0.3, -0.3, -0.3, -1.0], [0.3, 0.0, 0.0, 0.1, 0.3, 1.0])
        homes = [np.array(arm.home) + turns for arm in rig.arms]
        posed = changed(rig, INTRINSICS[intrinsics], homes if camera_name in HAND_CAMERAS else None)
        camera = posed.camera(camera_name)
        points = points_in_view(posed, camera, size, rng, 3)
        frame = look(posed, size, list(zip(CHANNELS, points, strict=True)), [camera_name])[camera_name]
        assert frame.intrinsics == camera.intrinsics.resized(*size)
        for colour, wanted in zip(CHANNELS, project(posed, camera, size, points), strict=True):
            errors.append(centroid(frame, colour)[0] - wanted)
    errors = np.array(errors)
    assert np.abs(errors).max() < 1.0
    assert np.abs(errors.mean(axis=0)).max() < 0.25


def test_static_image_is_not_mirrored_or_upside_down(rig, look):
    """From above, image top is away from the robot and image left is the robot's left."""
    balls = [("red", (0.45, 0.0, 0.1)), ("green", (0.3, 0.2, 0.1)), ("blue", (0.3, 0.0, 0.1))]
    frame = look(rig, (640, 480), balls, ["static_camera"])["static_camera"]
    (red, _), (green, _), (blue, _) = (centroid(frame, colour) for colour in ("red", "green", "blue"))
    assert red[1] < blue[1] - 50 and abs(red[0] - blue[0]) < 2
    assert green[0] < blue[0] - 50 and abs(green[1] - blue[1]) < 2


def test_hand_image_shows_the_hand_below(rig, look):
    """The palm's camera looks past the fingers, which stay at the bottom of its image, left and right."""
    balls = [("red", (0.3, 0.3, 0.2)), ("green", (0.3, 0.0, 0.006))]
    for name in HAND_CAMERAS:
        frame = look(rig, (640, 480), balls, [name], [name])[name]
        metres = frame.depth_mm / 1e3
        near = (metres > 0) & (metres < 0.14)
        left, right = near[300:, :250], near[300:, 390:]
        assert left.mean() > 0.1 and right.mean() > 0.1
        assert not near[:240].any()


@pytest.mark.parametrize("intrinsics", INTRINSICS)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_depth_of_the_table_is_the_distance_along_the_optical_axis(rig, look, size, intrinsics):
    tilted = [np.array(arm.home) + [0, -0.15, 0.1, 0.08, 0.2, 0.1] for arm in rig.arms]
    posed = changed(rig, INTRINSICS[intrinsics], tilted)
    names = [camera.name for camera in rig.cameras]
    balls = [("red", (0.7, 0.65, 0.006)), ("green", (0.7, -0.65, 0.006))]
    for name, frame in look(posed, size, balls, names, names).items():
        camera = posed.camera(name)
        rows, columns = np.mgrid[0 : size[1], 0 : size[0]]
        intrinsics_now = frame.intrinsics
        rays = np.stack(
            [(columns - intrinsics_now.cx) / intrinsics_now.fx, (rows - intrinsics_now.cy) / intrinsics_now.fy,
             np.ones(columns.shape)], axis=-1
        )  # fmt: skip
        world = world_from_camera(posed, camera)
        analytic_m = -world[2, 3] / (rays @ world[2, :3])
        on_table = apply(world, rays * analytic_m[..., None])
        # Free table: away from the balls and the edge; in front of the hands, or above the fingers in their image.
        free = (on_table[..., 0] < 0.65) & (np.abs(on_table[..., 1]) < 0.55)
        free &= rows < 0.4 * size[1] if camera.arm_and_link else on_table[..., 0] > 0.4
        free &= analytic_m < camera.depth_range_m[1] - 0.002
        assert free.sum() > 300, name
        assert np.abs(frame.depth_mm[free] - analytic_m[free] * 1e3).max() < 1.0, name


def test_depth_out_of_range_is_zero(rig, look):
    balls = [("red", (0.4, 0.0, 0.2)), ("green", (0.5, 0.2, 0.006))]
    table_mm = 850
    for range_m, ball_seen, table_seen in (
        ((0.4, 6.0), True, True),
        ((0.4, 0.8), True, False),
        ((0.7, 0.9), False, True),
    ):
        frame = look(changed(rig, depth_range_m=range_m), (640, 480), balls, ["static_camera"], ["static_camera"])
        depth = frame["static_camera"].depth_mm
        _, ball = centroid(frame["static_camera"], "red")
        assert np.all((depth[ball] > 0) == ball_seen)
        assert (depth[100:140, 200:440] == (table_mm if table_seen else 0)).all()
        seen = depth[depth > 0]
        assert seen.min() >= 1e3 * range_m[0] and seen.max() <= 1e3 * range_m[1]


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_colour_and_depth_are_of_the_same_pixels(rig, look, size):
    """A ball high above the table covers the same pixels in both."""
    balls = [("red", (0.5, 0.11, 0.3)), ("green", (0.5, -0.17, 0.25))]
    frame = look(rig, size, balls, ["static_camera"], ["static_camera"])["static_camera"]
    high = (frame.depth_mm > 0) & (frame.depth_mm < 700)
    rows, columns = np.nonzero(high)
    beyond_hands = np.zeros_like(high)
    beyond_hands[: round(0.45 * size[1])] = True
    coloured = centroid(frame, "red")[1] | centroid(frame, "green")[1]
    assert coloured.sum() > 15 and len(rows)
    assert np.array_equal(high & beyond_hands, coloured)
