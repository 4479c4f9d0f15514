"""What page and console say to each other over the websocket.

The page sends JSON texts: `watch`, `drawn`, `command`, `stop`. The console sends JSON texts (`state`, `answer`) and
images as binary messages: a byte with the length of the source's name, the name, then the JPEG.
"""

from __future__ import annotations

import json
import math
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from imove_console.commands import Command
from imove_console.frames import Frame
from imove_core.errors import ImoveError
from imove_core.values import FrozenValue, first_fault

MOST_TEXT_BYTES = 16_384
"""Of one message of a page."""
Number = Annotated[int, Field(ge=0, le=2**53)]


class Watch(FrozenValue):
    """Which images the page shows; it gets no others."""

    type: Literal["watch"]
    sources: Annotated[frozenset[str], Field(max_length=32)]


class Drawn(FrozenValue):
    """The page has drawn the last image of a source and can take the next one."""

    type: Literal["drawn"]
    source: str


class Ask(FrozenValue):
    """A command; its answer has the same number."""

    type: Literal["command"]
    id: Number
    command: Command


class StopSwitch(FrozenValue):
    """Emergency stop on or off; its answer has the same number."""

    type: Literal["stop"]
    id: Number
    on: bool


Request = Watch | Drawn | Ask | StopSwitch
_REQUEST: TypeAdapter[Request] = TypeAdapter(Annotated[Request, Field(discriminator="type")])


def parse_request(text: str) -> Request:
    """What a page asks for.

    Raises:
        ImoveError: It is no such message.
    """
    try:
        return _REQUEST.validate_python(json.loads(text))
    except ValidationError as error:
        raise ImoveError(f"message of the page: {first_fault(error, 'the message')}") from error
    except (ValueError, RecursionError) as error:
        raise ImoveError("message of the page is not JSON") from error


def state_text(state: dict[str, Any]) -> str:
    """The state as the page reads it."""
    return json.dumps({"type": "state", "state": _finite(state)}, allow_nan=False)


def answer_text(number: int, ok: bool, message: str) -> str:
    """What became of a command."""
    return json.dumps({"type": "answer", "id": number, "ok": ok, "message": message})


def frame_bytes(frame: Frame) -> bytes:
    """An image as the page reads it."""
    name = frame.source.encode()
    return bytes([len(name)]) + name + frame.jpeg


def _finite(value: Any) -> Any:
    """A copy in which numbers that JSON does not know are null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list | tuple) else value
