"""What is counted under which condition, paired by scene, and how a person sees it."""

import io

import pytest
from rich.console import Console

from imove_core.spec import CONDITIONS
from imove_eval.chance import chance_level
from imove_eval.console_report import ConsoleReporter
from imove_eval.counterfactual import compare_conditions
from imove_eval.records import make_record
from imove_eval.summary import summarise_run

LIFTED = [("strict", "reach"), ("strict", "lift"), ("reference", "reach"), ("reference", "lift")]


@pytest.fixture
def specs(make_spec):
    """Four scenes."""
    return [make_spec(index) for index in range(4)]


@pytest.fixture
def record(make_score, make_execution):
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
    assert set(summary) == {"by_condition", "counterfactual"}


def rows(text):
    """Cells of the lines of all tables."""
    return [[cell.strip() for cell in line.strip("│").split("│")] for line in text.splitlines() if line[:1] == "│"]


def test_tables(specs, record, chance):
    console = Console(record=True, width=80, file=io.StringIO())
    lifted = {"normal": "object_0", "alternative": "object_0", "generic": "object_2", "absent": "object_0"}
    records = [record(spec, name, lifted[name]) for spec in specs[:3] for name in lifted]
    records += [record(specs[3], name) for name in lifted] + [record(spec, "scrambled") for spec in specs]
    summary = summarise_run(records, specs, chance((*lifted, "scrambled")))
    ConsoleReporter(console, str, "pick [all]", "runs/[1]").summary(summary)
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
    assert text.splitlines()[-1] == "written: runs/[1]"
