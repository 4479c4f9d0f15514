"""How the making of a page tells how far it is."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Is told what is being done."""

    def begin(self, doing: str, steps: int) -> None:
        """Something begins that takes so many steps, 0 where that is not known."""

    def advance(self) -> None:
        """A step is done."""


class Silent:
    """Tells nobody."""

    def begin(self, doing: str, steps: int) -> None:
        """See Progress."""

    def advance(self) -> None:
        """See Progress."""
