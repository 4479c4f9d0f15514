"""The physical half of a USD file: rigid body, mass, contact parts and friction in the UsdPhysics schemas."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from imove_core.transforms import quaternion_from_rotation
from imove_tasks.assets.exporting.usd_looks import add_mesh
from imove_tasks.assets.model import Asset, CollisionPart
from imove_tasks.assets.storage.inertia import mass_properties
from imove_tasks.assets.storage.parts import part_mesh

with suppress(ImportError):  # `usd.require_usd` says what to do about it
    from pxr import Gf, UsdGeom, UsdPhysics, UsdShade, Vt


def add_physics(stage: Any, root: Any, asset: Asset) -> None:
    """Makes the root prim a rigid body with the contact parts of an asset."""
    UsdPhysics.RigidBodyAPI.Apply(root)
    _add_mass(root, asset)
    parts = UsdGeom.Xform.Define(stage, root.GetPath().AppendChild("Collisions"))
    parts.CreatePurposeAttr(UsdGeom.Tokens.guide)  # renderers leave guides out
    for index, part in enumerate(asset.collisions):
        shape = _add_part(stage, parts.GetPath().AppendChild(f"part_{index}"), part)
        UsdPhysics.CollisionAPI.Apply(shape.GetPrim())
    path = root.GetPath().AppendPath("Looks/friction")
    material = UsdShade.Material.Define(stage, path)
    friction = UsdPhysics.MaterialAPI.Apply(material.GetPrim())
    friction.CreateStaticFrictionAttr(asset.friction)
    friction.CreateDynamicFrictionAttr(asset.friction)
    friction.CreateRestitutionAttr(0.0)
    binding = UsdShade.MaterialBindingAPI.Apply(parts.GetPrim())
    binding.Bind(material, UsdShade.Tokens.weakerThanDescendants, "physics")


def _add_mass(root: Any, asset: Asset) -> None:
    properties = mass_properties(asset.collisions, asset.mass_kg)
    moments, axes = np.linalg.eigh(properties.inertia)
    axes[:, 2] *= np.sign(np.linalg.det(axes))
    mass = UsdPhysics.MassAPI.Apply(root)
    mass.CreateMassAttr(asset.mass_kg)
    mass.CreateCenterOfMassAttr(Gf.Vec3f(*properties.center.tolist()))
    mass.CreateDiagonalInertiaAttr(Gf.Vec3f(*moments.tolist()))
    mass.CreatePrincipalAxesAttr(_quaternion(axes))


def _add_part(stage: Any, path: Any, part: CollisionPart) -> Any:
    """The part as the exact primitive where there is one; an ellipsoid and a hull are meshes to be made convex."""
    pose, size = part.object_from_part, part.size
    scale = None
    if part.shape == "box":
        shape = UsdGeom.Cube.Define(stage, path)
        shape.CreateSizeAttr(2.0)
        scale = Gf.Vec3f(*size)
    elif part.shape == "cylinder":
        shape = UsdGeom.Cylinder.Define(stage, path)
        shape.CreateRadiusAttr(size[0])
        shape.CreateHeightAttr(2.0 * size[1])
        shape.CreateAxisAttr(UsdGeom.Tokens.z)
    elif part.shape == "capsule":
        shape = UsdGeom.Capsule.Define(stage, path)
        shape.CreateRadiusAttr(size[0])
        shape.CreateHeightAttr(2.0 * size[1])
        shape.CreateAxisAttr(UsdGeom.Tokens.z)
    elif part.shape == "sphere":
        shape = UsdGeom.Sphere.Define(stage, path)
        shape.CreateRadiusAttr(size[0])
    else:
        mesh = part_mesh(part)
        shape = add_mesh(stage, path, mesh.vertices, mesh.faces)
        approximation = UsdPhysics.MeshCollisionAPI.Apply(shape.GetPrim())
        approximation.CreateApproximationAttr(UsdPhysics.Tokens.convexHull)
    shape.CreateExtentAttr(Vt.Vec3fArray(UsdGeom.Boundable.ComputeExtentFromPlugins(shape, 0.0)))
    shape.AddTranslateOp().Set(Gf.Vec3d(*pose[:3, 3].tolist()))
    shape.AddOrientOp().Set(_quaternion(pose[:3, :3]))
    if scale is not None:
        shape.AddScaleOp().Set(scale)
    return shape


def _quaternion(rotation: np.ndarray[Any, np.dtype[np.float64]]) -> Any:
    x, y, z, w = quaternion_from_rotation(rotation).tolist()
    return Gf.Quatf(w, x, y, z)
