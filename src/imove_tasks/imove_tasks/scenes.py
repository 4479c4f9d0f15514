"""Scenes: objects that are placed, and everything that can be asked for on them; a spec is a scene with one goal asked.

Which of its goals a scene's canonical instruction asks for can be changed without touching the scene, so a suite is
balanced after its scenes have been proved.
"""

from collections.abc import Mapping, Sequence

from imove_core.certificate import Candidate, Certificate
from imove_core.certificate import Goal as ProvedGoal
from imove_core.meaning import Description, Meaning
from imove_core.randomization import Randomization
from imove_core.spec import SCHEMA_VERSION, EpisodeSpec, Role, SceneObject
from imove_core.values import FrozenValue
from imove_tasks.assets.model import Asset
from imove_tasks.families.model import Turn
from imove_tasks.goals import Goal
from imove_tasks.grounding import check_goal, things_of
from imove_tasks.language import SceneWords, compose, condition_instructions
from imove_tasks.registry import get_family
from imove_tasks.seeds import generator
from imove_tasks.suites import suite_name


class Proof(FrozenValue):
    """What was proved of a scene in physics.

    Attributes:
        engine: Name and version of the engine.
        drift_m: Largest way that an object moves when the scene is left alone.
        candidates: Each of the objects that can be asked for.
        placed: For each goal whether its object was carried to its destination; None where it is only picked.
    """

    engine: str
    drift_m: float
    candidates: tuple[Candidate, ...]
    placed: tuple[bool | None, ...]


class Scene(FrozenValue):
    """A scene with all its goals.

    Attributes:
        family: Name of the task family.
        rig: Name of the rig.
        turn: Which draw it is.
        seed: That only this draw has.
        objects: In the order of the spec; who is target and destination is settled with the goal.
        goals: As in `imove_tasks.families.model.Draft`.
        absent: True of nothing in the scene.
        conflicting: True of nothing either, though its words are each true of something.
        randomization: Draws of the domain randomisation.
        proof: What was proved in physics; None before.
    """

    family: str
    rig: str
    turn: Turn
    seed: int
    objects: tuple[SceneObject, ...]
    goals: tuple[Goal, ...]
    absent: Description
    conflicting: Description
    randomization: Randomization
    proof: Proof | None = None

    @property
    def id(self) -> str:
        """Id of the episode that it becomes."""
        return f"{suite_name(self.family, self.turn.split, self.rig)}/{self.turn.index:03d}"

    @property
    def canonical(self) -> tuple[int, ...]:
        """Numbers of the goals that the canonical instruction may ask for: those to pick more than the reference."""
        references = {item.id for item in self.objects if item.role == "reference"}
        return tuple(number for number, goal in enumerate(self.goals) if goal.target not in references)

    def check_goals(self) -> None:
        """Raises ImoveError unless every goal is about exactly its own objects."""
        things = things_of(self.objects)
        for goal in self.goals:
            check_goal(goal.meaning, things, goal.target, goal.destination)


def episode_spec(scene: Scene, number: int, assets: Mapping[str, Asset]) -> EpisodeSpec:
    """The episode that asks for one of a scene's goals.

    Args:
        scene: The scene.
        number: Of the goal that the canonical instruction asks for.
        assets: The objects' assets by object id.

    Raises:
        ImoveError: An instruction that is needed cannot be said without doubt on this scene.
    """
    order = (number, *(other for other in range(len(scene.goals)) if other != number))
    asked = scene.goals[number]
    place = asked.meaning.place
    words = SceneWords(
        family=scene.family,
        goals=tuple(scene.goals[other] for other in order),
        things=things_of(scene.objects),
        assets=assets,
        absent=Meaning(pick=scene.absent, place=place),
        conflicting=Meaning(pick=scene.conflicting, place=place),
    )
    return EpisodeSpec(
        schema_version=SCHEMA_VERSION,
        id=scene.id,
        family=scene.family,
        split=scene.turn.split,
        primitive=get_family(scene.family).primitive,
        rig=scene.rig,
        seed=scene.seed,
        objects=with_roles(scene.objects, asked.target, asked.destination),
        instructions=condition_instructions(words, generator(scene.seed, "words", number)),
        randomization=scene.randomization,
        certificate=None if scene.proof is None else _certificate(scene, scene.proof, words, order),
    )


def with_roles(objects: Sequence[SceneObject], target: str, destination: str | None) -> tuple[SceneObject, ...]:
    """The objects with the roles that they have when one goal is asked for."""
    unasked: dict[Role, Role] = {"target": "distractor", "destination": "other_destination"}
    asked: dict[str | None, Role] = {target: "target", destination: "destination"}
    return tuple(
        item.model_copy(update={"role": asked.get(item.id, unasked.get(item.role, item.role))}) for item in objects
    )


def _certificate(scene: Scene, proof: Proof, words: SceneWords, order: Sequence[int]) -> Certificate:
    """The certificate of a proved scene; each goal is named by a text of its own."""
    named = []
    for number in order:
        goal = scene.goals[number]
        rng = generator(scene.seed, "goal", number)
        said = compose(goal.meaning, words.assets, goal.target, goal.destination, scene.family, "seen", rng)
        check_goal(said.meaning, words.things, goal.target, goal.destination)
        named.append(
            ProvedGoal(
                text=said.text,
                meaning=said.meaning,
                target=goal.target,
                destination=goal.destination,
                placed=proof.placed[number],
            )
        )
    return Certificate(engine=proof.engine, drift_m=proof.drift_m, candidates=proof.candidates, goals=tuple(named))
