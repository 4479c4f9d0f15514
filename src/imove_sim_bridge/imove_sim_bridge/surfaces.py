"""Meshes that are only seen, and what they are painted with."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from imove_core.transforms import Array

VISUAL_GROUP = 2


def add_material(
    spec: mujoco.MjSpec,
    name: str,
    rgba: tuple[float, float, float, float],
    pixels: NDArray[np.uint8] | None = None,
    *,
    specular: float,
    shininess: float,
    glow: float = 0.0,
) -> mujoco.MjsMaterial:
    """Adds a material, and its texture under the same name.

    Args:
        spec: The model.
        name: Of the material.
        rgba: Colour and opacity, sRGB; of a picture only its opacity counts.
        pixels: (H, W, 3) sRGB, drawn in place of the colour.
        specular: Strength of highlights, 0 to 1.
        shininess: Sharpness of highlights, 0 to 1.
        glow: Share of its own colour that it shows without light.
    """
    added = spec.add_material(name=name, rgba=rgba, specular=specular, shininess=shininess, emission=glow)
    if pixels is None:
        return added
    height, width = pixels.shape[:2]
    texture = spec.add_texture(
        name=name, type=mujoco.mjtTexture.mjTEXTURE_2D, width=width, height=height, nchannel=3,
        colorspace=mujoco.mjtColorSpace.mjCOLORSPACE_AUTO,
    )  # fmt: skip
    texture.data = pixels.tobytes()
    added.rgba = [1.0, 1.0, 1.0, rgba[3]]
    added.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = name
    return added


def add_mesh(spec: mujoco.MjSpec, name: str, corners: Array, normals: Array, uv: Array | None = None) -> None:
    """Adds a triangle mesh that is seen from outside.

    Args:
        spec: The model.
        name: Of the mesh.
        corners: (M, 3, 3) corners of each triangle, counter-clockwise from outside, m.
        normals: (M, 3, 3) unit normal at each corner.
        uv: (M, 3, 2) texture coordinates, u to the right and v up.
    """
    numbers = np.arange(3 * len(corners), dtype=np.int32)
    mesh = spec.add_mesh(
        name=name,
        uservert=corners.ravel(),
        userface=numbers,
        usernormal=normals.ravel(),
        userfacenormal=numbers,
        inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
    )
    if uv is not None:
        mesh.usertexcoord = (uv.reshape(-1, 2) * [1.0, -1.0] + [0.0, 1.0]).ravel()  # MuJoCo's v points down
        mesh.userfacetexcoord = numbers


def show_mesh(body: mujoco.MjsBody, name: str) -> None:
    """Draws a mesh, with the material of the same name, on a body; nothing can touch it."""
    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_MESH,
        meshname=name,
        material=name,
        group=VISUAL_GROUP,
        contype=0,
        conaffinity=0,
        mass=0,
    )
