"""A digest of a value's content that is the same on every run and machine."""

from __future__ import annotations

import hashlib
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from imove_core.canonical import canonical_json, sha256_of_text
from imove_tasks.assets.arrays import DECIMALS


def content_digest(value: Any) -> str:
    """Hex SHA-256 of a dataclass of numbers, words, arrays, tuples, frozen sets and such dataclasses."""
    return sha256_of_text(canonical_json(_plain(value)))


def _plain(value: Any) -> Any:
    """The value in terms of JSON, arrays as digests of little-endian integers in units of 1e-7."""
    if isinstance(value, np.ndarray) and value.dtype == np.uint8:
        return hashlib.sha256(repr(value.shape).encode() + value.tobytes()).hexdigest()
    if isinstance(value, np.ndarray):
        units = np.round(value.astype(np.float64) * 10**DECIMALS).astype("<i8")
        return hashlib.sha256(repr(units.shape).encode() + units.tobytes()).hexdigest()
    if isinstance(value, float):
        return round(float(value), DECIMALS)
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    return value
