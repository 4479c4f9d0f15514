"""Each factor of the randomisation changes the pixels that it is about, and nothing else: no other pixel, no motion."""

import numpy as np
import pytest

from imove_core.errors import ImoveError
from imove_core.randomization import PLAIN, Clutter, Offset, Randomization, TableSurface
from imove_core.rig import load_rig
from imove_core.spec import EpisodeSpec
from imove_sim_bridge.backend import CameraFrame
from imove_sim_bridge.registry import backend_names
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.randomization.patterns import TABLE_PATTERNS
from imove_tasks.randomization.rooms import PLACE_NAMES, room_names

from .pixels import differing, inside_box, world_points

pytestmark = pytest.mark.parametrize("engine", backend_names())

STATIC = "static_camera"
SIZE = (160, 120)
OFFSETS = (0.04, -0.03, 0.02, 0.05, -0.04, 0.03)
ROOMS = [name for name in room_names() if name != "plain"]
PAINTED = [name for name in TABLE_PATTERNS if name != "plain"]


def looks(**changes: object) -> Randomization:
    return PLAIN.model_copy(update=changes)


def with_looks(spec: EpisodeSpec, **changes: object) -> EpisodeSpec:
    return spec.model_copy(update={"randomization": looks(**changes)})


def table(pattern: str, rgb: tuple[float, float, float] = (0.6, 0.5, 0.4), seed: int = 1) -> TableSurface:
    return TableSurface(pattern=pattern, seed=seed, rgb=rgb)


@pytest.fixture(scope="module")
def clutter(library: AssetLibrary) -> tuple[Clutter, ...]:
    """Graspable objects, one at each place."""
    rows = [row for row in library.rows("seen") if "is_graspable" in row.tags][: 60 * len(PLACE_NAMES) : 60]
    return tuple(
        Clutter(asset=row.uuid, asset_hash=row.content_hash, place=place, yaw_rad=0.5)
        for row, place in zip(rows, PLACE_NAMES, strict=True)
    )


@pytest.fixture
def scene(drawn: list[EpisodeSpec]) -> EpisodeSpec:
    """A shipped scene that looks plain."""
    return with_looks(drawn[0])


@pytest.fixture
def see(engine, open_backend):
    """Renders the static camera, or others, of a spec before anything moves; the simulator is kept."""
    backend = open_backend(engine, size=SIZE)

    def render(spec: EpisodeSpec, cameras: tuple[str, ...] = (STATIC,)) -> dict[str, CameraFrame]:
        backend.load(spec)
        backend.reset()
        return backend.observe(cameras, cameras)

    return render


@pytest.fixture
def table_pixels(see, scene):
    """Where the static camera sees the table's surface: what changes with its plain colour."""
    purple = see(with_looks(scene, table=table("plain", (0.9, 0.1, 0.9))))[STATIC]
    return differing(purple, see(scene)[STATIC])


@pytest.mark.parametrize("pattern", PAINTED)
def test_a_table_pattern_changes_table_pixels_alone(see, scene, table_pixels, pattern) -> None:
    painted = see(with_looks(scene, table=table(pattern)))[STATIC]
    plain = see(with_looks(scene, table=table("plain")))[STATIC]
    assert table_pixels.mean() > 0.5
    changed = differing(painted, plain)
    assert not changed[~table_pixels].any()
    assert changed[table_pixels].mean() > 0.7
    assert np.array_equal(painted.depth_mm, plain.depth_mm)
    other = see(with_looks(scene, table=table(pattern, seed=2)))[STATIC]
    assert differing(other, painted).any()


@pytest.mark.parametrize("name", ROOMS)
def test_a_room_changes_only_what_lies_beyond_the_table(see, scene, rig, name) -> None:
    plain, shown = see(scene)[STATIC], see(with_looks(scene, background=name))[STATIC]
    points = world_points(rig.camera(STATIC), plain)
    changed = differing(plain, shown)
    assert changed.any()
    assert not changed[points[..., 2] > -0.05].any()
    assert np.array_equal(plain.depth_mm[~changed], shown.depth_mm[~changed])


