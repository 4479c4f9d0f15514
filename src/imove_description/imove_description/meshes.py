"""Low-polygon visual meshes, built from the solids of a link.

Each mesh is one material of one link: closed solids side by side. Faces are flat or round as the solid is:
normals are averaged over a vertex only between faces that meet at less than the crease angle, and are written
into the file, so that every viewer shades the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from imove_description.arm_model import ArmModel
from imove_description.reading import FloatArray
from imove_description.rotation import rotation_z_to
from imove_description.shapes import Lathe, Loft, Material, Solid, Tube

IntArray = NDArray[np.int64]

#: Faces that meet at a sharper turn than this are shaded as an edge.
CREASE_ANGLE_RAD = np.deg2rad(40.0)


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles with shading normals.

    Attributes:
        vertices: (v, 3) positions in the link frame, m.
        faces: (f, 3) vertex indices, counter-clockwise seen from outside.
        corner_normals: (f, 3, 3) unit normal of each face's corners.
    """

    vertices: FloatArray
    faces: IntArray
    corner_normals: FloatArray


def link_meshes(model: ArmModel, link: str) -> dict[Material, Mesh]:
    """The meshes of a link by material, in the order in which the model first names each material."""
    meshes: dict[Material, list[Mesh]] = {}
    for solid in model.link(link).solids:
        meshes.setdefault(solid.material, []).append(solid_mesh(solid))
    return {material: _joined(parts) for material, parts in meshes.items()}


def mesh_file_name(model: ArmModel, link: str, material: Material) -> str:
    """Name of the mesh file of one material of one link, in the folder ``meshes``."""
    return f"{model.name}_{link}_{material}.obj"


def mesh_files(model: ArmModel) -> dict[str, bytes]:
    """Every visual mesh of an arm as Wavefront OBJ: file name to content, the same bytes on every machine."""
    return {
        mesh_file_name(model, link.name, material): obj_bytes(mesh)
        for link in model.links
        for material, mesh in link_meshes(model, link.name).items()
    }


def solid_mesh(solid: Solid) -> Mesh:
    """The triangles of one solid in the link frame."""
    match solid.form:
        case Lathe() as lathe:
            rings = _lathe_rings(lathe)
        case Loft() as loft:
            rings = _loft_rings(loft)
        case Tube() as tube:
            rings = _tube_rings(tube)
    count, sides, _ = rings.shape
    vertices = rings.reshape(-1, 3)
    faces = _ring_faces(count, sides)
    pose = solid.link_from_solid
    vertices = vertices @ pose[:3, :3].T + pose[:3, 3]
    return Mesh(vertices, faces, _creased_normals(vertices, faces))


def obj_bytes(mesh: Mesh) -> bytes:
    """A mesh as a Wavefront OBJ file; positions to a micrometre, normals to four digits."""
    normals, normal_index = np.unique(
        np.round(mesh.corner_normals.reshape(-1, 3), 4) + 0.0, axis=0, return_inverse=True
    )
    corners = normal_index.reshape(-1, 3) + 1
    lines = [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in np.round(mesh.vertices, 6) + 0.0]
    lines += [f"vn {x:.4f} {y:.4f} {z:.4f}" for x, y, z in normals]
    for face, corner in zip(mesh.faces + 1, corners, strict=True):
        lines.append("f " + " ".join(f"{v}//{n}" for v, n in zip(face, corner, strict=True)))
    return ("\n".join(lines) + "\n").encode("ascii")


def _lathe_rings(form: Lathe) -> FloatArray:
    """(n, sides, 3) rings that go up along z, each counter-clockwise about z."""
    rings = np.empty((len(form.profile), form.sides, 3))
    rings[:, :, :2] = form.profile[:, None, 1:] * _circle(form.sides)
    rings[:, :, 2] = form.profile[:, None, 0]
    return rings


def _tube_rings(form: Tube) -> FloatArray:
    """(n, sides, 3) rings along the path, each square to its direction there and counter-clockwise about it."""
    places, radii = form.path[:, :3], form.path[:, 3]
    steps = np.diff(places, axis=0)
    steps /= np.linalg.norm(steps, axis=1, keepdims=True)
    directions = np.concatenate([steps[:1], steps[:-1] + steps[1:], steps[-1:]])
    frame = rotation_z_to(directions[0])
    rings = []
    for place, direction, radius in zip(places, directions, radii, strict=True):
        # Each ring is the one before, turned no more than its plane is, so that the skin is not twisted.
        z = direction / np.linalg.norm(direction)
        x = frame[:, 0] - (frame[:, 0] @ z) * z
        x /= np.linalg.norm(x)
        frame = np.stack([x, np.cross(z, x), z], axis=1)
        rings.append(place + radius * _circle(form.sides) @ frame[:, :2].T)
    return np.array(rings)


def _circle(sides: int) -> FloatArray:
    angles = 2 * np.pi * (np.arange(sides) + 0.5) / sides
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _loft_rings(form: Loft) -> FloatArray:
    """(n, 4 or 8, 3) rings that go along x, each counter-clockwise about x."""
    rings = []
    for x, y0, y1, z0, z1 in form.sections:
        c = form.chamfer_m
        if c == 0:
            ring = [(y0, z0), (y1, z0), (y1, z1), (y0, z1)]
        else:
            ring = [(y0 + c, z0), (y1 - c, z0), (y1, z0 + c), (y1, z1 - c)]
            ring += [(y1 - c, z1), (y0 + c, z1), (y0, z1 - c), (y0, z0 + c)]
        rings.append([(x, y, z) for y, z in ring])
    return np.array(rings)


def _ring_faces(count: int, sides: int) -> IntArray:
    """Triangles of a closed solid whose skin joins consecutive rings and whose end rings are capped."""
    index = np.arange(count * sides).reshape(count, sides)
    here, onward = index, np.roll(index, -1, axis=1)
    a, b, c, d = here[:-1].ravel(), onward[:-1].ravel(), onward[1:].ravel(), here[1:].ravel()
    skin = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    fan = np.stack([np.zeros(sides - 2, dtype=np.int64), np.arange(1, sides - 1), np.arange(2, sides)], axis=1)
    return np.concatenate([skin, index[0][fan[:, ::-1]], index[-1][fan]])


def _creased_normals(vertices: FloatArray, faces: IntArray) -> FloatArray:
    """(f, 3, 3) corner normals, area-weighted over the faces at the vertex within the crease angle."""
    corners = vertices[faces]
    scaled = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    unit = scaled / np.linalg.norm(scaled, axis=1, keepdims=True)
    smooth = unit @ unit.T > np.cos(CREASE_ANGLE_RAD)
    normals = np.empty((len(faces), 3, 3))
    for corner in range(3):
        shares = (faces[:, corner, None, None] == faces[None]).any(axis=2)
        normals[:, corner] = (shares & smooth) @ scaled
    normals /= np.linalg.norm(normals, axis=2, keepdims=True)
    return normals


def _joined(parts: list[Mesh]) -> Mesh:
    starts = np.cumsum([0, *(len(part.vertices) for part in parts[:-1])])
    return Mesh(
        np.concatenate([part.vertices for part in parts]),
        np.concatenate([part.faces + start for part, start in zip(parts, starts, strict=True)]),
        np.concatenate([part.corner_normals for part in parts]),
    )
