"""The summary of a run: one for the only condition, or one for each of several with what they say together."""

from collections.abc import Mapping, Sequence
from typing import Any

from imove_analysis.counterfactual import compare_conditions
from imove_analysis.intervals import mean_score, proportion
from imove_core.spec import EpisodeSpec
from imove_tasks.stages import PICK_STAGES, PLACE_STAGES, RUBRICS


def summarise_run(
    records: Sequence[dict[str, Any]],
    specs: Sequence[EpisodeSpec],
    chance: Mapping[str, dict[str, Any]],
) -> dict[str, Any]:
    """Sums up the finished episodes of a run.

    Args:
        records: From episodes.jsonl, of the scenes and conditions of the run.
        specs: The scenes.
        chance: Chance level by condition, from `chance_level`, in the order of the run.

    Returns:
        For one condition what `summarise` returns; for several `by_condition` with that for each, `counterfactual`
        from `compare_conditions`, and `valid` where all are.
    """
    by_condition = {
        condition: summarise([record for record in records if record["condition"] == condition], level)
        for condition, level in chance.items()
    }
    if len(by_condition) == 1:
        return next(iter(by_condition.values()))
    return {
        "valid": all(summary["valid"] for summary in by_condition.values()),
        "by_condition": by_condition,
        "counterfactual": compare_conditions(records, specs, chance),
    }


def summarise(records: Sequence[dict[str, Any]], chance: dict[str, Any]) -> dict[str, Any]:
    """The summary of the finished episodes of one suite and condition.

    Args:
        records: From episodes.jsonl.
        chance: From `imove_analysis.chance.chance_level`.
    """
    n = len(records)
    rubrics: dict[str, Any] = {}
    for rubric in RUBRICS:
        scores = [record["score"]["rubrics"][rubric] for record in records]
        # The primitive of the episodes shows in the stages that their records have.
        stages = [stage for stage in PLACE_STAGES if stage in (scores[0] if scores else PICK_STAGES)]
        rubrics[rubric] = {stage: proportion(sum(score[stage] for score in scores), n) for stage in stages}
        for name in ("s_pick", "s_pnp")[: 1 if tuple(stages) == PICK_STAGES else 2]:
            rubrics[rubric][name] = mean_score([score[name] for score in scores])
    with_target = [record for record in records if record["score"]["target"] is not None]
    touched = [record for record in with_target if record["score"]["first_contact"] is not None]
    right = sum(record["score"]["first_contact"] == record["score"]["target"] for record in touched)
    verified = sum(record["prompt_verified"] for record in records)
    return {
        "n": n,
        # Whatever a policy did, it says nothing about language where it was told something else.
        "valid": verified == n,
        "rubrics": rubrics,
        "chance": chance,
        "first_contact": {
            "accuracy": proportion(right, len(touched)),
            "touched_any": proportion(len(touched), len(with_target)),
        },
        "language": {"prompt_verified": proportion(verified, n)},
    }
