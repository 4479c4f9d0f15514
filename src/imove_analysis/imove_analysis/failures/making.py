"""Makes the table of failures from a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from imove_analysis.episodes import Episode
from imove_analysis.failures.classes import REACHED_WRONG_OBJECT, WRONG_OBJECT_LIFTED
from imove_analysis.failures.confusion import KINDS, confusion
from imove_analysis.failures.cues import (
    CUES,
    NEAREST_TO_TOOL,
    CueScene,
    Salience,
    cues_of,
    estimated_salience,
    tools_of,
)
from imove_analysis.failures.deciding import decide
from imove_analysis.failures.motion import Motion, motion_of
from imove_analysis.failures.overlap import WrongChoice, overlaps
from imove_analysis.failures.table import ClassedEpisode, FailureTable
from imove_analysis.records import CONDUCTOR_LOST, OPERATOR_OUTCOMES, RECORDER_LOST, SIMULATOR_LOST, STATES_LOST
from imove_analysis.runs import Run
from imove_analysis.traces import states_of
from imove_core.errors import ImoveError
from imove_core.rig import Rig
from imove_core.spec import EpisodeSpec, SceneObject
from imove_core.state import StepState

NOT_THE_POLICY = frozenset({SIMULATOR_LOST, STATES_LOST, RECORDER_LOST, CONDUCTOR_LOST, *OPERATOR_OUTCOMES})
"""Outcomes that say nothing of the policy."""
StatesOf = Callable[[Episode], Sequence[StepState] | None]
"""The control steps of an episode, None where there are none; raises ImoveError where they are damaged."""


def traces_of(run: Run) -> StatesOf:
    """Reads the control steps that a run has kept."""
    return lambda episode: None if episode.trace is None else states_of(run.folder, episode)


def failures(
    run: Run,
    states_of: StatesOf = lambda episode: None,
    salience: Salience = estimated_salience,
    rng: np.random.Generator | None = None,
) -> FailureTable:
    """Classes the episodes of a run whose text names an object.

    Args:
        run: Of one policy.
        states_of: Control steps of an episode, e.g. `traces_of(run)`. Asked only about episodes whose class stage
            events leave open; without steps these get the coarser class, and are marked as not certain.
        salience: How much each object of a scene stands out.
        rng: Draws resamples for the intervals of cues; one of seed 0 by itself.

    Raises:
        ImoveError: The suite of the run is not at hand.
    """
    maker = _Maker(run, states_of, salience)
    finished = {episode.key for episode in run.episodes}
    again = [episode for episode in run.aborted if episode.key not in finished]
    order = {spec_id: place for place, spec_id in enumerate(run.specs)}
    found = sorted([*run.episodes, *again], key=lambda e: (order.get(e.spec_id, len(order)), e.key))
    for episode in found:
        maker.add(episode)
    return maker.table(rng or np.random.default_rng(0))


class _Maker:
    """Takes episodes one after another."""

    def __init__(self, run: Run, states_of: StatesOf, salience: Salience) -> None:
        self._run, self._states_of, self._salience = run, states_of, salience
        self._rig = _rig_of(run)
        self._tools = tools_of(self._rig) if self._rig else None
        self._cues: dict[tuple[str, str], dict[str, frozenset[str]]] = {}
        self._episodes: list[ClassedEpisode] = []
        self._pairs: list[tuple[SceneObject, SceneObject | None]] = []
        self._choices: list[WrongChoice] = []
        self._left_out: Counter[str] = Counter()
        self._problems: list[str] = []

    def add(self, episode: Episode) -> None:
        spec = self._run.specs.get(episode.spec_id)
        if spec is None:
            self._left_out["the suite has no such scene"] += 1
        elif episode.outcome in NOT_THE_POLICY:
            self._left_out[f"{episode.outcome}: says nothing of the policy"] += 1
        elif (target := spec.instruction(episode.condition).target) is None:
            self._left_out["the text is about no single object"] += 1
        else:
            self._class(episode, spec, spec.object(target))

    def _class(self, episode: Episode, spec: EpisodeSpec, target: SceneObject) -> None:
        instruction = spec.instruction(episode.condition)
        destination = instruction.destination

        def motion(lifted: bool) -> Motion | None:
            states = self._states(episode)
            return motion_of(states, spec, target.id, destination, lifted, self._rig) if states else None

        decision = decide(episode, target.id, destination, motion)
        acted = spec.object(decision.acted_on) if decision.acted_on else None
        self._pairs.append((target, acted))
        cues: frozenset[str] = frozenset()
        if decision.name in (WRONG_OBJECT_LIFTED, REACHED_WRONG_OBJECT) and acted is not None:
            found = self._cues_of(spec, episode.condition, target)
            # What is no candidate, e.g. a container, was never to be chosen from.
            if acted.id in found:
                cues = found[acted.id]
                self._choices.append(WrongChoice(spec.id, acted.id, found))
        self._episodes.append(
            ClassedEpisode(
                spec_id=spec.id,
                condition=episode.condition,
                name=decision.name,
                certain=decision.certain,
                detail=decision.detail,
                text=instruction.text,
                target=target.id,
                called=_called(target),
                acted_on=decision.acted_on,
                acted_on_called=_called(acted) if acted else (),
                cues=tuple(name for name in CUES if name in cues),
                step=decision.step,
            )
        )

    def _states(self, episode: Episode) -> Sequence[StepState] | None:
        try:
            return self._states_of(episode)
        except ImoveError as error:
            self._problems.append(str(error))
            return None

    def _cues_of(self, spec: EpisodeSpec, condition: str, target: SceneObject) -> dict[str, frozenset[str]]:
        key = (spec.id, condition)
        if key not in self._cues:
            instruction = spec.instruction(condition)
            self._cues[key] = cues_of(CueScene(spec, instruction, target, self._tools, self._salience(spec)))
        return self._cues[key]

    def table(self, rng: np.random.Generator) -> FailureTable:
        asked = [name for name in CUES if self._tools is not None or name != NEAREST_TO_TOOL]
        return FailureTable(
            policy=self._run.policy,
            suite=self._run.suite_name,
            episodes=tuple(self._episodes),
            confusions={kind: confusion(self._pairs, kind) for kind in KINDS},
            cues=overlaps(self._choices, asked, rng),
            left_out=dict(self._left_out),
            problems=tuple(self._problems),
        )


def _called(item: SceneObject) -> tuple[str, ...]:
    return tuple(dict.fromkeys((item.phrase, item.labels["category"])))


def _rig_of(run: Run) -> Rig | None:
    """The rig of a run, None where it is not a shipped one."""
    try:
        return run.open_rig()
    except ImoveError:
        return None
