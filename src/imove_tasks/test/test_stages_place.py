"""The stages of a place on scripted episodes, true and false ones, in a container and in a relation."""

import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imove_core.errors import ImoveError
from imove_core.rig import Pose, Rig
from imove_core.spec import EpisodeSpec, PlaceRegion
from imove_core.state import ObjectState, RobotState, StepState
from imove_core.transforms import Array, quaternion_from_rotation, rotation_about_axis
from imove_tasks.stages import PICK_STAGES, PLACE_STAGES, RUBRICS, EpisodeScore, StageMachine, stages_of

from .stage_cases import (
    DWELL_STEPS,
    HALF,
    RIG,
    Frame,
    Point,
    at,
    blind,
    instruction,
    make_spec,
    play_states,
    scene_object,
)

APPLE, PEAR, BOWL, TRAY = "apple", "pear", "bowl", "tray"
BOWL_HALF, TRAY_HALF = (0.06, 0.06, 0.025), (0.05, 0.05, 0.01)
# The floor of the bowl is 5 mm above the table and its rim 45 mm above that; the tray's rim is 15 mm above its floor.
BOWL_REGION = PlaceRegion(center=(0.0, 0.0, -0.02), half_extents=(0.04, 0.04), round=True)
TRAY_REGION = PlaceRegion(center=(0.0, 0.0, -0.005), half_extents=(0.04, 0.03), round=False)
APPLE_XY, PEAR_XY, BOWL_XY, TRAY_XY = (0.32, 0.2), (0.36, -0.25), (0.34, 0.03), (0.38, 0.33)
FLOOR_M = 0.005
HIGH_M = 0.15
LONG = DWELL_STEPS + 1
REST = {
    APPLE: at(APPLE, (*APPLE_XY, HALF), supported_by=("table",)),
    PEAR: at(PEAR, (*PEAR_XY, HALF), supported_by=("table",)),
    BOWL: at(BOWL, (*BOWL_XY, BOWL_HALF[2]), BOWL_HALF, supported_by=("table",)),
    TRAY: at(TRAY, (*TRAY_XY, TRAY_HALF[2]), TRAY_HALF, supported_by=("table",)),
}


def box_of(half: Point) -> tuple[Point, Point]:
    return tuple(-value for value in half), half


def place_spec(relation: str = "in", order: tuple[str, ...] = tuple(REST)) -> EpisodeSpec:
    objects = {
        APPLE: scene_object(APPLE, "target"),
        PEAR: scene_object(PEAR),
        BOWL: scene_object(BOWL, "destination", BOWL_REGION, box_of(BOWL_HALF)),
        TRAY: scene_object(TRAY, "other_destination", TRAY_REGION, box_of(TRAY_HALF)),
    }
    return make_spec(
        [objects[key] for key in order],
        "pick_and_place",
        normal=instruction(APPLE, relation, BOWL),
        alternative=instruction(PEAR, relation, TRAY),
    )


def play(
    frames: list[Frame], relation: str = "in", condition: str = "normal", order: tuple[str, ...] = tuple(REST)
) -> EpisodeScore:
    return play_states(place_spec(relation, order), frames, {key: REST[key] for key in order}, condition)


def with_objects(frames: list[Frame], *items: ObjectState) -> list[Frame]:
    """The same with other objects elsewhere than at rest."""
    changed = {item.id: item for item in items}
    return [dataclasses.replace(frame, objects={**frame.objects, **changed}) for frame in frames]


def held(object_id: str, xy: tuple[float, float], height: float = HIGH_M, arm: str = "left", steps: int = 1) -> list:
    """An arm holds an object with its middle at a place; the gripper is half closed."""
    item = at(object_id, (*xy, height), held_by=arm)
    return [Frame(**{arm: (*xy, height)}, objects={object_id: item}, openings={arm: 2 * HALF})] * steps


def near(object_id: str, xy: tuple[float, float], arm: str = "left", steps: int = LONG) -> list[Frame]:
    return [Frame(**{arm: (*xy, 2 * HALF + 0.01)})] * steps


