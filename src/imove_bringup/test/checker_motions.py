"""What the robot does in scripted episodes, rightly and wrongly."""

import numpy as np

from imove_core.transforms import rotation_about_axis, transform

from .checker_robot import ScriptedRobot

PICK, OTHER, HOME, OTHER_HOME = "pick", "other", "home", "other_home"
"""Object ids: the instructed object and another, the instructed destination and another."""
PICK_XY, OTHER_XY, HOME_XY, OTHER_HOME_XY = (0.26, 0.36), (0.27, -0.08), (0.30, 0.17), (0.30, -0.28)
HIGH_M = 0.14
"""Height of a carried object's middle."""


def over(robot: ScriptedRobot, destination: str = HOME, height: float = HIGH_M) -> np.ndarray:
    return np.array([*robot.item(destination).position[:2], height])


def bring(robot: ScriptedRobot, destination: str = HOME) -> str:
    """Picks and carries over a destination."""
    arm = robot.pick(PICK)
    robot.carry(arm, PICK, over(robot, destination))
    return arm


def lower(robot: ScriptedRobot, arm: str, object_id: str = PICK, destination: str = HOME, gap_m: float = 0.006) -> None:
    """Goes down until the lowest corner of what is held is a gap above the destination's lowest point."""
    item = robot.item(object_id)
    corner = np.abs(item.world_from_object[:3, :3]) @ ((item.box_max - item.box_min) / 2)
    bottom_m = robot.centre(object_id)[2] - corner[2]
    container = robot.item(destination)
    robot.shift(arm, (0.0, 0.0, container.position[2] + container.box_min[2] + 0.006 + gap_m - bottom_m))


def places_it(robot: ScriptedRobot) -> None:
    robot.pick_and_place(PICK, HOME)
    robot.wait()
    assert robot.is_over(PICK, HOME)


def drops_it_in(robot: ScriptedRobot) -> None:
    arm = bring(robot)
    robot.leave(arm)
    robot.wait()
    assert robot.is_in(PICK, HOME)


def places_it_with_the_other_arm(robot: ScriptedRobot) -> None:
    arm = robot.pick(PICK, arm="right")
    assert arm == "right"
    robot.carry(arm, PICK, over(robot))
    robot.leave(arm)
    robot.wait()
    assert robot.is_in(PICK, HOME)


def other_arm_reaches_first(robot: ScriptedRobot) -> None:
    """The left arm grasps, lets go and leaves; the right one does it."""
    arm = robot.reach(PICK, arm="left")
    robot.leave(arm)
    places_it_with_the_other_arm(robot)


def passes_by(robot: ScriptedRobot) -> None:
    """Far above everything."""
    robot.shift("left", (0.0, 0.05, 0.0))
    robot.shift("left", (0.0, -0.15, 0.0))
    robot.home("left")


def waits_above_it(robot: ScriptedRobot) -> None:
    """The open hand stands 4 cm above it."""
    top_m = robot.centre(PICK)[2] + robot.width(PICK, np.array([0.0, 0.0, 1.0])) / 2
    robot.shift("left", [*robot.centre(PICK)[:2], top_m + 0.04] - robot.tool("left"))
    robot.wait()


def grasps_only(robot: ScriptedRobot) -> None:
    arm = robot.reach(PICK)
    robot.wait(10)
    robot.leave(arm)


def lifts_a_little(robot: ScriptedRobot) -> None:
    arm = robot.pick(PICK, lift_m=0.02)
    robot.wait(15)
    assert 0.01 < robot.centre(PICK)[2] - robot.width(PICK, np.array([0.0, 0.0, 1.0])) / 2 < 0.03
    robot.open(arm)
    robot.wait()


def is_flung_up(robot: ScriptedRobot) -> None:
    """Rises by itself after a reach."""
    arm = robot.reach(PICK)
    robot.leave(arm)
    robot.put_at(PICK, robot.centre(PICK) + [0.0, 0.0, 0.002], (0, 0, 1.5, 0, 0, 0))
    robot.wait(3)
    assert robot.item(PICK).position[2] > 0.1
    robot.wait()


def pushes_it(robot: ScriptedRobot) -> None:
    """The closed hand pushes it over the table."""
    arm = robot.reach(PICK)
    before = robot.centre(PICK)
    robot.shift(arm, (0.0, -0.05, 0.0))
    robot.leave(arm)
    assert robot.centre(PICK)[1] < before[1] - 0.03


