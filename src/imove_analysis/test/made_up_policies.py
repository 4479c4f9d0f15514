"""Runs of policies that are made up, so that what they do with language is known."""

from pathlib import Path

from imove_analysis.episodes import Episode, ObjectEvent, RubricResult
from imove_analysis.runs import Run

TARGETS = {"normal": "object_0", "alternative": "object_1", "paraphrase": "object_0", "punctuation": "object_0"}
STAGES = ("reach", "lift")


def episode_of(scene, condition, acted, candidates=3, stages=STAGES, touched=True, **changes):
    """An episode in which one object was touched, reached and lifted, or none where `acted` is None."""
    target = TARGETS.get(condition)
    events = tuple(
        ObjectEvent(stage, acted, "", step, acted == target) for step, stage in enumerate(stages, start=10) if acted
    )
    counted = frozenset(event.stage for event in events if event.is_target or target is None)
    result = RubricResult(counted, STAGES, events, counted == set(STAGES))
    facts = {
        "spec_id": f"test/scene/{scene:03d}",
        "condition": condition,
        "outcome": "completed",
        "message": "",
        "target": target,
        "destination": None,
        "first_contact": acted if touched else None,
        "candidates": candidates,
        "steps": 300,
        "rubrics": {"strict": result, "reference": result},
        "prompt": condition,
        "prompt_verified": True,
        "settled_pose_hash": "",
        "trace": None,
        "bag": None,
        "video": None,
        "safety": {},
        "inferences": 20,
        "operator": None,
    }
    return Episode(**(facts | changes))


def run_of(policy, scenes=20, conditions=("normal", "alternative"), **changes):
    """A run in which `policy(scene, condition)` names the object that is acted on.

    Scenes of several candidates have them as object_0 to object_<candidates - 1>.
    """
    episodes = tuple(
        episode_of(scene, condition, policy(scene, condition), **changes)
        for scene in range(scenes)
        for condition in conditions
    )
    settings = {"policy": "made up", "suite": "test/scene", "suite_hash": "0" * 64}
    return Run(Path("runs/made-up"), settings, {"settings": settings}, episodes)


def listener(scene, condition):
    """Does what it is told, and nothing where it is told nothing."""
    return TARGETS.get(condition)


def stubborn(scene, condition):
    """Goes for the same object whatever it is told."""
    return "object_0"


def idle(scene, condition):
    """Does nothing."""
    return None


def blind(rng, candidates=3):
    """Goes for a random object, drawn anew under each text."""
    return lambda scene, condition: f"object_{rng.integers(candidates)}"


def half_listener(scene, condition):
    """Does what it is told in every other scene, and goes for an object that nothing names in the rest."""
    return listener(scene, condition) if scene % 2 == 0 else "object_2"