def lying(
    object_id: str, xy: tuple[float, float], bottom_m: float, *supports: str, steps: int = LONG, **changes: object
) -> list[Frame]:
    """An object lies by itself; hands are at home and open."""
    item = dataclasses.replace(at(object_id, (*xy, bottom_m + HALF), supported_by=supports), **changes)
    return [Frame(objects={object_id: item})] * steps


def moved(xy: tuple[float, float], x: float, y: float = 0.0) -> tuple[float, float]:
    return xy[0] + x, xy[1] + y


def turned(item: ObjectState, angle_rad: float) -> ObjectState:
    """An object tilted about x."""
    return dataclasses.replace(
        item, quaternion_xyzw=quaternion_from_rotation(rotation_about_axis([1, 0, 0], angle_rad))
    )


def unsensed(frames: list[Frame]) -> list[Frame]:
    return [
        dataclasses.replace(frame, objects={key: blind(frame.objects.get(key, item)) for key, item in REST.items()})
        for frame in frames
    ]


PICK = near(APPLE, APPLE_XY) + held(APPLE, APPLE_XY, steps=LONG)
PICK_PEAR = near(PEAR, PEAR_XY, "right") + held(PEAR, PEAR_XY, arm="right", steps=LONG)
OVER = held(APPLE, BOWL_XY)
IN_BOWL = lying(APPLE, BOWL_XY, FLOOR_M, BOWL)
BOWL_AT_REST = REST[BOWL]
CARRIED = PICK + OVER
NOTHING, PICKED, BROUGHT, PLACED = (False,) * 4, (True, True, False, False), (True, True, True, False), (True,) * 4


def bowl_at(x: float, z: float = 0.0, y: float = 0.0) -> ObjectState:
    """The bowl elsewhere than at first."""
    return dataclasses.replace(BOWL_AT_REST, position=BOWL_AT_REST.position + np.array([x, y, z]))


