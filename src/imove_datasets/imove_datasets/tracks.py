"""The stamped values of an episode bag, without its pixels: what alignment works on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from imove_core import contract
from imove_core.bag.errors import BagError
from imove_core.bag.messages import stamp_ns_of
from imove_core.bag.reader import EpisodeBag
from imove_datasets.collectors import Collector, Images, ImageTrack, Joints, Track
from imove_datasets.facts import EpisodeFacts, read_facts
from imove_tasks.stages.phases import PHASES


@dataclass(frozen=True, eq=False)
class EpisodeTracks:
    """All that frames are made of.

    Attributes:
        facts: What the episode is.
        images: By camera, in the rig's order.
        states: Measured positions (n, size) by arm, in the rig's joint order, rad and m.
        targets: Targets (n, size) by arm, the same.
        phases: Index of the phase (n,); without messages where the bag has none.
        held: 1 where an arm holds the target, 0 where none does (n,); without messages where the bag does not tell.
        reached: Stamp at which the target reached a stage under the strict rubric; None where the bag has no labels.
    """

    facts: EpisodeFacts
    images: Mapping[str, ImageTrack]
    states: Mapping[str, Track]
    targets: Mapping[str, Track]
    phases: Track
    held: Track
    reached: Mapping[str, int] | None


class _Labels:
    """Phases, holding and stages."""

    def __init__(self, facts: EpisodeFacts) -> None:
        self._facts = facts
        self.phases = Collector(contract.PHASE_TOPIC, facts.name)
        self.held = Collector(contract.OBJECTS_TOPIC, facts.name)
        self.reached: dict[str, int] = {}

    def take_phase(self, message: Any) -> None:
        if message.phase not in PHASES:
            raise BagError(f"{self._facts.name}: phase is {message.phase!r}; allowed: {', '.join(PHASES)}")
        self.phases.add(message, PHASES.index(message.phase))

    def take_objects(self, message: Any) -> None:
        for item in message.objects:
            if item.id == self._facts.target:
                self.held.add(message, int(item.held_by != ""))

    def take_event(self, message: Any) -> None:
        if message.rubric == "strict" and message.is_target:
            self.reached.setdefault(message.stage, stamp_ns_of(message))


def read_tracks(bag: EpisodeBag, name: str) -> EpisodeTracks:
    """Reads all that an episode's frames need but the pixels.

    Args:
        bag: Open episode bag.
        name: How messages call it.

    Raises:
        BagError: A topic is missing, stamps go back, joints change or are not the rig's, a number is not finite, or
            the bag is damaged.
        ImoveError: Its rig is unknown.
    """
    facts = read_facts(bag, name)
    images = {camera.name: Images(_image_topic(bag, camera.name, name), name) for camera in facts.rig.cameras}
    states = {arm.name: Joints(contract.joint_states_topic(arm.name), name, arm) for arm in facts.rig.arms}
    targets = {arm.name: Joints(contract.joint_target_topic(arm.name), name, arm) for arm in facts.rig.arms}
    labels = _Labels(facts)
    takers: dict[str, Callable[[Any], None]] = {
        contract.PHASE_TOPIC: labels.take_phase,
        contract.OBJECTS_TOPIC: labels.take_objects,
        contract.STAGE_EVENTS_TOPIC: labels.take_event,
    }
    for joints in (*states.values(), *targets.values()):
        _require(bag, joints.topic, name)
        takers[joints.topic] = joints.take
    cameras = {collector.topic: collector for collector in images.values()}
    present = [topic for topic in (*takers, *cameras) if bag.message_counts.get(topic, 0)]
    for record, message in bag.decoded(present):
        if record.topic in cameras:
            cameras[record.topic].take(message, record.type)
        else:
            takers[record.topic](message)
    return EpisodeTracks(
        facts=facts,
        images={camera: collector.images() for camera, collector in images.items()},
        states={arm: joints.track() for arm, joints in states.items()},
        targets={arm: joints.track() for arm, joints in targets.items()},
        phases=labels.phases.track(),
        held=labels.held.track(),
        reached=labels.reached if facts.labelled else None,
    )


def _image_topic(bag: EpisodeBag, camera: str, name: str) -> str:
    _require(bag, contract.color_info_topic(camera), name)
    raw, jpeg = contract.color_topic(camera), contract.compressed_topic(camera)
    if bag.message_counts.get(jpeg, 0) and not bag.message_counts.get(raw, 0):
        return jpeg
    _require(bag, raw, name)
    return raw


def _require(bag: EpisodeBag, topic: str, name: str) -> None:
    if not bag.message_counts.get(topic, 0):
        raise BagError(f"{name} has no message on {topic}, which an export needs")
