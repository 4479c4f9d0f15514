"""What is counted under which condition, paired by scene, and how a person sees it."""

import io

import pytest
from rich.console import Console

from imove_analysis.chance import chance_level
from imove_analysis.counterfactual import compare_conditions
from imove_analysis.counterfactual_tables import counterfactual_tables
from imove_analysis.records import make_record
from imove_analysis.summary import summarise_run
from imove_analysis.testing import make_execution, make_score, make_spec
from imove_core.spec import CONDITIONS
from imove_tasks.stages import PICK_STAGES, PLACE_STAGES, EpisodeScore, StageEvent

DESTINATIONS = {"object_0": "object_2", "object_1": "object_3"}
LIFTED = [("strict", "reach"), ("strict", "lift"), ("reference", "reach"), ("reference", "lift")]


@pytest.fixture
def specs():
    """Four scenes."""
    return [make_spec(index) for index in range(4)]


@pytest.fixture
def record():
    """The record of a scene under a condition in which some objects were reached and lifted."""

    def make(spec, condition, *lifted, prompt=None):
        instruction = spec.instruction(condition)
        events = [(*stage, object_id) for object_id in lifted for stage in LIFTED]
        score = make_score(*events, target=instruction.target)
        return make_record(spec, condition, 0, make_execution(score, instruction.text if prompt is None else prompt))

    return make


@pytest.fixture
def chance(rig, specs):
    """Chance levels by condition."""
    return lambda conditions: {condition: chance_level(rig, specs, condition) for condition in conditions}


def counts(rates):
    return {stage: (value["k"], value["n"]) for stage, value in rates.items() if "k" in value}


def test_target_any_object_and_normal_target(specs, record, chance):
    records = [
        record(specs[0], "normal", "object_0"),
        record(specs[1], "normal", "object_2"),
        record(specs[0], "alternative", "object_0"),
        record(specs[1], "alternative", "object_1"),
        record(specs[0], "empty", "object_2"),
        record(specs[1], "empty", "object_0"),
        record(specs[2], "empty"),
    ]
    found = compare_conditions(records, specs, chance(("normal", "alternative", "empty")))["conditions"]
    for rubric in ("strict", "reference"):
        normal, alternative, empty = (found[name]["rubrics"][rubric] for name in ("normal", "alternative", "empty"))
        assert counts(normal["target"]) == {"reach": (1, 2), "lift": (1, 2)}
        assert normal["target"]["s_pick"]["mean"] == 0.5
        assert counts(normal["any_object"]) == {"reach": (2, 2), "lift": (2, 2)}
        assert normal["normal_target"] == {stage: normal["target"][stage] for stage in ("reach", "lift")}
        assert counts(alternative["target"]) == counts(alternative["normal_target"]) == {
            "reach": (1, 2), "lift": (1, 2),
        }  # fmt: skip
        assert empty["target"] is None
        assert counts(empty["any_object"]) == {"reach": (2, 3), "lift": (2, 3)}
        assert counts(empty["normal_target"]) == {"reach": (1, 3), "lift": (1, 3)}
    assert [found[name]["counts"] for name in found] == ["target", "target", "any_object"]


def test_every_condition_has_its_result(specs, record, chance):
    records = [record(spec, condition) for spec in specs for condition in CONDITIONS]
    found = compare_conditions(records, specs, chance(CONDITIONS))
    assert list(found["conditions"]) == list(CONDITIONS)
    counted = {name: entry["counts"] for name, entry in found["conditions"].items()}
    assert {name for name in counted if counted[name] == "target"} == {
        "normal", "alternative", "paraphrase", "punctuation",
    }  # fmt: skip
    assert list(found["paired"]) == ["alternative", "paraphrase", "punctuation"]
    assert found["chance"]["strict"]["reach"] == pytest.approx(1 / 3)


def test_pairs_are_scenes_finished_under_both(specs, record, chance):
    records = [
        record(specs[3], "alternative", "object_1"),
        record(specs[0], "normal", "object_0"),
        record(specs[1], "normal", "object_0"),
        record(specs[2], "normal"),
        record(specs[2], "alternative", "object_1"),
        record(specs[1], "alternative", "object_1"),
        record(specs[0], "alternative", "object_0"),
    ]
    pair = compare_conditions(records, specs, chance(("normal", "alternative")))["paired"]["alternative"]["strict"]
    expected = {"n": 3, "both": 1, "only_first": 1, "only_second": 1, "neither": 0, "difference": 0.0, "p": 1.0}
    assert pair == {"reach": expected, "lift": expected}


def test_without_normal_nothing_is_paired(specs, record, chance):
    records = [record(specs[0], "alternative", "object_1")]
    assert compare_conditions(records, specs, chance(("alternative", "empty")))["paired"] == {}


def test_texts_that_did_not_arrive_are_counted(specs, record, chance):
    records = [record(specs[0], "empty"), record(specs[1], "empty", prompt="pick up the mug")]
    sent = compare_conditions(records, specs, chance(("normal", "empty")))["conditions"]["empty"]["prompt_verified"]
    assert (sent["k"], sent["n"]) == (1, 2)


def test_one_condition_is_summed_up_at_the_top(specs, record, chance):
    summary = summarise_run([record(specs[0], "normal", "object_0")], specs, chance(("normal",)))
    assert summary["rubrics"]["strict"]["lift"]["k"] == 1
    assert "counterfactual" not in summary


