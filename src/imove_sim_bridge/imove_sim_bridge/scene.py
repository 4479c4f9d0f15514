"""Composes a MuJoCo model from an episode spec, a rig and the asset library."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import mujoco
import numpy as np

from imove_core.episode_rig import episode_rig
from imove_core.errors import ImoveError, unknown_name
from imove_core.rig import Arm, Camera, Rig
from imove_core.spec import EpisodeSpec
from imove_description.arm_model import ArmModel
from imove_description.meshes import mesh_files
from imove_description.mjcf import arm_mjcf
from imove_sim_bridge.contacts import TABLE
from imove_sim_bridge.lighting import KEY_LIGHT, set_light
from imove_sim_bridge.object_bodies import add_object, quaternion_wxyz
from imove_sim_bridge.physics import TABLE_FRICTION, TABLE_THICKNESS_M, set_options
from imove_sim_bridge.scene_index import Scene, index_scene
from imove_sim_bridge.surroundings import FLOOR, add_clutter, add_room, set_table
from imove_tasks.assets.model import Asset
from imove_tasks.randomization.rooms import FLOOR_Z_M, room

# MuJoCo cameras look along -z with y up; optical frames look along +z with y down.
_OPTICAL_FROM_MUJOCO = np.diag([1.0, -1.0, -1.0])
RISER_WIDTH_M = 0.11
RISER_RGBA = (0.30, 0.31, 0.33, 1.0)


def compose_base(rig: Rig, width: int, height: int) -> mujoco.MjSpec:
    """Table, floor, light, arms and cameras of a rig, without objects; images are `width` by `height`."""
    spec = mujoco.MjSpec()
    set_options(spec, rig.control_rate_hz)
    spec.visual.global_.offwidth, spec.visual.global_.offheight = width, height
    # On a software renderer multisampling doubles the cost of a frame, and room for shadows costs 40 ms a model.
    spec.visual.quality.offsamples = 0
    spec.visual.quality.shadowsize = 0
    spec.visual.map.znear, spec.visual.map.zfar = 0.01, 10.0
    spec.stat.extent = 1.0
    spec.stat.center = [0.3, 0.0, 0.1]
    spec.visual.headlight.specular = [0.0] * 3
    world = spec.worldbody
    world.add_light(name=KEY_LIGHT, castshadow=False, type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL)
    for name, height_m, thickness in ((TABLE, 0.0, TABLE_THICKNESS_M), (FLOOR, FLOOR_Z_M, 0.02)):
        x, y = (rig.table.x, rig.table.y) if name == TABLE else ((-2.0, 2.5), (-2.5, 2.5))
        world.add_geom(
            name=name,
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=[(x[1] - x[0]) / 2, (y[1] - y[0]) / 2, thickness / 2],
            pos=[(x[0] + x[1]) / 2, (y[0] + y[1]) / 2, height_m - thickness / 2],
            friction=TABLE_FRICTION,
            condim=4,
        )
    models = {arm.model: _arm_spec(arm.arm_model) for arm in rig.arms}
    for arm in rig.arms:
        frame = world.add_frame(
            pos=arm.world_from_base.matrix[:3, 3], quat=quaternion_wxyz(arm.world_from_base.matrix[:3, :3])
        )
        spec.attach(models[arm.model].copy(), prefix=f"{arm.name}/", frame=frame)
        _add_riser(world, arm)
    for camera in rig.cameras:
        _add_camera(spec, camera, width, height)
    return spec


def _add_riser(world: mujoco.MjsBody, arm: Arm) -> None:
    """What an arm stands on whose base is above the table: a block as wide as a small arm's foot."""
    x, y, height_m = arm.world_from_base.matrix[:3, 3]
    if height_m <= 0:
        return
    world.add_geom(
        name=f"{arm.name}/riser",
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=[RISER_WIDTH_M / 2, RISER_WIDTH_M / 2, height_m / 2],
        pos=[x, y, height_m / 2],
        rgba=RISER_RGBA,
    )


def _arm_spec(model: ArmModel) -> mujoco.MjSpec:
    """An arm by itself, names unprefixed, to be attached."""
    return mujoco.MjSpec.from_string(arm_mjcf(model), assets=mesh_files(model))


def _add_camera(spec: mujoco.MjSpec, camera: Camera, width: int, height: int) -> None:
    place = camera.arm_and_link
    parent = spec.worldbody if place is None else spec.body(f"{place[0]}/{place[1]}")
    intrinsics = camera.intrinsics.resized(width, height)
    added = parent.add_camera(name=camera.name)
    _place_camera(added, camera)
    added.resolution = [width, height]
    added.sensor_size = [width * 1e-5, height * 1e-5]
    added.focal_pixel = [intrinsics.fx, intrinsics.fy]
    # MuJoCo's offset is that of the image's middle from the principal point.
    added.principal_pixel = [(width - 1) / 2 - intrinsics.cx, (height - 1) / 2 - intrinsics.cy]


def _place_camera(added: mujoco.MjsCamera, camera: Camera) -> None:
    pose = camera.parent_from_optical.matrix
    added.pos = pose[:3, 3]
    added.quat = quaternion_wxyz(pose[:3, :3] @ _OPTICAL_FROM_MUJOCO)


def find_assets(spec: EpisodeSpec, find_asset: Callable[[str], Asset]) -> dict[str, Asset]:
    """All assets of an episode by UUID, those of clutter too; `find_asset` raises ImoveError where there is none."""
    used = [item.asset for item in spec.objects] + [item.asset for item in spec.randomization.clutter]
    return {uuid: find_asset(uuid) for uuid in used}


def compile_scene(base: mujoco.MjSpec, rig: Rig, spec: EpisodeSpec, assets: Mapping[str, Asset]) -> Scene:
    """Adds the objects of `spec` and all that its randomisation drew to a copy of `base`, and compiles it.

    Args:
        base: From `compose_base`.
        rig: The rig of `base`.
        spec: Which objects, and how it looks.
        assets: By UUID, from `find_assets`.

    Raises:
        ImoveError: An asset is another one than the spec was made with, or a draw names what is not there.
    """
    draws = spec.randomization
    ids = tuple(item.id for item in spec.objects)
    for named in draws.finishes:
        if named not in ids:
            raise unknown_name(f"object of {spec.id} to be finished", named, ids)
    scene, actual_rig = base.copy(), episode_rig(rig, draws)
    used = tuple(_checked_asset(item.id, item.asset_hash, assets[item.asset]) for item in spec.objects)
    for object_id, asset in zip(ids, used, strict=True):
        add_object(scene, object_id, asset, draws.finishes.get(object_id))
    for index, item in enumerate(draws.clutter):
        _checked_asset(f"clutter {index}", item.asset_hash, assets[item.asset])
    set_light(scene, draws.light)
    set_table(scene, draws.table)
    background = room(draws.background)
    add_clutter(scene, add_room(scene, background, rig.table), background, draws.clutter, assets)
    for name in draws.camera_offsets:
        _place_camera(scene.camera(name), actual_rig.camera(name))
    return index_scene(scene.compile(), actual_rig, ids, used)


def _checked_asset(place: str, asset_hash: str, asset: Asset) -> Asset:
    if asset.content_hash() != asset_hash:
        raise ImoveError(
            f"asset {asset.name!r} of {place} has hash {asset.content_hash()[:12]}; the spec was made with "
            f"{asset_hash[:12]}"
        )
    return asset
