"""A planned motion in physics, control step by control step, and the same once more with cameras."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from imove_core.errors import ImoveError
from imove_core.rig import Rig
from imove_core.spec import EpisodeSpec
from imove_core.state import StepState
from imove_core.trajectory import JointCommand
from imove_core.transforms import Array
from imove_sim_bridge.backend import CameraFrame, SimBackend
from imove_tasks.stages import EpisodeScore, StageEvent, StageMachine
from imove_tasks.stages.phases import PhaseMachine

CONDITION = "normal"
"""Demonstrations do what the canonical instruction asks for."""
START_NS = 1_000_000_000
"""Stamp of the first observation of every demonstration: a bag does not show what its worker did before."""


@dataclass(frozen=True, eq=False)
class Step:
    """One control step of a demonstration.

    Attributes:
        state: Robot and objects, stamped from `START_NS` on.
        targets: (D,) joint targets in force, rig order.
        phase: Of the motion.
        events: Stages that were reached at it.
    """

    state: StepState
    targets: Array
    phase: str
    events: tuple[StageEvent, ...]


@dataclass(frozen=True, eq=False)
class Rollout:
    """A whole episode.

    Attributes:
        spec: Of the episode.
        commands: What was sent at the first step, by arm name, stamped as `Step.state` is.
        steps: From step 0 to the spec's horizon.
        score: Both rubrics' verdicts.
    """

    spec: EpisodeSpec
    commands: Mapping[str, JointCommand]
    steps: tuple[Step, ...]
    score: EpisodeScore


def commands_for(rig: Rig, positions: Array, stamp_ns: int) -> dict[str, JointCommand]:
    """One command an arm for targets (T, D) of the whole rig, row 0 one control period after a stamp."""
    rows = np.arange(1, len(positions) + 1)
    times_ns = stamp_ns + np.round(rows * 1e9 / rig.control_rate_hz).astype(np.int64)
    return {name: JointCommand(stamp_ns, times_ns, part) for name, part in rig.split(positions).items()}


def roll_out(rig: Rig, backend: SimBackend, spec: EpisodeSpec, positions: Array) -> Rollout:
    """Carries out targets from the first observation of an episode on, to its horizon.

    Args:
        rig: The rig of the simulator.
        backend: Has `spec` loaded.
        spec: Of the episode.
        positions: (T, D) targets of the whole rig at control rate.

    Raises:
        ImoveError: The simulation breaks down.
    """
    stages, phases = StageMachine(rig, spec, CONDITION), PhaseMachine(rig)
    steps = []
    first = backend.reset()
    for state in _states(backend, first, commands_for(rig, positions, first.stamp_ns), spec.horizon_steps):
        shown = replace(state, stamp_ns=state.stamp_ns - first.stamp_ns + START_NS)
        targets = backend.joint_targets()
        steps.append(Step(shown, targets, phases.update(shown, targets), tuple(stages.update(shown))))
    return Rollout(spec, commands_for(rig, positions, START_NS), tuple(steps), stages.score())


def rendered(
    rig: Rig, backend: SimBackend, rollout: Rollout, depth: bool
) -> Iterator[tuple[Step, Mapping[str, CameraFrame]]]:
    """Carries out a rollout once more, and yields each of its steps with images of all cameras.

    Physics costs a fraction of rendering, so it is cheaper to judge first; and what is recorded has been done twice
    with the same result.

    Args:
        rig: The rig of the simulator.
        backend: Has the rollout's spec loaded.
        rollout: Made on the same backend.
        depth: Whether depth is rendered too.

    Raises:
        ImoveError: Nothing can be rendered here, or the simulator does not repeat itself.
    """
    cameras = [camera.name for camera in rig.cameras]
    first = backend.reset()
    commands = {
        name: JointCommand(first.stamp_ns, command.times_ns - START_NS + first.stamp_ns, command.positions)
        for name, command in rollout.commands.items()
    }
    states = _states(backend, first, commands, len(rollout.steps) - 1)
    for step, again in zip(rollout.steps, states, strict=True):
        if not _same(step.state, again):
            raise ImoveError(
                f"the simulator does not repeat itself: step {again.step} of {rollout.spec.id} differs the second time"
            )
        yield step, backend.observe(cameras, cameras if depth else ())


def _states(
    backend: SimBackend, first: StepState, commands: Mapping[str, JointCommand], steps: int
) -> Iterator[StepState]:
    """The first state, and each state after it; one by one, since each has joint targets of its own."""
    yield first
    backend.advance(commands, 0)
    for _ in range(steps):
        yield from backend.advance({}, 1)


def _same(one: StepState, other: StepState) -> bool:
    return np.array_equal(one.robot.positions, other.robot.positions) and all(
        np.array_equal(a.position, b.position) and np.array_equal(a.quaternion_xyzw, b.quaternion_xyzw)
        for a, b in zip(one.objects, other.objects, strict=True)
    )
