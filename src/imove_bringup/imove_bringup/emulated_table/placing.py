"""The emulated operator: lays objects out as a person would, one by one and not quite exactly."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from numpy.random import Generator

from imove_core.spec import EpisodeSpec
from imove_core.transforms import Array, rotation_from_rpy, transform

#: Objects are let go this far above where they come to rest, m.
DROP_M = 0.001
#: No error is larger than so many standard deviations: a person who sees one looks again.
WORST_SIGMAS = 2.0
LAYING_OUT = "laying_out"


@dataclass(frozen=True)
class PlacingErrors:
    """How exact the operator is.

    Attributes:
        position_m: Standard deviation along x and along y.
        yaw_rad: Standard deviation of the turn about the vertical.
        pause_s: Time for each object.
    """

    position_m: float = 0.003
    yaw_rad: float = 0.03
    pause_s: float = 0.5


@dataclass(frozen=True)
class Placement:
    """An object that is put down: `world_from_object` (4, 4) where the hand lets go."""

    object_id: str
    world_from_object: Array


class LayoutRequests:
    """Finds out of the state of a trial when objects are to be laid out."""

    def __init__(self) -> None:
        """Nothing was asked for yet."""
        self._asked: tuple[str, int] | None = None
        self._was_asking = False

    def see(self, phase: str, episode_id: str, trial: int, spec_json: str) -> EpisodeSpec | None:
        """The scene to lay out from now on, None where nothing new is asked for.

        A trial that comes back to laying out, as one that is done again does, asks anew.

        Args:
            phase: Of the trial, as in TrialState; so are the others.
            episode_id: That is set up.
            trial: Of the session.
            spec_json: Of the episode.

        Raises:
            ImoveError: `spec_json` is no spec.
        """
        asking = phase == LAYING_OUT and bool(spec_json)
        is_new = asking and (not self._was_asking or self._asked != (episode_id, trial))
        self._was_asking = asking
        if not is_new:
            return None
        self._asked = (episode_id, trial)
        return EpisodeSpec.from_json(spec_json)


class EmulatedOperator:
    """Says which object is put down when."""

    def __init__(self, errors: PlacingErrors, rng: Generator) -> None:
        """Creates an operator with nothing to do.

        Args:
            errors: How exact it is.
            rng: Draws its errors.
        """
        self._errors = errors
        self._rng = rng
        self._todo: deque[Placement] = deque()
        self._due_s = 0.0

    @property
    def idle(self) -> bool:
        """Whether everything lies on the table."""
        return not self._todo

    def lay_out(self, spec: EpisodeSpec, now_s: float) -> None:
        """Begins to lay out the objects of `spec`, one every `pause_s`."""
        self._todo = deque(Placement(item.id, self._missed(item.world_from_object)) for item in spec.objects)
        self._due_s = now_s + self._errors.pause_s

    def due(self, now_s: float) -> list[Placement]:
        """What is put down now."""
        placed: list[Placement] = []
        while self._todo and self._due_s <= now_s:
            placed.append(self._todo.popleft())
            self._due_s += self._errors.pause_s
        return placed

    def _missed(self, world_from_object: Array) -> Array:
        error = transform(rotation_from_rpy((0.0, 0.0, self._draw(self._errors.yaw_rad))))
        missed: Array = world_from_object.copy()
        missed[:3, :3] = error[:3, :3] @ world_from_object[:3, :3]
        missed[:3, 3] += (self._draw(self._errors.position_m), self._draw(self._errors.position_m), DROP_M)
        return missed

    def _draw(self, sigma: float) -> float:
        return sigma * max(-WORST_SIGMAS, min(WORST_SIGMAS, float(self._rng.normal())))
