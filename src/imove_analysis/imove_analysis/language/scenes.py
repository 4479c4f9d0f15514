"""What a policy did in each scene under each of its instructions, as the language figures look at it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from imove_analysis.episodes import Episode
from imove_analysis.runs import Run
from imove_core.errors import ImoveError

RUBRIC = "strict"
"""A reach of the reference rubric says little of what was meant: hands pass many objects on their way."""
FIRST_CONTACT = "first_contact"
NORMAL, ALTERNATIVE = "normal", "alternative"


@dataclass(frozen=True)
class Goal:
    """What an instruction asks for.

    Attributes:
        target: Object to pick.
        destination: Where to put it, None where any place will do or it is only picked.
    """

    target: str
    destination: str | None


@dataclass(frozen=True)
class Scenes:
    """The finished episodes of a run, scene by scene.

    Attributes:
        by_scene: Episodes by condition for each scene, scenes sorted by id.
        contacts_sensed: Whether anything in the run senses contacts; without, `first_touched` is the first object
            that was reached.
        stages: Stages of the episodes, in order.
    """

    by_scene: Mapping[str, Mapping[str, Episode]]
    contacts_sensed: bool
    stages: tuple[str, ...]

    def under(self, condition: str) -> list[Episode]:
        """The episodes under a condition, one a scene."""
        return [found[condition] for found in self.by_scene.values() if condition in found]

    def both(self, first: str, second: str) -> list[tuple[Episode, Episode]]:
        """The scenes that are finished under both conditions."""
        return [(found[first], found[second]) for found in self.by_scene.values() if {first, second} <= set(found)]

    def first_touched(self, episode: Episode) -> str | None:
        """The first object that an arm touched, or where nothing senses that, the first that was reached."""
        return episode.first_contact if self.contacts_sensed else episode.rubrics[RUBRIC].first("reach")

    def acted_on(self, episode: Episode, act: str, goal: Goal) -> bool:
        """Whether a goal's object was acted on in an episode, whatever its text was.

        Args:
            episode: What was done.
            act: A stage, at any time of the episode; or `first_contact`.
            goal: What is asked about; stages of a place are asked about at its destination.
        """
        if act == FIRST_CONTACT:
            return self.first_touched(episode) == goal.target
        return episode.rubrics[RUBRIC].did(act, goal.target, goal.destination)


def goal_of(episode: Episode) -> Goal | None:
    """What the text of an episode asks for, None where it is about no single object."""
    return None if episode.target is None else Goal(episode.target, episode.destination)


def scenes_of(run: Run) -> Scenes:
    """Sorts the finished episodes of a run.

    Raises:
        ImoveError: There are none, or a policy did not receive the text that it was sent: whatever it did then, it says
            nothing of language.
    """
    episodes = [episode for episode in run.episodes if episode.rubrics]
    if not episodes:
        raise ImoveError(f"{run.folder} has no finished episode; figures of language need one or more")
    _check_prompts(run, episodes)
    by_scene: dict[str, dict[str, Episode]] = {}
    for episode in sorted(episodes, key=lambda episode: episode.key):
        by_scene.setdefault(episode.spec_id, {})[episode.condition] = episode
    return Scenes(by_scene, _sensed(episodes), max((e.rubrics[RUBRIC].stages for e in episodes), key=len))


def _check_prompts(run: Run, episodes: Sequence[Episode]) -> None:
    wrong = sorted(episode.key for episode in episodes if not episode.prompt_verified)
    if wrong:
        raise ImoveError(
            f"in {len(wrong)} of {len(episodes)} episodes of {run.folder} the policy did not receive the text that it "
            f"was to receive, the first of them {wrong[0]}; figures of language need every text to have arrived"
        )


def _sensed(episodes: Iterable[Episode]) -> bool:
    """Whether contacts are sensed: something was touched, or nothing could have been for want of a reach."""
    reached = False
    for episode in episodes:
        if episode.first_contact is not None:
            return True
        reached = reached or episode.rubrics[RUBRIC].any_object("reach")
    return not reached
