"""What every `JointPlanner` must do, as checks that any implementation can be put to.

Each takes a planner and raises AssertionError where that breaks the contract. The questions are asked on the table of a
shipped rig, without a simulator, so that they run wherever the planner does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from imove_core.inverse_kinematics import inverse_kinematics
from imove_core.rig import Arm, load_rig
from imove_core.state import ObjectState
from imove_core.transforms import Array, inverse, rotation_about_axis, transform
from imove_motion.planning.collision import CollisionChecker, checked_rows
from imove_motion.planning.protocol import LIMIT_TOLERANCE_RAD, Constraint, JointPath, JointPlanner, PlanningError
from imove_motion.planning.world import Attachment, PlanningWorld
from imove_tasks.assets.affordances import StablePose
from imove_tasks.assets.convex import box_part
from imove_tasks.assets.looks import Material, VisualMesh
from imove_tasks.assets.model import Asset, Expression
from imove_tasks.assets.primitives import box

RIG = "piperx_dual"
STEP_RAD = 0.02
WALL_HALF_M = (0.05, 0.01, 0.09)
LOW_WALL_HALF_M = (0.05, 0.01, 0.035)
LOAD_HALF_M = (0.015, 0.015, 0.03)
LOAD_BELOW_TOOL_M = 0.03
HEIGHT_M = 0.11
X_M = 0.28
LEAN_RAD = 0.3
UP = (0.0, 0.0, 1.0)
DOWN = np.diag([-1.0, 1.0, -1.0])
"""Rotation of a tool that points straight down, as the arm has it at home."""


def block(object_id: str, half_m: tuple[float, float, float], place: tuple[float, float]) -> tuple[Asset, ObjectState]:
    """A box that stands on the table at x and y, m."""
    mesh, half, zero = box(*half_m), np.array(half_m), np.zeros(3)
    asset = Asset(
        uuid=object_id,
        name="red plastic block",
        domain="checks",
        super_category="blocks",
        category="block",
        color="red",
        shape="box",
        material="plastic",
        size_bucket="small",
        tags=frozenset(),
        mass_kg=0.1,
        friction=0.7,
        rolling_friction=0.0,
        visuals=(VisualMesh(mesh.vertices, mesh.faces, Material("plastic", (1.0, 0.0, 0.0, 1.0))),),
        collisions=(box_part(half_m),),
        grips=(),
        box_min=-half,
        box_max=half,
        expressions=(Expression("block", (("category", "block"),), "seen"),),
        description="A block.",
        stable_poses=(StablePose(np.eye(3), half_m[2], np.zeros((1, 2)), 0.0),),
    )
    position = np.array([*place, half_m[2]])
    return asset, ObjectState(object_id, position, np.array([0.0, 0.0, 0.0, 1.0]), -half, half, zero, zero)


@dataclass(frozen=True, eq=False)
class Question:
    """What a planner is asked.

    Attributes:
        arm: The arm that moves.
        start: (n,) rad.
        goals: (k, n) rad.
        world: The world.
    """

    arm: Arm
    start: Array
    goals: Array
    world: PlanningWorld

    def asked(self, planner: JointPlanner, seed: int = 0) -> JointPath:
        """The planner's answer, which must be a path from the start to a goal that touches nothing."""
        path = planner.plan(self.arm, self.start, self.goals, self.world, np.random.default_rng(seed))
        assert path.waypoints.shape == (len(path.waypoints), len(self.start)) and len(path.waypoints) >= 2
        assert np.allclose(path.waypoints[0], self.start, atol=LIMIT_TOLERANCE_RAD)
        assert np.allclose(path.waypoints[-1], self.goals[path.goal], atol=LIMIT_TOLERANCE_RAD)
        low, high = self.arm.limits[:-1].T
        assert np.all(path.waypoints >= low - LIMIT_TOLERANCE_RAD)
        assert np.all(path.waypoints <= high + LIMIT_TOLERANCE_RAD)
        touch = CollisionChecker(self.arm, self.world).touch(checked_rows(path.waypoints, STEP_RAD))
        assert touch is None, f"{touch} touch on the way"
        return path

    def refused(self, planner: JointPlanner, constraint: Constraint) -> None:
        """The planner must refuse and name the constraint."""
        try:
            planner.plan(self.arm, self.start, self.goals, self.world, np.random.default_rng(0))
        except PlanningError as error:
            assert error.constraint == constraint, f"refused for {error.constraint}, not for {constraint}: {error}"
        else:
            raise AssertionError(f"planned what is against {constraint}")


def question(between: Sequence[tuple[Asset, ObjectState]] = ()) -> Question:
    """From right to left before the first arm of a rig, with some objects on the table."""
    rig = load_rig(RIG)
    arm = rig.arms[0]
    start, goal = (_above(arm, _beside(arm, side_m)[1]) for side_m in (-0.12, 0.12))
    assets = {state.id: asset for asset, state in between}
    world = PlanningWorld(rig, rig.home_positions, tuple(state for _, state in between), assets)
    return Question(arm, start, goal[None], world)


