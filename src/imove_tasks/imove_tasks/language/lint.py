"""Faults of instruction texts that people see at once: ids, doubled words, missing articles, stray characters."""

from __future__ import annotations

import re

from imove_tasks.assets.vocabulary import COLORS, SHAPES
from imove_tasks.language.lexicon import SIZES
from imove_tasks.language.noun_grammar import SPOKEN_MATERIALS
from imove_tasks.language.nouns import noun_at

_DETERMINERS = frozenset({"the", "a", "an", "any", "another", "other"})
_ARTICLES = frozenset({"the", "a", "an"})
_ADJECTIVES = frozenset({*COLORS, *SHAPES, *SPOKEN_MATERIALS, *(word for ways in SIZES.values() for word in ways.all)})


def lint(text: str) -> list[str]:
    """What is wrong with a text; nothing with the empty one.

    Meant for all texts of plain writing; punctuated and scrambled ones are disturbed on purpose, see `lint_disturbed`.
    """
    if not text:
        return []
    words = text.split()
    faults = [*_stray(text), *_of_words(words), *_of_articles(words)]
    if text != " ".join(words):
        faults.append("has stray blanks")
    if re.search(r"[^a-z \-]", text):
        faults.append("has other characters than lower-case letters")
    if not any(word in _DETERMINERS or word in ("something", "one") for word in words):
        faults.append("lacks the article")
    return faults


def lint_disturbed(text: str) -> list[str]:
    """What is wrong with a punctuated or scrambled text: characters that no such text has, and doubled words."""
    return [*_stray(text), *_of_words(re.sub(r"[^a-z \-]", "", text.lower()).split())]


def _stray(text: str) -> list[str]:
    faults = []
    if re.search(r"\d", text):
        faults.append("holds a digit")
    if "_" in text:
        faults.append("holds an underscore, as ids have")
    if re.search(r"[^A-Za-z .,!\-]", re.sub(r"[\d_]", "", text)):
        faults.append("has characters that no instruction has")
    return faults


def _of_words(words: list[str]) -> list[str]:
    doubled = [first for first, second in zip(words, words[1:], strict=False) if first == second]
    return [f"repeats the word '{word}'" for word in doubled]


def _of_articles(words: list[str]) -> list[str]:
    faults = []
    for first, second in zip(words, words[1:], strict=False):
        if first in _ARTICLES and second in _DETERMINERS - {"other"}:
            faults.append(f"has two articles, '{first} {second}'")
        if first in ("a", "an") and (first == "an") != (second[0] in "aeiou"):
            faults.append(f"has '{first}' before '{second}'")
    at = 0
    while at < len(words):
        noun = noun_at(words, at)
        if noun is not None and not _has_article(words, at):
            faults.append(f"lacks an article before '{noun.text}'")
        at += len(noun.words) if noun is not None else 1
    return faults


def _has_article(words: list[str], at: int) -> bool:
    while at > 0 and words[at - 1] in _ADJECTIVES:
        at -= 1
    return at > 0 and words[at - 1] in _DETERMINERS
