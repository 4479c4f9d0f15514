"""Messages of the recorder's services and status."""

from __future__ import annotations

import json
from typing import Any

from imove_interfaces.msg import RecorderStatus
from imove_interfaces.srv import StartRecording, StopRecording

from imove_core.bag.facts import LABELS_ATTACHMENT, PROVENANCE_ATTACHMENT
from imove_core.errors import ImoveError
from imove_recorder.request import Request
from imove_recorder.status import Status


def request_of(message: StartRecording.Request) -> Request:
    """What a call of /recorder/start asks for."""
    return Request(message.episode_id, message.task, message.number, message.replace)


def facts_of(message: StopRecording.Request) -> dict[str, str]:
    """The facts that a call of /recorder/stop gives; raises ImoveError when they are no object of texts."""
    try:
        facts: Any = json.loads(message.facts_json or "{}")
    except ValueError:
        facts = None
    if not isinstance(facts, dict) or not all(isinstance(value, str) for value in facts.values()):
        raise ImoveError(f"facts_json is {message.facts_json[:60]!r}; an object of texts is allowed")
    return facts


def attachments_of(message: StopRecording.Request) -> dict[str, str]:
    """The files that a call of /recorder/stop gives, by name."""
    texts = {LABELS_ATTACHMENT: message.labels_json, PROVENANCE_ATTACHMENT: message.provenance_json}
    return {name: text for name, text in texts.items() if text}


def status_message(status: Status, state: str) -> RecorderStatus:
    """The message of a status, without a stamp; `state` replaces that of the status unless it is ""."""
    tallies = status.topics.values()
    return RecorderStatus(
        state=state or status.state,
        episode_id=status.episode_id,
        bag=status.bag,
        seconds=status.seconds,
        free_bytes=status.free_bytes,
        queue_bytes=status.queue_bytes,
        message=status.message,
        topics=list(status.topics),
        received=[tally.received for tally in tallies],
        written=[tally.written for tally in tallies],
        dropped=[tally.dropped for tally in tallies],
    )
