"""Arguments of /imove/teleop/command: small JSON objects, checked."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from pydantic import Field, StrictBool, ValidationError

from imove_core.errors import ImoveError
from imove_core.values import FrozenValue, first_fault

Kind = TypeVar("Kind", bound=FrozenValue)
MOST_CHARACTERS = 4096
MOST_HOLD_S = 10.0


class StopArgument(FrozenValue):
    """Of `stop`.

    Attributes:
        success: The person's word; None where it is not said.
    """

    success: StrictBool | None = None


class EnableArgument(FrozenValue):
    """Of `enable`.

    Attributes:
        hold_s: The deadman lets go by itself after so long, unless it is held again meanwhile; None for never.
    """

    hold_s: float | None = Field(default=None, gt=0, le=MOST_HOLD_S)


class NoArgument(FrozenValue):
    """Of every other command."""


def parsed(argument_json: str) -> dict[str, Any]:
    """The argument as plain data, empty for ""; raises ImoveError where it is no JSON object, or a long one."""
    try:
        value = json.loads(argument_json or "{}") if len(argument_json) <= MOST_CHARACTERS else None
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise ImoveError(
            f"argument_json is {argument_json[:60]!r}; a JSON object of at most {MOST_CHARACTERS} characters is allowed"
        )
    return value


def stop_argument(argument_json: str) -> StopArgument:
    """The argument of `stop`; raises ImoveError for one that breaks the schema."""
    return _checked(StopArgument, argument_json)


def enable_argument(argument_json: str) -> EnableArgument:
    """The argument of `enable`; raises ImoveError for one that breaks the schema."""
    return _checked(EnableArgument, argument_json)


def no_argument(argument_json: str) -> None:
    """Raises ImoveError where something is said for a command that takes no argument."""
    _checked(NoArgument, argument_json)


def _checked(kind: type[Kind], argument_json: str) -> Kind:
    try:
        return kind.model_validate(parsed(argument_json))
    except ValidationError as error:
        raise ImoveError(f"argument_json: {first_fault(error, 'the argument')}") from error
