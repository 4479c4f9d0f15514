"""Noun phrases for an object, made of its measured attributes, each with what it means.

Two partitions serve tests of language. *Seen* phrases put adjectives before the plain noun of the category
("red ceramic mug"). *Unseen* ones use another noun for it ("red drinking cup") or another construction ("mug made
of ceramic"), so no unseen phrase is a seen one and none needs a word for an attribute that training never had.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from imove_tasks.assets.model import Expression
from imove_tasks.assets.vocabulary import MATERIALS

Words = dict[str, str]

_ADJECTIVES = ("shape", "color", "material")  # in English order


def expressions(category: str, nouns: Sequence[str], color: str, shape: str, material: str) -> tuple[Expression, ...]:
    """All the ways to name an object by some of its attributes.

    Args:
        category: Its name.
        nouns: Phrases for the category, the plain one first.
        color: Colour word.
        shape: Shape word.
        material: Material word; left out where people do not say it ("food").

    Returns:
        Distinct phrases, the plain category phrase first, the seen ones before the unseen ones.
    """
    words = {"shape": shape, "color": color}
    if MATERIALS[material].speakable:
        words["material"] = material
    plain, *synonyms = nouns
    found: dict[str, Expression] = {}

    def add(text: str, said: Words, partition: str) -> None:
        meaning = tuple(sorted({"category": category, **said}.items()))
        found.setdefault(text, Expression(text, meaning, "seen" if partition == "seen" else "unseen"))

    for said in _subsets(words):
        add(" ".join([*said.values(), plain]), said, "seen")
    for noun in synonyms:
        for said in _subsets(words):
            add(" ".join([*said.values(), noun]), said, "unseen")
    add(f"{plain} colored {color}", {"color": color}, "unseen")
    if "material" in words:
        add(f"{plain} made of {material}", {"material": material}, "unseen")
        add(f"{color} {plain} made of {material}", {"color": color, "material": material}, "unseen")
    return tuple(found.values())


def description(name: str, shape: str, extents_m: Sequence[float]) -> str:
    """One sentence on an object, such as "Red ceramic mug, cylindrical, 9.1 by 5.8 cm and 7.4 cm tall."."""
    along, across, tall = (f"{value * 100:.1f}" for value in extents_m)
    return f"{name[0].upper()}{name[1:]}, {shape}, {along} by {across} cm and {tall} cm tall."


def _subsets(words: Words) -> Iterator[Words]:
    """Every choice of the attributes, smaller ones first, in the order of English adjectives."""
    present = [field for field in _ADJECTIVES if field in words]
    for count in range(len(present) + 1):
        for chosen in combinations(present, count):
            yield {field: words[field] for field in chosen}
