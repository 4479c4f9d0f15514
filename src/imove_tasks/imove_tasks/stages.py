"""The stage machine: which object was reached and lifted, when, under both rubrics, in one pass.

It reads tool poses (from joint positions), and object states; it serves synthesis, simulation and the real table. Every
event names the object it happened to, so a wrong object is an event too. Stages chain (a lift counts for objects that
were reached) and latch (once true, true).
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imove_core.kinematics import flange_pose
from imove_core.rig import Rig
from imove_core.spec import EpisodeSpec
from imove_core.state import ObjectState, StepState
from imove_core.transforms import Array

RUBRICS = ("strict", "reference")
PICK_STAGES = ("reach", "lift")
PLACE_STAGES = (*PICK_STAGES, "reach_place", "place")


def stages_of(primitive: str) -> tuple[str, ...]:
    """The stages of an episode with this primitive, in their order."""
    return PICK_STAGES if primitive == "pick" else PLACE_STAGES


@dataclass(frozen=True)
class StageEvent:
    """A stage that an object reached, the first time in an episode.

    Attributes:
        rubric: `strict` or `reference`.
        stage: `reach` or `lift`.
        object_id: The object it happened to.
        is_target: Whether that object is the instructed one.
        step: Control steps since the first observation.
        elapsed_s: The same in seconds.
    """

    rubric: str
    stage: str
    object_id: str
    is_target: bool
    step: int
    elapsed_s: float


@dataclass(frozen=True)
class _Geometry:
    """What one control step looks like to the rubrics; K objects, A arms.

    Attributes:
        tool_box_distance: (A, K) from tool centre to box, m; 0 inside.
        nearest: (A,) index of the object nearest to each tool; of several boxes around it, the one with the nearest
            centre.
        flange_root_distance: (A, K) from end-effector link to object origin, m.
        bottom: (K,) height of the lowest box corner, m.
        root_height: (K,) height of the origin, m.
    """

    tool_box_distance: Array
    nearest: NDArray[np.intp]
    flange_root_distance: Array
    bottom: Array
    root_height: Array


class StageMachine:
    """Scores one episode step by step."""

    def __init__(self, rig: Rig, spec: EpisodeSpec, condition: str) -> None:
        """Prepares for the first observation of an episode under `condition`."""
        self._rig = rig
        self._rubrics = spec.rubrics
        self._target = spec.instruction(condition).target
        self._dwell_steps = max(1, round(spec.rubrics.strict.dwell_s * rig.control_rate_hz))
        self._settled: _Geometry | None = None
        self._held_for: dict[str, Array] = {}
        self._events: list[StageEvent] = []
        self._done: set[tuple[str, str, str]] = set()
        self._first_contact: str | None = None
        self._steps = 0

    def update(self, state: StepState) -> list[StageEvent]:
        """Takes the next control step and returns the events that became true at it."""
        geometry = self._measure(state)
        if self._settled is None:
            self._settled = geometry
            self._held_for = {stage: np.zeros(len(state.objects), dtype=int) for stage in PICK_STAGES}
        self._steps = state.step
        before = len(self._events)
        self._note_contact(state.objects, geometry)
        self._strict(state, geometry)
        self._reference(state, geometry)
        return self._events[before:]

    def _measure(self, state: StepState) -> _Geometry:
        poses = np.array([item.world_from_object for item in state.objects])
        low = np.array([item.box_min for item in state.objects])
        high = np.array([item.box_max for item in state.objects])
        rotations, roots = poses[:, :3, :3], poses[:, :3, 3]
        centre, half = (low + high) / 2, (high - low) / 2
        joints = self._rig.split(state.robot.positions)
        tool_distance, centre_distance, flange_distance = [], [], []
        for arm in self._rig.arms:
            flange = arm.world_from_base.matrix @ flange_pose(arm.arm_model, joints[arm.name][:-1])
            tool = (flange @ arm.arm_model.flange_from_tcp)[:3, 3]
            inside = np.einsum("kji,kj->ki", rotations, tool - roots)
            tool_distance.append(np.linalg.norm(inside - np.clip(inside, low, high), axis=1))
            centre_distance.append(np.linalg.norm(inside - centre, axis=1))
            flange_distance.append(np.linalg.norm(flange[:3, 3] - roots, axis=1))
        # Sorted by the last key first.
        nearest = np.lexsort((np.array(centre_distance), np.array(tool_distance)))[:, 0]
        middle_height = roots[:, 2] + np.einsum("ki,ki->k", rotations[:, 2], centre)
        bottom = middle_height - np.einsum("ki,ki->k", np.abs(rotations[:, 2]), half)
        return _Geometry(np.array(tool_distance), nearest, np.array(flange_distance), bottom, roots[:, 2])

    def _note_contact(self, objects: tuple[ObjectState, ...], geometry: _Geometry) -> None:
        if self._first_contact is not None:
            return
        touched = [k for k, item in enumerate(objects) if item.contacts_known and item.touched_by]
        if touched:
            nearest = min(touched, key=lambda k: float(geometry.tool_box_distance[:, k].min()))
            self._first_contact = objects[nearest].id

    def _strict(self, state: StepState, geometry: _Geometry) -> None:
        rubric, settled = self._rubrics.strict, self._settled
        assert settled is not None
        distance = geometry.tool_box_distance
        near = np.zeros(distance.shape, dtype=bool)
        rows = np.arange(len(distance))
        near[rows, geometry.nearest] = distance[rows, geometry.nearest] <= rubric.reach_distance_m
        held = np.array(
            [
                bool(item.held_by) if item.contacts_known else bool(near[:, k].any())
                for k, item in enumerate(state.objects)
            ]
        )
        lifted = held & (geometry.bottom - settled.bottom >= rubric.lift_height_m)
        for stage, now in (("reach", near.any(axis=0)), ("lift", lifted)):
            count = self._held_for[stage]
            count[:] = np.where(now, count + 1, 0)
            # A condition that holds at n + 1 consecutive steps has held for n control periods.
            dwelt = np.flatnonzero(count > self._dwell_steps)
            self._emit("strict", stage, (state.objects[k].id for k in dwelt), state.step)

    def _reference(self, state: StepState, geometry: _Geometry) -> None:
        rubric, settled = self._rubrics.reference, self._settled
        assert settled is not None
        reached = np.flatnonzero((geometry.flange_root_distance < rubric.reach_distance_m).any(axis=0))
        lifted = np.flatnonzero(geometry.root_height - settled.root_height > rubric.lift_height_m)
        self._emit("reference", "reach", (state.objects[k].id for k in reached), state.step)
        self._emit("reference", "lift", (state.objects[k].id for k in lifted), state.step)

    def _emit(self, rubric: str, stage: str, object_ids: Iterable[str], step: int) -> None:
        for object_id in object_ids:
            key = (rubric, stage, object_id)
            chained = stage == PICK_STAGES[0] or (rubric, PICK_STAGES[0], object_id) in self._done
            if key in self._done or not chained:
                continue
            self._done.add(key)
            elapsed_s = step / self._rig.control_rate_hz
            self._events.append(StageEvent(rubric, stage, object_id, object_id == self._target, step, elapsed_s))

    def score(self) -> "EpisodeScore":
        """The score of the steps seen so far."""
        return EpisodeScore(self._target, tuple(self._events), self._first_contact, self._steps)


@dataclass(frozen=True)
class EpisodeScore:
    """What came of an episode.

    Attributes:
        target: The instructed object, None where the instruction has no single referent.
        events: In the order in which they happened.
        first_contact: First object that an arm touched, None for none or where contacts are not sensed.
        steps: Control steps that were scored.
    """

    target: str | None
    events: tuple[StageEvent, ...]
    first_contact: str | None
    steps: int

    def reached_stage(self, rubric: str, stage: str) -> bool:
        """Whether the target reached a stage; without a target, whether any object did."""
        return any(
            event.rubric == rubric and event.stage == stage and (event.is_target or self.target is None)
            for event in self.events
        )

    def first(self, rubric: str, stage: str) -> str | None:
        """Id of the first object that reached a stage."""
        return next((e.object_id for e in self.events if e.rubric == rubric and e.stage == stage), None)

    def s_pick(self, rubric: str) -> float:
        """Stage score (Reach + Lift) / 2 of the paper."""
        return sum(self.reached_stage(rubric, stage) for stage in PICK_STAGES) / len(PICK_STAGES)

    def to_record(self) -> dict[str, Any]:
        """The score as plain data for episodes.jsonl."""
        return {
            "target": self.target,
            "first_contact": self.first_contact,
            "steps": self.steps,
            "rubrics": {
                rubric: {
                    **{stage: self.reached_stage(rubric, stage) for stage in PICK_STAGES},
                    "s_pick": self.s_pick(rubric),
                    "first_reached": self.first(rubric, "reach"),
                    "first_lifted": self.first(rubric, "lift"),
                    "events": [
                        {key: value for key, value in asdict(event).items() if key != "rubric"}
                        for event in self.events
                        if event.rubric == rubric
                    ],
                }
                for rubric in RUBRICS
            },
        }
