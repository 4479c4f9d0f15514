"""The nine instruction conditions of one scene; what they say is proved by evaluating it on the scene."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from imove_core.errors import ImoveError
from imove_core.meaning import Description, Destination, Meaning
from imove_core.spec import Instruction
from imove_tasks.assets.model import Asset
from imove_tasks.goals import Goal
from imove_tasks.grounding import Thing, check_goal, ground, referents
from imove_tasks.language.absence import check_absent, check_conflicting
from imove_tasks.language.disorder import punctuate, scramble
from imove_tasks.language.parser import parse
from imove_tasks.language.speaker import Speaker, Text
from imove_tasks.language.wording import draw_wording


@dataclass(frozen=True)
class SceneWords:
    """What instructions on a scene are made of.

    Attributes:
        family: Whose pool of templates is used.
        goals: What can be asked for; the first one is what the normal instruction asks for.
        things: All objects of the scene, where they settled.
        assets: Their assets, by id.
        absent: Asks to pick something that is not in the scene.
        conflicting: Asks to pick something of which category and attribute are in the scene, but not together.
    """

    family: str
    goals: tuple[Goal, ...]
    things: tuple[Thing, ...]
    assets: Mapping[str, Asset]
    absent: Meaning
    conflicting: Meaning


def condition_instructions(scene: SceneWords, rng: np.random.Generator) -> dict[str, Instruction]:
    """Draws the instructions of a scene under all of `imove_core.spec.CONDITIONS`.

    The alternative, generic, absent and conflicting ones have the template of the normal one.

    Args:
        scene: What is in the scene and can be asked for.
        rng: Source of all draws.

    Raises:
        ImoveError: An instruction is not about exactly what it should be about, there is no second object to ask for,
            or what should be absent or contradictory is not so.
    """
    goal = scene.goals[0]
    others = [other for other in scene.goals if other.target != goal.target]
    if not others:
        raise ImoveError(f"all {len(scene.goals)} goals of the scene have the target {goal.target}; another is needed")
    other = others[int(rng.integers(len(others)))]
    check_absent(scene.absent.pick, scene.assets)
    check_conflicting(scene.conflicting.pick, scene.assets)
    same = Speaker(scene.assets, draw_wording(scene.family, "seen", rng))
    new = Speaker(scene.assets, draw_wording(scene.family, "unseen", rng))
    normal = _asking_for(goal, same, scene, rng)
    return {
        "normal": normal,
        "alternative": _asking_for(other, same, scene, rng),
        "generic": _about_nothing(_generic(goal.meaning), same, scene, rng),
        "empty": Instruction(text="", raw_text="", meaning=None, target=None),
        "absent": _about_nothing(scene.absent, same, scene, rng),
        "paraphrase": _asking_for(goal, new, scene, rng),
        "scrambled": Instruction(text=scramble(normal.text, rng), raw_text=normal.raw_text, meaning=None, target=None),
        "punctuation": _punctuated(normal, rng),
        "conflicting": _about_nothing(scene.conflicting, same, scene, rng),
    }


def _asking_for(goal: Goal, speaker: Speaker, scene: SceneWords, rng: np.random.Generator) -> Instruction:
    said = speaker.say(goal.meaning, goal.target, goal.destination, rng)
    check_goal(said.meaning, scene.things, goal.target, goal.destination)
    return _instruction(said, goal.target, goal.destination)


def _about_nothing(meaning: Meaning, speaker: Speaker, scene: SceneWords, rng: np.random.Generator) -> Instruction:
    """An instruction without an object to pick; where to put it may well be said."""
    destination = ground(meaning, scene.things).destination
    said = speaker.say(meaning, None, destination, rng)
    found = ground(said.meaning, scene.things)
    if not said.meaning.pick.is_generic and not referents(said.meaning.pick, scene.things).nothing:
        raise ImoveError(f"{said.text!r} must be about no object of the scene; it can be understood to be about one")
    return _instruction(said, None, found.destination)


def _generic(meaning: Meaning) -> Meaning:
    if meaning.place is None:
        return Meaning(pick=Description())
    return Meaning(pick=Description(), place=Destination(relation=meaning.place.relation, reference=Description()))


def _punctuated(normal: Instruction, rng: np.random.Generator) -> Instruction:
    text = punctuate(normal.text, rng)
    if parse(text) != normal.meaning:
        raise ImoveError(f"{text!r} does not mean the same as {normal.text!r}")
    return normal.model_copy(update={"text": text})


def _instruction(said: Text, target: str | None, destination: str | None) -> Instruction:
    return Instruction(
        text=said.text, raw_text=said.raw_text, meaning=said.meaning, target=target, destination=destination
    )
