"""Scores an episode while it runs: stages under both rubrics, and the phase of each control step."""

from __future__ import annotations

from collections.abc import Callable

from imove_core.rig import Rig
from imove_core.state import StepState
from imove_core.transforms import Array
from imove_tasks.stages import EpisodeScore, StageEvent
from imove_tasks.stages.phases import PhaseMachine
from imove_tasks.stages.scoring import Arrivals, EpisodeScorer
from imove_teleop_aloha.scenes import Scene

OnEvent = Callable[[int, StageEvent], None]
"""Stamp in ns and event."""
OnPhase = Callable[[StepState, str], None]


class EpisodeJudge:
    """Follows the control steps of one episode."""

    def __init__(self, rig: Rig, scene: Scene, arrivals: Arrivals, on_event: OnEvent, on_phase: OnPhase) -> None:
        """Waits for the first observation.

        Args:
            rig: The embodiment.
            scene: What the episode is of.
            arrivals: Control steps as they come, of whatever episode.
            on_event: Called with each stage that an object reaches.
            on_phase: Called with each control step and its phase.
        """
        self._machine = PhaseMachine(rig)
        self._phases: list[str] = []
        self._arrivals, self._on_phase = arrivals, on_phase
        self._scorer = EpisodeScorer(rig, scene.spec, scene.condition, scene.key, on_event, self._follow)

    @property
    def last_step(self) -> int:
        """The newest control step, -1 before the first observation."""
        return self._scorer.last_step

    @property
    def finished(self) -> bool:
        """Whether the last control step has come."""
        return self._scorer.finished

    @property
    def phases(self) -> tuple[str, ...]:
        """Of each control step from the first observation on."""
        return tuple(self._phases)

    @property
    def score(self) -> EpisodeScore:
        """Of the control steps so far; raises ValueError before the first one."""
        score = self._scorer.score()
        if score is None:
            raise ValueError("an episode without a control step has no score")
        return score

    def take(self, timeout_s: float) -> None:
        """Takes what has come; waits at most `timeout_s` for the first piece."""
        self._scorer.take(self._arrivals, timeout_s)

    def wait_for_first(self, timeout_s: float) -> bool:
        """Whether the first observation comes in time."""
        return self._scorer.take_until(lambda: self._scorer.begun, self._arrivals, timeout_s)

    def wait_for_last(self, timeout_s: float) -> bool:
        """Whether the last control step comes in time."""
        return self._scorer.take_until(lambda: self._scorer.finished, self._arrivals, timeout_s)

    def end_after(self, steps: int) -> int:
        """Ends the episode so many control steps from now, at its horizon at the latest; returns the last step."""
        self._scorer.end_at(self._scorer.last_step + steps)
        return self._scorer.horizon

    def _follow(self, state: StepState, targets: Array) -> None:
        phase = self._machine.update(state, targets)
        # One for each control step, also where one has not come.
        self._phases += [phase] * (state.step + 1 - len(self._phases))
        self._on_phase(state, phase)
