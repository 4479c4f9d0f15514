"""Scenes, scores and results made up for tests: no assets, no simulator."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from imove_analysis.records import COMPLETED, Execution, make_record
from imove_core.canonical import canonical_json
from imove_core.meaning import LABEL_FIELDS, Description, Meaning
from imove_core.randomization import PLAIN
from imove_core.spec import CONDITIONS, EpisodeSpec, Instruction, SceneObject
from imove_tasks.stages import PICK_STAGES, RUBRICS, EpisodeScore, StageEvent
from imove_tasks.suites import Suite


def make_spec(
    index: int = 0,
    places: Sequence[tuple[float, float]] = ((0.30, 0.10), (0.35, -0.20), (0.40, 0.25)),
    text: str = "pick up the mug",
    horizon_steps: int = 300,
) -> EpisodeSpec:
    """Makes episode `index` of a suite: objects at places (x, y).

    The first is the target, the second that of 'alternative'; 'absent' and 'empty' have none.
    """
    objects = tuple(
        SceneObject(
            id=f"object_{number}",
            asset=f"asset_{number}",
            asset_hash="0" * 64,
            role="distractor" if number else "target",
            phrase=f"thing {number}",
            labels={field: f"{field}_{number}" for field in LABEL_FIELDS},
            graspable=True,
            box_min=(-0.03, -0.03, -0.03),
            box_max=(0.03, 0.03, 0.03),
            region=None,
            position=(x, y, 0.03),
            quaternion_xyzw=(0.0, 0.0, 0.0, 1.0),
        )
        for number, (x, y) in enumerate(places)
    )
    named = _instruction(text, "category_0", "object_0")
    others = {
        "alternative": _instruction("pick up the bowl", "category_1", "object_1"),
        "absent": _instruction("pick up the kite", "kite", None),
        "empty": Instruction(text="", raw_text="", meaning=None, target=None),
    }
    return EpisodeSpec(
        schema_version=2,
        id=f"test/scene/{index:03d}",
        family="test",
        split="scene",
        primitive="pick",
        rig="piperx_dual",
        seed=0,
        objects=objects,
        instructions={name: others.get(name, named) for name in CONDITIONS},
        randomization=PLAIN,
        horizon_steps=horizon_steps,
    )


def _instruction(text: str, category: str, target: str | None) -> Instruction:
    meaning = Meaning(pick=Description(fields={"category": category}))
    return Instruction(text=text, raw_text=text, meaning=meaning, target=target)


def make_score(
    *reached: tuple[str, str, str],
    target: str | None = "object_0",
    first_contact: str | None = None,
) -> EpisodeScore:
    """Makes the score of an episode in which objects reached (rubric, stage) in a given order."""
    events = tuple(
        StageEvent(rubric, stage, object_id, object_id == target, step, step / 30)
        for step, (rubric, stage, object_id) in enumerate(reached, start=1)
    )
    return EpisodeScore(target, events, first_contact, 300)


def make_execution(score: EpisodeScore | None = None, prompt: str = "pick up the mug", **changes: Any) -> Execution:
    """Makes what an executor reports of a finished episode."""
    execution = Execution(
        outcome=COMPLETED,
        score=score or make_score(),
        policy_id="test",
        prompt=prompt,
        inferences=20,
        settled_pose_hash="f" * 64,
        wall={"duration_s": 1.5},
    )
    return replace(execution, **changes)


Acts = Callable[[EpisodeSpec, str], str | None]
"""The object that a made-up policy lifts in a scene under a condition, None for none."""


def listens(spec: EpisodeSpec, condition: str) -> str | None:
    """Lifts what is named, and nothing where nothing is."""
    return spec.instruction(condition).target


def write_acted_run(
    folder: Path,
    acts: Acts,
    scenes: int = 6,
    conditions: Sequence[str] = CONDITIONS,
    text: str = "pick up the mug",
    **facts: Any,
) -> Path:
    """Writes the folder of a run, with its suite.

    Args:
        folder: Made here.
        acts: What the policy does.
        scenes: How many, from `make_spec`.
        conditions: That are run.
        text: Of the normal instruction.
        facts: `settings` is added to the settings, everything else to the provenance.
    """
    specs = tuple(make_spec(index, text=text) for index in range(scenes))
    suite = Suite("test/scene", 0, "", specs)
    settings: dict[str, Any] = {
        "policy": "made_up",
        "suite": suite.name,
        "suite_hash": suite.content_hash,
        "rig": "piperx_dual",
    }
    settings |= {"seed": 0, **facts.pop("settings", {})}
    folder.mkdir(parents=True)
    (folder / "suite.jsonl").write_text(suite.to_text())
    (folder / "provenance.json").write_text(json.dumps({"settings": settings, **facts}))
    lines = []
    for spec in specs:
        for condition in conditions:
            instruction, taken = spec.instruction(condition), acts(spec, condition)
            did = [(rubric, stage, taken) for rubric in RUBRICS for stage in PICK_STAGES if taken is not None]
            score = make_score(*did, target=instruction.target, first_contact=taken)
            record = make_record(spec, condition, 0, make_execution(score, instruction.text))
            lines.append(canonical_json(record) + "\n")
    (folder / "episodes.jsonl").write_text("".join(lines))
    return folder
