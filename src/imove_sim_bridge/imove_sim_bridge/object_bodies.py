"""Objects in a MuJoCo model: free bodies with what is seen and what is touched of an asset."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from imove_core.transforms import Array, quaternion_from_rotation
from imove_sim_bridge.rendering import COLLISION_GROUP
from imove_sim_bridge.surfaces import add_material, add_mesh, show_mesh
from imove_tasks.assets.looks import VisualMesh
from imove_tasks.assets.model import Asset, CollisionPart
from imove_tasks.assets.normals import corner_normals

_SHAPES = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "ellipsoid": mujoco.mjtGeom.mjGEOM_ELLIPSOID,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
    "hull": mujoco.mjtGeom.mjGEOM_MESH,
}


def add_object(spec: mujoco.MjSpec, name: str, asset: Asset, finish: str | None = None) -> None:
    """Adds a free body with the asset's visual meshes and contact parts.

    Args:
        spec: The model.
        name: Of the body and its joint.
        asset: What it is.
        finish: Of its dominant material; None leaves it as it was made.

    Raises:
        AssetError: The dominant material has no such finish.
    """
    body = spec.worldbody.add_body(name=name)
    body.add_freejoint(name=name)
    add_visuals(spec, body, name, asset.visuals if finish is None else asset.finished(finish))
    add_contact_parts(spec, body, name, asset)


def add_contact_parts(spec: mujoco.MjSpec, body: mujoco.MjsBody, name: str, asset: Asset) -> None:
    """Adds an asset's contact parts to a body, with its mass spread over them; their names start with `name`."""
    volumes = np.array([part.volume_m3 for part in asset.collisions])
    for index, (part, share) in enumerate(zip(asset.collisions, volumes / volumes.sum(), strict=True)):
        _add_part(spec, body, f"{name}/part{index}", part, asset, share * asset.mass_kg)


def add_visuals(spec: mujoco.MjSpec, body: mujoco.MjsBody, name: str, visuals: Sequence[VisualMesh]) -> None:
    """Adds meshes to a body, to be seen only; their names start with `name`."""
    for index, visual in enumerate(visuals):
        mesh, material = f"{name}/visual{index}", visual.material
        add_mesh(spec, mesh, visual.vertices[visual.faces], corner_normals(visual), visual.uv)
        add_material(
            spec,
            mesh,
            material.rgba,
            None if material.texture is None else material.texture.pixels,
            specular=material.surface.specular,
            shininess=material.surface.corner_shininess,
        )
        show_mesh(body, mesh)


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
    geom.quat = quaternion_wxyz(part.object_from_part[:3, :3])
    if part.vertices is None:
        geom.size = [*part.size, *([0.0] * (3 - len(part.size)))]
    else:
        spec.add_mesh(name=name, uservert=part.vertices.ravel())
        geom.meshname = name


def quaternion_wxyz(rotation: Array) -> Array:
    """MuJoCo's quaternion (w, x, y, z) of a (3, 3) rotation."""
    return np.roll(quaternion_from_rotation(rotation), 1)