# What happens; which stages are true of the target (strict), and which the reference rubric grants it.
SCRIPTS: dict[str, tuple[list[Frame], tuple[bool, ...], tuple[bool, ...]]] = {
    "puts it in": (CARRIED + IN_BOWL, PLACED, PLACED),
    "drops it in from high above": (CARRIED + lying(APPLE, BOWL_XY, 0.08, steps=3) + IN_BOWL, PLACED, PLACED),
    "holds it above": (CARRIED + held(APPLE, BOWL_XY, steps=30), BROUGHT, BROUGHT),
    "holds it low in the bowl": (CARRIED + held(APPLE, BOWL_XY, FLOOR_M + HALF, steps=30), BROUGHT, BROUGHT),
    "opens but touches it still": (
        CARRIED + lying(APPLE, BOWL_XY, FLOOR_M, BOWL, touched_by=("left",)),
        BROUGHT,
        PLACED,
    ),
    "lets it go for too short a time": (CARRIED + IN_BOWL[:DWELL_STEPS] + OVER, BROUGHT, PLACED),
    "lets it go twice for too short a time": (CARRIED + (IN_BOWL[:4] + OVER) * 3, BROUGHT, PLACED),
    "puts it on the table": (PICK + lying(APPLE, (0.3, 0.3), 0.0, "table"), PICKED, PICKED),
    "puts it beside the bowl": (
        CARRIED + lying(APPLE, moved(BOWL_XY, 0.09), 0.0, "table"),
        BROUGHT,
        BROUGHT,
    ),
    "drops it before it is there, and it rolls in": (PICK + IN_BOWL, PICKED, PLACED),
    "throws it over the bowl": (
        PICK + lying(APPLE, BOWL_XY, HIGH_M, steps=2) + lying(APPLE, (0.3, -0.1), 0.0, "table"),
        PICKED,
        # Its centre passes over the box while both hands are open.
        PLACED,
    ),
    "holds it over the rim only": (PICK + held(APPLE, moved(BOWL_XY, 0.05)), PICKED, BROUGHT),
    "holds it over a corner of the round floor's square": (
        PICK + held(APPLE, moved(BOWL_XY, 0.03, 0.03)),
        PICKED,
        BROUGHT,
    ),
    "holds it just over the floor": (PICK + held(APPLE, moved(BOWL_XY, 0.0395)), BROUGHT, BROUGHT),
    "leaves it half out": (CARRIED + lying(APPLE, moved(BOWL_XY, 0.05), FLOOR_M, BOWL), BROUGHT, PLACED),
    "leans it on the rim with a foot on the table": (
        CARRIED + lying(APPLE, moved(BOWL_XY, 0.03), FLOOR_M, BOWL, "table"),
        BROUGHT,
        PLACED,
    ),
    "balances it on the rim": (CARRIED + lying(APPLE, BOWL_XY, FLOOR_M + 0.045, BOWL), BROUGHT, PLACED),
    "leaves it as high as it may be": (CARRIED + lying(APPLE, BOWL_XY, FLOOR_M + 0.0199, BOWL), PLACED, PLACED),
    "leaves it a little higher": (CARRIED + lying(APPLE, BOWL_XY, FLOOR_M + 0.0201, BOWL), BROUGHT, PLACED),
    "leaves it afloat": (CARRIED + lying(APPLE, BOWL_XY, FLOOR_M), BROUGHT, PLACED),
    "leaves it moving": (
        CARRIED + lying(APPLE, BOWL_XY, FLOOR_M, BOWL, linear_velocity=np.array([0.0, 0.051, 0.0])),
        BROUGHT,
        PLACED,
    ),
    "leaves it turning": (
        CARRIED + lying(APPLE, BOWL_XY, FLOOR_M, BOWL, angular_velocity=np.array([0.0, 0.0, 0.51])),
        BROUGHT,
        PLACED,
    ),
    "puts it on something in the bowl": (
        with_objects(
            CARRIED + lying(APPLE, BOWL_XY, FLOOR_M + 2 * HALF, PEAR),
            at(PEAR, (*BOWL_XY, FLOOR_M + HALF), supported_by=(BOWL,)),
        ),
        PLACED,
        PLACED,
    ),
    "puts it on something on the rim": (
        with_objects(
            CARRIED + lying(APPLE, BOWL_XY, FLOOR_M + 0.045 + 2 * HALF, PEAR),
            at(PEAR, (*BOWL_XY, FLOOR_M + 0.045 + HALF), supported_by=(BOWL,)),
        ),
        BROUGHT,
        PLACED,
    ),
    "leans it on something outside": (
        with_objects(
            CARRIED + lying(APPLE, moved(BOWL_XY, 0.03), FLOOR_M, BOWL, PEAR),
            at(PEAR, (*moved(BOWL_XY, 0.09), HALF), supported_by=("table",)),
        ),
        BROUGHT,
        PLACED,
    ),
    "puts it in and pushes it out": (
        CARRIED + IN_BOWL + lying(APPLE, moved(BOWL_XY, 0.1), 0.0, "table"),
        PLACED,
        PLACED,
    ),
    "puts it into a bowl that was pushed aside": (
        with_objects(PICK + held(APPLE, moved(BOWL_XY, 0.09)), bowl_at(0.09))
        + with_objects(lying(APPLE, moved(BOWL_XY, 0.09), FLOOR_M, BOWL), bowl_at(0.09)),
        PLACED,
        PLACED,
    ),
    "puts it into a bowl that was carried off": (
        with_objects(PICK + held(APPLE, moved(BOWL_XY, 0.11)), bowl_at(0.11))
        + with_objects(lying(APPLE, moved(BOWL_XY, 0.11), FLOOR_M, BOWL), bowl_at(0.11)),
        PICKED,
        PLACED,
    ),
    "lifts the bowl under it": (
        with_objects(CARRIED[:-1] + OVER + lying(APPLE, BOWL_XY, FLOOR_M + 0.04, BOWL), bowl_at(0.0, 0.04)),
        PICKED,
        PLACED,
    ),
    "lifts the bowl a little": (
        with_objects(CARRIED + lying(APPLE, BOWL_XY, FLOOR_M + 0.02, BOWL), bowl_at(0.0, 0.02)),
        PLACED,
        PLACED,
    ),
    "brings it and then lifts the bowl": (
        CARRIED + with_objects(lying(APPLE, BOWL_XY, FLOOR_M + 0.04, BOWL), bowl_at(0.0, 0.04)),
        BROUGHT,
        PLACED,
    ),
    "puts it into a toppled bowl": (
        CARRIED + with_objects(IN_BOWL, turned(BOWL_AT_REST, np.deg2rad(35))),
        BROUGHT,
        PLACED,
    ),
    "puts it into a leaning bowl": (
        CARRIED + with_objects(IN_BOWL, turned(BOWL_AT_REST, np.deg2rad(10))),
        PLACED,
        PLACED,
    ),
    "puts it under an upturned bowl": (
        CARRIED + with_objects(IN_BOWL, turned(BOWL_AT_REST, np.pi)),
        BROUGHT,
        PLACED,
    ),
    "hands it over on the way": (PICK + held(APPLE, BOWL_XY, arm="right") + IN_BOWL, PLACED, PLACED),
    "puts it in with the other arm alone": (
        near(APPLE, APPLE_XY, "right") + held(APPLE, APPLE_XY, arm="right", steps=LONG)
        + held(APPLE, BOWL_XY, arm="right") + IN_BOWL,
        PLACED,
        PLACED,
    ),
    "pushes it in without a lift": (near(APPLE, APPLE_XY) + OVER + IN_BOWL, (True,) + (False,) * 3, PLACED),
    "does not pick it": (near(APPLE, APPLE_XY) + IN_BOWL, (True,) + (False,) * 3, (True,) + (False,) * 3),
    "puts it into the tray": (
        PICK + held(APPLE, TRAY_XY) + lying(APPLE, TRAY_XY, 0.005, TRAY), PICKED, PICKED,
    ),
    "puts another into the bowl": (
        PICK_PEAR + held(PEAR, BOWL_XY, arm="right") + lying(PEAR, BOWL_XY, FLOOR_M, BOWL), NOTHING, NOTHING,
    ),
    "lifts two at once": (
        with_objects(PICK + OVER, at(PEAR, (*moved(APPLE_XY, 0.03), HIGH_M), held_by="left"))
        + with_objects(IN_BOWL, at(PEAR, (*moved(BOWL_XY, 0.03), FLOOR_M + HALF), supported_by=(BOWL,))),
        (True,) + (False,) * 3,
        PLACED,
    ),
    "lifts it with another on top": (
        with_objects(PICK + OVER, at(PEAR, (*APPLE_XY, HIGH_M + 2 * HALF), supported_by=(APPLE,))) + IN_BOWL,
        (True,) + (False,) * 3,
        PLACED,
    ),
    "lifts it with another on a third on top": (
        with_objects(
            PICK + OVER,
            at(PEAR, (*APPLE_XY, HIGH_M + 2 * HALF), supported_by=(APPLE,)),
            at(TRAY, (*APPLE_XY, HIGH_M + 4 * HALF), TRAY_HALF, supported_by=(PEAR,)),
        )
        + IN_BOWL,
        (True,) + (False,) * 3,
        PLACED,
    ),
    "lifts it with another on the hand": (
        with_objects(PICK + OVER, at(PEAR, (*moved(APPLE_XY, 0.06), HIGH_M), touched_by=("left",))) + IN_BOWL,
        (True,) + (False,) * 3,
        PLACED,
    ),
    "drags another along that leans on it": (
        with_objects(
            PICK, at(PEAR, (*moved(APPLE_XY, 0.04), 0.06), supported_by=(APPLE, "table"))
        ) + OVER + IN_BOWL,
        PLACED,
        PLACED,
    ),
    "carries it while the other arm carries another": (
        with_objects(PICK + OVER, at(PEAR, (*PEAR_XY, HIGH_M), held_by="right")) + IN_BOWL,
        PLACED,
        PLACED,
    ),
    "puts it in with the other hand closed": (
        CARRIED + [dataclasses.replace(frame, openings={"right": 0.0}) for frame in IN_BOWL],
        PLACED,
        BROUGHT,
    ),
    "opens the hand by less than 80 %": (
        CARRIED + [dataclasses.replace(frame, openings={"left": 0.0559}) for frame in IN_BOWL],
        PLACED,
        BROUGHT,
    ),
    "opens the hand by 80 %": (
        CARRIED + [dataclasses.replace(frame, openings={"left": 0.0561}) for frame in IN_BOWL],
        PLACED,
        PLACED,
    ),
}  # fmt: skip


