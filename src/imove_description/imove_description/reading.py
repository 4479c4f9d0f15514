"""Strict reading of YAML mappings: every key is named, unknown ones are errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


class DescriptionError(ValueError):
    """A description file or a name in it is not what the reader allows."""


class Reader:
    """A mapping from a YAML file that must be consumed exactly.

    Args:
        value: what the YAML parser returned at this place.
        where: how to call this place in error messages, e.g. ``piper_x.joints[2]``.
        required: keys that must be there.
        optional: keys that may be there.

    Raises:
        DescriptionError: value is not a mapping, lacks a required key or has an unknown one.
    """

    def __init__(self, value: object, where: str, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> None:
        """Checks the keys; see the class."""
        if not isinstance(value, Mapping):
            raise DescriptionError(f"{where} must be a mapping, got {type(value).__name__}")
        allowed = required + optional
        if unknown := [str(key) for key in value if key not in allowed]:
            raise DescriptionError(f"{where} has unknown key {unknown[0]!r}; allowed are {', '.join(allowed)}")
        if missing := [key for key in required if key not in value]:
            raise DescriptionError(f"{where} lacks {missing[0]!r}; required are {', '.join(required)}")
        self._value: Mapping[str, Any] = value
        self.where = where

    def at(self, key: str) -> str:
        """How to call the value under key in error messages."""
        return f"{self.where}.{key}"

    def has(self, key: str) -> bool:
        """Whether the key is there."""
        return key in self._value

    def refuse(self, key: str, belongs_to: str) -> None:
        """Raises DescriptionError if a key is there that belongs to another kind."""
        if self.has(key):
            raise DescriptionError(f"{self.at(key)} is allowed only with {belongs_to}")

    def raw(self, key: str) -> Any:
        """The value as parsed."""
        return self._value[key]

    def mapping(self, key: str) -> Mapping[str, Any]:
        """A mapping from names to values as parsed."""
        value = self._value[key]
        if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
            raise DescriptionError(f"{self.at(key)} must be a mapping from names, got {value!r}")
        return value

    def text(self, key: str) -> str:
        """A non-empty string."""
        value = self._value[key]
        if not isinstance(value, str) or not value:
            raise DescriptionError(f"{self.at(key)} must be a non-empty string, got {value!r}")
        return value

    def number(self, key: str, default: float | None = None) -> float:
        """A finite number, or default where the key is absent and a default is given."""
        if key not in self._value and default is not None:
            return default
        return float(self.numbers(key, None)[()])

    def positive(self, key: str, default: float | None = None) -> float:
        """A finite number above 0."""
        value = self.number(key, default)
        if value <= 0:
            raise DescriptionError(f"{self.at(key)} must be above 0, got {value:g}")
        return value

    def numbers(self, key: str, length: int | None, default: tuple[float, ...] | None = None) -> FloatArray:
        """A read-only float64 vector of the given length; length None reads a scalar, shape ()."""
        if key not in self._value and default is not None:
            return frozen(default)
        return number_array(self._value[key], self.at(key), () if length is None else (length,))

    def items(self, key: str, length: int | None = None) -> list[Any]:
        """A list, of the given length if there is one."""
        value = self._value[key]
        if not isinstance(value, list) or (length is not None and len(value) != length):
            wanted = "a list" if length is None else f"a list of {length}"
            raise DescriptionError(f"{self.at(key)} must be {wanted}, got {value!r}")
        return value

    def interval(self, key: str) -> tuple[float, float]:
        """Two finite numbers, the second above the first."""
        lower, upper = (float(v) for v in self.numbers(key, 2))
        if not lower < upper:
            raise DescriptionError(f"{self.at(key)} must rise, got [{lower:g}, {upper:g}]")
        return lower, upper


def number_array(value: object, where: str, shape: tuple[int, ...]) -> FloatArray:
    """A read-only finite float64 array of exactly this shape.

    Raises:
        DescriptionError: value is not numeric, not finite or of another shape.
    """
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise DescriptionError(f"{where} must be numeric of shape {shape}, got {value!r}") from None
    if array.shape != shape or not np.all(np.isfinite(array)):
        raise DescriptionError(f"{where} must be finite numbers of shape {shape}, got {value!r}")
    array.setflags(write=False)
    return array


def frozen(value: object) -> FloatArray:
    """A read-only float64 copy."""
    array = np.array(value, dtype=np.float64)
    array.setflags(write=False)
    return array


def pose_matrix(xyz: FloatArray, rpy: FloatArray) -> FloatArray:
    """Homogeneous transform from a URDF origin.

    Args:
        xyz: (3,) translation, m.
        rpy: (3,) roll, pitch, yaw about the fixed x, y, z axes, rad.

    Returns:
        (4, 4) read-only parent_from_child.
    """
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    matrix = np.eye(4)
    matrix[:3, :3] = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    matrix[:3, 3] = xyz
    matrix.setflags(write=False)
    return matrix