def test_light_changes_everything_that_is_lit_and_no_shape(see, scene) -> None:
    plain = see(scene)[STATIC]
    for change in ({"temperature_k": 3000.0}, {"intensity": 0.3}, {"ambient": 0.1}, {"tint": (1.2, 1.0, 1.0)}):
        lit = see(with_looks(scene, light=PLAIN.light.model_copy(update=change)))[STATIC]
        assert differing(plain, lit).mean() > 0.9, change
        assert np.array_equal(plain.depth_mm, lit.depth_mm)
    warm = see(with_looks(scene, light=PLAIN.light.model_copy(update={"temperature_k": 3000.0})))[STATIC]
    mean = warm.rgb.mean(axis=(0, 1)) / plain.rgb.mean(axis=(0, 1))
    assert mean[0] > 1.02 and mean[2] < 0.9


def test_the_direction_of_light_is_the_one_that_is_said(engine, open_backend, make_spec) -> None:
    """A ball is brighter on the side of the light."""
    backend = open_backend(engine, size=(640, 480))
    spec = make_spec(("red ball", (0.5, 0.0, 0.2)), ("green ball", (0.5, 0.3, 0.006)))
    for toward, axis, sign in (((0.0, 0.8, 0.6), 1, -1), ((0.8, 0.0, 0.6), 0, -1), ((0.0, -0.8, 0.6), 1, 1)):
        low = PLAIN.light.model_copy(update={"toward_light": toward, "ambient": 0.0})
        backend.load(with_looks(spec, light=low))
        backend.reset()
        frame = backend.observe([STATIC])[STATIC]
        red = frame.rgb[..., 0].astype(float) * (frame.rgb[..., 1] < 10) * (frame.rgb[..., 0] > 20)
        # In the image +x is up and +y is left.
        along = np.arange(red.shape[1 if axis == 1 else 0])
        levels = red.max(axis=0 if axis == 1 else 1)
        seen = np.flatnonzero(levels)
        middle = (seen[0] + seen[-1]) / 2
        brightest = along[levels > 0.9 * levels.max()].mean()
        assert sign * (brightest - middle) > 0


def test_a_finish_changes_the_pixels_of_its_object_alone(see, scene, rig, library) -> None:
    low_light = PLAIN.light.model_copy(update={"toward_light": (0.0, 0.6, 0.8)})
    plain = see(with_looks(scene, light=low_light))[STATIC]
    points = world_points(rig.camera(STATIC), plain)
    changed_objects = 0
    for item in scene.objects:
        asset = library.get(item.asset)
        corners = np.array(np.meshgrid(*np.stack([asset.box_min, asset.box_max], 1))).reshape(3, -1).T
        world = corners @ item.world_from_object[:3, :3].T + item.world_from_object[:3, 3]
        box = inside_box(points, world.min(axis=0) - 0.004, world.max(axis=0) + 0.004)
        changed_by_it = 0
        for finish in asset.finishes:
            finished = see(with_looks(scene, light=low_light, finishes={item.id: finish}))[STATIC]
            changed = differing(plain, finished)
            assert not changed[~box].any(), (item.id, finish)
            assert np.array_equal(plain.depth_mm, finished.depth_mm)
            changed_by_it += int(changed.any())
        # The usual finish is the one that it was made with.
        assert changed_by_it < len(asset.finishes)
        changed_objects += changed_by_it > 0
    assert changed_objects >= 2


def test_a_camera_offset_moves_that_camera_alone(see, scene, rig) -> None:
    """A camera 2 cm closer to the table measures it 2 cm nearer."""
    names = tuple(camera.name for camera in rig.cameras)
    plain = see(scene, names)
    for name in names:
        offset = Offset(translation_m=(0.0, 0.0, 0.02))
        moved = see(with_looks(scene, camera_offsets={name: offset}), names)
        for other in names:
            assert differing(plain[other], moved[other]).any() == (other == name)
            assert plain[other].intrinsics == moved[other].intrinsics
    moved = see(with_looks(scene, camera_offsets={STATIC: Offset(translation_m=(0.0, 0.0, 0.02))}), names)[STATIC]
    middle = np.s_[15:30, 60:100]
    assert np.array_equal(moved.depth_mm[middle], plain[STATIC].depth_mm[middle] - 20)