def stages_reached(score: EpisodeScore, rubric: str) -> tuple[bool, ...]:
    return tuple(score.reached_stage(rubric, stage) for stage in PLACE_STAGES)


@pytest.mark.parametrize("name", SCRIPTS)
def test_confusion_matrix(name: str) -> None:
    frames, strict, reference = SCRIPTS[name]
    score = play(frames)
    assert stages_reached(score, "strict") == strict
    assert stages_reached(score, "reference") == reference
    assert score.s_pick("strict") == sum(strict[:2]) / 2
    assert score.s_pnp("strict") == sum(strict) / 4
    assert score.success("strict") == strict[3]


def test_stages_of_primitives() -> None:
    assert stages_of("pick") == PICK_STAGES == ("reach", "lift")
    assert stages_of("pick_and_place") == PLACE_STAGES == ("reach", "lift", "reach_place", "place")


def test_wrong_object_and_wrong_destination_are_events_and_no_success() -> None:
    frames = PICK_PEAR + held(PEAR, BOWL_XY, arm="right") + lying(PEAR, BOWL_XY, FLOOR_M, BOWL)
    aside = with_objects(PICK + held(APPLE, TRAY_XY) + lying(APPLE, TRAY_XY, 0.005, TRAY), *frames[-1].objects.values())
    score = play(frames + aside)
    for rubric in RUBRICS:
        placed = [e for e in score.events if e.rubric == rubric and e.stage == "place"]
        assert [(e.object_id, e.destination_id, e.is_target) for e in placed] == [
            (PEAR, BOWL, False),
            (APPLE, TRAY, False),
        ]
        assert score.first(rubric, "place") == PEAR
        assert score.s_pnp(rubric) == 0.5
        assert all(not e.destination_id for e in score.events if e.stage in PICK_STAGES)
    assert play(frames, condition="alternative").s_pnp("strict") == 0.5


