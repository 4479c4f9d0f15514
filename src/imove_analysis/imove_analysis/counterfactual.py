"""What instructions change on the same scenes: the counterfactual diagnostic of InstructMove, section 4.3 and Table 4.

Three things are counted of every condition: the object that its own text asks for, any object at all, and the object
that the normal instruction of the scene asks for, whatever the text was. Which of them is the result of a condition
depends on whether its text is about exactly one object.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from imove_analysis.conditions import TARGETED_CONDITIONS
from imove_analysis.intervals import mean_score, proportion
from imove_analysis.paired import compare_paired
from imove_analysis.scores import score_key
from imove_core.spec import EpisodeSpec
from imove_tasks.stages import PICK_STAGES, RUBRICS, stages_of

Record = Mapping[str, Any]
BASELINE = "normal"
"""Condition that the others are compared with."""


def compare_conditions(
    records: Sequence[Record], specs: Sequence[EpisodeSpec], chance: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """The counterfactual table as plain data.

    Args:
        records: Finished episodes, from episodes.jsonl.
        specs: The scenes of the run; they are all of one primitive.
        chance: Chance level by condition, from `chance_level`, in the order of the run.

    Returns:
        `stages`; `chance`, that of a text about one object, empty where no condition has one;
        `conditions.<condition>` with `n`, `counts` (`target` or `any_object`: what its result is), `prompt_verified`
        and `rubrics.<rubric>.<target|any_object|normal_target>.<stage>`; and
        `paired.<condition>.<rubric>.<stage>`: where `normal` is among the conditions, every other one with a target
        compared with it over the scenes that are finished under both.
    """
    by_id = {spec.id: spec for spec in specs}
    stages = stages_of(specs[0].primitive)
    finished = {
        condition: {record["spec_id"]: record for record in records if record["condition"] == condition}
        for condition in chance
    }
    paired = [name for name in chance if name in TARGETED_CONDITIONS and name != BASELINE and BASELINE in chance]
    return {
        "stages": list(stages),
        "chance": next((level for level in chance.values() if level), {}),
        "conditions": {
            condition: _condition(condition, list(found.values()), by_id, stages)
            for condition, found in finished.items()
        },
        "paired": {condition: _paired(finished[BASELINE], finished[condition], stages) for condition in paired},
    }


def _condition(
    condition: str, records: Sequence[Record], specs: Mapping[str, EpisodeSpec], stages: Sequence[str]
) -> dict[str, Any]:
    with_target = [record for record in records if record["score"]["target"] is not None]
    rubrics: dict[str, Any] = {}
    for rubric in RUBRICS:
        target = _rates(with_target, stages, partial(_target_did, rubric))
        score = score_key(stages)
        target[score] = mean_score([record["score"]["rubrics"][rubric][score] for record in with_target])
        rubrics[rubric] = {
            "target": target if with_target else None,
            "any_object": _rates(records, stages, partial(_any_did, rubric)),
            "normal_target": _rates(records, stages, partial(_goal_did, specs, rubric)),
        }
    return {
        "n": len(records),
        "counts": "target" if condition in TARGETED_CONDITIONS else "any_object",
        "prompt_verified": proportion(sum(record["prompt_verified"] for record in records), len(records)),
        "rubrics": rubrics,
    }


def _rates(records: Sequence[Record], stages: Sequence[str], did: Callable[[Record, str], bool]) -> dict[str, Any]:
    return {stage: proportion(sum(did(record, stage) for record in records), len(records)) for stage in stages}


def _paired(first: Mapping[str, Record], second: Mapping[str, Record], stages: Sequence[str]) -> dict[str, Any]:
    pairs = [(first[key], second[key]) for key in first if key in second]
    return {
        rubric: {
            stage: compare_paired([(_target_did(rubric, a, stage), _target_did(rubric, b, stage)) for a, b in pairs])
            for stage in stages
        }
        for rubric in RUBRICS
    }


def _target_did(rubric: str, record: Record, stage: str) -> bool:
    return bool(record["score"]["rubrics"][rubric][stage])


def _any_did(rubric: str, record: Record, stage: str) -> bool:
    return any(event["stage"] == stage for event in record["score"]["rubrics"][rubric]["events"])


def _goal_did(specs: Mapping[str, EpisodeSpec], rubric: str, record: Record, stage: str) -> bool:
    """Whether the object of the normal instruction reached a stage, at its own destination where there is one."""
    normal = specs[record["spec_id"]].instruction(BASELINE)
    return any(
        event["stage"] == stage
        and event["object_id"] == normal.target
        and (stage in PICK_STAGES or normal.destination in (None, event["destination_id"]))
        for event in record["score"]["rubrics"][rubric]["events"]
    )
