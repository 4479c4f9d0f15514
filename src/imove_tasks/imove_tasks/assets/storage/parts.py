"""Contact parts as meshes, for formats that have no primitive of their kind."""

from __future__ import annotations

import numpy as np

from imove_tasks.assets.convex import part_points
from imove_tasks.assets.hull import convex_hull
from imove_tasks.assets.model import CollisionPart
from imove_tasks.assets.storage.obj import ObjMesh


def part_mesh(part: CollisionPart) -> ObjMesh:
    """The hull of a part in the part's own frame, faces outward; all given corners of a hull are kept, in order."""
    in_place = CollisionPart(part.shape, part.size, np.eye(4), part.vertices)
    points = part_points(in_place)
    hull = convex_hull(points)
    faces = hull.simplices.astype(np.int32)
    corners = points[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inward = np.einsum("ij,ij->i", normals, hull.equations[:, :3]) < 0
    faces[inward] = faces[inward][:, ::-1]
    return ObjMesh(points, faces)
