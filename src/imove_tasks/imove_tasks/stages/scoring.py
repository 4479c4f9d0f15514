"""Scores control steps as they arrive, whatever thread they arrive from."""

import queue
import time
from collections.abc import Callable

from imove_core.rig import Rig
from imove_core.spec import EpisodeSpec
from imove_core.state import StepState
from imove_core.transforms import Array
from imove_tasks.stages.events import StageEvent
from imove_tasks.stages.machine import StageMachine
from imove_tasks.stages.score import EpisodeScore

Arrivals = queue.Queue[tuple[str, StepState, Array]]
"""Episode id, state, and joint targets (D,) in force of each control step, in order of arrival."""


class EpisodeScorer:
    """Feeds the stage machine with the control steps of one episode, each once, from the first observation on."""

    def __init__(
        self,
        rig: Rig,
        spec: EpisodeSpec,
        condition: str,
        episode_id: str,
        on_event: Callable[[int, StageEvent], None] = lambda stamp_ns, event: None,
        on_step: Callable[[StepState, Array], None] = lambda state, targets: None,
    ) -> None:
        """Prepares for the first control step.

        Args:
            rig: The embodiment.
            spec: Of the episode.
            condition: Instruction condition.
            episode_id: Steps of other episodes are not looked at.
            on_event: Called with the stamp of the control step and each stage event at it.
            on_step: Called with each control step that counts and its joint targets.
        """
        self._machine = StageMachine(rig, spec, condition)
        self._episode_id = episode_id
        self._horizon = spec.horizon_steps
        self._on_event, self._on_step = on_event, on_step
        self._last_step = -1
        self._gap = ""

    @property
    def begun(self) -> bool:
        """Whether the first observation has arrived; later steps do not count before it."""
        return self._last_step >= 0

    @property
    def finished(self) -> bool:
        """Whether the last control step has arrived."""
        return self._last_step >= self._horizon

    @property
    def missing(self) -> str:
        """The first control steps that did not arrive in their turn, "" for none."""
        return self._gap or ("" if self.finished else f"{self._last_step + 1} to {self._horizon}")

    @property
    def last_step(self) -> int:
        """The newest control step that counts, -1 before the first observation."""
        return self._last_step

    @property
    def horizon(self) -> int:
        """The control step at which the episode ends."""
        return self._horizon

    def end_at(self, step: int) -> None:
        """Ends the episode at a control step before its horizon; later ones do not count."""
        self._horizon = min(step, self._horizon)

    def score(self) -> EpisodeScore | None:
        """The score of the steps so far, None when there is no step."""
        return self._machine.score() if self.begun else None

    def take(self, arrivals: Arrivals, timeout_s: float) -> None:
        """Scores what has arrived; waits at most `timeout_s` for the first piece."""
        try:
            self._take(*arrivals.get(timeout=timeout_s))
            while True:
                self._take(*arrivals.get_nowait())
        except queue.Empty:
            return

    def take_until(self, ready: Callable[[], bool], arrivals: Arrivals, timeout_s: float) -> bool:
        """Scores what arrives until `ready`, at most for `timeout_s`; returns whether it came to that."""
        deadline = time.monotonic() + timeout_s
        while not ready():
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                return False
            self.take(arrivals, left_s)
        return True

    def _take(self, episode_id: str, state: StepState, targets: Array) -> None:
        if episode_id != self._episode_id or not self._last_step < state.step <= self._horizon:
            return
        if state.step and not self.begun:
            return
        if state.step != self._last_step + 1 and not self._gap:
            self._gap = f"{self._last_step + 1} to {state.step - 1}"
        self._last_step = state.step
        self._on_step(state, targets)
        for event in self._machine.update(state):
            self._on_event(state.stamp_ns, event)