def test_clutter_is_seen_in_the_room_alone(engine, open_backend, make_spec, clutter) -> None:
    rig = load_rig("franka_single")
    names = [camera.name for camera in rig.cameras if camera.arm_and_link is None]
    backend = open_backend(engine, rig=rig, size=SIZE)
    spec = make_spec(("block", (0.4, 0.1, 0.025)), ("other block", (0.4, -0.1, 0.025)), rig_name=rig.name)
    frames = []
    for things in ((), clutter):
        backend.load(with_looks(spec, background="living_room", clutter=things))
        backend.reset()
        frames.append(backend.observe(names, names))
    changed_anywhere = 0
    for name in names:
        empty, cluttered = (frame[name] for frame in frames)
        points = world_points(rig.camera(name), cluttered)
        changed = differing(empty, cluttered)
        changed_anywhere += changed.sum()
        assert not changed[inside_box(points, np.array([-0.5, -1.0, -0.05]), np.array([1.1, 1.0, 1.0]))].any()
    assert changed_anywhere > 20


def test_arms_start_where_the_offsets_say_and_stay(backend, scene, rig) -> None:
    backend.load(scene)
    plain = backend.reset()
    backend.load(with_looks(scene, joint_offsets_rad={"right": OFFSETS}))
    state = backend.reset()
    wanted = rig.home_positions
    wanted[rig.arm("left").size :][: len(OFFSETS)] += OFFSETS
    np.testing.assert_allclose(state.robot.positions, wanted, atol=1e-12)
    np.testing.assert_allclose(backend.joint_targets(), wanted, atol=1e-12)
    for before, after in zip(plain.objects, state.objects, strict=True):
        assert np.array_equal(before.position, after.position)
        assert np.array_equal(before.quaternion_xyzw, after.quaternion_xyzw)
    last = backend.advance({}, 15)[-1]
    np.testing.assert_allclose(last.robot.positions, wanted, atol=2e-3)
    assert not any(item.moved or item.touched_by for item in last.objects)


def test_looks_leave_every_bit_of_the_motion(backend, blocks, rig, sweep, bits, clutter) -> None:
    """A hand pushes a block in every room, on every table, in other light, with other finishes and cameras."""
    backend.load(with_looks(blocks))
    wanted = bits(sweep(backend, rig))
    changes: list[dict[str, object]] = [{"background": name} for name in ROOMS]
    changes += [{"table": table(name)} for name in PAINTED]
    changes += [
        {"light": PLAIN.light.model_copy(update={"temperature_k": 3000.0, "toward_light": (0.0, 0.6, 0.8)})},
        {"finishes": {"object_0": "glossy"}},
        {"camera_offsets": {STATIC: Offset(translation_m=(0.01, 0.0, 0.0), rotation_rad=(0.0, 0.02, 0.0))}},
        {"clutter": clutter},
        {"background": "workshop", "clutter": clutter, "table": table("wood")},
    ]
    for change in changes:
        backend.load(with_looks(blocks, **change))
        assert bits(sweep(backend, rig)) == wanted, change


REFUSALS = {
    "background": ({"background": "garden"}, "unknown background 'garden'; allowed: .*kitchen"),
    "pattern": ({"table": table("lava")}, "unknown table pattern 'lava'; allowed: .*wood"),
    "finish": ({"finishes": {"object_0": "furry"}}, "furry"),
    "object": ({"finishes": {"object_7": "matte"}}, "'object_7'; allowed: object_0, object_1"),
    "arm": ({"joint_offsets_rad": {"third": (0.0,) * 6}}, "'third'"),
    "limits": ({"joint_offsets_rad": {"left": (0.0, 9.0, 0.0, 0.0, 0.0, 0.0)}}, "left_joint2"),
    "camera": ({"camera_offsets": {"front": Offset()}}, "'front'"),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_draws_that_name_what_is_not_there_are_refused(backend, blocks, case) -> None:
    change, message = REFUSALS[case]
    with pytest.raises(ImoveError, match=message) as caught:
        backend.load(with_looks(blocks, **change))
    assert "\n" not in str(caught.value)


def test_clutter_that_does_not_fit_is_refused(backend, blocks, clutter) -> None:
    stale = clutter[0].model_copy(update={"asset_hash": "0" * 64})
    elsewhere = clutter[0].model_copy(update={"place": "attic"})
    for item, message in ((stale, "clutter 0 has hash"), (elsewhere, "place of background plain 'attic'; allowed")):
        with pytest.raises(ImoveError, match=message):
            backend.load(with_looks(blocks, clutter=(item,)))
