"""The last thing that was heard of a source, and whether the source is still there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

Value = TypeVar("Value")
Presence = Literal["absent", "here", "lost"]


@dataclass
class Heard(Generic[Value]):
    """What a source said last.

    Attributes:
        lost_after_s: Silence after which a source that speaks by itself is lost; None for one that only speaks at
            changes, whose presence others must tell (`gone`).
        value: What it said last, None before it has spoken.
        at_s: When that was.
        gone: Whether somebody knows that the source is not there any more.
    """

    lost_after_s: float | None = None
    value: Value | None = None
    at_s: float = 0.0
    gone: bool = False

    def take(self, value: Value, now_s: float) -> None:
        """Keeps what was said just now."""
        self.value, self.at_s, self.gone = value, now_s, False

    def presence(self, now_s: float) -> Presence:
        """Whether the source never spoke, is there, or was there and is lost."""
        if self.value is None:
            return "absent"
        silent = self.lost_after_s is not None and now_s - self.at_s > self.lost_after_s
        return "lost" if self.gone or silent else "here"

    def current(self, now_s: float) -> Value | None:
        """What the source says, None where it has never spoken or is lost: an old value is no value."""
        return self.value if self.presence(now_s) == "here" else None

    def silent_s(self, now_s: float) -> float | None:
        """How long it has been silent, None where it never spoke."""
        return None if self.value is None else max(0.0, now_s - self.at_s)
