"""The stages of a place in a container on scripted episodes, true and false ones."""

import dataclasses
import json

import pytest

from imove_core.errors import ImoveError
from imove_tasks.stages import PICK_STAGES, PLACE_STAGES, RUBRICS, StageMachine, stages_of

from .place_cases import (
    APPLE,
    BOWL,
    BOWL_XY,
    CARRIED,
    FLOOR_M,
    IN_BOWL,
    LONG,
    PEAR,
    PICK,
    PICK_PEAR,
    REST,
    SCRIPTS,
    TRAY,
    TRAY_XY,
    held,
    lying,
    place_spec,
    play,
    stages_reached,
    with_objects,
)
from .stage_cases import (
    RIG,
    Frame,
    at,
    instruction,
    make_spec,
    play_states,
)


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