def loses_it_on_the_way(robot: ScriptedRobot) -> None:
    arm = robot.pick(PICK)
    robot.carry(arm, PICK, (0.28, 0.30, HIGH_M))
    robot.leave(arm)
    robot.wait()
    assert not robot.is_in(PICK, HOME)


def hovers(robot: ScriptedRobot) -> None:
    bring(robot)
    robot.wait(60)
    assert robot.is_over(PICK, HOME)


def holds_it_in_the_bowl(robot: ScriptedRobot) -> None:
    arm = bring(robot)
    lower(robot, arm)
    robot.wait(60)
    assert robot.is_in(PICK, HOME) and robot.item(PICK).touched_by == (arm,)


def brings_it_and_puts_it_beside(robot: ScriptedRobot) -> None:
    arm = bring(robot)
    robot.carry(arm, PICK, (0.24, 0.29, HIGH_M))
    lower(robot, arm)
    robot.leave(arm)
    robot.wait()
    assert not robot.is_in(PICK, HOME)


def throws_it_in(robot: ScriptedRobot) -> None:
    """Lets it go beside the bowl with a speed that carries it in."""
    arm = robot.pick(PICK)
    robot.carry(arm, PICK, (0.28, 0.30, 0.13))
    robot.leave(arm)
    fall_s = np.sqrt(2 * 0.2 / 9.81)
    speed = (np.array(HOME_XY) - [0.28, 0.30]) / fall_s
    robot.put_at(PICK, (0.28, 0.30, 0.25), (*speed, 0, 0, 0, 0))
    robot.wait(60)
    assert robot.is_in(PICK, HOME), robot.centre(PICK)


def throws_it_past(robot: ScriptedRobot) -> None:
    """Lets it go with a speed that carries it over the bowl and beyond."""
    arm = robot.pick(PICK)
    robot.carry(arm, PICK, (0.28, 0.30, 0.13))
    robot.leave(arm)
    speed = (np.array(HOME_XY) - [0.28, 0.30]) / 0.12
    robot.put_at(PICK, (0.28, 0.30, 0.25), (*speed, 0.5, 0, 0, 0))
    robot.wait(60)
    assert not robot.is_in(PICK, HOME), robot.centre(PICK)


def pushes_it_out(robot: ScriptedRobot) -> None:
    """Puts it on a plate; then it is knocked off."""
    places_it(robot)
    robot.put_at(PICK, robot.centre(PICK) + [0.0, 0.0, 0.02], (0, 1.2, 0.3, 0, 0, 0))
    robot.wait(60)
    assert not robot.is_over(PICK, HOME), robot.centre(PICK)


def slips_away(robot: ScriptedRobot) -> None:
    """Comes down on the plate; the object slips out of the hand and off the plate before the hand has opened."""
    arm = bring(robot)
    lower(robot, arm)
    out = np.cross(robot.closing_axis(arm), [0.0, 0.0, 1.0])
    robot.put_at(PICK, robot.centre(PICK) + 0.03 * out + [0.0, 0.0, 0.02], (*(1.2 * out), 0, 0, 0))
    robot.leave(arm)
    assert not robot.is_over(PICK, HOME), robot.centre(PICK)


def balances_it_on_the_rim(robot: ScriptedRobot) -> None:
    """Brings it, and lays it across the bowl."""
    arm = bring(robot)
    rim_m = robot.item(HOME).position[2] + robot.item(HOME).box_max[2]
    robot.leave(arm)
    robot.put(PICK, transform(np.eye(3), [*robot.item(HOME).position[:2], rim_m + 0.02]))
    robot.wait(60)
    assert robot.item(PICK).supported_by == (HOME,), robot.item(PICK).supported_by
    assert robot.is_over(PICK, HOME)


def leans_it_on_the_rim(robot: ScriptedRobot) -> None:
    """Brings it, and leans it on the bowl with a foot on the table."""
    arm = bring(robot)
    robot.leave(arm)
    lean = rotation_about_axis([0, 0, 1], np.pi / 2) @ rotation_about_axis([0, 1, 0], -0.3)
    robot.put(PICK, transform(lean, robot.item(HOME).position + [0.0, -0.09, 0.045]))
    robot.wait(90)
    assert robot.item(PICK).supported_by == (HOME, "table"), robot.item(PICK).supported_by


