"""Says everything that is wrong with an episode bag; only reads it."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from imove_core import contract
from imove_core.bag.checks import TopicCheck, checks_for
from imove_core.bag.errors import BagError
from imove_core.bag.facts import ATTACHMENTS, FACTS, INCOMPLETE, SCHEMA
from imove_core.bag.reader import EpisodeBag
from imove_core.bag.topics import COMPRESSED_IMAGE, missing_topics
from imove_core.bag.types import MessageTypes, message_types
from imove_core.errors import ImoveError
from imove_core.rig import Rig


def verify(path: Path) -> list[str]:
    """Reads a whole bag and checks it against the topic contract of its rig.

    Args:
        path: Folder of the bag, or an MCAP file.

    Returns:
        One sentence for each fault, none for a good bag. Of one kind of fault on a topic only the first is named.
    """
    try:
        bag = EpisodeBag(path)
        return list(_faults(bag))
    except ImoveError as error:
        return [str(error)]


def _faults(bag: EpisodeBag) -> Iterator[str]:
    yield from _fact_faults(bag)
    rig: Rig | None = None
    try:
        rig = bag.rig()
    except ImoveError as error:
        yield str(error)
    if rig is not None:
        present = {name for name, count in bag.message_counts.items() if count}
        for name in missing_topics(rig, present):
            yield f"{name}: required, and no message is in the bag"
    readable: dict[str, MessageTypes] = {}
    for topic in bag.topics:
        try:
            readable[topic.name] = bag.types([topic.name])
        except BagError as error:
            yield f"{topic.name}: {error}"
    yield from _type_faults(bag, rig)
    yield from _message_faults(bag, rig, readable)


def _fact_faults(bag: EpisodeBag) -> Iterator[str]:
    facts = bag.custom_data
    for key in FACTS:
        if key not in facts:
            yield f"custom data have no {key!r}"
    if facts.get("schema", SCHEMA) != SCHEMA:
        yield f"custom data have the schema {facts['schema']!r}; {SCHEMA!r} is known"
    if INCOMPLETE in facts:
        yield f"the recording is incomplete: {facts[INCOMPLETE]}"
    for name in ATTACHMENTS:
        if name not in bag.attachments:
            yield f"attachment {name} is missing"
        else:
            try:
                bag.attached_json(name)
            except BagError as error:
                yield str(error)


def _type_faults(bag: EpisodeBag, rig: Rig | None) -> Iterator[str]:
    if rig is None:
        return
    known = message_types()
    expected = {topic.name: topic.type for topic in contract.topics(rig)}
    expected |= {contract.compressed_topic(camera.name): COMPRESSED_IMAGE for camera in rig.cameras}
    for topic in bag.topics:
        wanted = expected.get(topic.name)
        if wanted is None:
            continue
        if topic.type != wanted:
            yield f"{topic.name}: has the type {topic.type!r}; the contract says {wanted}"
            continue
        recorded = bag.schemas[topic.name].type_hash
        if recorded and recorded != known.type_hash(wanted):
            yield f"{topic.name}: {wanted} was recorded with another definition, {recorded}"


def _message_faults(bag: EpisodeBag, rig: Rig | None, readable: dict[str, MessageTypes]) -> Iterator[str]:
    checks = {topic.name: checks_for(topic.name, rig) for topic in bag.topics}
    counts: Counter[str] = Counter()
    reported: set[tuple[str, str]] = set()
    for message in bag.messages_as_written():
        number = counts[message.topic]
        counts[message.topic] += 1
        if message.topic not in readable:
            continue
        try:
            content = readable[message.topic].deserialize(message.cdr, message.type)
        except BagError as error:
            found: list[tuple[str, str]] = [("deserialize", str(error))]
        else:
            found = _looks(checks[message.topic], message, content)
        for kind, fault in found:
            if (message.topic, kind) not in reported:
                reported.add((message.topic, kind))
                yield f"{message.topic}: {fault} (message {number})"
    for source, said in (("metadata.yaml", bag.described_counts), ("the file's summary", bag.message_counts)):
        if said is not None:
            for topic in sorted(set(said) | set(counts)):
                if said.get(topic, 0) != counts[topic]:
                    yield f"{topic}: {source} counts {said.get(topic, 0)} messages, the bag has {counts[topic]}"


def _looks(checks: list[TopicCheck], message: Any, content: Any) -> list[tuple[str, str]]:
    return [(type(check).__name__, fault) for check in checks if (fault := check.look(message, content)) is not None]
