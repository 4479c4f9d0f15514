"""Reads noun phrases: whether one is well formed, and what it claims of an object.

A phrase is adjectives of shape, colour, material and size in any order, then a noun of the category, then "colored
COLOUR", "that is COLOUR" or "made of MATERIAL" if wanted. Anything else has no meaning that a scene can be searched
for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import get_args

from imove_core.errors import ImoveError
from imove_tasks.assets.model import Expression, SizeBucket
from imove_tasks.assets.taxonomy import CATEGORIES
from imove_tasks.assets.vocabulary import COLORS, MATERIALS, SHAPES

Meaning = tuple[tuple[str, str], ...]

_ARTICLES = frozenset({"a", "an", "the"})
_WELL_FORMED = re.compile(r"[a-z]+(?:[ -][a-z]+)*")
_FIELD_OF_WORD: dict[str, str] = {
    **dict.fromkeys(get_args(SizeBucket), "size_bucket"),
    **dict.fromkeys(MATERIALS, "material"),
    **dict.fromkeys(SHAPES, "shape"),
    **dict.fromkeys(COLORS, "color"),
}
_CATEGORY_OF_NOUN: dict[str, str] = {noun: name for name, kind in CATEGORIES.items() for noun in kind.nouns}
_POSTFIX = re.compile(r"(?P<head>.+?)(?: (?:that is|colou?red) (?P<color>\S+))?(?: made of (?P<material>\S+))?")


def lint(text: str) -> None:
    """Checks the form of a phrase.

    Raises:
        ImoveError: It has capitals, digits, punctuation, doubled blanks or an article.
    """
    if not _WELL_FORMED.fullmatch(text):
        raise ImoveError(f"{text!r} is not a phrase of lower-case words with single blanks and no digits")
    articles = sorted(_ARTICLES.intersection(text.split(" ")))
    if articles:
        raise ImoveError(f"{text!r} has the article {articles[0]!r}; noun phrases come without")


def meaning_of(text: str) -> Meaning:
    """What a phrase claims, fields and words sorted by field; the category is always among them.

    Raises:
        ImoveError: It is not well formed, claims two words for one field, or has words that claim nothing.
    """
    lint(text)
    match = _POSTFIX.fullmatch(text)
    assert match  # the head takes anything
    claims: dict[str, str] = {}
    for field in ("color", "material"):
        if match[field]:
            _claim(claims, text, match[field], field)
    words = match["head"].split(" ")
    # The longest noun wins: "rubber stamp" is a noun before it is a stamp made of rubber.
    for start in range(len(words)):
        noun = " ".join(words[start:])
        if noun in _CATEGORY_OF_NOUN:
            for word in words[:start]:
                _claim(claims, text, word)
            return tuple(sorted({"category": _CATEGORY_OF_NOUN[noun], **claims}.items()))
    raise ImoveError(f"{text!r} does not end in a noun of the taxonomy")


def expressions_from(texts: Iterable[str], facts: dict[str, str]) -> tuple[tuple[Expression, ...], tuple[str, ...]]:
    """Sorts phrases into those that are true of an object and what is wrong with the others.

    Args:
        texts: Phrases.
        facts: The object's word for each of ``model.MEANING_FIELDS``.

    Returns:
        The true ones as *unseen* expressions (training never had them), and one sentence for each other one.
    """
    found: dict[str, Expression] = {}
    faults: list[str] = []
    for text in texts:
        try:
            meaning = meaning_of(text)
            check_true(text, meaning, facts)
            found.setdefault(text, Expression(text, meaning, "unseen"))
        except ImoveError as error:
            faults.append(str(error))
    return tuple(found.values()), tuple(faults)


def check_true(text: str, meaning: Meaning, facts: dict[str, str]) -> None:
    """Checks that a phrase claims nothing but facts.

    Raises:
        ImoveError: It claims something else; the message names the first such claim.
    """
    for field, word in meaning:
        if facts[field] != word:
            raise ImoveError(f"{text!r} claims {field} {word!r}, but it is {facts[field]!r}")


def _claim(claims: dict[str, str], text: str, word: str, expected: str | None = None) -> None:
    field = _FIELD_OF_WORD.get(word)
    if field is None or expected not in (None, field):
        raise ImoveError(f"{text!r} has the word {word!r}, which is no word for a {expected or 'known property'}")
    if field in claims:
        raise ImoveError(f"{text!r} claims {field} twice")
    claims[field] = word
