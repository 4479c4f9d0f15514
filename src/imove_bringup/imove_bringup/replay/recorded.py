"""An episode bag as values: its control steps, the commands that were sent, and the stage events."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from imove_core import contract
from imove_core.bag import messages
from imove_core.bag.errors import BagError
from imove_core.bag.facts import SPEC_ATTACHMENT
from imove_core.bag.reader import EpisodeBag
from imove_core.rig import Rig
from imove_core.spec import EpisodeSpec
from imove_core.state import StepState
from imove_core.trajectory import JointCommand
from imove_core.transforms import Array
from imove_tasks.stages import StageEvent


@dataclass(frozen=True, eq=False)
class SentCommand:
    """A command and the control step at which it took effect, by its place in the episode's steps."""

    place: int
    arm: str
    command: JointCommand


@dataclass(frozen=True, eq=False)
class RecordedEpisode:
    """What a bag says of an episode.

    Attributes:
        spec: Of the episode.
        condition: Instruction condition.
        rig: The rig that was recorded.
        facts: The bag's custom data.
        states: Robot and objects at each control step.
        targets: (D,) joint targets in force at each of them, rig order.
        commands: In the order in which they were sent.
        events: Stage events in the order of their steps; their step is the place in `states`.
    """

    spec: EpisodeSpec
    condition: str
    rig: Rig
    facts: Mapping[str, str]
    states: tuple[StepState, ...]
    targets: tuple[Array, ...]
    commands: tuple[SentCommand, ...]
    events: tuple[StageEvent, ...]


def read_episode(bag: EpisodeBag) -> RecordedEpisode:
    """Reads an episode.

    Raises:
        BagError: The bag has no spec, no rig or no control steps, misses some, or is damaged.
    """
    if SPEC_ATTACHMENT not in bag.attachments:
        raise BagError(f"bag {bag.path} has no attachment {SPEC_ATTACHMENT}: it cannot be said what was to be done")
    spec = EpisodeSpec.from_json(bag.attachments[SPEC_ATTACHMENT].decode("utf-8", "replace"))
    condition = bag.custom_data.get("condition", "")
    spec.instruction(condition)
    rig = bag.rig()
    arms = [arm.name for arm in rig.arms]
    wanted = [contract.OBJECTS_TOPIC, contract.STAGE_EVENTS_TOPIC]
    for arm in arms:
        wanted += [topic(arm) for topic in _ARM_TOPICS]
    present = {topic.name for topic in bag.topics}
    found: dict[str, list[Any]] = {name: [] for name in wanted}
    for stored, message in bag.decoded([name for name in wanted if name in present]):
        found[stored.topic].append((stored.log_time_ns, message))
    objects = [message for _, message in found[contract.OBJECTS_TOPIC]]
    if not objects:
        raise BagError(f"bag {bag.path} has no message on {contract.OBJECTS_TOPIC}")
    _check_steps(bag, [int(message.step) for message in objects])
    _check_objects(bag, spec, objects)
    stamps = [messages.stamp_ns_of(message) for message in objects]
    measured = {arm: _in_force(bag, contract.joint_states_topic(arm), found, stamps) for arm in arms}
    wanted_joints = {arm: _in_force(bag, contract.joint_target_topic(arm), found, stamps) for arm in arms}
    return RecordedEpisode(
        spec=spec,
        condition=condition,
        rig=rig,
        facts=bag.custom_data,
        states=tuple(
            messages.step_state_from(rig, {arm: measured[arm][place] for arm in arms}, message)
            for place, message in enumerate(objects)
        ),
        targets=tuple(
            np.concatenate([messages.joint_positions_from(wanted_joints[arm.name][place], arm) for arm in rig.arms])
            for place in range(len(objects))
        ),
        commands=tuple(_commands(rig, found, stamps)),
        events=tuple(_events(found[contract.STAGE_EVENTS_TOPIC], stamps)),
    )


_ARM_TOPICS = (contract.joint_states_topic, contract.joint_target_topic, contract.joint_trajectory_topic)


def _check_steps(bag: EpisodeBag, steps: Sequence[int]) -> None:
    """Raises BagError unless control steps follow each other."""
    for before, after in zip(steps, steps[1:], strict=False):
        if after != before + 1:
            raise BagError(f"control step {after} of bag {bag.path} follows step {before}; {before + 1} is missing")


def _check_objects(bag: EpisodeBag, spec: EpisodeSpec, found: Sequence[Any]) -> None:
    """Raises BagError unless every control step has the objects of the spec, in their order."""
    ids = [item.id for item in spec.objects]
    for message in found:
        names = [item.id for item in message.objects]
        if names != ids:
            raise BagError(
                f"control step {message.step} of bag {bag.path} has the objects {', '.join(names)}; its spec has "
                f"{', '.join(ids)}"
            )


def _in_force(bag: EpisodeBag, topic: str, found: Mapping[str, Any], stamps: Sequence[int]) -> list[Any]:
    """The newest message of a topic at each stamp; raises BagError where there is none."""
    ordered = sorted((message for _, message in found[topic]), key=messages.stamp_ns_of)
    times = [messages.stamp_ns_of(message) for message in ordered]
    places = [bisect_right(times, stamp_ns) - 1 for stamp_ns in stamps]
    if min(places, default=-1) < 0:
        raise BagError(f"bag {bag.path} has no message on {topic} at its first control step")
    return [ordered[place] for place in places]


def _commands(rig: Rig, found: Mapping[str, Any], stamps: Sequence[int]) -> Iterator[SentCommand]:
    sent = [
        SentCommand(bisect_left(stamps, log_time_ns), arm.name, messages.joint_command_from(message, arm))
        for arm in rig.arms
        for log_time_ns, message in found[contract.joint_trajectory_topic(arm.name)]
    ]
    # Stable: commands for one arm stay in their order.
    yield from sorted(sent, key=lambda command: command.place)


def _events(found: Sequence[tuple[int, Any]], stamps: Sequence[int]) -> Iterator[StageEvent]:
    for _, message in found:
        yield StageEvent(
            rubric=message.rubric,
            stage=message.stage,
            object_id=message.object_id,
            is_target=bool(message.is_target),
            step=bisect_left(stamps, messages.stamp_ns_of(message)),
            elapsed_s=float(message.elapsed_s),
            destination_id=message.destination_id,
        )
