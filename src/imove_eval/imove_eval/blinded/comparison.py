"""Is A better than B: paired differences of policies over the scenes that they have all finished."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any

from imove_analysis.intervals import mean_score, proportion
from imove_analysis.paired import holm, paired_difference
from imove_analysis.scores import score_key
from imove_eval.blinded.study import Study
from imove_tasks.stages import RUBRICS, stages_of

Record = Mapping[str, Any]
PRIMARY_RUBRIC = "strict"


def compare_policies(
    study: Study, records: Mapping[str, Sequence[Record]], summaries: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """The comparison as plain data, labels lifted.

    Args:
        study: What was run.
        records: Finished trials by label.
        summaries: What `summarise_run` says of each label.

    Returns:
        `suite`, `conditions`, `trials`, `order_sha256`, `valid`; `primary`, the outcome that the comparison is about;
        `policies.<label>` with `name`, `config`, `url`, `interventions` and `by_condition.<condition>`; and
        `paired.<condition>`, one entry for each pair of labels, with `first`, `second` and `outcomes.<outcome>`:
        counts, difference of the second to the first, its 95 % interval, p of McNemar's exact test, and `p_holm` of the
        primary outcome, adjusted for the number of pairs.
    """
    some = study.runs["A"]
    stages = stages_of(some.specs[0].primitive)
    outcomes = _outcomes(stages)
    judged = all(_judgement(record) is not None for found in records.values() for record in found)
    if judged:
        outcomes["operator/success"] = lambda record: bool(_judgement(record))
    primary = "operator/success" if judged else f"{PRIMARY_RUBRIC}/success"
    return {
        "suite": some.suite.name,
        "conditions": list(some.conditions),
        "trials": len(study.order.trials),
        "order_sha256": study.order.to_record()["sha256"],
        "valid": all(summary["valid"] for summary in summaries.values()),
        "primary": primary,
        "policies": {
            label: {
                **choice.to_record(),
                "interventions": sum(len(_operator(record).get("interventions", ())) for record in records[label]),
                "by_condition": {
                    condition: _rates(_under(records[label], condition), outcomes, stages)
                    for condition in some.conditions
                },
            }
            for label, choice in study.key.items()
        },
        "paired": {condition: _pairs(records, condition, outcomes, primary) for condition in some.conditions},
    }


Outcome = Callable[[Record], bool]


def _outcomes(stages: Sequence[str]) -> dict[str, Outcome]:
    """What is compared, by name."""
    return {f"{rubric}/{what}": partial(_reached, rubric, what) for rubric in RUBRICS for what in (*stages, "success")}


def _reached(rubric: str, what: str, record: Record) -> bool:
    return bool(record["score"]["rubrics"][rubric][what])


def _operator(record: Record) -> Mapping[str, Any]:
    operator: Mapping[str, Any] = record.get("operator") or {}
    return operator


def _judgement(record: Record) -> bool | None:
    """Whether a person says that it succeeded, None where none did."""
    success: bool | None = _operator(record).get("success")
    return success


def _under(records: Sequence[Record], condition: str) -> list[Record]:
    return [record for record in records if record["condition"] == condition]


def _rates(records: Sequence[Record], outcomes: Mapping[str, Outcome], stages: Sequence[str]) -> dict[str, Any]:
    rates = {name: proportion(sum(did(record) for record in records), len(records)) for name, did in outcomes.items()}
    score = score_key(stages)
    scores = [record["score"]["rubrics"][PRIMARY_RUBRIC][score] for record in records]
    return {"n": len(records), "outcomes": rates, score: mean_score(scores)}


def _pairs(
    records: Mapping[str, Sequence[Record]], condition: str, outcomes: Mapping[str, Outcome], primary: str
) -> list[dict[str, Any]]:
    by_scene = {
        label: {record["spec_id"]: record for record in _under(found, condition)} for label, found in records.items()
    }
    pairs: list[dict[str, Any]] = []
    for first, second in combinations(sorted(by_scene), 2):
        scenes = [scene for scene in by_scene[first] if scene in by_scene[second]]
        compared = {
            name: paired_difference([(did(by_scene[first][scene]), did(by_scene[second][scene])) for scene in scenes])
            for name, did in outcomes.items()
        }
        pairs.append({"first": first, "second": second, "outcomes": compared})
    for pair, adjusted in zip(pairs, holm([pair["outcomes"][primary]["p"] for pair in pairs]), strict=True):
        pair["outcomes"][primary]["p_holm"] = adjusted
    return pairs
