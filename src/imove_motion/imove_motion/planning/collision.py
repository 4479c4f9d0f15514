"""Whether an arm, with what it holds, touches itself or anything else along joint vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import coal
import numpy as np

from imove_core.rig import Arm
from imove_core.transforms import Array, transform
from imove_description.arm_model import ArmModel
from imove_motion.planning.chain import Chain
from imove_motion.planning.solids import Solid, asset_solids, box_solid, link_solids
from imove_motion.planning.world import TABLE, Contact, PlanningWorld, body_name, contacts, hand_bodies
from imove_tasks.assets.model import Asset

TABLE_THICKNESS_M = 0.5
"""More than the table has: nothing below its top is free."""
RISER_WIDTH_M = 0.11
"""Of the block below an arm whose base is above the table, as simulated scenes have it."""
FIRST_LOOK = 6
"""Every so many joint vectors are looked at first, since most motions that are not free are so for long."""


@dataclass(frozen=True)
class Touch:
    """The first contact along joint vectors.

    Attributes:
        row: Number of the joint vector.
        bodies: Which bodies touch, sorted.
    """

    row: int
    bodies: tuple[str, str]

    def __str__(self) -> str:
        """Both names."""
        return " and ".join(self.bodies)


class CollisionChecker:
    """Collisions of one arm in one world; the arm's joints are all that changes."""

    def __init__(self, arm: Arm, world: PlanningWorld, margin_m: float = 0.0) -> None:
        """Collects the solids.

        Args:
            arm: The arm that moves; one of the world's rig.
            world: Everything else.
            margin_m: Solids of other bodies that are nearer than this count as touching; those of the arm itself,
                which are closer than that by construction, do so only where they overlap.
        """
        self._arm, self._world = arm, world
        self._opening_m = float(world.rig.split(world.positions)[arm.name][-1])
        self._model = arm.arm_model
        self._chain = _chain(self._model)
        moving = list(self._moving())
        fixed = list(self._fixed())
        self._moving_names = [name for name, _, _ in moving]
        self._fixed_names = [name for name, _ in fixed]
        self._shapes = [solid.shape for _, _, solid in moving]
        self._frames = np.array([frame for _, frame, _ in moving])
        self._frame_from_solid = np.array([solid.body_from_solid for _, _, solid in moving])
        self._middles = np.array([solid.middle for _, _, solid in moving])
        self._halves = np.array([solid.half_m for _, _, solid in moving])
        self._fixed_shapes = [solid.shape for _, solid in fixed]
        poses = np.array([solid.body_from_solid for _, solid in fixed])
        self._fixed_poses = [_coal_pose(pose) for pose in poses]
        middles = np.array([solid.middle for _, solid in fixed])
        centres, reaches = _boxes(poses, middles, np.array([solid.half_m for _, solid in fixed]))
        self._fixed_low, self._fixed_high = centres - reaches - margin_m, centres + reaches + margin_m
        excluded = _touching(arm) | world.allowed | self._load_contacts()
        self._against = np.array(
            [[frozenset((a, b)) not in excluded for b in self._fixed_names] for a in self._moving_names]
        )
        pairs = [
            (i, j)
            for i, j in combinations(range(len(moving)), 2)
            if moving[i][0] != moving[j][0] and frozenset((moving[i][0], moving[j][0])) not in excluded
        ]
        self._pairs = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        self._near, self._overlap, self._result = (
            coal.CollisionRequest(),
            coal.CollisionRequest(),
            coal.CollisionResult(),
        )
        self._near.security_margin = margin_m

    def touch(self, joints: Array) -> Touch | None:
        """A contact along joint vectors (S, n), rad; None where all are free.

        Which one it is of several depends only on the arguments; it need not be the first on the way.
        """
        coarse = np.arange(len(joints))[FIRST_LOOK::FIRST_LOOK]
        fine = np.setdiff1d(np.arange(len(joints)), coarse)
        for rows in (coarse, fine):
            for pair in self._touches(joints[rows]) if len(rows) else ():
                return Touch(int(rows[pair[0]]), pair[1])
        return None

    def is_free(self, joints: Array) -> bool:
        """Whether nothing touches at any of joint vectors (S, n), rad."""
        return self.touch(joints) is None

    def _touches(self, joints: Array) -> Iterator[tuple[int, tuple[str, str]]]:
        poses = self._arm.world_from_base.matrix @ self._chain.poses(joints, self._opening_m)
        solids = poses[:, self._frames] @ self._frame_from_solid
        centres, reaches = _boxes(solids, self._middles, self._halves)
        low, high = centres - reaches, centres + reaches
        apart = (low[:, :, None] > self._fixed_high) | (high[:, :, None] < self._fixed_low)
        near = ~apart.any(axis=-1) & self._against
        first, second = self._pairs.T
        beyond = (low[:, first] > high[:, second]) | (high[:, first] < low[:, second])
        own = ~np.any(beyond, axis=-1)
        for row in np.flatnonzero(near.any(axis=(1, 2)) | own.any(axis=1)):
            placed: dict[int, coal.Transform3s] = {}
            for i, j in np.argwhere(near[row]):
                if self._meet(
                    self._near,
                    self._posed(placed, solids[row], i),
                    self._shapes[i],
                    self._fixed_poses[j],
                    self._fixed_shapes[j],
                ):
                    yield int(row), _sorted(self._moving_names[i], self._fixed_names[j])
            for i, j in self._pairs[own[row]]:
                if self._meet(
                    self._overlap,
                    self._posed(placed, solids[row], i),
                    self._shapes[i],
                    self._posed(placed, solids[row], j),
                    self._shapes[j],
                ):
                    yield int(row), _sorted(self._moving_names[i], self._moving_names[j])

    @staticmethod
    def _posed(placed: dict[int, coal.Transform3s], poses: Array, index: int) -> coal.Transform3s:
        if index not in placed:
            placed[index] = _coal_pose(poses[index])
        return placed[index]

    def _meet(
        self,
        request: coal.CollisionRequest,
        first_pose: coal.Transform3s,
        first: coal.CollisionGeometry,
        second_pose: coal.Transform3s,
        second: coal.CollisionGeometry,
    ) -> bool:
        self._result.clear()
        return bool(coal.collide(first, first_pose, second, second_pose, request, self._result))

    def _moving(self) -> Iterator[tuple[str, int, Solid]]:
        """Body, number of the link in whose frame it is, and solid, of all that the arm moves."""
        model, links = self._model, self._chain.links
        for index, link in enumerate(links):
            if link != model.base_link:
                for solid in _link_solids(model, link):
                    yield body_name(self._arm, link), index, solid
        held = self._world.attached
        if held is not None:
            link_from_object = model.flange_from_tcp @ held.tool_from_object
            for solid in _asset_solids(self._world.assets[held.object_id]):
                yield held.object_id, links.index(model.flange_link), _moved(solid, link_from_object)

    def _fixed(self) -> Iterator[tuple[str, Solid]]:
        """Body and solid, in the world, of all that stays where it is."""
        world, table = self._world, self._world.rig.table
        (x0, x1), (y0, y1) = table.x, table.y
        size = np.array([x1 - x0, y1 - y0, TABLE_THICKNESS_M])
        yield TABLE, box_solid(size, transform(translation=[(x0 + x1) / 2, (y0 + y1) / 2, -TABLE_THICKNESS_M / 2]))
        parts = world.rig.split(world.positions)
        for arm in world.rig.arms:
            yield from _riser(arm)
            base, chain = arm.world_from_base.matrix, _chain(arm.arm_model)
            poses = chain.poses(parts[arm.name][None, :-1], float(parts[arm.name][-1]))[0]
            links = (arm.arm_model.base_link,) if arm.name == self._arm.name else chain.links
            for link in links:
                for solid in _link_solids(arm.arm_model, link):
                    yield body_name(arm, link), _moved(solid, base @ poses[chain.links.index(link)])
        held = world.attached
        for item in world.objects:
            if held is None or item.id != held.object_id:
                for solid in _asset_solids(world.assets[item.id]):
                    yield item.id, _moved(solid, item.world_from_object)

    def _load_contacts(self) -> frozenset[Contact]:
        held = self._world.attached
        return frozenset() if held is None else contacts([held.object_id], hand_bodies(self._arm))


