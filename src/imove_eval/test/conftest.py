"""A rig, specs of scenes that need no assets, scores, and settings of a run."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from imove_core.rig import Rig, load_rig
from imove_core.spec import CONDITIONS, Appearance, EpisodeSpec, Instruction, SceneObject
from imove_eval.records import COMPLETED, Execution
from imove_eval.settings import RunSettings
from imove_tasks.stages import EpisodeScore, StageEvent

MakeSpec = Callable[..., EpisodeSpec]
MakeScore = Callable[..., EpisodeScore]
MakeExecution = Callable[..., Execution]


@pytest.fixture(scope="session")
def rig() -> Rig:
    """The dual PiPER X."""
    return load_rig("piperx_dual")


@pytest.fixture(scope="session")
def make_spec() -> MakeSpec:
    """Makes episode `index` of a suite: objects at places (x, y), the first of them the target; 'absent' has none."""

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
                position=(x, y, 0.03),
                quaternion_xyzw=(0.0, 0.0, 0.0, 1.0),
            )
            for number, (x, y) in enumerate(places)
        )
        named = Instruction(text=text, raw_text=text, referent={"category": "mug"}, target="object_0")
        nothing = Instruction(text="pick up the kite", raw_text="kite", referent={"category": "kite"}, target=None)
        return EpisodeSpec(
            schema_version=1,
            id=f"test/scene/{index:03d}",
            family="test",
            split="scene",
            primitive="pick",
            rig="piperx_dual",
            seed=0,
            objects=objects,
            instructions={name: nothing if name == "absent" else named for name in CONDITIONS},
            appearance=Appearance(
                table_rgb=(0.6,) * 3, floor_rgb=(0.3,) * 3, light_position=(0, 0, 2), light_rgb=(0.5,) * 3, ambient=0.4
            ),
            horizon_steps=horizon_steps,
        )

    return make


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
        condition="normal",
        rig="piperx_dual",
        seed=0,
        clock="lockstep",
        scheduler="receding",
        sim="mujoco",
        image_size=(224, 224),
    )


@pytest.fixture
def rng() -> np.random.Generator:
    """A seeded source of randomness."""
    return np.random.default_rng(20240611)
