"""The nouns that objects go by, and which of them are plural in form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from imove_tasks.assets.model import Partition
from imove_tasks.assets.taxonomy import CATEGORIES, category

PLURAL_NOUNS: frozenset[str] = frozenset(
    {"scissors", "sticky notes", "wire cutters", "wire snips", "chopsticks", "pliers", "potato chips", "cheese sticks"}
)
"""Nouns that "them" stands for; a pair of scissors or a bag of crisps is one thing."""

ANYTHING = ("object", "item", "thing")
"""Nouns that are true of every object; they carry adjectives: "the red object"."""


@dataclass(frozen=True)
class Noun:
    """A noun, which may have several words.

    Attributes:
        words: In order.
        category: What it names; None for one of `ANYTHING`.
        plural: Whether "them" stands for it.
    """

    words: tuple[str, ...]
    category: str | None
    plural: bool

    @property
    def text(self) -> str:
        """The words with blanks between."""
        return " ".join(self.words)


def nouns_of(name: str, partition: Partition) -> tuple[Noun, ...]:
    """Nouns of a category: the plain one is seen, its synonyms are not.

    Raises:
        ImoveError: No such category.
    """
    plain, *synonyms = category(name).nouns
    texts = (plain,) if partition == "seen" else synonyms
    return tuple(Noun(tuple(text.split()), name, text in PLURAL_NOUNS) for text in texts)


@cache
def all_nouns() -> tuple[Noun, ...]:
    """Every noun of the taxonomy, and those of `ANYTHING`."""
    named = [noun for name in CATEGORIES for noun in (*nouns_of(name, "seen"), *nouns_of(name, "unseen"))]
    return (*named, *(Noun((word,), None, False) for word in ANYTHING))


@cache
def _by_first_word() -> dict[str, tuple[Noun, ...]]:
    """Nouns by their first word, the longest first."""
    ordered = sorted(all_nouns(), key=lambda noun: -len(noun.words))
    return {word: tuple(n for n in ordered if n.words[0] == word) for word in {n.words[0] for n in ordered}}


def noun_at(words: Sequence[str], start: int) -> Noun | None:
    """The longest noun that begins at a place of a text; None where none does.

    The longest one is meant: "potato chips" are no potato, and a "rubber stamp" need not be of rubber.
    """
    for noun in _by_first_word().get(words[start] if start < len(words) else "", ()):
        if tuple(words[start : start + len(noun.words)]) == noun.words:
            return noun
    return None
