"""A robot in MuJoCo that acts out scripts before the stage machine: real motions, and pushes by an invisible hand."""

from collections.abc import Sequence

import mujoco
import numpy as np

from imove_core.inverse_kinematics import inverse_kinematics
from imove_core.kinematics import tool_pose
from imove_core.rig import Arm, Rig
from imove_core.spec import EpisodeSpec
from imove_core.state import ObjectState
from imove_core.trajectory import JointCommand
from imove_core.transforms import Array, inverse, rotation_about_axis, transform
from imove_motion.grasps import grasp_candidates
from imove_motion.pick import PickPlanner
from imove_motion.place import PickPlacePlanner
from imove_motion.spots import PlaceGoal
from imove_motion.timing import ease
from imove_sim_bridge.mujoco_backend import MujocoBackend
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.stages import EpisodeScore, StageMachine
from imove_tasks.stages.zones import zones_of

JOINT_SPEED_RAD_S = 1.2
SETTLE_STEPS = 20
"""Control steps before the first observation: objects are put down a hair above the table."""
REST_STEPS = 30
LEAST_S = 0.4
LEANS_RAD = (0.0, 0.3, 0.6)
"""A carrying hand may lean outwards where it cannot point straight down so far away."""


class ScriptedRobot:
    """Acts on one scene; every control step is scored."""

    def __init__(self, backend: MujocoBackend, rig: Rig, library: AssetLibrary, spec: EpisodeSpec) -> None:
        """Starts the episode of a spec once its objects lie still."""
        self._backend, self._rig, self._library, self._spec = backend, rig, library, spec
        self._planner = PickPlanner(rig)
        backend.load(spec)
        backend.reset()
        self._machine = StageMachine(rig, spec, "normal")
        self.state = backend.advance({}, SETTLE_STEPS)[-1]
        self._machine.update(self.state)

    @property
    def score(self) -> EpisodeScore:
        """What the machine says so far."""
        return self._machine.score()

    def item(self, object_id: str) -> ObjectState:
        """An object as it is now."""
        return next(item for item in self.state.objects if item.id == object_id)

    def centre(self, object_id: str) -> Array:
        """The middle (3,) of an object's box now, m."""
        item = self.item(object_id)
        return item.world_from_object[:3, :3] @ ((item.box_min + item.box_max) / 2) + item.position

    def is_in(self, object_id: str, destination_id: str) -> bool:
        """Whether an object is within the box of a container: what a person would see from the side and from above."""
        container = self.item(destination_id)
        local = container.world_from_object[:3, :3].T @ (self.centre(object_id) - container.position)
        low, high = container.box_min, container.box_max
        return bool(np.all((low[:2] < local[:2]) & (local[:2] < high[:2])) and local[2] > low[2])

    def is_over(self, object_id: str, destination_id: str) -> bool:
        """Whether the middle of an object is over the region of a destination."""
        zone = next(z for z in zones_of(self._spec, "normal") if z.destination_id == destination_id)
        item = self.item(object_id)
        return zone.holds(self.centre(object_id), item.position, self.item(destination_id).world_from_object)

    def wait(self, steps: int = REST_STEPS) -> None:
        """Lets time pass."""
        self._advance({}, steps)

    def pick(self, object_id: str, arm: str = "", lift_m: float = 0.10) -> str:
        """Grasps an object by a planned motion and lifts it; returns the arm that did.

        The height may be less than that of the plan, whose last rows are the lift.
        """
        self.reach(object_id, arm)
        name = self._plan.arm
        rows = self._plan.positions[self._grasped :]
        heights = np.array([self._tool(name, row)[2, 3] for row in rows])
        self._follow(name, rows[heights <= heights[0] + lift_m + 1e-6])
        return name

    def reach(self, object_id: str, arm: str = "") -> str:
        """The same up to the point where the gripper has closed."""
        item = self.item(object_id)
        asset = self._library.get(self._spec.object(object_id).asset)
        others = [other for other in self.state.objects if other.id != object_id]
        grasps = grasp_candidates(asset, item.world_from_object)
        positions = self.state.robot.positions
        self._plan = self._planner.plan(grasps, positions, others, [arm] if arm else [])
        rows = self._plan.positions
        goal = self._plan.grasp.world_from_tool[:3, 3]
        there = [bool(np.linalg.norm(self._tool(self._plan.arm, row)[:3, 3] - goal) < 1e-4) for row in rows]
        self._grasped = int(np.flatnonzero(there)[-1]) + 1
        self._follow(self._plan.arm, rows[: self._grasped])
        return self._plan.arm

    def pick_and_place(self, object_id: str, destination_id: str, relation: str = "in") -> None:
        """Does what the planner of places plans."""
        others = [other for other in self.state.objects if other.id != object_id]
        target = self._spec.object(object_id)
        floor = self._spec.object(destination_id).region if relation == "in" else None
        plan = PickPlacePlanner(self._rig).plan(
            self.item(object_id),
            self._library.get(target.asset),
            PlaceGoal(self.item(destination_id), relation, floor),
            self.state.robot.positions,
            others,
        )
        self._follow(plan.arm, plan.positions)

    def tool(self, arm: str) -> Array:
        """Where the tool centre (3,) is told to be, world frame, m."""
        return self._tool(arm, self._joints(arm))[:3, 3]

    def closing_axis(self, arm: str) -> Array:
        """Direction (3,) in which the fingers close, level, world frame."""
        axis = self._tool(arm, self._joints(arm))[:3, 1] * [1.0, 1.0, 0.0]
        return axis / np.linalg.norm(axis)

    def width(self, object_id: str, direction: Array) -> float:
        """Size of an object's box along a direction (3,), m."""
        item = self.item(object_id)
        local = np.abs(item.world_from_object[:3, :3].T @ direction)
        return float(local @ (item.box_max - item.box_min))

    def carry(self, arm: str, object_id: str, place: Sequence[float]) -> None:
        """Moves the hand straight so that the middle of what it holds comes to a place (3,), m."""
        self.shift(arm, np.array(place) - self.centre(object_id))

    def shift(self, arm: str, offset: Sequence[float], opening_m: float | None = None) -> None:
        """Moves the hand straight by an offset (3,), m; turned and leaning as little as it must."""
        there = transform(translation=offset)
        last = self._joints(arm)
        opening = last[-1] if opening_m is None else opening_m
        for lean_rad in LEANS_RAD:
            path = self._straight(arm, last, there, lean_rad)
            if path is not None:
                rows = np.column_stack([path, np.full(len(path), opening)])
                start = np.append(path[0], last[-1])
                self._follow(arm, self._eased(arm, np.vstack([start, rows])))
                return
        raise AssertionError(f"{arm} cannot move by {offset}")

    def _straight(self, arm: str, last: Array, world_shift: Array, lean_rad: float) -> Array | None:
        one = self._rig.arm(arm)
        begin = self._tool(arm, last)
        solver = inverse_kinematics(one.arm_model)
        path, before = [last[:-1]], last[:-1]
        for share in np.linspace(0.0, 1.0, 9)[1:]:
            goal = begin.copy()
            goal[:3, 3] += share * world_shift[:3, 3]
            away = goal[:2, 3] - one.world_from_base.matrix[:2, 3]
            axis = [away[1], -away[0], 0.0] / np.linalg.norm(away)
            goal[:3, :3] = rotation_about_axis(axis, share * lean_rad) @ goal[:3, :3]
            solutions = solver.solve(inverse(one.world_from_base.matrix) @ goal)
            if not solutions:
                return None
            before = min(solutions, key=lambda q: float(np.abs(q - before).max()))
            if np.abs(before - path[-1]).max() > 1.0:
                return None
            path.append(before)
        return np.array(path)

    def close(self, arm: str, opening_m: float) -> None:
        """Moves the fingers alone."""
        last = self._joints(arm)
        self._follow(arm, self._eased(arm, np.vstack([last, [*last[:-1], opening_m]])))

    def open(self, arm: str) -> None:
        """Opens the gripper as far as it goes."""
        self.close(arm, float(self._rig.arm(arm).limits[-1, 1]))

    def leave(self, arm: str) -> None:
        """Opens, goes up and goes home."""
        self.open(arm)
        self.shift(arm, (0.0, 0.0, 0.08))
        self.home(arm)

    def home(self, arm: str) -> None:
        """Goes home on the shortest way."""
        last = self._joints(arm)
        self._follow(arm, self._eased(arm, np.vstack([last, self._rig.arm(arm).home_positions])))

    def put(self, object_id: str, world_from_object: Array, velocity: Sequence[float] = (0.0,) * 6) -> None:
        """Sets pose (4, 4) and velocity (linear, angular; m/s, rad/s) of an object, as if a hand had done it."""
        scene, data = self._backend._scenes[self._spec.content_hash]
        index = [item.id for item in self._spec.objects].index(object_id)
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, world_from_object[:3, :3].ravel())
        data.qpos[scene.object_qpos[index]] = [*world_from_object[:3, 3], *np.roll(quaternion, -1)]
        data.qvel[scene.object_qvel[index]] = velocity
        mujoco.mj_forward(scene.model, data)

    def put_at(self, object_id: str, place: Sequence[float], velocity: Sequence[float] = (0.0,) * 6) -> None:
        """Moves the middle of an object to a place (3,), as it is turned."""
        pose = self.item(object_id).world_from_object.copy()
        pose[:3, 3] += np.array(place) - self.centre(object_id)
        self.put(object_id, pose, velocity)

    def _joints(self, arm: str) -> Array:
        """The targets in force (size,)."""
        return self._rig.split(self._backend.joint_targets())[arm]

    def _tool(self, arm: str, joints: Array) -> Array:
        one: Arm = self._rig.arm(arm)
        return one.world_from_base.matrix @ tool_pose(one.arm_model, joints[:-1])

    def _eased(self, arm: str, rows: Array) -> Array:
        limits = self._rig.arm(arm).velocity_limits
        speeds = np.append(np.full(len(limits) - 1, JOINT_SPEED_RAD_S), limits[-1] / 2)
        return ease(rows, speeds, self._rig.control_rate_hz, LEAST_S)

    def _follow(self, arm: str, rows: Array) -> None:
        period_ns = 1e9 / self._rig.control_rate_hz
        times_ns = self.state.stamp_ns + np.round(np.arange(1, len(rows) + 1) * period_ns).astype(np.int64)
        self._advance({arm: JointCommand(self.state.stamp_ns, times_ns, rows)}, len(rows))

    def _advance(self, commands: dict[str, JointCommand], steps: int) -> None:
        for state in self._backend.advance(commands, steps):
            self.state = state
            self._machine.update(state)
