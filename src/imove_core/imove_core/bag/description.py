"""What a bag holds as plain data and as text for people."""

from collections.abc import Mapping
from typing import Any

from imove_core.bag.errors import BagError
from imove_core.bag.facts import LABELS_ATTACHMENT
from imove_core.bag.messages import NS
from imove_core.bag.reader import EpisodeBag

# Long lists of paraphrases are in the file for who wants them.
_LABELS_SHOWN = ("instruction", "condition", "target", "destination", "first_contact", "success", "phases")


def describe(bag: EpisodeBag) -> dict[str, Any]:
    """Facts, topics with counts and rates, attachments and labels of a bag; raises BagError where it is damaged."""
    times: dict[str, tuple[int, int]] = {}
    for message in bag.messages():
        first, _ = times.get(message.topic, (message.log_time_ns, 0))
        times[message.topic] = (first, message.log_time_ns)
    start = min((first for first, _ in times.values()), default=0)
    end = max((last for _, last in times.values()), default=0)
    return {
        "bag": str(bag.path),
        "task": bag.task,
        "bytes": sum(file.stat().st_size for file in bag.files),
        "start_s": start / NS,
        "duration_s": (end - start) / NS,
        "messages": sum(bag.message_counts.values()),
        "facts": dict(bag.custom_data),
        "topics": [
            {
                "topic": topic.name,
                "type": topic.type,
                "messages": bag.message_counts[topic.name],
                "rate_hz": _rate_hz(bag.message_counts[topic.name], times.get(topic.name)),
                "latched": topic.qos.latched,
            }
            for topic in bag.topics
        ],
        "attachments": {name: len(data) for name, data in bag.attachments.items()},
        "labels": _labels(bag),
    }


def summary_text(described: Mapping[str, Any]) -> str:
    """A description as lines of text."""
    lines = [
        f"{described['bag']}: {described['messages']} messages, {described['bytes'] / 1e6:.1f} MB, "
        f"{described['duration_s']:.2f} s",
        *(f"  {_one_line(key)}: {_one_line(value)}" for key, value in described["facts"].items()),
        "topics",
    ]
    width = max((len(topic["topic"]) for topic in described["topics"]), default=0)
    for topic in described["topics"]:
        rate = f"{topic['rate_hz']:7.1f} Hz" if topic["rate_hz"] else " " * 10
        lines.append(
            f"  {topic['topic']:<{width}} {topic['messages']:>6} {rate}  {topic['type']}"
            f"{'  latched' if topic['latched'] else ''}"
        )
    lines.append("attachments")
    lines += [f"  {name}: {size} bytes" for name, size in described["attachments"].items()]
    labels = described["labels"]
    if labels:
        lines.append("labels")
        lines += [f"  {key}: {_shown(labels[key])}" for key in _LABELS_SHOWN if key in labels]
    return "\n".join(lines)


def _labels(bag: EpisodeBag) -> dict[str, Any]:
    try:
        labels = bag.attached_json(LABELS_ATTACHMENT)
    except BagError:
        return {}
    return labels if isinstance(labels, dict) else {}


def _rate_hz(messages: int, times: tuple[int, int] | None) -> float:
    """Messages a second between the first and the last; 0 where there is no interval."""
    if times is None or messages < 2 or times[1] == times[0]:
        return 0.0
    return (messages - 1) * NS / (times[1] - times[0])


def _shown(value: Any) -> str:
    if isinstance(value, list) and value and all(isinstance(item, dict) and "phase" in item for item in value):
        return ", ".join(f"{item['phase']} {item.get('first_step')}-{item.get('last_step')}" for item in value)
    return _one_line(str(value))


def _one_line(text: str) -> str:
    """A text from a file as one line that a terminal takes as text."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)
