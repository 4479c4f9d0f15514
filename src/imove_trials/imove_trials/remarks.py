"""What people say in the course of a trial, as it comes from a console, a pedal or a key."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from imove_core.errors import ImoveError
from imove_core.values import first_fault
from imove_tasks.stages import PLACE_STAGES

MOST_CHARACTERS = 4000


class _Words(BaseModel):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    text: str = Field(min_length=1, max_length=MOST_CHARACTERS)


class _Overrule(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    stage: str = Field(max_length=40)
    object: str = Field(min_length=1, max_length=200)
    happened: bool


def read_remark(name: str, argument_json: str) -> dict[str, Any]:
    """The checked argument of a remark.

    Args:
        name: `note`, `intervention` or `overrule`.
        argument_json: Object with `text`, or with `stage`, `object` and `happened`.

    Raises:
        ImoveError: It is something else.
    """
    shape = _Overrule if name == "overrule" else _Words
    try:
        found = shape.model_validate(json.loads(argument_json or "{}")).model_dump()
    except ValueError as error:
        told = first_fault(error, "the argument") if isinstance(error, ValidationError) else "it is no JSON"
        raise ImoveError(f"argument of {name}: {told}") from error
    if name == "overrule" and found["stage"] not in PLACE_STAGES:
        raise ImoveError(f"stage is '{found['stage']}'; allowed: {', '.join(PLACE_STAGES)}")
    return found
