"""Reading a text word by word, with a memory of how far it could be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from imove_core.errors import ImoveError

PUNCTUATION = ".,!?;:\"'"
SHOWN_EXPECTATIONS = 8


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text in lower case, without punctuation."""
    return tuple(text.translate(str.maketrans("", "", PUNCTUATION)).lower().split())


class Reader:
    """The words of one text; remembers the farthest place that was reached and what would have fitted there."""

    def __init__(self, words: Sequence[str]) -> None:
        """Starts at the first word."""
        self.words = tuple(words)
        self._furthest = 0
        self._expected: set[str] = set()

    def ends(self, at: int) -> bool:
        """Whether nothing is left at a place."""
        if at < len(self.words):
            self.miss(at, "the end")
        return at == len(self.words)

    def miss(self, at: int, expected: str) -> None:
        """Notes that something else would have fitted at a place."""
        if at > self._furthest:
            self._furthest, self._expected = at, set()
        if at == self._furthest:
            self._expected.add(expected)

    def after(self, phrase: str, at: int) -> int | None:
        """The place after a phrase that stands at a place; None where it does not. The empty phrase always does."""
        for word in phrase.split():
            if at >= len(self.words) or self.words[at] != word:
                self.miss(at, f"'{word}'")
                return None
            at += 1
        return at

    def after_any(self, phrases: Iterable[str], at: int) -> Iterator[int]:
        """Places after each of several phrases that stand at a place."""
        for phrase in phrases:
            end = self.after(phrase, at)
            if end is not None:
                yield end

    def after_optional(self, phrases: Iterable[str], at: int) -> Iterator[int]:
        """The place itself, and those after each of the phrases that stand there."""
        yield at
        yield from self.after_any(phrases, at)

    def error(self, text: str, kind: str) -> ImoveError:
        """The error for a text that could not be read.

        Args:
            text: As it was given.
            kind: What it was meant to be.
        """
        read, rest = self.words[: self._furthest], self.words[self._furthest :]
        where = f"after '{' '.join(read)}'" if read else "at its start"
        found = f"came '{rest[0]}'" if rest else "it ends"
        expected = sorted(self._expected)
        if len(expected) > SHOWN_EXPECTATIONS:
            expected = [*expected[:SHOWN_EXPECTATIONS], "..."]
        return ImoveError(f"{text!r} is no {kind}: {where} {found}; expected {', '.join(expected)}")
