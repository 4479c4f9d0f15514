"""MoveIt behind imove's `JointPlanner`, for ROS installations that have MoveItPy.

MoveIt plans paths alone: scene, start and goals come with each request, and imove times the path and sends the commands
on its own topics. MoveIt takes no seed, so that two answers to the same request may differ; `rng` is not drawn from.
"""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from imove_core.rig import Arm, Rig
from imove_core.transforms import Array
from imove_motion.planning.protocol import Constraint, JointPath, PlanningError, check_question
from imove_motion.planning.world import PlanningWorld
from imove_ros.moveit_config import moveit_parameters
from imove_ros.moveit_messages import attached_object, collision_object
from imove_ros.moveit_scene import allowed_contacts, attached_body, fixed_bodies, joint_positions

if TYPE_CHECKING:
    from moveit.core.planning_interface import MotionPlanResponse
    from moveit.core.planning_scene import PlanningScene
    from moveit.core.robot_state import RobotState
    from moveit.planning import MoveItPy

NODE_NAME = "imove_moveit"
END_TOLERANCE_RAD = 1e-4
"""A path that begins or ends farther than this from what was asked is an error of the planner."""

CONSTRAINT_OF: dict[str, Constraint] = {
    "PLANNING_FAILED": "no path",
    "TIMED_OUT": "no path",
    "INVALID_MOTION_PLAN": "no path",
    "START_STATE_IN_COLLISION": "collision",
    "GOAL_IN_COLLISION": "collision",
    "GOAL_STATE_INVALID": "collision",
    "START_STATE_INVALID": "joint limits",
    "NO_IK_SOLUTION": "unreachable",
}
"""Which constraint an error code of MoveIt means, by its name; all others mean that the planner failed."""

_OTHER_CODES = (
    "UNDEFINED",
    "FAILURE",
    "MOTION_PLAN_INVALIDATED_BY_ENVIRONMENT_CHANGE",
    "CONTROL_FAILED",
    "UNABLE_TO_AQUIRE_SENSOR_DATA",
    "PREEMPTED",
    "START_STATE_VIOLATES_PATH_CONSTRAINTS",
    "GOAL_VIOLATES_PATH_CONSTRAINTS",
    "GOAL_CONSTRAINTS_VIOLATED",
    "UNRECOGNIZED_GOAL_TYPE",
    "INVALID_GROUP_NAME",
    "INVALID_GOAL_CONSTRAINTS",
    "INVALID_ROBOT_STATE",
    "INVALID_LINK_NAME",
    "INVALID_OBJECT_NAME",
    "FRAME_TRANSFORM_FAILURE",
    "COLLISION_CHECKING_UNAVAILABLE",
    "ROBOT_STATE_STALE",
    "SENSOR_INFO_STALE",
    "COMMUNICATION_FAILURE",
    "CRASH",
    "ABORT",
)


