"""Laws that the stages of every place keep."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imove_core.rig import Pose, Rig
from imove_core.state import ObjectState, RobotState, StepState
from imove_core.transforms import Array, quaternion_from_rotation, rotation_about_axis
from imove_tasks.stages import PICK_STAGES, PLACE_STAGES, RUBRICS, StageMachine

from .place_cases import (
    APPLE,
    APPLE_XY,
    BOWL,
    BOWL_XY,
    CARRIED,
    FLOOR_M,
    HIGH_M,
    PEAR,
    PEAR_XY,
    PICK,
    REST,
    SCRIPTS,
    TRAY,
    TRAY_XY,
    held,
    moved,
    place_spec,
    play,
    stages_reached,
)
from .stage_cases import (
    HALF,
    RIG,
    Frame,
    at,
)

SPOTS = [APPLE_XY, BOWL_XY, TRAY_XY, moved(BOWL_XY, 0.05), PEAR_XY]


@st.composite
def item_states(draw: st.DrawFn, object_id: str) -> ObjectState:
    xy = draw(st.sampled_from(SPOTS))
    if draw(st.booleans()):
        return held(object_id, xy, draw(st.sampled_from([HALF, 0.06, HIGH_M])), "left")[0].objects[object_id]
    supports = draw(st.sampled_from([("table",), (BOWL,), (TRAY,), (BOWL, "table"), ()]))
    touched_by = draw(st.sampled_from([(), ("right",)]))
    return at(
        object_id, (*xy, draw(st.sampled_from([0.0, FLOOR_M, 0.05])) + HALF), (HALF,) * 3, "", touched_by, supports
    )


@st.composite
def episodes(draw: st.DrawFn) -> list[Frame]:
    frames: list[Frame] = []
    for _ in range(draw(st.integers(1, 6))):
        objects = {key: draw(item_states(key)) for key in (APPLE, PEAR)}
        point = draw(st.sampled_from([None, (*APPLE_XY, 0.05), (*BOWL_XY, HIGH_M)]))
        frame = Frame(left=point, objects=objects, openings={"right": draw(st.sampled_from([0.0, 0.07]))})
        frames += [frame] * draw(st.integers(1, 9))
    return draw(st.sampled_from([PICK, CARRIED, []])) + frames


RELATIONS = st.sampled_from(["in", "left_of", "near"])


@given(frames=episodes(), relation=RELATIONS, cut=st.integers(0, 40))
@settings(deadline=None, derandomize=True, max_examples=80)
def test_laws_of_every_score(frames: list[Frame], relation: str, cut: int) -> None:
    score = play(frames, relation)
    keys = [(event.rubric, event.stage, event.object_id, event.destination_id) for event in score.events]
    assert len(set(keys)) == len(keys), "a stage of an object at a destination is an event once"
    assert [event.step for event in score.events] == sorted(event.step for event in score.events)
    for number, event in enumerate(score.events):
        place = PLACE_STAGES.index(event.stage)
        assert (event.destination_id == "") == (event.stage in PICK_STAGES)
        assert event.is_target == (event.object_id == APPLE and event.destination_id in ("", BOWL))
        if place:
            before = PLACE_STAGES[place - 1]
            there = "" if before in PICK_STAGES else event.destination_id
            assert (event.rubric, before, event.object_id, there) in keys[:number], "a stage without the one before it"
    for rubric in RUBRICS:
        reached = stages_reached(score, rubric)
        assert reached == tuple(sorted(reached, reverse=True))
        assert score.s_pnp(rubric) == sum(reached) / 4
        assert score.success(rubric) == reached[-1]
    beginning = play(frames[:cut], relation)
    assert beginning.events == score.events[: len(beginning.events)]
    assert all(event.step > cut for event in score.events[len(beginning.events) :])


@given(frames=episodes(), relation=RELATIONS, order=st.permutations(list(REST)))
@settings(deadline=None, derandomize=True, max_examples=40)
def test_the_order_of_objects_does_not_matter(frames: list[Frame], relation: str, order: list[str]) -> None:
    one, other = play(frames, relation), play(frames, relation, order=tuple(order))
    assert sorted(map(repr, one.events)) == sorted(map(repr, other.events))


def turn_rig(angle_rad: float) -> Rig:
    """The rig turned about the world's vertical."""
    arms = tuple(
        arm.model_copy(
            update={
                "world_from_base": Pose(
                    xyz=tuple((rotation_about_axis([0, 0, 1], angle_rad) @ arm.world_from_base.xyz).tolist()),
                    rpy=(0.0, 0.0, angle_rad),
                )
            }
        )
        for arm in RIG.arms
    )
    return RIG.model_copy(update={"arms": arms})


def turn_object(item: ObjectState, turn: Array) -> ObjectState:
    return dataclasses.replace(
        item,
        position=turn @ item.position,
        quaternion_xyzw=quaternion_from_rotation(turn @ item.world_from_object[:3, :3]),
        linear_velocity=turn @ item.linear_velocity,
        angular_velocity=turn @ item.angular_velocity,
    )


@pytest.mark.parametrize("name", SCRIPTS)
@pytest.mark.parametrize("angle_rad", [0.7, -2.0])
def test_turning_robot_and_scene_about_the_vertical_changes_nothing(name: str, angle_rad: float) -> None:
    """True of containers; relations are seen from the robot's place and have a fixed left."""
    frames, turn = SCRIPTS[name][0], rotation_about_axis([0, 0, 1], angle_rad)
    machine = StageMachine(turn_rig(angle_rad), place_spec(), "normal")
    for step, frame in enumerate([Frame(), *frames]):
        robot = RobotState(frame.robot(), np.zeros(RIG.size), np.zeros(RIG.size))
        objects = tuple(turn_object(frame.objects.get(key, item), turn) for key, item in REST.items())
        machine.update(StepState(step, step, robot, objects))
    assert machine.score().events == play(frames).events
