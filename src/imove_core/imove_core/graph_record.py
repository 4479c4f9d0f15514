"""What was seen of a running graph, held against the topic contract and against another graph."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from imove_core import contract
from imove_core.contract import Topic
from imove_core.rig import Rig

RATE_TOLERANCE = 0.25
"""Share by which the usual interval of a topic's stamps may differ from its nominal one."""
# A joint at its limit may read a little beyond it; degrees, or millimetres, are far beyond.
LIMIT_MARGIN = 0.05


@dataclass(frozen=True)
class TopicRecord:
    """What was seen of a topic.

    Attributes:
        type: `package/msg/Type`.
        publishers: How many there are.
        reliable: Whether all of them send lost samples again.
        latched: Whether all of them keep the last message for late readers.
        messages: That came.
        interval_s: Median time between the stamps of two messages; 0 where there are fewer, no stamps, or several
            publishers, each with a rate of its own.
        frames: Of the headers.
        facts: What else is the same in all messages, e.g. `encoding`, `size`, `joints`; several values where it is not.
        largest: Largest absolute value of each joint, rad or m; empty where there are no joints.
    """

    type: str
    publishers: int
    reliable: bool
    latched: bool
    messages: int = 0
    interval_s: float = 0.0
    frames: frozenset[str] = frozenset()
    facts: Mapping[str, frozenset[str]] = field(default_factory=dict)
    largest: tuple[float, ...] = ()


@dataclass(frozen=True)
class GraphRecord:
    """What was seen of a graph.

    Attributes:
        domain: `sim` or `real`.
        topics: By name; those that nobody publishes are left out.
        endpoints: Types of services and actions that somebody serves, by name.
    """

    domain: str
    topics: Mapping[str, TopicRecord]
    endpoints: Mapping[str, str]


def deviations(rig: Rig, graph: GraphRecord) -> tuple[str, ...]:
    """In what a graph is not what the contract says, a sentence each.

    Topics that nobody publishes are no deviation: not every graph has every node.
    """
    found: list[str] = []
    known = {topic.name: topic for topic in contract.topics(rig)}
    for name, seen in graph.topics.items():
        topic = known.get(name)
        if topic is not None:
            found += [f"{name} {what}" for what in _of_topic(topic, seen, graph.domain, rig)]
    for endpoint in contract.endpoints(rig):
        got = graph.endpoints.get(endpoint.name, endpoint.type)
        if got != endpoint.type:
            found.append(f"{endpoint.name} is served as {got}; the contract says {endpoint.type}")
    return tuple(found)


def _of_topic(topic: Topic, seen: TopicRecord, domain: str, rig: Rig) -> list[str]:
    found = []
    if topic.domain not in ("both", domain):
        found.append(f"is published; it belongs to the domain {topic.domain}, this is {domain}")
    if seen.type != topic.type:
        found.append(f"is {seen.type}; the contract says {topic.type}")
        return found
    if topic.qos.reliable and not seen.reliable:
        found.append("is best effort; the contract says reliable")
    if topic.qos.latched and not seen.latched:
        found.append("is volatile; the contract says transient local")
    if topic.frame and seen.frames and seen.frames != {topic.frame}:
        found.append(f"has frame {_words(seen.frames)}; the contract says {topic.frame}")
    rate_hz = topic.nominal_rate_hz(domain)
    if rate_hz and seen.interval_s and abs(seen.interval_s * rate_hz - 1.0) > RATE_TOLERANCE:
        found.append(f"has a message each {1e3 * seen.interval_s:.1f} ms; the contract says {1e3 / rate_hz:.1f} ms")
    return found + _of_content(topic, seen, rig)


