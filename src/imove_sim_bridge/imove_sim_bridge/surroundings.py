"""What stands around the objects and is only looked at: the surface of the table, the room, clutter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import mujoco
import numpy as np

from imove_core.errors import unknown_name
from imove_core.randomization import Clutter, TableSurface
from imove_core.rig import Workspace
from imove_core.transforms import Array
from imove_sim_bridge.contacts import TABLE
from imove_sim_bridge.object_bodies import add_visuals
from imove_sim_bridge.physics import TABLE_THICKNESS_M
from imove_sim_bridge.surfaces import add_material, add_mesh, show_mesh
from imove_tasks.assets.model import Asset
from imove_tasks.randomization.patterns import pattern_pixels, table_pattern
from imove_tasks.randomization.rooms import FLOOR_Z_M, HALF_X_M, HALF_Y_M, HEIGHT_M, Block, Room, Surface

FLOOR = "floor"
ROOM = "room"
"""Body of everything here but the table; the last one of a model, so that the others keep their numbers."""
_LEG_M, _LEG_INSET_M = 0.05, 0.04
_LEGS = Surface((0.25, 0.25, 0.27))
# Corners (x, y, z as 0 low, 1 high) of the six faces, counter-clockwise from outside, beginning at the lower left one
# and going on to the lower right one, and the two axes of the face.
_FACES = (
    (((1, 0, 0), (1, 1, 0), (1, 1, 1), (1, 0, 1)), (1, 2)),
    (((0, 1, 0), (0, 0, 0), (0, 0, 1), (0, 1, 1)), (1, 2)),
    (((1, 1, 0), (0, 1, 0), (0, 1, 1), (1, 1, 1)), (0, 2)),
    (((0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1)), (0, 2)),
    (((0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)), (0, 1)),
    (((0, 1, 0), (1, 1, 0), (1, 0, 0), (0, 0, 0)), (0, 1)),
)
_UPRIGHT = 4  # the first four faces
_BELOW, _ABOVE = 5, 4
# Upright faces get no light from straight above; in a room they do from everywhere.
_ROOM_GLOW = 0.15
# Where a picture has its frame: what faces that lie flat show of it.
_EDGE_UV = 0.004
Quad = tuple[Array, Array]
"""(4, 3) corners and (4, 2) texture coordinates."""


def set_table(spec: mujoco.MjSpec, table: TableSurface) -> None:
    """Gives the table top its surface.

    Raises:
        ImoveError: There is no such pattern.
    """
    geom, pattern = spec.geom(TABLE), table_pattern(table.pattern)
    pixels = pattern_pixels(table.pattern, table.seed, table.rgb)
    material = add_material(
        spec, TABLE, (*table.rgb, 1.0), pixels, specular=pattern.specular, shininess=pattern.shininess
    )
    material.texuniform = True
    material.texrepeat = [1.0 / pattern.tile_m] * 2
    geom.material = TABLE


def add_room(spec: mujoco.MjSpec, place: Room, table: Workspace) -> mujoco.MjsBody:
    """Adds a room around a table; returns its body, which nothing can touch."""
    middle = ((table.x[0] + table.x[1]) / 2, (table.y[0] + table.y[1]) / 2, 0.0)
    body = spec.worldbody.add_body(name=ROOM, pos=middle)
    if place.floor is not None:
        spec.geom(FLOOR).rgba = [0.0] * 4
    for index, (surface, quads) in enumerate(_quads_by_surface(place, table).items()):
        name = f"{ROOM}/{index}"
        corners = np.array([quad[0] for quad in quads])
        uv = np.array([quad[1] for quad in quads])
        across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        normals = across / np.linalg.norm(across, axis=1, keepdims=True)
        halves = [[0, 1, 2], [0, 2, 3]]
        triangles = corners[:, halves].reshape(-1, 3, 3)
        pixels = surface.pixels
        if surface.picture:
            pixels = np.round(pixels * np.array(surface.rgb)).astype(np.uint8)
        add_mesh(
            spec,
            name,
            triangles,
            np.broadcast_to(normals[:, None, None], (len(quads), 2, 3, 3)),
            None if pixels is None else uv[:, halves].reshape(-1, 3, 2),
        )
        add_material(
            spec, name, (*surface.rgb, 1.0), pixels, specular=0.05, shininess=0.1, glow=max(surface.glow, _ROOM_GLOW)
        )
        show_mesh(body, name)
    return body


def add_clutter(
    spec: mujoco.MjSpec, body: mujoco.MjsBody, place: Room, clutter: Iterable[Clutter], assets: Mapping[str, Asset]
) -> None:
    """Puts objects on the places of a room, to be seen only.

    Args:
        spec: The model.
        body: Of the room.
        place: The room.
        clutter: What stands where.
        assets: By UUID.

    Raises:
        ImoveError: The room has no such place.
    """
    for index, item in enumerate(clutter):
        if item.place not in place.places:
            raise unknown_name(f"place of background {place.name}", item.place, place.places)
        asset = assets[item.asset]
        x, y, z = place.places[item.place]
        half = item.yaw_rad / 2
        standing = body.add_body(
            name=f"{ROOM}/clutter{index}",
            pos=[x, y, z - asset.box_min[2]],
            quat=[np.cos(half), 0.0, 0.0, np.sin(half)],
        )
        add_visuals(spec, standing, standing.name, asset.visuals)


def _quads_by_surface(place: Room, table: Workspace) -> dict[Surface, list[Quad]]:
    """All faces of a room, in the room frame."""
    found: dict[Surface, list[Quad]] = {}
    low, high = (-HALF_X_M, -HALF_Y_M, FLOOR_Z_M), (HALF_X_M, HALF_Y_M, FLOOR_Z_M + HEIGHT_M)
    for surface, faces in (
        (place.floor, (_BELOW,)),
        (place.ceiling, (_ABOVE,)),
        (place.walls, range(_UPRIGHT)),
    ):
        if surface is not None:
            shell = Block(surface, low, high)
            # Seen from inside: the other way round.
            found.setdefault(surface, []).extend(
                (corners[::-1], uv[::-1]) for corners, uv in (_face(shell, face) for face in faces)
            )
    legs = _table_legs(table) if place.floor is not None else ()
    for block in (*place.blocks, *legs):
        found.setdefault(block.surface, []).extend(_face(block, face) for face in range(len(_FACES)))
    return found


def _face(block: Block, face: int) -> Quad:
    pick, (right, up) = _FACES[face]
    bounds = np.array([block.low, block.high])
    corners = np.take_along_axis(bounds, np.array(pick), axis=0)
    if block.surface.tile_m is not None:
        return corners, corners[:, [right, up]] / block.surface.tile_m
    if face < _UPRIGHT:
        return corners, np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    return corners, np.full((4, 2), _EDGE_UV)


def _table_legs(table: Workspace) -> list[Block]:
    half_x, half_y = (table.x[1] - table.x[0]) / 2 - _LEG_INSET_M, (table.y[1] - table.y[0]) / 2 - _LEG_INSET_M
    legs = []
    for x in (-half_x, half_x - _LEG_M):
        for y in (-half_y, half_y - _LEG_M):
            legs.append(Block(_LEGS, (x, y, FLOOR_Z_M), (x + _LEG_M, y + _LEG_M, -TABLE_THICKNESS_M)))
    return legs