class MoveItPlanner:
    """A `JointPlanner` over one node of MoveIt; close it when done, for one process has room for one."""

    def __init__(self, rig: Rig, folder: Path) -> None:
        """Starts MoveIt for a rig, which takes a few seconds.

        Args:
            rig: The rig that worlds will be of.
            folder: Folder of all rigs' configurations, see `moveit_parameters`.

        Raises:
            ImoveError: A file of the configuration is missing or damaged.
            PlanningError: MoveItPy is not installed, or does not start.
        """
        parameters = moveit_parameters(rig, folder)
        try:
            from moveit.planning import MoveItPy, PlanRequestParameters
        except ImportError as error:
            raise PlanningError(
                "planner", f"MoveItPy is not installed here ({error}); the package moveit_py of your ROS has it"
            ) from error
        self._rig = rig
        try:
            self._moveit: MoveItPy = MoveItPy(
                node_name=NODE_NAME, config_dict=parameters, provide_planning_service=False
            )
        except RuntimeError as error:
            raise PlanningError("planner", f"MoveIt does not start for rig {rig.name}: {error}") from error
        self._request = PlanRequestParameters(self._moveit, "")
        self._components = {arm.name: self._moveit.get_planning_component(arm.name) for arm in rig.arms}

    def close(self) -> None:
        """Ends the node; the planner cannot be used any more."""
        self._moveit.shutdown()

    def plan(self, arm: Arm, start: Array, goals: Array, world: PlanningWorld, rng: np.random.Generator) -> JointPath:
        """See `JointPlanner.plan`; goals are tried one after the other, near ones first."""
        if world.rig.name != self._rig.name:
            raise PlanningError("planner", f"MoveIt runs for rig {self._rig.name}, the world is of {world.rig.name}")
        check_question(arm, start, goals)
        scene = self._scene(world, arm, start)
        begin = self._state(scene.current_state, joint_positions(world, arm, start))
        if scene.is_state_colliding(robot_state=begin, joint_model_group_name=arm.name):
            raise PlanningError("collision", f"the start of arm {arm.name} is in contact")
        failure = PlanningError("collision", f"each of the {len(goals)} goals of arm {arm.name} is in contact")
        for index in np.argsort(np.abs(goals - start).max(axis=1), kind="stable"):
            end = self._state(begin, joint_positions(world, arm, goals[index]))
            if scene.is_state_colliding(robot_state=end, joint_model_group_name=arm.name):
                continue
            response = self._ask(arm, scene, begin, end)
            if response:
                return JointPath(_waypoints(arm, response, start, goals[index]), int(index))
            failure = _failure(arm, response)
        raise failure

    def _ask(self, arm: Arm, scene: PlanningScene, begin: RobotState, end: RobotState) -> MotionPlanResponse:
        component = self._components[arm.name]
        component.set_start_state(robot_state=begin)
        component.set_goal_state(robot_state=end)
        return component.plan(single_plan_parameters=self._request, planning_scene=scene)

    def _scene(self, world: PlanningWorld, arm: Arm, start: Array) -> PlanningScene:
        """A scene of its own for each request: nothing of the last one stays."""
        with self._moveit.get_planning_scene_monitor().read_only() as current:
            scene = deepcopy(current)
        scene.remove_all_collision_objects()
        scene.current_state = self._state(scene.current_state, joint_positions(world, arm, start))
        for body in fixed_bodies(world):
            scene.apply_collision_object(collision_object_msg=collision_object(body))
        held = attached_body(world)
        if held is not None:
            scene.process_attached_collision_object(object=attached_object(held))
        matrix = scene.allowed_collision_matrix
        for first, second in allowed_contacts(world):
            matrix.set_entry(name1=first, name2=second, allowed=True)
        scene.allowed_collision_matrix = matrix
        return scene

    @staticmethod
    def _state(like: RobotState, positions: Any) -> RobotState:
        """A state with what `like` holds, and joints elsewhere."""
        state = deepcopy(like)
        state.joint_positions = dict(positions)
        state.update(force=True)
        return state


def _waypoints(arm: Arm, response: MotionPlanResponse, start: Array, goal: Array) -> Array:
    """The path (m, n) in the arm's joint order, its ends exactly those asked for."""
    trajectory = response.trajectory.get_robot_trajectory_msg().joint_trajectory
    names = list(trajectory.joint_names)
    missing = [name for name in arm.joint_names[:-1] if name not in names]
    if missing or len(trajectory.points) < 2:
        raise PlanningError("planner", f"MoveIt answers {len(trajectory.points)} points of joints {', '.join(names)}")
    columns = [names.index(name) for name in arm.joint_names[:-1]]
    waypoints = np.array([point.positions for point in trajectory.points], dtype=float)[:, columns]
    off_rad = max(np.abs(waypoints[0] - start).max(), np.abs(waypoints[-1] - goal).max())
    if off_rad > END_TOLERANCE_RAD:
        raise PlanningError("planner", f"MoveIt's path begins or ends {off_rad:.2g} rad from what was asked")
    waypoints[0], waypoints[-1] = start, goal
    return waypoints


def _failure(arm: Arm, response: MotionPlanResponse) -> PlanningError:
    from moveit_msgs.msg import MoveItErrorCodes

    code = response.error_code.val
    for name in (*CONSTRAINT_OF, *_OTHER_CODES):
        if getattr(MoveItErrorCodes, name) == code:
            return PlanningError(
                CONSTRAINT_OF.get(name, "planner"), f"MoveIt answers {name} for a motion of arm {arm.name}"
            )
    return PlanningError("planner", f"MoveIt answers error code {code} for a motion of arm {arm.name}")