def _above(arm: Arm, y_m: float) -> Array:
    """Joint positions (n,) with the tool over a place, pointing down and outwards, those nearest to home."""
    outwards = np.array([X_M, y_m]) - arm.world_from_base.matrix[:2, 3]
    lean = rotation_about_axis(np.array([-outwards[1], outwards[0], 0.0]), -LEAN_RAD)
    pose = transform(lean @ rotation_about_axis(UP, np.arctan2(outwards[1], outwards[0])) @ DOWN, [X_M, y_m, HEIGHT_M])
    found = np.array(inverse_kinematics(arm.arm_model).solve(inverse(arm.world_from_base.matrix) @ pose))
    nearest: Array = found[np.abs(found - np.array(arm.home)).max(axis=1).argmin()]
    return nearest


def _beside(arm: Arm, side_m: float) -> tuple[float, float]:
    """A place in front of an arm, so far to the left of its base, m."""
    return X_M, float(arm.world_from_base.matrix[1, 3]) + side_m


def _first_arm() -> Arm:
    return load_rig(RIG).arms[0]


def check_free_table(planner: JointPlanner) -> None:
    """A way over an empty table is found."""
    question().asked(planner)


def check_wall(planner: JointPlanner) -> None:
    """A way around a wall is found where the straight one is blocked."""
    asked = question([block("wall", WALL_HALF_M, _beside(_first_arm(), 0.0))])
    straight = checked_rows(np.stack([asked.start, asked.goals[0]]), STEP_RAD)
    assert not CollisionChecker(asked.arm, asked.world).is_free(straight), "the wall must be in the way"
    asked.asked(planner)


def check_load(planner: JointPlanner) -> None:
    """What the hand holds keeps clear of a wall over which the hand itself could go straight."""
    low_wall = block("wall", LOW_WALL_HALF_M, _beside(_first_arm(), 0.0))
    asked = question([low_wall, block("load", LOAD_HALF_M, _beside(_first_arm(), -0.3))])
    straight = checked_rows(np.stack([asked.start, asked.goals[0]]), STEP_RAD)
    assert CollisionChecker(asked.arm, asked.world).is_free(straight), "the hand alone must be free"
    held = Attachment(asked.arm.name, "load", transform(translation=[0.0, 0.0, LOAD_BELOW_TOOL_M]))
    loaded = replace(asked, world=asked.world.holding(held))
    assert not CollisionChecker(loaded.arm, loaded.world).is_free(straight), "the load must be in the way"
    loaded.asked(planner)


def check_other_arm(planner: JointPlanner) -> None:
    """A goal where another arm is gives way to one that is free."""
    asked = question()
    other = asked.world.rig.arms[1]
    place_m = _beside(asked.arm, -0.3)[1]
    parts = asked.world.rig.split(asked.world.positions.copy())
    parts[other.name][:-1] = _above(other, place_m)
    world = asked.world.at(np.concatenate([parts[arm.name] for arm in asked.world.rig.arms]))
    goals = np.stack([_above(asked.arm, place_m), asked.goals[0]])
    assert replace(asked, world=world, goals=goals).asked(planner).goal == 1


def check_start_in_collision(planner: JointPlanner) -> None:
    """A start inside of something is refused."""
    question([block("wall", WALL_HALF_M, _beside(_first_arm(), -0.12))]).refused(planner, "collision")


def check_goals_in_collision(planner: JointPlanner) -> None:
    """Goals that are all inside of something are refused."""
    question([block("wall", WALL_HALF_M, _beside(_first_arm(), 0.12))]).refused(planner, "collision")


def check_joint_limits(planner: JointPlanner) -> None:
    """A start and a goal outside of the joint limits are refused."""
    asked = question()
    outside = asked.arm.limits[:-1, 1] + 0.1
    replace(asked, start=outside).refused(planner, "joint limits")
    replace(asked, goals=outside[None]).refused(planner, "joint limits")


def check_same_seed(planner: JointPlanner) -> None:
    """The same question with the same seed has the same answer, whatever was asked before."""
    asked = question([block("wall", WALL_HALF_M, _beside(_first_arm(), 0.0))])
    first = asked.asked(planner, seed=5)
    asked.asked(planner, seed=6)
    again = asked.asked(planner, seed=5)
    assert np.array_equal(first.waypoints, again.waypoints) and first.goal == again.goal


CHECKS: tuple[Callable[[JointPlanner], None], ...] = (
    check_free_table,
    check_wall,
    check_load,
    check_other_arm,
    check_start_in_collision,
    check_goals_in_collision,
    check_joint_limits,
)
"""For every planner."""
DETERMINISTIC_CHECKS: tuple[Callable[[JointPlanner], None], ...] = (check_same_seed,)
"""For planners that do not say otherwise."""
