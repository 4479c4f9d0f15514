"""What an independent engine, MuJoCo, says of every asset: rays measure it, and it stays where it is put."""

import mujoco
import numpy as np
import pytest

from imove_tasks.assets import Asset, AssetLibrary, CollisionPart
from imove_tasks.assets.builders import BUILDERS
from imove_tasks.assets.measure import color_shares

LIBRARY = AssetLibrary.generate()
TABLE_TOP_M = 0.0
GEOMS = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "ellipsoid": mujoco.mjtGeom.mjGEOM_ELLIPSOID,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
    "hull": mujoco.mjtGeom.mjGEOM_MESH,
}


def _add_part(spec: mujoco.MjSpec, body: mujoco.MjsBody, part: CollisionPart, name: str, **options) -> None:
    quaternion = np.empty(4)
    mujoco.mju_mat2Quat(quaternion, part.object_from_part[:3, :3].ravel())
    if part.vertices is not None:
        spec.add_mesh(name=name, uservert=part.vertices.ravel())
        options["meshname"] = name
    else:
        options["size"] = [*part.size, 0.0, 0.0][:3]
    body.add_geom(type=GEOMS[part.shape], pos=part.object_from_part[:3, 3], quat=quaternion, **options)


def contact_model(asset: Asset) -> mujoco.MjModel:
    """The asset's contact parts, fixed at the origin."""
    spec = mujoco.MjSpec()
    for index, part in enumerate(asset.collisions):
        _add_part(spec, spec.worldbody, part, f"part{index}")
    return spec.compile()


def visual_model(asset: Asset) -> mujoco.MjModel:
    """The asset's meshes, fixed at the origin; geom i is mesh i."""
    spec = mujoco.MjSpec()
    shell = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
    for index, mesh in enumerate(asset.visuals):
        spec.add_mesh(name=f"mesh{index}", uservert=mesh.vertices.ravel(), userface=mesh.faces.ravel(), inertia=shell)
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=f"mesh{index}")
    return spec.compile()


def drop_model(asset: Asset, height_m: float) -> mujoco.MjModel:
    """The asset as a free body with its lowest point ``height_m`` above a table."""
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.timestep = 1 / 480
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.5, 0.5, 0.02], pos=[0, 0, TABLE_TOP_M - 0.02])
    body = spec.worldbody.add_body(pos=[0.0, 0.0, TABLE_TOP_M - asset.box_min[2] + height_m])
    body.add_freejoint()
    total = sum(part.volume_m3 for part in asset.collisions)
    for index, part in enumerate(asset.collisions):
        _add_part(
            spec,
            body,
            part,
            f"part{index}",
            mass=asset.mass_kg * part.volume_m3 / total,
            condim=6 if asset.rolling_friction else 4,
            friction=[asset.friction, 0.005, asset.rolling_friction or 1e-4],
        )
    return spec.compile()


def first_hit(
    model: mujoco.MjModel, data: mujoco.MjData, start: np.ndarray, direction: np.ndarray
) -> tuple[float, int]:
    """Distance to the first geom along a ray and its number; -1 where nothing is hit."""
    geom = np.full((1, 1), -1, dtype=np.int32)
    aside = np.array([1.3e-4, 0.9e-4, 1.1e-4])  # a ray through an edge of a mesh may slip between its triangles
    distance = mujoco.mj_ray(model, data, start + aside, direction, None, True, -1, geom)
    return distance, int(geom[0, 0])


@pytest.fixture(params=BUILDERS)
def assets(request) -> tuple[Asset, ...]:
    """All instances of one category."""
    return LIBRARY.in_category(request.param)


def test_grip_widths_are_what_rays_from_both_sides_measure(assets):
    for asset in assets:
        if not asset.grips:
            continue
        model = contact_model(asset)
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        for grip in asset.grips:
            gaps = [
                first_hit(model, data, grip.center - sign * 0.2 * grip.closing_axis, sign * grip.closing_axis)[0]
                for sign in (1.0, -1.0)
            ]
            assert min(gaps) > 0
            assert 0.4 - sum(gaps) == pytest.approx(grip.width_m, abs=0.002), asset.name
            assert gaps[0] == pytest.approx(gaps[1], abs=0.002), asset.name  # the centre is in the middle