@pytest.mark.parametrize("condition", ["generic", "empty", "absent"])
def test_without_a_target_any_object_in_any_destination_counts(condition: str) -> None:
    frames = PICK_PEAR + held(PEAR, TRAY_XY, arm="left") + lying(PEAR, TRAY_XY, 0.005, TRAY)
    score = play(frames, condition=condition)
    assert (score.target, score.destination) == (None, None)
    assert score.s_pnp("strict") == 1.0
    assert not any(event.is_target for event in score.events)


def test_without_a_destination_any_one_counts_for_the_target() -> None:
    spec = place_spec()
    told = {**spec.instructions, "paraphrase": instruction(APPLE)}
    open_spec = spec.model_copy(update={"instructions": told})
    frames = PICK + held(APPLE, TRAY_XY) + lying(APPLE, TRAY_XY, 0.005, TRAY)
    assert play_states(open_spec, frames, REST, "paraphrase").s_pnp("strict") == 1.0
    other = PICK_PEAR + held(PEAR, BOWL_XY, arm="right") + lying(PEAR, BOWL_XY, FLOOR_M, BOWL)
    assert play_states(open_spec, other, REST, "paraphrase").s_pnp("strict") == 0.0


def test_every_stage_comes_at_its_step() -> None:
    score = play(CARRIED + IN_BOWL)
    steps = {(event.rubric, event.stage): event.step for event in score.events if event.is_target}
    # Near at steps 1 to 7, lifted at 8 to 14, over the bowl at 15, in it at 16 to 22.
    assert steps == {
        ("reference", "reach"): 1,
        ("strict", "reach"): 7,
        ("reference", "lift"): 8,
        ("strict", "lift"): 14,
        ("reference", "reach_place"): 15,
        ("strict", "reach_place"): 15,
        ("reference", "place"): 16,
        ("strict", "place"): 22,
    }


