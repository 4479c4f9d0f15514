"""Whether a recording would be whole if it began now, and what its topics are in truth."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from imove_core import contract
from imove_core.bag.topics import BagTopic, bag_topics
from imove_core.bag.types import MessageTypes
from imove_core.contract import Qos
from imove_core.errors import ImoveError
from imove_recorder.settings import JPEG, RecorderSettings

LATCHED_NEEDED = (contract.TF_STATIC_TOPIC, contract.ROBOT_DESCRIPTION_TOPIC)


@dataclass(frozen=True)
class Offer:
    """What one publisher of a topic offers.

    Attributes:
        type: `package/msg/Type`.
        type_hash: `RIHS01_...`, "" where the publisher does not tell.
        reliable: Lost samples are sent again.
        latched: A late reader gets the last message.
    """

    type: str
    type_hash: str
    reliable: bool
    latched: bool


Offers = Mapping[str, Sequence[Offer]]
"""What the publishers of each topic offer, by topic name; topics without a publisher may be left out."""


def wanted_topics(settings: RecorderSettings) -> tuple[BagTopic, ...]:
    """Every topic that a recorder listens to."""
    rig = settings.rig
    jpeg = [camera.name for camera in rig.cameras] if settings.colour == JPEG else []
    here = {topic.name for topic in contract.topics_of(rig, settings.domain)}
    return tuple(topic for topic in bag_topics(rig, settings.depth, jpeg) if topic.name in here)


def common_qos(topic: BagTopic, offers: Sequence[Offer]) -> Qos:
    """The strongest QoS that every publisher of a topic offers; that of the contract where there is none."""
    if not offers:
        return topic.qos
    return Qos(topic.qos.depth, all(offer.latched for offer in offers), all(offer.reliable for offer in offers))


def check_ready(
    topics: Sequence[BagTopic], offers: Offers, latched: Collection[str], types: MessageTypes
) -> tuple[BagTopic, ...]:
    """Checks that a recording can begin.

    Args:
        topics: Of the recorder.
        offers: Of the publishers that are there.
        latched: Topics of which a latched sample has come.
        types: Message types that the bag will define.

    Returns:
        The topics with the QoS that their publishers offer.

    Raises:
        ImoveError: A required topic has no publisher, a latched sample has not come, or a publisher sends another type.
    """
    for topic in topics:
        there = offers.get(topic.name, ())
        if topic.required and not there:
            raise ImoveError(f"required topic {topic.name} has no publisher; start the node that publishes it")
        for offer in there:
            _check_type(topic, offer, types)
    for name in LATCHED_NEEDED:
        if name not in latched:
            raise ImoveError(f"no latched sample of {name} has come; its publisher must offer transient local")
    return tuple(replace(topic, qos=common_qos(topic, offers.get(topic.name, ()))) for topic in topics)


def _check_type(topic: BagTopic, offer: Offer, types: MessageTypes) -> None:
    if offer.type != topic.type:
        raise ImoveError(f"topic {topic.name} is published as {offer.type}; allowed: {topic.type}")
    wanted = types.type_hash(topic.type)
    if offer.type_hash and offer.type_hash != wanted:
        raise ImoveError(
            f"publisher of {topic.name} has another definition of {topic.type} ({offer.type_hash[:15]}...) than the "
            f"recorder ({wanted[:15]}...); build both from the same message files"
        )
