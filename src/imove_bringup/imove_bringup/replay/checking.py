"""Checks an episode bag: what was commanded, done once more in the simulator, must come out as it was recorded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from imove_bringup.replay.comparing import Drift
from imove_bringup.replay.recorded import RecordedEpisode, read_episode
from imove_core.bag.reader import EpisodeBag
from imove_core.errors import ImoveError
from imove_core.rig import Rig
from imove_core.state import StepState
from imove_core.trajectory import JointCommand
from imove_sim_bridge.backend import SimBackend
from imove_sim_bridge.mujoco_backend import MujocoBackend
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.stages import StageEvent, StageMachine

Method = Literal["bit for bit", "stage events", "scored again", "none"]
"""How much was checked.

`bit for bit`: the same engine gave the same states. `stage events`: another engine gave the same events.
`scored again`: the recorded states give the recorded events; what was recorded in real time cannot be repeated.
`none`: the bag cannot be read.
"""
_SMALL = (64, 48)
_SIMULATED = ("synthesis", "sim")


@dataclass(frozen=True)
class Check:
    """What a check found.

    Attributes:
        bag: Path of the bag.
        method: How much was checked.
        steps: Control steps that were recorded.
        recorded_engine: Engine of the recording, "" where it was not simulated.
        engine: Engine of the replay, "" where there was none.
        drift_joints: Largest difference of a joint, rad, or m of a gripper.
        drift_m: Largest difference of an object's place, m.
        faults: What is wrong; empty for a bag that verifies.
    """

    bag: str
    method: Method
    steps: int = 0
    recorded_engine: str = ""
    engine: str = ""
    drift_joints: float = 0.0
    drift_m: float = 0.0
    faults: tuple[str, ...] = ()

    @property
    def verified(self) -> bool:
        """Whether nothing is wrong."""
        return not self.faults

    def to_record(self) -> dict[str, Any]:
        """As plain data."""
        return {**asdict(self), "faults": list(self.faults), "verified": self.verified}

    def line(self) -> str:
        """The result in one line, for people."""
        if not self.verified:
            return f"{self.bag}: NOT VERIFIED: {'; '.join(self.faults)}"
        said = f"{self.bag}: verified, {self.steps} control steps, {self.method}"
        if self.method == "stage events":
            said += (
                f" (recorded on {self.recorded_engine}, replayed on {self.engine}: joints differ by up to "
                f"{self.drift_joints:.2e} rad, objects by {self.drift_m * 1e3:.2f} mm)"
            )
        return said


class EpisodeChecker:
    """Checks one bag after another; keeps the simulator of the last rig."""

    def __init__(self, library: AssetLibrary) -> None:
        """Works with the objects of a library."""
        self._library = library
        self._rig: Rig | None = None
        self._backend: SimBackend | None = None

    def check(self, path: Path) -> Check:
        """Checks the bag at a path; a bag that cannot be read is one that does not verify."""
        found = Check(str(path), "none")
        try:
            episode = read_episode(EpisodeBag(path))
            found = replace(found, steps=len(episode.states), recorded_engine=episode.facts.get("engine", ""))
            faults = [*_identity_faults(episode), *_scoring_faults(episode)]
            found = replace(found, method="scored again", faults=tuple(faults))
            return self._replayed(episode, found) if _can_be_repeated(episode) else found
        except ImoveError as error:
            return replace(found, faults=(*found.faults, str(error)))

    def _replayed(self, episode: RecordedEpisode, found: Check) -> Check:
        backend = self._backend_for(episode.rig)
        engine = str(backend.provenance()["engine"])
        drift, machine = Drift(), StageMachine(episode.rig, episode.spec, episode.condition)
        for place, (state, targets) in enumerate(_replay(backend, episode)):
            machine.update(state)
            drift.add(place, episode.states[place], episode.targets[place], state, targets)
        faults = [*found.faults, *_event_faults(episode.events, machine.score().events, "replaying")]
        same_engine = engine == found.recorded_engine
        if same_engine and drift.first:
            faults.append(
                f"{drift.first}: on the same engine, {engine}, every bit must be the same; joints differ by up to "
                f"{drift.joints:.2e} rad, objects by {drift.objects_m * 1e3:.3f} mm"
            )
        return replace(
            found,
            method="bit for bit" if same_engine else "stage events",
            engine=engine,
            drift_joints=drift.joints,
            drift_m=drift.objects_m,
            faults=tuple(faults),
        )

    def _backend_for(self, rig: Rig) -> SimBackend:
        if self._backend is None or self._rig != rig:
            self.close()
            self._rig, self._backend = rig, MujocoBackend(rig, self._library.get, _SMALL)
        return self._backend

    def close(self) -> None:
        """Closes the simulator."""
        if self._backend is not None:
            self._backend.close()
            self._backend = None


def _can_be_repeated(episode: RecordedEpisode) -> bool:
    return episode.facts.get("clock") == "lockstep" and episode.facts.get("source") in _SIMULATED


def _replay(backend: SimBackend, episode: RecordedEpisode) -> Iterator[tuple[StepState, Any]]:
    """The states and joint targets that the recorded commands give, sent when they took effect."""
    backend.load(episode.spec)
    state = backend.reset()
    shift_ns = state.stamp_ns - episode.states[0].stamp_ns
    waiting = list(episode.commands)
    yield state, backend.joint_targets()
    for place in range(len(episode.states) - 1):
        while waiting and waiting[0].place <= place:
            sent = waiting.pop(0)
            backend.advance({sent.arm: _shifted(sent.command, shift_ns)}, 0)
        (state,) = backend.advance({}, 1)
        yield state, backend.joint_targets()


def _shifted(command: JointCommand, shift_ns: int) -> JointCommand:
    return JointCommand(command.stamp_ns + shift_ns, command.times_ns + shift_ns, command.positions)


def _identity_faults(episode: RecordedEpisode) -> Iterator[str]:
    said, has = episode.facts.get("spec_hash", ""), episode.spec.content_hash
    if said != has:
        yield f"its spec has the content hash {has[:12]}, its custom data say {said[:12] or 'none'}"
    if episode.spec.rig != episode.rig.name:
        yield f"its spec is for rig {episode.spec.rig}, its rig is {episode.rig.name}"


def _scoring_faults(episode: RecordedEpisode) -> Iterator[str]:
    machine = StageMachine(episode.rig, episode.spec, episode.condition)
    for state in episode.states:
        machine.update(state)
    score = machine.score()
    yield from _event_faults(episode.events, score.events, "scoring its states")
    success = "true" if score.target is not None and score.success("strict") else "false"
    if episode.facts.get("success", success) != success:
        yield f"custom data say success {episode.facts['success']}; its states score {success}"


def _event_faults(recorded: Sequence[StageEvent], found: Sequence[StageEvent], how: str) -> Iterator[str]:
    before, now = set(recorded), set(found)
    for kind, events in (("does not give", before - now), ("also gives", now - before)):
        if events:
            first = min(events, key=lambda event: (event.step, event.rubric, event.stage, event.object_id))
            yield (
                f"{how} {kind} the event {first.stage} of {first.object_id} at step {first.step} ({first.rubric}), "
                f"and {len(events) - 1} more"
            )
