"""The stages of a pick on scripted episodes, true and false ones."""

import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imove_core.rig import load_rig, rig_names
from imove_core.spec import ReferenceRubric
from imove_core.state import RobotState, StepState
from imove_tasks.stages import StageMachine

from .stage_cases import (
    DWELL_STEPS,
    FAR,
    HALF,
    NAMELESS,
    NEAR,
    OTHER,
    PLACES,
    RIG,
    TARGET,
    Frame,
    above,
    approach,
    blind,
    cube,
    lift,
    play,
    spec_of,
)


def unsensed(frames: list[Frame]) -> list[Frame]:
    """The same where a domain has no contact sensing."""
    return [
        dataclasses.replace(frame, objects={key: blind(frame.objects.get(key) or cube(key)) for key in PLACES})
        for frame in frames
    ]


def upside_down(height: float) -> list[Frame]:
    """The target, tall above its origin, held by its foot: its origin is at a height, its top 10 cm below it."""
    item = dataclasses.replace(
        cube(TARGET, held_by="left"),
        position=np.array([*PLACES[TARGET], height]),
        quaternion_xyzw=np.array([1.0, 0, 0, 0]),
        box_max=np.array([HALF, HALF, 0.1]),
    )
    return [Frame(left=(*PLACES[TARGET], height), objects={TARGET: item})] * 8