def _of_content(topic: Topic, seen: TopicRecord, rig: Rig) -> list[str]:
    found = []
    for fact, wanted in _expected_facts(topic, rig).items():
        got = seen.facts.get(fact, frozenset())
        if got and got != {wanted}:
            found.append(f"has {fact} {_words(got)}; the contract says {wanted}")
    for arm in rig.arms:
        own = (contract.joint_states_topic, contract.joint_target_topic, contract.leader_states_topic)
        if topic.name in {name(arm.name) for name in own} and len(seen.largest) == arm.size:
            reach = abs(arm.limits).max(axis=1) + LIMIT_MARGIN
            found += [
                f"has {joint} at {value:g}; its limit is {limit:g}, so the unit may be another than rad or m"
                for joint, value, limit in zip(arm.joint_names, seen.largest, reach.tolist(), strict=True)
                if value > limit
            ]
    return found


def _expected_facts(topic: Topic, rig: Rig) -> dict[str, str]:
    for camera in rig.cameras:
        if topic.name == contract.color_topic(camera.name):
            return {"encoding": "rgb8"}
        if topic.name == contract.depth_topic(camera.name):
            return {"encoding": "16UC1"}
    for arm in rig.arms:
        if topic.name.startswith((f"/{arm.name}/", f"/{arm.name}_leader/")):
            return {"joints": ",".join(arm.joint_names)}
    return {}


DOCUMENTED = (
    "the simulator has /clock, and in lockstep /imove/advance; the real table has what is marked `real`",
    "joint states come once a control step in simulation, at 200 Hz from real drivers",
    "contacts are known in simulation only (`contacts_known`)",
)
"""In what the two domains may differ."""


def differences(rig: Rig, sim: GraphRecord, real: GraphRecord) -> tuple[str, ...]:
    """In what a simulated and a real graph differ beyond `DOCUMENTED`, a sentence each.

    Args:
        rig: Of both.
        sim: The simulated graph.
        real: The graph of real or emulated devices.
    """
    own = {topic.name: topic for topic in contract.topics(rig) if topic.domain == "both"}
    found = [
        f"{name} is published {here} and not {there}"
        for one, other, here, there in (
            (sim, real, "in simulation", "for real"),
            (real, sim, "for real", "in simulation"),
        )
        for name in sorted(set(own) & set(one.topics) - set(other.topics))
    ]
    for name in sorted(set(own) & set(sim.topics) & set(real.topics)):
        found += [f"{name} {what}" for what in _between(own[name], sim.topics[name], real.topics[name])]
    shared = {endpoint.name for endpoint in contract.endpoints(rig) if endpoint.domain == "both"}
    for name in sorted(shared & set(sim.endpoints) & set(real.endpoints)):
        if sim.endpoints[name] != real.endpoints[name]:
            found.append(f"{name} is {sim.endpoints[name]} in simulation and {real.endpoints[name]} for real")
    return tuple(found)


def _between(topic: Topic, sim: TopicRecord, real: TopicRecord) -> list[str]:
    found = []
    pairs: list[tuple[str, object, object]] = [
        ("type", sim.type, real.type),
        ("reliability", sim.reliable, real.reliable),
        ("durability", sim.latched, real.latched),
    ]
    if sim.messages and real.messages:
        pairs += [("frame", _words(sim.frames), _words(real.frames))]
        pairs += [
            (fact, _words(sim.facts[fact]), _words(real.facts[fact]))
            for fact in sorted(set(sim.facts) & set(real.facts))
        ]
        only = sorted(set(sim.facts) ^ set(real.facts))
        pairs += [("facts", fact in sim.facts, fact in real.facts) for fact in only]
    found += [f"has {what} {a} in simulation and {b} for real" for what, a, b in pairs if a != b]
    if topic.real_rate_hz is None and sim.interval_s and real.interval_s:
        if abs(real.interval_s / sim.interval_s - 1.0) > RATE_TOLERANCE:
            found.append(
                f"has a message each {1e3 * sim.interval_s:.1f} ms in simulation and each "
                f"{1e3 * real.interval_s:.1f} ms for real"
            )
    return found


def _words(values: Sequence[str] | frozenset[str]) -> str:
    return " or ".join(sorted(values)) or "none"
