"""Composes a MuJoCo model from an episode spec, a rig and the asset library."""

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from imove_core.errors import ImoveError
from imove_core.randomization import Randomization
from imove_core.rig import Camera, Rig
from imove_core.spec import EpisodeSpec, SceneObject
from imove_core.transforms import Array, quaternion_from_rotation
from imove_description.arm_model import ArmModel
from imove_description.meshes import mesh_files
from imove_description.mjcf import arm_mjcf
from imove_sim_bridge.contacts import TABLE, Owners
from imove_sim_bridge.rendering import COLLISION_GROUP, View
from imove_tasks.assets.looks import Material, VisualMesh
from imove_tasks.assets.model import Asset, CollisionPart
from imove_tasks.assets.normals import corner_normals

VISUAL_GROUP = 2
SUBSTEPS = 16
"""Physics steps a control step: 1/480 s at 30 Hz."""
TABLE_THICKNESS_M = 0.04
TABLE_FRICTION = (0.8, 0.005, 0.0001)
"""Sliding, torsional and rolling friction of the table, as MuJoCo has them."""
FLOOR_HEIGHT_M = -0.75
# MuJoCo cameras look along -z with y up; optical frames look along +z with y down.
_OPTICAL_FROM_MUJOCO = np.diag([1.0, -1.0, -1.0])
_SHAPES = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "ellipsoid": mujoco.mjtGeom.mjGEOM_ELLIPSOID,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
    "hull": mujoco.mjtGeom.mjGEOM_MESH,
}


@dataclass(frozen=True)
class Scene:
    """A compiled model and where things are in it; K objects, D rig joints.

    Attributes:
        model: Compiled model.
        object_qpos: (K, 7) addresses of position and quaternion, here in the order x, y, z, w.
        object_qvel: (K, 6) addresses of linear and angular velocity.
        object_bodies: (K,) body ids.
        joint_qpos: (D,) addresses of arm joints; for a gripper the first finger.
        joint_qvel: (D,) the same in velocities.
        opening_scale: (D,) 2 for grippers, whose opening is twice a finger's travel, else 1.
        finger_qpos: Addresses of both fingers of each arm.
        actuators: (D,) actuator ids in rig order.
        cameras: By rig camera name.
        owners: Who owns each geom.
        assets: Asset of each object.
    """

    model: mujoco.MjModel
    object_qpos: Array
    object_qvel: Array
    object_bodies: Array
    joint_qpos: Array
    joint_qvel: Array
    opening_scale: Array
    finger_qpos: tuple[tuple[int, int], ...]
    actuators: Array
    cameras: dict[str, View]
    owners: Owners
    assets: tuple[Asset, ...]


def set_options(spec: mujoco.MjSpec, control_rate_hz: int) -> None:
    """Contact and integration settings under which grasps hold: elliptic cone, impratio 10, implicitfast."""
    spec.option.timestep = 1.0 / (control_rate_hz * SUBSTEPS)
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10
    spec.option.iterations = 50


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
    spec.visual.headlight.diffuse = [0.25] * 3
    spec.visual.headlight.specular = [0.0] * 3
    world = spec.worldbody
    world.add_light(name="key", castshadow=False, type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL)
    for name, height_m, thickness in ((TABLE, 0.0, TABLE_THICKNESS_M), ("floor", FLOOR_HEIGHT_M, 0.02)):
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
        frame = world.add_frame(pos=arm.world_from_base.matrix[:3, 3], quat=_wxyz(arm.world_from_base.matrix))
        spec.attach(models[arm.model].copy(), prefix=f"{arm.name}/", frame=frame)
    for camera in rig.cameras:
        _add_camera(spec, camera, width, height)
    return spec


def _arm_spec(model: ArmModel) -> mujoco.MjSpec:
    """An arm by itself, names unprefixed, to be attached."""
    return mujoco.MjSpec.from_string(arm_mjcf(model), assets=mesh_files(model))


def _add_camera(spec: mujoco.MjSpec, camera: Camera, width: int, height: int) -> None:
    place = camera.arm_and_link
    parent = spec.worldbody if place is None else spec.body(f"{place[0]}/{place[1]}")
    pose = camera.parent_from_optical.matrix
    intrinsics = camera.intrinsics.resized(width, height)
    added = parent.add_camera(name=camera.name, pos=pose[:3, 3])
    added.quat = quaternion_wxyz(pose[:3, :3] @ _OPTICAL_FROM_MUJOCO)
    added.resolution = [width, height]
    added.sensor_size = [width * 1e-5, height * 1e-5]
    added.focal_pixel = [intrinsics.fx, intrinsics.fy]
    # MuJoCo's offset is that of the image's middle from the principal point.
    added.principal_pixel = [(width - 1) / 2 - intrinsics.cx, (height - 1) / 2 - intrinsics.cy]