# What happens, and whether the target counts as (strict reach, strict lift, reference reach, reference lift).
SCRIPTS: dict[str, tuple[list[Frame], tuple[bool, bool, bool, bool]]] = {
    "nothing": (FAR * 20, (False, False, False, False)),
    "passes by": (approach(steps=DWELL_STEPS) + FAR, (False, False, True, False)),
    "stays as long as it must": (NEAR, (True, False, True, False)),
    "stays, with a break": (approach(steps=6) + FAR + approach(steps=6), (False, False, True, False)),
    "stays just near enough": (approach(height=0.0299), (True, False, True, False)),
    "stays just too far off": (approach(height=0.0301), (False, False, True, False)),
    "stays far above": (approach(height=0.06), (False, False, False, False)),
    "picks": (NEAR + lift(), (True, True, True, True)),
    "hands it over in the air": (
        NEAR + lift(steps=4) + [dataclasses.replace(lift()[0], objects={TARGET: cube(TARGET, 0.05, "right")})] * 3,
        (True, True, True, True),
    ),
    "lifts for too short a time": (NEAR + lift(steps=DWELL_STEPS) + NEAR, (True, False, True, True)),
    "lifts too little": (NEAR + lift(rise=0.029), (True, False, True, False)),
    "lifts just enough": (NEAR + lift(rise=0.0301), (True, True, True, True)),
    "nudges it up without a hold": (NEAR + lift(held=False), (True, False, True, True)),
    "loses its hold half way": (NEAR + lift(steps=5) + lift(held=False) + lift(steps=5), (True, False, True, True)),
    "lifts and drops": (NEAR + lift() + NEAR + FAR * 9, (True, True, True, True)),
    "picks at once": (lift(steps=8), (True, True, True, True)),
    "rises far from both hands": (
        [Frame(objects={TARGET: cube(TARGET, 0.05, held_by="right")})] * 20,
        (False, False, False, False),
    ),
    "picks another": (approach(OTHER, arm="right") + lift(OTHER, arm="right"), (False, False, False, False)),
    "picks unsensed": (unsensed(NEAR + lift()), (True, True, True, True)),
    "rises unsensed away from the tool": (
        unsensed(NEAR + [Frame(left=(0.32, 0.28, 0.1), objects=lift()[0].objects)] * 9),
        (True, False, True, True),
    ),
    # The origin rises by far, but the lowest point stays low.
    "turns it over low": (upside_down(0.125), (True, False, True, True)),
    "turns it over high": (upside_down(0.151), (True, True, True, True)),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_confusion_matrix(name: str) -> None:
    frames, expected = SCRIPTS[name]
    score = play(frames)
    found = tuple(
        score.reached_stage(rubric, stage) for rubric in ("strict", "reference") for stage in ("reach", "lift")
    )
    assert found == expected
    assert score.s_pick("strict") == sum(expected[:2]) / 2
    assert score.s_pick("reference") == sum(expected[2:]) / 2


def test_events_come_at_the_step_at_which_the_dwell_is_over() -> None:
    score = play(FAR * 4 + NEAR + lift())
    steps = {(event.rubric, event.stage): event.step for event in score.events if event.is_target}
    # Steps 5 to 11 are near, 12 to 18 lifted.
    assert steps == {
        ("reference", "reach"): 5,
        ("strict", "reach"): 11,
        ("reference", "lift"): 12,
        ("strict", "lift"): 18,
    }
    assert all(event.elapsed_s == event.step / 30 for event in score.events)


def test_another_object_is_an_event_but_no_success() -> None:
    frames = approach(OTHER, arm="right") + lift(OTHER, arm="right") + NEAR + lift()
    score = play(frames)
    for rubric in ("strict", "reference"):
        assert score.first(rubric, "reach") == score.first(rubric, "lift") == OTHER
        assert [e.is_target for e in score.events if e.rubric == rubric and e.stage == "lift"] == [False, True]
    assert score.s_pick("strict") == 1.0
    assert play(frames[:14]).s_pick("strict") == 0.0
    assert play(frames[:14], "alternative").s_pick("strict") == 1.0


@pytest.mark.parametrize("condition", NAMELESS)
def test_without_a_target_any_object_counts_and_none_is_the_target(condition: str) -> None:
    score = play(approach(OTHER, arm="right") + lift(OTHER, arm="right"), condition)
    assert score.target is None
    assert score.s_pick("strict") == score.s_pick("reference") == 1.0
    assert not any(event.is_target for event in score.events)
    # Reach by one object and lift by another do not make a pick of either, and a lift needs its own reach.
    risen = [Frame(left=above(TARGET, 0.01), objects={OTHER: cube(OTHER, 0.05, held_by="right")})] * 9
    assert play(risen, condition).s_pick("strict") == 0.5


def side_by_side(gap_to_first: float, gap_to_second: float) -> list[Frame]:
    """The tool between two cubes, at a distance from each."""
    y = PLACES[TARGET][1]
    second = dataclasses.replace(
        cube(OTHER), position=np.array([PLACES[TARGET][0], y - 2 * HALF - gap_to_first - gap_to_second, HALF])
    )
    return [Frame(left=(PLACES[TARGET][0], y - HALF - gap_to_first, HALF), objects={OTHER: second})] * 9


def test_of_two_near_objects_only_the_nearest_is_reached() -> None:
    for first, second, reached in ((0.010, 0.012, TARGET), (0.012, 0.010, OTHER)):
        score = play(side_by_side(first, second))
        assert [e.object_id for e in score.events if e.rubric == "strict"] == [reached]
        # The reference checker counts both.
        assert {e.object_id for e in score.events if e.rubric == "reference"} == {TARGET, OTHER}


@pytest.mark.parametrize("order", [(TARGET, OTHER), (OTHER, TARGET)])
def test_of_two_boxes_around_the_tool_the_one_with_the_nearer_centre_is_reached(order: tuple[str, str]) -> None:
    bowl = dataclasses.replace(
        cube(OTHER),
        position=np.array([*PLACES[TARGET], 0.05]),
        box_min=np.array([-0.08, -0.08, -0.05]),
        box_max=np.array([0.08, 0.08, 0.05]),
    )
    inside = [Frame(left=(*PLACES[TARGET], HALF), objects={OTHER: bowl})] * 9
    score = play(inside, object_ids=order)
    assert [e.object_id for e in score.events if e.rubric == "strict"] == [TARGET]


def test_switching_between_objects_starts_the_dwell_anew() -> None:
    here, there = side_by_side(0.010, 0.012), side_by_side(0.012, 0.010)
    score = play((here[:3] + there[:3]) * 6)
    assert not any(event.rubric == "strict" for event in score.events)


def test_first_contact_is_the_object_first_touched() -> None:
    touch = Frame(right=above(OTHER, 0.06), objects={OTHER: cube(OTHER, touched_by=("right",))})
    assert play(FAR * 3).first_contact is None
    assert play([touch, *NEAR, *lift()]).first_contact == OTHER
    # Both at the same step: the one nearest to a tool.
    both = {key: cube(key, touched_by=("left",)) for key in PLACES}
    assert play([Frame(left=above(TARGET, 0.01), objects=both)]).first_contact == TARGET
    assert play([Frame(right=above(OTHER, 0.01), objects=both)]).first_contact == OTHER
    assert play(unsensed([touch, *NEAR])).first_contact is None
    claimed = dataclasses.replace(cube(TARGET, touched_by=("left",)), contacts_known=False)
    assert play([Frame(objects={TARGET: claimed})]).first_contact is None


def test_settled_heights_are_those_of_the_first_state() -> None:
    machine = StageMachine(RIG, spec_of(), "normal")
    robot = RobotState(Frame(left=above(TARGET, 0.01)).robot(), np.zeros(14), np.zeros(14))
    for step in range(20):
        machine.update(StepState(step, step, robot, (cube(TARGET, 0.05, held_by="left"), cube(OTHER))))
    assert machine.score().s_pick("strict") == 0.5


def test_record_is_plain_data_and_says_what_the_score_says() -> None:
    score = play(approach(OTHER, arm="right") + NEAR + lift())
    record = score.to_record()
    assert json.loads(json.dumps(record)) == record
    assert (record["target"], record["first_contact"], record["steps"]) == (TARGET, TARGET, 21)
    for rubric, part in record["rubrics"].items():
        assert part["reach"] and part["lift"] and part["s_pick"] == 1.0
        assert (part["first_reached"], part["first_lifted"]) == (OTHER, TARGET)
        assert len(part["events"]) == sum(event.rubric == rubric for event in score.events) == 3


POINTS = [None, above(TARGET), above(TARGET, 0.02), above(TARGET, 0.04), (0.32, 0.12, 0.06)]


@st.composite
def episodes(draw: st.DrawFn) -> list[Frame]:
    frames: list[Frame] = []
    for _ in range(draw(st.integers(1, 5))):
        objects = {
            key: cube(
                key,
                draw(st.sampled_from([0.0, 0.02, 0.04])),
                held_by=draw(st.sampled_from(["", "left", "right"])),
            )
            for key in PLACES
        }
        frame = Frame(left=draw(st.sampled_from(POINTS)), objects=objects)
        frames += [frame] * draw(st.integers(1, 9))
    return frames


@given(frames=episodes(), condition=st.sampled_from(["normal", "alternative", "generic"]), cut=st.integers(0, 40))
@settings(deadline=None, derandomize=True, max_examples=60)
def test_laws_of_every_score(frames: list[Frame], condition: str, cut: int) -> None:
    score = play(frames, condition)
    keys = [(event.rubric, event.stage, event.object_id) for event in score.events]
    assert len(set(keys)) == len(keys), "a stage of an object is an event once"
    steps = [event.step for event in score.events]
    assert steps == sorted(steps)
    reached: set[tuple[str, str]] = set()
    for event in score.events:
        if event.stage == "reach":
            reached.add((event.rubric, event.object_id))
        else:
            assert (event.rubric, event.object_id) in reached, "a lift without a reach before it"
    for rubric in ("strict", "reference"):
        reach, lifted = (score.reached_stage(rubric, stage) for stage in ("reach", "lift"))
        assert reach or not lifted
        assert score.s_pick(rubric) == (reach + lifted) / 2
    # Stages latch: what was true of the beginning stays true, and the past does not depend on the future.
    beginning = play(frames[:cut], condition)
    assert beginning.events == score.events[: len(beginning.events)]
    assert all(event.step > cut for event in score.events[len(beginning.events) :])


@given(frames=episodes())
@settings(deadline=None, derandomize=True, max_examples=40)
def test_the_order_of_objects_does_not_matter(frames: list[Frame]) -> None:
    forward, backward = play(frames), play(frames, object_ids=(OTHER, TARGET))
    assert sorted(map(repr, forward.events)) == sorted(map(repr, backward.events))
    assert forward.first_contact == backward.first_contact


@pytest.mark.parametrize("rig_name", rig_names())
def test_reference_reach_is_in_range_of_a_tool_at_the_object_on_every_rig(rig_name: str) -> None:
    for arm in load_rig(rig_name).arms:
        model = arm.arm_model
        hand_to_tool_m = np.linalg.norm(model.flange_from_tcp[:3, 3] - model.flange_from_gripper[:3, 3])
        assert hand_to_tool_m < ReferenceRubric().reach_distance_m - 0.03
