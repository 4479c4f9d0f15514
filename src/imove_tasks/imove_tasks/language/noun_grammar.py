"""Grammar of noun phrases: size, shape, colour and material in this order, a noun, what it is made of, where it is.

A noun is always read as the longest one that fits, so a phrase has one reading.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from imove_core.meaning import Description, Related
from imove_tasks.assets.vocabulary import COLORS, MATERIALS, SHAPES
from imove_tasks.language.lexicon import CONNECTORS, RELATIONS, SIZES
from imove_tasks.language.nouns import noun_at
from imove_tasks.language.reading import Reader, words_of

SPOKEN_MATERIALS = tuple(word for word, kind in MATERIALS.items() if kind.speakable)
ADJECTIVES: dict[str, tuple[str, ...]] = {"shape": SHAPES, "color": COLORS, "material": SPOKEN_MATERIALS}
"""Words of each field before the noun, in English order."""
POSTMODIFIERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "color": ("colored", COLORS),
    "material": ("made of", SPOKEN_MATERIALS),
}
"""Words of a field after the noun, and what introduces them."""
_SIZE_WORDS = {word: size for size, ways in SIZES.items() for word in ways.all}


class Said(NamedTuple):
    """What a noun phrase says.

    Attributes:
        description: Its meaning.
        plural: Whether "them" stands for it.
    """

    description: Description
    plural: bool


def definite(reader: Reader, at: int, located: bool) -> Iterator[tuple[Said, int]]:
    """Reads "the" and a noun phrase.

    Args:
        reader: Of the text.
        at: Where the phrase begins.
        located: Whether it may say where the object is.

    Yields:
        What it says, and where it ends.
    """
    start = reader.after("the", at)
    if start is None:
        return
    found = bare(reader, start)
    if found is None:
        return
    yield found
    if located:
        said, end = found
        for related, stop in _relation(reader, end, said.plural):
            yield Said(said.description.model_copy(update={"relation": related}), said.plural), stop


def bare(reader: Reader, at: int) -> tuple[Said, int] | None:
    """Reads a noun phrase without article and relation; None where there is none."""
    fields: dict[str, str] = {}
    size = None
    word = reader.words[at] if at < len(reader.words) else ""
    if word in _SIZE_WORDS:
        size, at = _SIZE_WORDS[word], at + 1
    noun = noun_at(reader.words, at)
    for field, words in ADJECTIVES.items():
        if noun is None and at < len(reader.words) and reader.words[at] in words:
            fields[field] = reader.words[at]
            at += 1
            noun = noun_at(reader.words, at)
    if noun is None:
        reader.miss(at, "a noun")
        return None
    at += len(noun.words)
    if noun.category is not None:
        fields["category"] = noun.category
    for field, (opening, words) in POSTMODIFIERS.items():
        end = reader.after(opening, at)
        if end is not None and end < len(reader.words) and reader.words[end] in words and field not in fields:
            fields[field] = reader.words[end]
            at = end + 1
    return Said(Description.model_validate({"fields": fields, "size": size}), noun.plural), at


def _relation(reader: Reader, at: int, plural: bool) -> Iterator[tuple[Related, int]]:
    for connected in reader.after_any((CONNECTORS[name] if plural else name for name in CONNECTORS), at):
        for relation, ways in RELATIONS.items():
            for start in reader.after_any(ways.all, connected):
                for reference, end in definite(reader, start, located=False):
                    yield Related.model_validate({"relation": relation, "reference": reference.description}), end


@lru_cache(maxsize=8192)
def read_caption(text: str) -> Said | None:
    """What a noun phrase without article says; None for one that the grammar does not know."""
    reader = Reader(words_of(text))
    found = bare(reader, 0)
    return found[0] if found is not None and reader.ends(found[1]) else None