def test_long_things_may_lie_across_a_plate() -> None:
    spatula = dataclasses.replace(at(APPLE, (*TRAY_XY, 0.03), (0.08, 0.01, 0.01), supported_by=(TRAY,)))
    frames = PICK + held(APPLE, TRAY_XY) + [Frame(objects={APPLE: spatula})] * LONG
    assert any(e.stage == "place" and e.destination_id == TRAY for e in play(frames).events if e.rubric == "strict")


def test_a_pick_episode_has_no_stages_of_a_place() -> None:
    spec = place_spec()
    pick = make_spec(
        [item.model_copy(update={"role": "distractor"}) if "dest" in item.role else item for item in spec.objects],
        normal=instruction(APPLE),
    )
    score = play_states(pick, CARRIED + IN_BOWL, REST)
    assert {event.stage for event in score.events} == set(PICK_STAGES)
    assert score.success("strict")
    part = score.to_record()["rubrics"]["strict"]
    assert not {"reach_place", "place", "s_pnp", "first_placed"} & set(part)


def test_record_is_plain_data_and_says_what_the_score_says() -> None:
    score = play(CARRIED + IN_BOWL)
    record = score.to_record()
    assert json.loads(json.dumps(record)) == record
    assert (record["target"], record["destination"]) == (APPLE, BOWL)
    for rubric, part in record["rubrics"].items():
        assert all(part[stage] for stage in PLACE_STAGES)
        assert (part["s_pick"], part["s_pnp"], part["success"]) == (1.0, 1.0, True)
        assert (part["first_reached"], part["first_lifted"], part["first_placed"]) == (APPLE,) * 3
        assert [event["destination_id"] for event in part["events"]] == [
            event.destination_id for event in score.events if event.rubric == rubric
        ]


def test_a_destination_without_a_region_is_refused() -> None:
    spec = place_spec()
    flat = [item.model_copy(update={"region": None}) if item.id == TRAY else item for item in spec.objects]
    with pytest.raises(ImoveError, match="tray of test/000 is a destination to put things in, but it has no region"):
        StageMachine(RIG, spec.model_copy(update={"objects": tuple(flat)}), "normal")


def test_a_place_that_is_not_said_is_refused() -> None:
    spec = place_spec()
    normal = spec.instructions["normal"].model_copy(update={"meaning": None})
    with pytest.raises(ImoveError, match="normal instruction of test/000 has no meaning that says where"):
        StageMachine(RIG, spec.model_copy(update={"instructions": {**spec.instructions, "normal": normal}}), "generic")


# Relations are to the bowl, on the table: right is -y, in front +x. The apple stands to the left of it at first.
LEFT, RIGHT, FRONT = moved(BOWL_XY, 0.0, 0.13), moved(BOWL_XY, 0.0, -0.13), moved(BOWL_XY, 0.13)


def put(xy: tuple[float, float], *supports: str, bottom_m: float = 0.0) -> list[Frame]:
    return PICK + held(APPLE, xy) + lying(APPLE, xy, bottom_m, *(supports or ("table",)))


RELATED: dict[str, tuple[str, list[Frame], tuple[bool, ...], tuple[bool, ...]]] = {
    "puts it to the right": ("right_of", put(RIGHT), PLACED, PLACED),
    "puts it to the left": ("right_of", put(LEFT), PICKED, PICKED),
    "puts it in front": ("in_front_of", put(FRONT), PLACED, PLACED),
    "puts it near": ("near", put(RIGHT), PLACED, PLACED),
    "puts it not near enough": ("near", put(moved(BOWL_XY, 0.0, -0.16)), PICKED, PICKED),
    "puts it on a diagonal": ("right_of", put(moved(BOWL_XY, 0.08, -0.08)), PICKED, PICKED),
    "holds it to the right": ("right_of", PICK + held(APPLE, RIGHT, steps=20), BROUGHT, BROUGHT),
    "puts it back where it stood, where it was right at first": ("left_of", put(APPLE_XY), PLACED, PLACED),
    "puts it on something to the right": (
        "right_of",
        with_objects(put(RIGHT, PEAR, bottom_m=2 * HALF), at(PEAR, (*RIGHT, HALF), supported_by=("table",))),
        BROUGHT,
        PLACED,
    ),
    "leans it on the bowl": ("right_of", put(RIGHT, BOWL, "table"), BROUGHT, PLACED),
    "throws it to the right": ("right_of", PICK + lying(APPLE, RIGHT, 0.0, "table"), PICKED, PLACED),
    "moves the bowl instead": ("near", with_objects(put(moved(APPLE_XY, 0.01)), bowl_at(0.0, y=0.11)), PICKED, PLACED),
    "turns the bowl over": ("right_of", with_objects(put(RIGHT), turned(BOWL_AT_REST, np.pi)), PLACED, PLACED),
}


