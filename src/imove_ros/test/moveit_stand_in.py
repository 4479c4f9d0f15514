"""A stand-in for MoveItPy and moveit_msgs where they are not installed, held to the manifest of their interface.

Collisions are real: the URDF and SRDF of the configuration and the messages that the planner sends are read anew, and
judged by another library's shapes. Planning is a straight line, or one with a random bend. What has no name in the
manifest is not here either, so that a call which MoveIt would refuse fails here too.
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Iterator
from copy import deepcopy
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import coal
import numpy as np
import pytest
from defusedxml import ElementTree
from geometry_msgs.msg import Pose
from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from imove_core.transforms import transform_from_position_quaternion

from .urdf_world import Solid, UrdfRobot, near, posed

MANIFEST = json.loads((Path(__file__).parent / "moveit_api.json").read_text(encoding="utf-8"))
STEP_RAD = 0.03
"""Joint travel between states of a line that are looked at."""
BENDS = 300
"""Lines with a bend that are tried where the straight one is blocked."""
SPREAD_RAD = 0.6
"""Of the bends about the middle of the straight line."""


class MoveItPy:
    """The node; a test may look at the last scene that was planned in."""

    def __init__(
        self,
        node_name: str = "moveit_py",
        name_space: str = "",
        launch_params_filepaths: tuple = (),
        config_dict: dict | None = None,
        provide_planning_service: bool = True,
        remappings: dict | None = None,
    ) -> None:
        self.config = config_dict
        self.model = UrdfRobot(config_dict["robot_description"])
        self.srdf = ElementTree.fromstring(config_dict["robot_description_semantic"])
        self.is_down = False

    def get_planning_component(self, planning_component_name: str) -> PlanningComponent:
        return PlanningComponent(planning_component_name, self)

    def get_planning_scene_monitor(self, /) -> PlanningSceneMonitor:
        return PlanningSceneMonitor(self)

    def shutdown(self, /) -> None:
        self.is_down = True


class PlanRequestParameters:
    def __init__(self, moveit_py: MoveItPy, namespace: str, /) -> None:
        request = moveit_py.config["plan_request_params"]
        self.planning_pipeline, self.planner_id = request["planning_pipeline"], request["planner_id"]


class PlanningSceneMonitor:
    def __init__(self, moveit_py: MoveItPy) -> None:
        self._scene = PlanningScene(moveit_py)

    def read_only(self, /) -> LockedPlanningSceneContextManagerRO:
        return LockedPlanningSceneContextManagerRO(self._scene)


class LockedPlanningSceneContextManagerRO:
    def __init__(self, scene: PlanningScene) -> None:
        self._scene = scene

    def __enter__(self, /) -> PlanningScene:
        return self._scene

    def __exit__(self, *_: object) -> None:
        return None


class AllowedCollisionMatrix:
    def __init__(self, names: list, default_entry: bool = False) -> None:
        self.pairs = {frozenset(pair) for pair in names}

    def set_entry(self, name1: str, name2: str, allowed: bool) -> None:
        (self.pairs.add if allowed else self.pairs.discard)(frozenset((name1, name2)))


class RobotState:
    def __init__(self, robot_model: UrdfRobot, /) -> None:
        self.robot_model = robot_model
        self._positions = dict.fromkeys(robot_model.movable, 0.0)
        self.attached: list = []
        self.dirty = True

    def __deepcopy__(self, memo: dict, /) -> RobotState:
        other = RobotState(self.robot_model)
        other._positions, other.attached, other.dirty = dict(self._positions), list(self.attached), self.dirty
        return other

    @property
    def joint_positions(self) -> dict[str, float]:
        return dict(self._positions)

    @joint_positions.setter
    def joint_positions(self, positions: dict[str, float]) -> None:
        for name, value in positions.items():
            assert name in self._positions, f"{name} is no joint"
            assert type(value) is float
            self._positions[name] = value
        self.dirty = True

    def update(self, force: bool = False, type: str = "all") -> None:
        self.dirty = False


class PlanningScene:
    def __init__(self, robot_model: Any, world: Any = None) -> None:
        self._node = robot_model
        self.current_state = RobotState(robot_model.model)
        disabled = robot_model.srdf.findall("disable_collisions")
        self.allowed_collision_matrix = AllowedCollisionMatrix([(e.get("link1"), e.get("link2")) for e in disabled])
        self.objects: dict[str, Any] = {}
        self._solids: dict[str, list[Solid]] = {}

    def __deepcopy__(self, memo: dict, /) -> PlanningScene:
        other = PlanningScene(self._node)
        other.current_state, other.objects = deepcopy(self.current_state), dict(self.objects)
        other._solids = dict(self._solids)
        other.allowed_collision_matrix.pairs = set(self.allowed_collision_matrix.pairs)
        return other

    def remove_all_collision_objects(self, /) -> None:
        self.objects.clear()
        self._solids.clear()

    def apply_collision_object(self, collision_object_msg: Any, color_msg: Any = None) -> None:
        assert collision_object_msg.header.frame_id == "world"
        self.objects[collision_object_msg.id] = collision_object_msg
        self._solids[collision_object_msg.id] = message_solids(collision_object_msg, np.eye(4))

    def process_attached_collision_object(self, object: Any) -> None:
        assert object.link_name in self._node.model.links
        self.current_state.attached.append(object)

    def is_state_colliding(self, robot_state: RobotState, joint_model_group_name: str, verbose: bool = False) -> bool:
        assert not robot_state.dirty, "MoveIt wants a state that is up to date"
        model, poses = self._node.model, self._node.model.poses(robot_state.joint_positions)
        padding_m = self._node.config["robot_description_planning"]["default_robot_padding"]
        links = {link: posed(solids, poses[link]) for link, solids in model.links.items() if solids}
        moving = {link: links[link] for link in model.below(self._joints_of(joint_model_group_name)) & set(links)}
        for message in robot_state.attached:
            held = {message.object.id: message_solids(message.object, poses[message.link_name])}
            if self._any_near(held, {k: v for k, v in links.items() if k not in message.touch_links}, 0.0):
                return True
            moving |= held
        return self._any_near({k: v for k, v in moving.items() if k in links}, links, 0.0) or self._any_near(
            moving, self._solids, padding_m
        )

    def _any_near(self, some: dict[str, list[Solid]], others: dict[str, list[Solid]], margin_m: float) -> bool:
        allowed = self.allowed_collision_matrix.pairs
        return any(
            near(one, other, margin_m)
            for name, one in some.items()
            for against, other in others.items()
            if name != against and frozenset((name, against)) not in allowed
        )

    def _joints_of(self, group: str) -> set[str]:
        chain = self._node.srdf.find(f"group[@name='{group}']/chain")
        way = self._node.model.path("world", chain.get("tip_link")) + [chain.get("tip_link")]
        below = way[: way.index(chain.get("base_link"))] + way[way.index(chain.get("base_link")) + 1 :]
        return {joint.name for joint in self._node.model.joints if joint.child in below and joint.kind != "fixed"}


class PlanningComponent:
    answers: ClassVar[list[int]] = []
    """Error codes that are given before any line is tried."""
    asked: ClassVar[list[tuple[RobotState, RobotState]]] = []
    reversed_joints: ClassVar[bool] = False

    def __init__(self, joint_model_group_name: str, moveit_py_instance: MoveItPy) -> None:
        self._group = joint_model_group_name

    def set_start_state(self, configuration_name: str | None = None, robot_state: RobotState | None = None) -> None:
        self._start = deepcopy(robot_state)

    def set_goal_state(
        self,
        configuration_name: str | None = None,
        robot_state: RobotState | None = None,
        pose_stamped_msg: Any = None,
        pose_link: str | None = None,
        motion_plan_constraints: Any = None,
    ) -> None:
        self._goal = deepcopy(robot_state)

    def plan(
        self,
        single_plan_parameters: PlanRequestParameters | None = None,
        multi_plan_parameters: Any = None,
        planning_scene: PlanningScene | None = None,
        solution_selection_function: Any = None,
        stopping_criterion_callback: Any = None,
    ) -> MotionPlanResponse:
        self.asked.append((self._start, self._goal))
        if self.answers:
            return MotionPlanResponse(self.answers.pop(0), [])
        model, joints = self._start.robot_model, planning_scene._joints_of(self._group)
        names = [name for name in model.movable if name in joints]
        names = names[::-1] if self.reversed_joints else names
        first, last = (np.array([state.joint_positions[name] for name in names]) for state in (self._start, self._goal))
        limits = np.array([joint.limits for name in names for joint in model.joints if joint.name == name])
        rng = np.random.default_rng(0)
        for bend in range(BENDS):
            middle = (first + last) / 2 + rng.normal(scale=SPREAD_RAD, size=len(names)) * (bend > 0)
            ends = [first, np.clip(middle, *limits.T), last]
            if all(self._is_free(planning_scene, names, line) for line in _line_states(ends)):
                return MotionPlanResponse(1, ends, names)
        return MotionPlanResponse(MANIFEST["messages"]["MoveItErrorCodes"]["constants"]["PLANNING_FAILED"], [])

    def _is_free(self, scene: PlanningScene, names: list[str], row: np.ndarray) -> bool:
        state = deepcopy(self._start)
        state.joint_positions = dict(zip(names, row.tolist(), strict=True))
        state.update()
        return not scene.is_state_colliding(state, self._group)


def _line_states(ends: list[np.ndarray]) -> Iterator[np.ndarray]:
    """States on the way over some ends, every fourth one first, as most lines that are blocked are so for long."""
    states = []
    for start, end in pairwise(ends):
        count = int(np.ceil(np.abs(end - start).max() / STEP_RAD)) + 1
        states += [start + share * (end - start) for share in np.linspace(0, 1, count)]
    order = sorted(range(len(states)), key=lambda index: index % 4 != 2)
    yield from (states[index] for index in order)


class RobotTrajectory:
    def __init__(self, message: Any, /) -> None:
        self._message = message

    def get_robot_trajectory_msg(self, joint_filter: tuple = ()) -> Any:
        return self._message


class MotionPlanResponse:
    def __init__(self, code: int, rows: list[np.ndarray], names: list[str] = ()) -> None:
        messages = sys.modules["moveit_msgs.msg"]
        self.error_code = messages.MoveItErrorCodes(val=code)
        points = [JointTrajectoryPoint(positions=row.tolist()) for row in rows]
        trajectory = JointTrajectory(joint_names=list(names), points=points)
        self.trajectory = RobotTrajectory(messages.RobotTrajectory(joint_trajectory=trajectory))

    def __bool__(self, /) -> bool:
        return self.error_code.val == 1


STAND_INS = (
    MoveItPy, PlanRequestParameters, PlanningComponent, PlanningSceneMonitor, LockedPlanningSceneContextManagerRO,
    AllowedCollisionMatrix, MotionPlanResponse, PlanningScene, RobotState, RobotTrajectory,
)  # fmt: skip


def unknown_members(stand_in: type) -> list[str]:
    """Methods of a stand-in that MoveIt does not have, or not with these arguments."""
    methods = MANIFEST["classes"][stand_in.__name__]["methods"]
    wrong = []
    for name, member in vars(stand_in).items():
        if not inspect.isfunction(member) or (name.startswith("_") and name not in ("__enter__", "__bool__")):
            continue
        arguments = list(inspect.signature(member).parameters.values())[1:]
        named = [a.name + "=" * (a.default is not a.empty) for a in arguments] or None
        if named not in methods.get(name, []):
            wrong.append(f"{name}({', '.join(named or [])})")
    return wrong


def message_solids(message: Any, world_from_frame: np.ndarray) -> list[Solid]:
    """Shapes of a collision object in the world."""
    pose = world_from_frame @ _matrix(message.pose)
    shapes = [(_primitive(item), at) for item, at in zip(message.primitives, message.primitive_poses, strict=True)]
    shapes += [(_mesh(item), at) for item, at in zip(message.meshes, message.mesh_poses, strict=True)]
    return [(shape, pose @ _matrix(at)) for shape, at in shapes]


def _primitive(item: Any) -> coal.CollisionGeometry:
    if item.type == item.BOX:
        return coal.Box(*item.dimensions)
    return coal.Sphere(*item.dimensions) if item.type == item.SPHERE else coal.Cylinder(*reversed(item.dimensions))


def _mesh(item: Any) -> coal.CollisionGeometry:
    corners = np.array([(v.x, v.y, v.z) for v in item.vertices])
    edges = [
        frozenset(edge)
        for triangle in item.triangles
        for edge in pairwise([*triangle.vertex_indices, triangle.vertex_indices[0]])
    ]
    assert all(edges.count(edge) == 2 for edge in set(edges)), "a surface is not closed"
    points = coal.StdVec_Vec3s()
    for corner in corners:
        points.append(corner)
    return coal.Convex.convexHull(points, False, "Qt")


def _matrix(pose: Pose) -> np.ndarray:
    p, q = pose.position, pose.orientation
    return transform_from_position_quaternion(np.array([p.x, p.y, p.z]), np.array([q.x, q.y, q.z, q.w]))


def _message(name: str) -> type:
    """A message type with the manifest's fields and constants, which refuses all others."""
    described = MANIFEST["messages"][name]
    first = {"header": Header, "pose": Pose, "val": int, "operation": int}

    def init(self: Any, **values: Any) -> None:
        assert set(values) <= set(described["fields"]), f"{name} has no {set(values) - set(described['fields'])}"
        for field in described["fields"]:
            setattr(self, field, values.get(field, first.get(field, list)()))

    return type(name, (), {"__slots__": tuple(described["fields"]), "__init__": init, **described["constants"]})


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts the stand-ins where MoveItPy and moveit_msgs are imported from, until the test ends."""
    modules: dict[str, ModuleType] = {}
    for stand_in in STAND_INS:
        parts = MANIFEST["classes"][stand_in.__name__]["module"].split(".")
        for end in range(1, len(parts) + 1):
            modules.setdefault(".".join(parts[:end]), ModuleType(".".join(parts[:end])))
        setattr(modules[".".join(parts)], stand_in.__name__, stand_in)
    modules["moveit_msgs"], messages = ModuleType("moveit_msgs"), ModuleType("moveit_msgs.msg")
    for name in MANIFEST["messages"]:
        setattr(messages, name, _message(name))
    modules["moveit_msgs.msg"] = messages
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    for name, value in (("answers", []), ("asked", []), ("reversed_joints", False)):
        monkeypatch.setattr(PlanningComponent, name, value)
