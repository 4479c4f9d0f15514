"""Noun phrases for an object, from its measured attributes."""

from __future__ import annotations

from collections.abc import Sequence

from imove_tasks.assets.vocabulary import MATERIALS


def captions(nouns: Sequence[str], color: str, shape: str, material: str) -> tuple[str, ...]:
    """All the ways to name an object by some of its attributes.

    Args:
        nouns: Phrases for the category, the plain one first.
        color: Colour word.
        shape: Shape word.
        material: Material word; left out where people do not say it ("food").

    Returns:
        Distinct lower-case phrases without article, the plain category phrase first.
    """
    stuff = material if MATERIALS[material].speakable else ""
    phrases: list[str] = [nouns[0]]
    for noun in nouns:
        for adjectives in (
            (), (color,), (stuff,), (color, stuff), (shape,), (shape, color), (shape, stuff),
            (shape, color, stuff),
        ):  # fmt: skip
            phrases.append(" ".join(word for word in (*adjectives, noun) if word))
    return tuple(dict.fromkeys(phrases))
