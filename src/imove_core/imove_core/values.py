"""The base of all values that are read from files: frozen, finite, without unknown keys."""

import reprlib
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

Vector3 = tuple[float, float, float]


class FrozenValue(BaseModel):
    """A typed value that refuses what it does not know; it may have cached properties."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, ignored_types=(cached_property,))

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown_keys(cls, data: Any) -> Any:
        # Says what pydantic's own refusal leaves out: which keys there are.
        if isinstance(data, dict):
            for key in data:
                if key not in cls.model_fields:
                    raise ValueError(f"unknown key {key!r}; allowed: {', '.join(cls.model_fields)}")
        return data

    def __eq__(self, other: object) -> bool:
        """Compares fields only: pydantic's own comparison also looks at cached arrays, whose truth is ambiguous."""
        return type(other) is type(self) and all(
            getattr(self, name) == getattr(other, name) for name in type(self).model_fields
        )

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Copies with changes that are checked; pydantic's own copy checks nothing and keeps outdated cached values.

        Raises:
            ValidationError: A changed field, or all of them together, break the schema.
        """
        fields = {name: getattr(self, name) for name in type(self).model_fields}
        return type(self).model_validate(fields | dict(update or {}))


def first_fault(error: ValidationError, whole: str) -> str:
    """Returns the first fault as `place: what is wrong, what was got`.

    Args:
        error: What pydantic found.
        whole: How to call the value itself where the fault has no place inside it.
    """
    fault = error.errors()[0]
    place = ".".join(str(part) for part in fault["loc"]) or whole
    message = fault["msg"].removeprefix("Value error, ")
    # Our own sentences say what was got; where a field is missing there is nothing to show.
    if fault["type"] not in ("value_error", "missing"):
        message = f"{message}, got {reprlib.repr(fault['input'])}"
    return f"{place}: {message}"