def test_free_yaw_is_claimed_only_where_the_width_hardly_changes(assets):
    for asset in assets:
        free = [grip for grip in asset.grips if grip.free_yaw]
        if not free:
            continue
        model = contact_model(asset)
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        for yaw in np.linspace(0.0, np.pi, 7):
            axis = np.array([np.cos(yaw), np.sin(yaw), 0.0])
            gaps = [first_hit(model, data, free[0].center - s * 0.2 * axis, s * axis)[0] for s in (1.0, -1.0)]
            assert 0.4 - sum(gaps) == pytest.approx(free[0].width_m, abs=0.002), asset.name


def test_colour_word_is_what_rays_from_above_see(assets):
    asset = assets[1]
    model = visual_model(asset)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    seen = np.zeros(len(asset.visuals))
    for toward in np.array([(0, 0, 1), (1, 0, 1), (-1, 0, 1), (0, 1, 1), (0, -1, 1)], dtype=float):
        toward /= np.linalg.norm(toward)
        right = np.cross((0.0, 1.0, 0.0), toward) if toward[1] == 0 else np.array([1.0, 0.0, 0.0])
        right /= np.linalg.norm(right)
        up = np.cross(toward, right)
        reach = np.linalg.norm(asset.extents) / 2.0
        hits = [
            first_hit(model, data, toward + right * u + up * v, -toward)[1]
            for u in np.linspace(-reach, reach, 20)
            for v in np.linspace(-reach, reach, 20)
        ]
        counts = np.bincount([hit for hit in hits if hit >= 0], minlength=len(seen))
        seen += counts / counts.sum()
    words = color_shares(asset.visuals, seen.tolist())
    assert words[0][0] == asset.color, words


def test_regions_lie_on_a_floor_inside_the_walls():
    for asset in (LIBRARY.in_category(name)[0] for name in LIBRARY.categories()):
        if asset.region is None:
            continue
        model = contact_model(asset)
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        x, y = np.array(asset.region.half_extents) * 0.9
        for offset in ((0, 0), (x, 0), (-x, 0), (0, y), (0, -y)):
            start = asset.region.center + [*offset, 0.2]
            distance, _ = first_hit(model, data, start, np.array([0.0, 0.0, -1.0]))
            assert distance == pytest.approx(0.2, abs=0.0005), asset.name


def test_dropped_from_two_millimetres_it_rests_in_its_stable_pose(assets):
    for asset in assets[:3]:
        model = drop_model(asset, height_m=0.002)
        data = mujoco.MjData(model)
        mujoco.mj_step(model, data, nstep=480)
        rotation = np.empty(9)
        mujoco.mju_quat2Mat(rotation, data.qpos[3:])
        tilt_deg = np.degrees(np.arccos(np.clip((np.trace(rotation.reshape(3, 3)) - 1.0) / 2.0, -1.0, 1.0)))
        at_rest = [0.0, 0.0, TABLE_TOP_M - asset.box_min[2]]
        np.testing.assert_allclose(data.qpos[:3], at_rest, atol=0.002, err_msg=asset.name)
        assert tilt_deg < 3.0, asset.name
        assert np.abs(data.qvel[:3]).max() < 0.005, asset.name


def test_a_nudge_does_not_roll_it_away(assets):
    asset = assets[0]
    model = drop_model(asset, height_m=0.0)
    for velocity in ((0.2, 0.0), (0.0, 0.2)):
        data = mujoco.MjData(model)
        data.qvel[:2] = velocity
        mujoco.mj_step(model, data, nstep=720)
        assert np.hypot(*data.qpos[:2]) < 0.05, asset.name
        assert np.abs(data.qvel[:3]).max() < 0.005, asset.name