def test_several_conditions_are_summed_up_one_by_one(specs, record, chance):
    records = [record(specs[0], "normal", "object_0"), record(specs[0], "empty", "object_1")]
    summary = summarise_run(records, specs, chance(("normal", "empty")))
    alone = summarise_run(records[:1], specs, chance(("normal",)))
    assert summary["by_condition"]["normal"] == alone
    assert summary["by_condition"]["empty"]["rubrics"]["strict"]["lift"]["k"] == 1
    assert set(summary) == {"valid", "by_condition", "counterfactual"}


@pytest.fixture
def place_specs():
    """Scenes in which object_0 is to be put into object_2, or under `alternative` object_1 into object_3."""

    def destined(spec):
        told = {
            condition: instruction.model_copy(update={"destination": DESTINATIONS.get(instruction.target)})
            for condition, instruction in spec.instructions.items()
        }
        roles = ("target", "distractor", "destination", "other_destination")
        objects = tuple(item.model_copy(update={"role": role}) for item, role in zip(spec.objects, roles, strict=True))
        return spec.model_copy(update={"primitive": "pick_and_place", "instructions": told, "objects": objects})

    places = ((0.30, 0.10), (0.35, -0.20), (0.40, 0.25), (0.25, -0.05))
    return [destined(make_spec(index, places)) for index in range(2)]


def placed(spec, condition, object_id, destination_id):
    """The record of a scene in which an object was put somewhere."""
    instruction = spec.instruction(condition)
    events = []
    for rubric in ("strict", "reference"):
        for stage in PLACE_STAGES:
            where = "" if stage in PICK_STAGES else destination_id
            right = object_id == instruction.target and where in ("", instruction.destination)
            events.append(StageEvent(rubric, stage, object_id, right, 1, 1 / 30, where))
    score = EpisodeScore(instruction.target, tuple(events), None, 300, instruction.destination, PLACE_STAGES)
    return make_record(spec, condition, 0, make_execution(score, instruction.text))


def test_places_count_at_their_own_destination(place_specs):
    records = [
        placed(place_specs[0], "normal", "object_0", "object_2"),
        placed(place_specs[1], "normal", "object_0", "object_3"),
        placed(place_specs[0], "alternative", "object_0", "object_2"),
        placed(place_specs[1], "alternative", "object_1", "object_3"),
        placed(place_specs[0], "empty", "object_0", "object_3"),
        placed(place_specs[1], "empty", "object_1", "object_2"),
    ]
    found = compare_conditions(records, place_specs, {"normal": {}, "alternative": {}, "empty": {}})
    assert found["stages"] == ["reach", "lift", "reach_place", "place"]
    normal, alternative, empty = (entry["rubrics"]["strict"] for entry in found["conditions"].values())
    assert [normal["target"][stage]["k"] for stage in PLACE_STAGES] == [2, 2, 1, 1]
    assert normal["target"]["s_pnp"]["mean"] == 0.75
    assert [alternative["target"][stage]["k"] for stage in PLACE_STAGES] == [1, 1, 1, 1]
    assert [alternative["normal_target"][stage]["k"] for stage in PLACE_STAGES] == [1, 1, 1, 1]
    assert [empty["any_object"][stage]["k"] for stage in PLACE_STAGES] == [2, 2, 2, 2]
    assert [empty["normal_target"][stage]["k"] for stage in PLACE_STAGES] == [1, 1, 0, 0]
    place = found["paired"]["alternative"]["strict"]["place"]
    assert (place["both"], place["only_first"], place["only_second"], place["neither"]) == (0, 1, 1, 0)
    cells = {cell for table in counterfactual_tables("", found) for column in table.columns for cell in column.cells}
    assert "1.00/1.00/\n0.50/0.50 (0.75)" in cells


def rows(text):
    """Cells of the lines of all tables."""
    return [[cell.strip() for cell in line.strip("│").split("│")] for line in text.splitlines() if line[:1] == "│"]


def test_tables(specs, record, chance):
    console = Console(record=True, width=80, file=io.StringIO())
    lifted = {"normal": "object_0", "alternative": "object_0", "generic": "object_2", "absent": "object_0"}
    records = [record(spec, name, lifted[name]) for spec in specs[:3] for name in lifted]
    records += [record(specs[3], name) for name in lifted] + [record(spec, "scrambled") for spec in specs]
    summary = summarise_run(records, specs, chance((*lifted, "scrambled")))
    for table in counterfactual_tables("pick [all]", summary["counterfactual"]):
        console.print(table)
    text = console.export_text()
    found = rows(text)
    assert ["Normal", "0.75/0.75 (0.75)", "0.75/0.75", "0.75/0.75", "4/4"] in found
    assert ["Alternative", "0.00/0.00 (0.00)", "0.75/0.75", "0.75/0.75", "4/4"] in found
    assert ["Generic", "–", "0.75/0.75", "0.00/0.00", "4/4"] in found
    assert ["Absent", "–", "0.75/0.75", "0.75/0.75", "4/4"] in found
    assert ["Chance", "0.33/0.33 (0.33)", "", "", ""] in found
    assert ["Normal", "target Reach", "3/4  0.30-0.95", "3/4  0.30-0.95"] in found
    assert ["Scrambled", "any object Reach", "0/4  0.00-0.49", "0/4  0.00-0.49"] in found
    assert ["", "normal target Lift", "0/4  0.00-0.49", "0/4  0.00-0.49"] in found
    assert ["Alternative", "Reach (strict)", "0", "3", "0", "-0.75", "0.25"] in found
    assert "pick [all]" in text
