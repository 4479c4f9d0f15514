"""An episode while it runs: its present state, and what has been reached in it."""

from imove_core.rig import Rig
from imove_core.state import StepState
from imove_gym.choosing import Choice
from imove_tasks.stages import EpisodeScore, StageEvent, StageMachine, stages_of

RUBRIC = "strict"
"""Rubric of rewards and success."""


class RunningEpisode:
    """Scores control steps as an evaluation does.

    Attributes:
        choice: What the episode is.
        state: Robot and objects after the last step.
        first_events: Stages that were reached in the first observation already.
        over: Whether its end was announced.
    """

    def __init__(self, rig: Rig, choice: Choice, first: StepState) -> None:
        """Begins with the first observation."""
        self.choice = choice
        self.state = first
        self.over = False
        self._machine = StageMachine(rig, choice.spec, choice.condition)
        self._stages = stages_of(choice.spec.primitive)
        self.first_events = self.take(first)

    def take(self, state: StepState) -> list[StageEvent]:
        """Takes over the next control step and returns the stages that were reached at it."""
        self.state = state
        return self._machine.update(state)

    @property
    def score(self) -> EpisodeScore:
        """The score of the steps so far."""
        return self._machine.score()

    @property
    def progress(self) -> float:
        """Share of the stages that the target, or without one any object, has reached: 0 to 1."""
        score = self.score
        return sum(score.reached_stage(RUBRIC, stage) for stage in self._stages) / len(self._stages)

    @property
    def at_horizon(self) -> bool:
        """Whether the last control step has passed."""
        return self.state.step >= self.choice.spec.horizon_steps