def checked_rows(waypoints: Array, step_rad: float) -> Array:
    """Joint vectors (S, n) along straight parts between waypoints (m, n), no joint further apart than a step."""
    rows: list[Array] = [waypoints[:1]]
    for start, end in zip(waypoints[:-1], waypoints[1:], strict=True):
        count = max(1, int(np.ceil(np.abs(end - start).max() / step_rad)))
        rows.append(start + np.arange(1, count + 1)[:, None] / count * (end - start))
    return np.vstack(rows)


def _touching(arm: Arm) -> frozenset[Contact]:
    """Links of an arm that touch by construction: parent and child, both fingers, and what the model names."""
    model = arm.arm_model
    first, second = (finger.child for finger in model.gripper.fingers)
    pairs = [(joint.parent, joint.child) for joint in model.joints]
    pairs += [(mount.parent, mount.child) for mount in model.mounts]
    pairs += [(finger.parent, finger.child) for finger in model.gripper.fingers]
    pairs += [(first, second), *model.touching_links]
    return frozenset(frozenset((body_name(arm, a), body_name(arm, b))) for a, b in pairs)


def _riser(arm: Arm) -> Iterator[tuple[str, Solid]]:
    x, y, height_m = arm.world_from_base.matrix[:3, 3]
    if height_m > 0:
        size = np.array([RISER_WIDTH_M, RISER_WIDTH_M, height_m])
        yield body_name(arm, "riser"), box_solid(size, transform(translation=[x, y, height_m / 2]))


def _boxes(poses: Array, middles: Array, halves: Array) -> tuple[Array, Array]:
    """Centres and reaches along the world's axes (..., N, 3) of boxes in frames (..., N, 4, 4)."""
    centres = np.einsum("...nij,nj->...ni", poses[..., :3, :3], middles) + poses[..., :3, 3]
    reaches = np.einsum("...nij,nj->...ni", np.abs(poses[..., :3, :3]), halves)
    return centres, reaches


def _moved(solid: Solid, frame_from_body: Array) -> Solid:
    return Solid(solid.shape, frame_from_body @ solid.body_from_solid, solid.middle, solid.half_m)


def _coal_pose(pose: Array) -> coal.Transform3s:
    return coal.Transform3s(pose[:3, :3], pose[:3, 3])


def _sorted(first: str, second: str) -> tuple[str, str]:
    return (first, second) if first <= second else (second, first)


@lru_cache(maxsize=32)
def _chain(model: ArmModel) -> Chain:
    return Chain(model)


@lru_cache(maxsize=128)
def _link_solids(model: ArmModel, link: str) -> Sequence[Solid]:
    return tuple(link_solids(model, link))


@lru_cache(maxsize=64)
def _asset_solids(asset: Asset) -> Sequence[Solid]:
    """A dataset asks for the same few objects again and again."""
    return tuple(asset_solids(asset))