def add_object(spec: mujoco.MjSpec, name: str, asset: Asset) -> None:
    """Adds a free body with the asset's visual meshes and contact parts."""
    body = spec.worldbody.add_body(name=name)
    body.add_freejoint(name=name)
    add_visuals(spec, body, name, asset.visuals)
    add_contact_parts(spec, body, name, asset)


def add_contact_parts(spec: mujoco.MjSpec, body: mujoco.MjsBody, name: str, asset: Asset) -> None:
    """Adds an asset's contact parts to a body, with its mass spread over them; their names start with `name`."""
    volumes = np.array([part.volume_m3 for part in asset.collisions])
    for index, (part, share) in enumerate(zip(asset.collisions, volumes / volumes.sum(), strict=True)):
        _add_part(spec, body, f"{name}/part{index}", part, asset, share * asset.mass_kg)


def add_visuals(spec: mujoco.MjSpec, body: mujoco.MjsBody, name: str, visuals: Sequence[VisualMesh]) -> None:
    """Adds meshes to a body, to be seen only; their names start with `name`."""
    for index, visual in enumerate(visuals):
        mesh = f"{name}/visual{index}"
        _add_mesh(spec, mesh, visual)
        _add_material(spec, mesh, visual.material)
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_MESH,
            meshname=mesh,
            material=mesh,
            group=VISUAL_GROUP,
            contype=0,
            conaffinity=0,
            mass=0,
        )


def _add_part(
    spec: mujoco.MjSpec, body: mujoco.MjsBody, name: str, part: CollisionPart, asset: Asset, mass_kg: float
) -> None:
    geom = body.add_geom(
        name=name,
        type=_SHAPES[part.shape],
        group=COLLISION_GROUP,
        mass=mass_kg,
        condim=6 if asset.rolling_friction > 0 else 4,
        friction=[asset.friction, 0.01, max(asset.rolling_friction, 1e-4)],
        pos=part.object_from_part[:3, 3],
    )
    geom.quat = _wxyz(part.object_from_part)
    if part.vertices is None:
        geom.size = [*part.size, *([0.0] * (3 - len(part.size)))]
    else:
        spec.add_mesh(name=name, uservert=part.vertices.ravel())
        geom.meshname = name


def _add_mesh(spec: mujoco.MjSpec, name: str, visual: VisualMesh) -> None:
    faces = np.arange(visual.faces.size, dtype=np.int32)
    mesh = spec.add_mesh(
        name=name,
        uservert=visual.vertices[visual.faces.ravel()].ravel(),
        userface=faces,
        usernormal=corner_normals(visual).ravel(),
        userfacenormal=faces,
        inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
    )
    if visual.uv is not None:
        mesh.usertexcoord = (visual.uv.reshape(-1, 2) * [1.0, -1.0] + [0.0, 1.0]).ravel()  # MuJoCo's v points down
        mesh.userfacetexcoord = faces


def _add_material(spec: mujoco.MjSpec, name: str, material: Material) -> None:
    surface = material.surface
    added = spec.add_material(name=name, rgba=material.rgba, specular=surface.specular, shininess=surface.shininess)
    if material.texture is None:
        return
    height, width = material.texture.pixels.shape[:2]
    texture = spec.add_texture(
        name=name, type=mujoco.mjtTexture.mjTEXTURE_2D, width=width, height=height, nchannel=3,
        colorspace=mujoco.mjtColorSpace.mjCOLORSPACE_AUTO,
    )  # fmt: skip
    texture.data = material.texture.pixels.tobytes()
    added.rgba = [1.0, 1.0, 1.0, material.rgba[3]]
    added.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = name


def set_appearance(spec: mujoco.MjSpec, draws: Randomization) -> None:
    """Applies the visual draws of an episode."""
    spec.geom(TABLE).rgba = [*draws.table.rgb, 1.0]
    light = spec.light("key")
    light.pos = np.multiply(2.0, draws.light.toward_light)
    light.dir = -np.asarray(draws.light.toward_light)
    light.diffuse = np.multiply(draws.light.intensity, draws.light.tint)
    spec.visual.headlight.ambient = [draws.light.ambient] * 3