def topples_the_container(robot: ScriptedRobot) -> None:
    """Brings it; the container falls on its side, and it is let go into that."""
    arm = bring(robot)
    container = robot.item(HOME)
    side = rotation_about_axis([0, 1, 0], np.pi / 2)
    robot.put(HOME, transform(side, [*container.position[:2], container.box_max[0] + 0.001]))
    robot.leave(arm)
    robot.put_at(PICK, robot.item(HOME).position + [0.0, 0.0, -0.005])
    robot.wait(60)
    assert robot.item(HOME).world_from_object[2, 2] < 0.5
    assert robot.item(PICK).supported_by == (HOME,)


def carries_the_bowl_off(robot: ScriptedRobot) -> None:
    """Brings it; the bowl is pulled from under it, and it is let go into it elsewhere."""
    arm = bring(robot)
    robot.put_at(HOME, robot.centre(HOME) + [-0.02, -0.15, 0.0])
    robot.leave(arm)
    robot.put_at(PICK, robot.centre(HOME) + [0.0, 0.0, 0.05])
    robot.wait(60)
    assert robot.is_in(PICK, HOME)


def lifts_the_container_with_it(robot: ScriptedRobot) -> None:
    """The object lies in a box from the start; the box is lifted."""
    robot.put_at(PICK, robot.centre(HOME) + [0.0, 0.0, 0.06])
    robot.wait(20)
    arm = robot.reach(HOME)
    robot.shift(arm, (0.0, 0.0, 0.09))
    robot.wait(20)
    assert robot.centre(PICK)[2] > 0.09 and robot.item(HOME).held_by == arm


def puts_it_into_another(robot: ScriptedRobot) -> None:
    arm = robot.pick(PICK)
    robot.carry(arm, PICK, over(robot, OTHER_HOME))
    robot.leave(arm)
    robot.wait()
    assert robot.is_in(PICK, OTHER_HOME)


def puts_another_in(robot: ScriptedRobot) -> None:
    arm = robot.pick(OTHER)
    robot.carry(arm, OTHER, over(robot))
    robot.leave(arm)
    robot.wait()
    assert robot.is_in(OTHER, HOME)


def lifts_it_with_another_on_top(robot: ScriptedRobot) -> None:
    top_m = robot.centre(PICK)[2] + (robot.item(PICK).box_max[2] - robot.item(PICK).box_min[2]) / 2
    arm = robot.reach(PICK)
    half_m = (robot.item(OTHER).box_max[2] - robot.item(OTHER).box_min[2]) / 2
    robot.put_at(OTHER, [*robot.centre(PICK)[:2], top_m + half_m + 0.001])
    robot.wait(10)
    robot.shift(arm, (0.0, 0.0, 0.10))
    robot.wait(15)
    assert robot.item(PICK).held_by == arm
    assert robot.item(OTHER).supported_by == (PICK,), robot.item(OTHER).supported_by


def pinches_two(robot: ScriptedRobot) -> None:
    """Both stand side by side between the fingers."""
    arm = robot.reach(PICK)
    tool_y = robot.closing_axis(arm)
    robot.open(arm)
    width_m = robot.width(PICK, tool_y)
    other_m = robot.width(OTHER, tool_y)
    middle = robot.centre(PICK)
    robot.put_at(PICK, middle + tool_y * width_m / 2)
    robot.put_at(OTHER, [*(middle - tool_y * (other_m / 2 + 0.0005))[:2], robot.centre(OTHER)[2]])
    robot.wait(5)
    robot.close(arm, max(0.0, width_m + other_m - 0.02))
    robot.wait(10)
    robot.shift(arm, (0.0, 0.0, 0.10))
    robot.wait(15)
    assert min(robot.centre(PICK)[2], robot.centre(OTHER)[2]) > 0.06, (robot.centre(PICK), robot.centre(OTHER))


def puts_it_beside(robot: ScriptedRobot) -> None:
    robot.pick_and_place(PICK, HOME, "left_of")
    robot.wait()


def holds_it_beside(robot: ScriptedRobot) -> None:
    arm = robot.pick(PICK)
    robot.carry(arm, PICK, robot.item(HOME).position + [0.0, -0.12, 0.08])
    robot.wait(40)
