"""The stage machine: feeds both rubrics with the control steps of an episode and keeps what became true."""

from collections.abc import Iterable

from imove_core.rig import Rig
from imove_core.spec import EpisodeSpec
from imove_core.state import StepState
from imove_tasks.stages.events import PICK_STAGES, RUBRICS, Chain, Claim, StageEvent, stages_of
from imove_tasks.stages.geometry import Geometry, View, measure
from imove_tasks.stages.reference import ReferenceJudge
from imove_tasks.stages.score import EpisodeScore
from imove_tasks.stages.strict import StrictJudge
from imove_tasks.stages.zones import zones_of


class StageMachine:
    """Scores one episode step by step.

    It reads tool poses and openings (from joint positions), and object states.
    """

    def __init__(self, rig: Rig, spec: EpisodeSpec, condition: str) -> None:
        """Prepares for the first observation of an episode under `condition`.

        Raises:
            ImoveError: The spec has no such condition, or does not say where things are to be put.
        """
        self._rig = rig
        instruction = spec.instruction(condition)
        self._target, self._destination = instruction.target, instruction.destination
        self._stages = stages_of(spec.primitive)
        zones = zones_of(spec, condition)
        self._strict = StrictJudge(spec.rubrics.strict, zones, rig.control_rate_hz)
        self._reference = ReferenceJudge(spec.rubrics.reference, zones)
        self._chains = {rubric: Chain() for rubric in RUBRICS}
        self._settled: Geometry | None = None
        self._events: list[StageEvent] = []
        self._first_contact: str | None = None
        self._steps = 0

    def update(self, state: StepState) -> list[StageEvent]:
        """Takes the next control step and returns the events that became true at it."""
        geometry = measure(self._rig, state)
        if self._settled is None:
            self._settled = geometry
        view = View(state.objects, geometry, self._settled)
        self._steps = state.step
        before = len(self._events)
        self._note_contact(view)
        self._note("strict", self._strict.claims(view, self._chains["strict"]), state.step)
        self._note("reference", self._reference.claims(view), state.step)
        return self._events[before:]

    def _note_contact(self, view: View) -> None:
        if self._first_contact is not None:
            return
        touched = [k for k, item in enumerate(view.objects) if item.contacts_known and item.touched_by]
        if touched:
            nearest = min(touched, key=lambda k: float(view.now.tool_box_distance_m[:, k].min()))
            self._first_contact = view.objects[nearest].id

    def _note(self, rubric: str, claims: Iterable[Claim], step: int) -> None:
        for claim in claims:
            if self._chains[rubric].add(claim):
                self._events.append(
                    StageEvent(
                        rubric=rubric,
                        stage=claim.stage,
                        object_id=claim.object_id,
                        is_target=self._is_instructed(claim),
                        step=step,
                        elapsed_s=step / self._rig.control_rate_hz,
                        destination_id=claim.destination_id,
                    )
                )

    def _is_instructed(self, claim: Claim) -> bool:
        """Whether object and destination are the instructed ones; an instruction may leave the destination open."""
        there = claim.stage in PICK_STAGES or self._destination in (None, claim.destination_id)
        return claim.object_id == self._target and there

    def score(self) -> EpisodeScore:
        """The score of the steps seen so far."""
        return EpisodeScore(
            target=self._target,
            events=tuple(self._events),
            first_contact=self._first_contact,
            steps=self._steps,
            destination=self._destination,
            stages=self._stages,
        )