@pytest.mark.parametrize("name", RELATED)
def test_confusion_matrix_of_relations(name: str) -> None:
    relation, frames, strict, reference = RELATED[name]
    score = play(frames, relation)
    assert stages_reached(score, "strict") == strict
    assert stages_reached(score, "reference") == reference


def test_a_relation_to_the_other_reference_is_an_event_of_that() -> None:
    xy = moved(TRAY_XY, -0.02, -0.1)
    score = play(put(xy), "right_of")
    placed = [(e.destination_id, e.is_target) for e in score.events if e.rubric == "strict" and e.stage == "place"]
    assert placed == [(TRAY, False)]


UNSENSED = {
    "puts it in": (CARRIED + IN_BOWL, PLACED),
    "holds it above": (CARRIED + held(APPLE, BOWL_XY, steps=30), BROUGHT),
    "holds it low in the bowl": (CARRIED + held(APPLE, BOWL_XY, FLOOR_M + HALF, steps=30), BROUGHT),
    "balances it on the rim": (CARRIED + lying(APPLE, BOWL_XY, FLOOR_M + 0.045), BROUGHT),
    "puts it beside the bowl": (CARRIED + lying(APPLE, moved(BOWL_XY, 0.09), 0.0), BROUGHT),
    "throws it in": (PICK + IN_BOWL, PICKED),
    "leaves it moving": (
        CARRIED + lying(APPLE, BOWL_XY, FLOOR_M, linear_velocity=np.array([0.0, 0.051, 0.0])),
        BROUGHT,
    ),
    "lifts it with another on top": (
        with_objects(PICK + OVER, at(PEAR, (*APPLE_XY, HIGH_M + 2 * HALF))) + IN_BOWL,
        (True,) + (False,) * 3,
    ),
    "carries it while the other arm carries another": (
        [
            dataclasses.replace(frame, right=(*PEAR_XY, HIGH_M))
            for frame in with_objects(PICK + OVER, at(PEAR, (*PEAR_XY, HIGH_M)))
        ]
        + IN_BOWL,
        PLACED,
    ),
}


@pytest.mark.parametrize("name", UNSENSED)
def test_confusion_matrix_without_contacts(name: str) -> None:
    frames, strict = UNSENSED[name]
    machine = StageMachine(RIG, place_spec(), "normal")
    for step, frame in enumerate(unsensed([Frame(), *frames])):
        positions = frame.robot()
        robot = RobotState(positions, np.zeros_like(positions), np.zeros_like(positions))
        machine.update(StepState(step, step, robot, tuple(frame.objects.values())))
    assert stages_reached(machine.score(), "strict") == strict


def test_a_relation_without_contacts_needs_the_object_down_on_the_table() -> None:
    for bottom_m, expected in ((0.0, PLACED), (0.03, BROUGHT)):
        frames = unsensed([Frame(), *PICK, *held(APPLE, RIGHT), *lying(APPLE, RIGHT, bottom_m)])
        machine = StageMachine(RIG, place_spec("right_of"), "normal")
        for step, frame in enumerate(frames):
            robot = RobotState(frame.robot(), np.zeros(RIG.size), np.zeros(RIG.size))
            machine.update(StepState(step, step, robot, tuple(frame.objects.values())))
        assert stages_reached(machine.score(), "strict") == expected


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
