"""The stage checkers on scripted true and false episodes in MuJoCo: what they say against what is true.

`./imove test -k checkers` runs them; with `-s` the confusion matrix of docs/rubrics.md is printed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from imove_core.rig import load_rig
from imove_sim_bridge.mujoco_backend import MujocoBackend
from imove_tasks.assets.library import open_library
from imove_tasks.stages import PLACE_STAGES, RUBRICS, EpisodeScore

from .checker_robot import ScriptedRobot
from .checker_scripts import SCRIPTS, spec_of

DOCS = Path(__file__).parents[3] / "docs" / "rubrics.md"
IMAGE_SIZE = (64, 48)
Judge = Callable[[str], EpisodeScore]


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    """Acts out a script, once, and returns the score of its episode."""
    rig, library = load_rig("piperx_dual"), open_library(())
    backend = MujocoBackend(rig, library.get, IMAGE_SIZE)
    scores: dict[str, EpisodeScore] = {}

    def one(name: str) -> EpisodeScore:
        if name not in scores:
            robot = ScriptedRobot(backend, rig, library, spec_of(SCRIPTS[name], name, library))
            SCRIPTS[name].act(robot)
            scores[name] = robot.score
        return scores[name]

    yield one
    backend.close()


def verdicts(score: EpisodeScore, rubric: str) -> tuple[bool, ...]:
    return tuple(score.reached_stage(rubric, stage) for stage in PLACE_STAGES)


@pytest.mark.parametrize("name", SCRIPTS)
def test_checkers_judge_each_script_as_it_is(judge: Judge, name: str) -> None:
    score, script = judge(name), SCRIPTS[name]
    assert verdicts(score, "strict") == tuple(number < script.strict for number in range(4))
    assert verdicts(score, "reference") == tuple(number < script.reference for number in range(4))
    # The hand reaches a container, and an object passes over a zone, on the way to other things.
    others = {
        (event.stage, event.object_id, event.destination_id)
        for event in score.events
        if event.rubric == "strict" and not event.is_target and event.stage in ("lift", "place")
    }
    assert others == script.events


@dataclass(frozen=True)
class Cell:
    """Episodes of which a stage is true or false, by what a rubric says."""

    true_yes: int = 0
    true_no: int = 0
    false_yes: int = 0
    false_no: int = 0


def matrix(judge: Judge) -> dict[tuple[str, str], Cell]:
    counts: dict[tuple[str, str], Cell] = {}
    for rubric in RUBRICS:
        for number, stage in enumerate(PLACE_STAGES):
            pairs = [(number < SCRIPTS[name].strict, verdicts(judge(name), rubric)[number]) for name in SCRIPTS]
            counts[rubric, stage] = Cell(
                pairs.count((True, True)),
                pairs.count((True, False)),
                pairs.count((False, True)),
                pairs.count((False, False)),
            )
    return counts


def table(counts: dict[tuple[str, str], Cell]) -> str:
    """As in docs/rubrics.md."""
    lines = [
        "| rubric | stage | true, said yes | true, said no | false, said yes | false, said no |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {rubric} | {stage} | {cell.true_yes} | {cell.true_no} | {cell.false_yes} | {cell.false_no} |"
        for (rubric, stage), cell in counts.items()
    ]
    return "\n".join(lines)


def test_checkers_confusion_matrix(judge: Judge) -> None:
    counts = matrix(judge)
    printed = table(counts)
    print(f"\n{len(SCRIPTS)} scripted episodes\n{printed}")
    for stage in PLACE_STAGES:
        strict, reference = counts["strict", stage], counts["reference", stage]
        assert strict.true_no == strict.false_yes == reference.true_no == 0
        assert min(strict.true_yes, strict.false_no) > 0, f"no script shows {stage} both ways"
    granted = {name for name, script in SCRIPTS.items() if script.reference > script.strict}
    print("the reference rubric grants more: " + "; ".join(sorted(granted)))
    assert counts["reference", "place"].false_yes > 0
    assert printed in DOCS.read_text(), "docs/rubrics.md has another matrix"
