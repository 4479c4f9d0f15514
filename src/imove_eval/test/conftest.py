"""A rig, specs of scenes that need no assets, scores, and settings of a run."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from imove_core.meaning import LABEL_FIELDS, Description, Meaning
from imove_core.randomization import PLAIN
from imove_core.rig import Rig, load_rig
from imove_core.spec import CONDITIONS, EpisodeSpec, Instruction, SceneObject
from imove_eval.records import COMPLETED, Execution
from imove_eval.settings import Run, RunSettings
from imove_tasks.stages import EpisodeScore, StageEvent
from imove_tasks.suites import Suite

MakeSpec = Callable[..., EpisodeSpec]
MakeScore = Callable[..., EpisodeScore]
MakeExecution = Callable[..., Execution]


@pytest.fixture(scope="session")
def rig() -> Rig:
    """The dual PiPER X."""
    return load_rig("piperx_dual")


@pytest.fixture(scope="session")
def make_spec() -> MakeSpec:
    """Makes episode `index` of a suite: objects at places (x, y).

    The first is the target, the second that of 'alternative'; 'absent' and 'empty' have none.
    """

    def make(
        index: int = 0,
        places: Sequence[tuple[float, float]] = ((0.30, 0.10), (0.35, -0.20), (0.40, 0.25)),
        text: str = "pick up the mug",
        horizon_steps: int = 300,
    ) -> EpisodeSpec:
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

    return make


def _instruction(text: str, category: str, target: str | None) -> Instruction:
    meaning = Meaning(pick=Description(fields={"category": category}))
    return Instruction(text=text, raw_text=text, meaning=meaning, target=target)


@pytest.fixture(scope="session")
def make_score() -> MakeScore:
    """Makes the score of an episode in which objects reached (rubric, stage) in a given order."""

    def make(
        *reached: tuple[str, str, str],
        target: str | None = "object_0",
        first_contact: str | None = None,
    ) -> EpisodeScore:
        events = tuple(
            StageEvent(rubric, stage, object_id, object_id == target, step, step / 30)
            for step, (rubric, stage, object_id) in enumerate(reached, start=1)
        )
        return EpisodeScore(target, events, first_contact, 300)

    return make


@pytest.fixture(scope="session")
def make_execution(make_score: MakeScore) -> MakeExecution:
    """Makes what an executor reports of a finished episode."""

    def make(score: EpisodeScore | None = None, prompt: str = "pick up the mug", **changes: object) -> Execution:
        values = {
            "outcome": COMPLETED,
            "score": score or make_score(),
            "policy_id": "test",
            "prompt": prompt,
            "inferences": 20,
            "settled_pose_hash": "f" * 64,
            "wall": {"duration_s": 1.5},
        }
        return Execution(**(values | changes))

    return make


@pytest.fixture
def settings() -> RunSettings:
    """Settings of a run."""
    return RunSettings(
        suite="test/scene",
        suite_hash="a" * 64,
        policy="expert",
        rig="piperx_dual",
        seed=0,
        clock="lockstep",
        scheduler="receding",
        sim="mujoco",
        image_size=(224, 224),
    )


@pytest.fixture
def make_run(rig: Rig, settings: RunSettings) -> Callable[..., Run]:
    """Makes a run of the first of some specs under conditions."""

    def make(
        specs: Sequence[EpisodeSpec], episodes: int, conditions: Sequence[str] = ("normal",), seed: int = 5
    ) -> Run:
        suite = Suite("test/scene", 0, "", tuple(specs))
        return Run(replace(settings, seed=seed), suite, rig, tuple(specs[:episodes]), tuple(conditions))

    return make


@pytest.fixture
def rng() -> np.random.Generator:
    """A seeded source of randomness."""
    return np.random.default_rng(20240611)
