"""Gets one model's answer about one asset: asks, and asks once more when the answer is no good."""

from __future__ import annotations

from imove_bringup.annotation.answer import Answer, response_format
from imove_bringup.annotation.client import Client, Completion
from imove_bringup.annotation.prompt import first_messages, repair_messages
from imove_core.errors import ImoveError

Outcome = tuple[Answer | None, str, int]
"""The answer or None, why there is none, and the tokens that it took."""


def ask(client: Client, model: str, picture_png: bytes) -> Outcome:
    """Asks a model about the object on a picture.

    Raises:
        Unanswered: The service did not answer.
        ImoveError: The service refuses.
        Interrupted: The run is to stop.
    """
    messages = first_messages(picture_png)
    first = client.complete(model, messages, response_format())
    answer, fault = _read(first)
    if answer or first.refusal:
        return answer, fault, first.tokens
    second = client.complete(model, repair_messages(messages, first.text, fault), response_format())
    answer, fault = _read(second)
    return answer, fault, first.tokens + second.tokens


def _read(completion: Completion) -> tuple[Answer | None, str]:
    if completion.refusal:
        return None, f"refused to answer: {completion.refusal}"
    if completion.truncated:
        return None, "the answer was cut off; a shorter one is needed"
    try:
        return Answer.from_json(completion.text), ""
    except ImoveError as error:
        return None, str(error)
