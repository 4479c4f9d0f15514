"""ROS parameters of MoveIt for a rig, as the YAML files that MoveIt's own tools expect."""

from __future__ import annotations

from typing import Any

import yaml

from imove_description.moveit.values import MoveItArm, MoveItRig

TIMED_PIPELINE = "ompl"
"""Pipeline whose answers are trajectories, for move_group and rviz."""

PATH_PIPELINE = "ompl_path"
"""Pipeline whose answers are bare joint paths, which imove times itself."""

PLANNER = "RRTConnect"
"""Planner of every group unless a request names another."""

PLANNERS: dict[str, dict[str, str | float | int]] = {
    "RRTConnect": {"type": "geometric::RRTConnect", "range": 0.0},
    "RRTstar": {"type": "geometric::RRTstar", "range": 0.0, "goal_bias": 0.05, "delay_collision_checking": 1},
    "BiTRRT": {"type": "geometric::BiTRRT", "range": 0.0},
    "LBKPIECE": {
        "type": "geometric::LBKPIECE",
        "range": 0.0,
        "border_fraction": 0.9,
        "min_valid_path_fraction": 0.5,
    },
    "PRM": {"type": "geometric::PRM", "max_nearest_neighbors": 10},
}
"""Planners by the names that requests use; a range of 0 lets OMPL choose."""

LONGEST_SEGMENT_FRACTION = 0.005
"""Distance between states checked for collision along a path, as a share of the extent of the state space."""

PADDING_M = 0.005
"""By so much links and what they hold are grown against other bodies; not against the robot itself."""

IK_TIMEOUT_S = 0.05
PLANNING_TIME_S = 2.0
PLANNING_ATTEMPTS = 1

_REQUEST_ADAPTERS = (
    "default_planning_request_adapters/ResolveConstraintFrames",
    "default_planning_request_adapters/ValidateWorkspaceBounds",
    "default_planning_request_adapters/CheckStartStateBounds",
    "default_planning_request_adapters/CheckStartStateCollision",
)
_RETIME = "default_planning_response_adapters/AddTimeOptimalParameterization"
_SMOOTH = "default_planning_response_adapters/AddRuckigTrajectorySmoothing"
_VALIDATE = "default_planning_response_adapters/ValidateSolution"
_DISPLAY = "default_planning_response_adapters/DisplayMotionPath"


def kinematics(rig: MoveItRig) -> dict[str, Any]:
    """Solver of inverse kinematics of each arm; goes under `robot_description_kinematics`."""
    return {
        arm.group: {
            "kinematics_solver": "kdl_kinematics_plugin/KDLKinematicsPlugin",
            "kinematics_solver_search_resolution": 0.005,
            "kinematics_solver_timeout": IK_TIMEOUT_S,
        }
        for arm in rig.arms
    }


def joint_limits(rig: MoveItRig) -> dict[str, Any]:
    """Limits of speed, acceleration and jerk, rad and m, and padding; goes under `robot_description_planning`."""
    limits = {joint: values for arm in rig.arms for joint, values in _arm_limits(arm).items()}
    return {
        "default_velocity_scaling_factor": 1.0,
        "default_acceleration_scaling_factor": 1.0,
        "default_robot_padding": PADDING_M,
        "default_attached_padding": PADDING_M,
        "joint_limits": limits,
    }


def pipelines(rig: MoveItRig) -> dict[str, Any]:
    """Both pipelines with their planners, each under its own name."""
    hands = {arm.hand_group for arm in rig.arms}
    groups = [group for group in rig.group_names if group not in hands]
    adapters = {
        TIMED_PIPELINE: (_RETIME, _SMOOTH, _VALIDATE, _DISPLAY),
        PATH_PIPELINE: (_VALIDATE,),
    }
    return {
        name: {
            "planning_plugins": ["ompl_interface/OMPLPlanner"],
            "request_adapters": list(_REQUEST_ADAPTERS),
            "response_adapters": list(responses),
            "planner_configs": {planner: dict(values) for planner, values in PLANNERS.items()},
            **{group: _planning_group() for group in groups},
        }
        for name, responses in adapters.items()
    }


def moveit_py() -> dict[str, Any]:
    """Options of MoveItPy's node itself, the same for every rig.

    Nothing is executed: commands go out on imove's own topics, so no controller is named, and no joint state is waited
    for, since requests bring their own start.
    """
    return {
        "planning_scene_monitor_options": {
            "name": "planning_scene_monitor",
            "robot_description": "robot_description",
            "wait_for_initial_state_timeout": 0.0,
        },
        "planning_pipelines": {"pipeline_names": [TIMED_PIPELINE, PATH_PIPELINE]},
        "plan_request_params": {
            "planning_pipeline": PATH_PIPELINE,
            "planner_id": PLANNER,
            "planning_time": PLANNING_TIME_S,
            "planning_attempts": PLANNING_ATTEMPTS,
            "max_velocity_scaling_factor": 1.0,
            "max_acceleration_scaling_factor": 1.0,
        },
        "moveit_manage_controllers": False,
        "publish_planning_scene": True,
        "publish_geometry_updates": True,
        "publish_state_updates": True,
        "publish_transforms_updates": False,
    }


def yaml_text(values: dict[str, Any], heading: str) -> str:
    """Parameters as a YAML document under a comment line, the same bytes for the same values.

    No value may be there twice as the same object: YAML would refer to it by an alias, which ROS does not read.
    """
    text: str = yaml.safe_dump(values, sort_keys=False, width=120)
    return f"# {heading}\n{text}"


def _planning_group() -> dict[str, Any]:
    return {
        "default_planner_config": PLANNER,
        "planner_configs": list(PLANNERS),
        "longest_valid_segment_fraction": LONGEST_SEGMENT_FRACTION,
    }


def _arm_limits(arm: MoveItArm) -> dict[str, dict[str, bool | float]]:
    model, gripper = arm.model, arm.model.gripper
    rows = zip(model.velocity_limits, model.acceleration_limits, model.jerk_limits, strict=True)
    limits = {joint: _limits(*map(float, row)) for joint, row in zip(arm.joint_names, rows, strict=True)}
    limits[arm.gripper_joint] = _limits(gripper.velocity_m_s, gripper.acceleration_m_s2, gripper.jerk_m_s3)
    return limits


def _limits(velocity: float, acceleration: float, jerk: float) -> dict[str, bool | float]:
    return {
        "has_velocity_limits": True,
        "max_velocity": velocity,
        "has_acceleration_limits": True,
        "max_acceleration": acceleration,
        "has_jerk_limits": True,
        "max_jerk": jerk,
    }