def compile_scene(base: mujoco.MjSpec, rig: Rig, spec: EpisodeSpec, assets: dict[str, Asset]) -> Scene:
    """Adds the objects of `spec` to a copy of `base` and compiles it.

    Args:
        base: From `compose_base`.
        rig: The rig of `base`.
        spec: Which objects, and how it looks.
        assets: By UUID.

    Raises:
        ImoveError: An asset is another one than the spec was made with.
    """
    scene = base.copy()
    used = tuple(_checked_asset(item, assets[item.asset]) for item in spec.objects)
    for item, asset in zip(spec.objects, used, strict=True):
        add_object(scene, item.id, asset)
    set_appearance(scene, spec.randomization)
    model = scene.compile()
    return _index(model, rig, tuple(item.id for item in spec.objects), used)


def _checked_asset(item: SceneObject, asset: Asset) -> Asset:
    if asset.content_hash() != item.asset_hash:
        raise ImoveError(
            f"asset {asset.name!r} of {item.id} has hash {asset.content_hash()[:12]}; the spec was made with "
            f"{item.asset_hash[:12]}"
        )
    return asset


def _index(model: mujoco.MjModel, rig: Rig, object_ids: tuple[str, ...], assets: tuple[Asset, ...]) -> Scene:
    qpos = [int(model.joint(name).qposadr[0]) for name in object_ids]
    qvel = [int(model.joint(name).dofadr[0]) for name in object_ids]
    joint_qpos, joint_qvel, scale, actuators, fingers = [], [], [], [], []
    for arm in rig.arms:
        finger_names = [joint.name for joint in arm.arm_model.gripper.fingers]
        for name in (*arm.arm_model.joint_names, finger_names[0]):
            joint = model.joint(f"{arm.name}/{name}")
            joint_qpos.append(int(joint.qposadr[0]))
            joint_qvel.append(int(joint.dofadr[0]))
            scale.append(2.0 if name == finger_names[0] else 1.0)
        first, second = (int(model.joint(f"{arm.name}/{name}").qposadr[0]) for name in finger_names)
        fingers.append((first, second))
        actuators += [model.actuator(f"{arm.name}/{n}").id for n in (*arm.arm_model.joint_names, "gripper")]
    return Scene(
        model=model,
        object_qpos=np.add.outer(qpos, [0, 1, 2, 4, 5, 6, 3]),
        object_qvel=np.add.outer(qvel, np.arange(6)),
        object_bodies=np.array([model.body(name).id for name in object_ids]),
        joint_qpos=np.array(joint_qpos),
        joint_qvel=np.array(joint_qvel),
        opening_scale=np.array(scale),
        finger_qpos=tuple(fingers),
        actuators=np.array(actuators),
        cameras={camera.name: _view(model, camera) for camera in rig.cameras},
        owners=_owners(model, rig, object_ids),
        assets=assets,
    )


def _view(model: mujoco.MjModel, camera: Camera) -> View:
    size = model.vis.global_.offwidth, model.vis.global_.offheight
    return View(model.camera(camera.name).id, camera.intrinsics.resized(*size), camera.depth_range_m)


def _owners(model: mujoco.MjModel, rig: Rig, object_ids: tuple[str, ...]) -> Owners:
    objects = {name: index for index, name in enumerate(object_ids)}
    arms: dict[str, int] = {}
    fingers: dict[str, int] = {}
    for index, arm in enumerate(rig.arms):
        gripper = arm.arm_model.gripper
        arms[f"{arm.name}/{gripper.base_link}"] = index
        for number, joint in enumerate(gripper.fingers):
            arms[f"{arm.name}/{joint.child}"] = index
            fingers[f"{arm.name}/{joint.child}"] = number
    body_of_geom = [model.body(int(body)).name for body in model.geom_bodyid]
    carriers = [body if body in objects else "" for body in body_of_geom]
    carriers[model.geom(TABLE).id] = TABLE
    return Owners(
        object_of_geom=tuple(objects.get(body, -1) for body in body_of_geom),
        arm_of_geom=tuple(arms.get(body, -1) for body in body_of_geom),
        finger_of_geom=tuple(fingers.get(body, -1) for body in body_of_geom),
        carrier_of_geom=tuple(carriers),
        tool_sites=tuple(model.site(f"{arm.name}/tcp").id for arm in rig.arms),
        arm_names=tuple(arm.name for arm in rig.arms),
        object_ids=object_ids,
    )


def quaternion_wxyz(rotation: Array) -> Array:
    """MuJoCo's quaternion (w, x, y, z) of a (3, 3) rotation."""
    return np.roll(quaternion_from_rotation(rotation), 1)


def _wxyz(pose: Array) -> Array:
    return quaternion_wxyz(pose[:3, :3])
