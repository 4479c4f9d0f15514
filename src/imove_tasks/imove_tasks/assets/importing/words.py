"""Words of a source against the controlled ones: what it is, what it is made of, and what its phrases claim."""

from __future__ import annotations

import difflib
import fnmatch
import re
from collections.abc import Mapping
from types import MappingProxyType

from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.taxonomy import CATEGORIES, Category
from imove_tasks.assets.vocabulary import COLORS, MATERIALS, SHAPES

# Other forms of our words; everyday English.
_FORMS: dict[str, tuple[str, str]] = {
    "violet": ("color", "purple"), "cream": ("color", "beige"), "tan": ("color", "beige"),
    "wooden": ("material", "wood"), "metallic": ("material", "metal"), "steel": ("material", "metal"),
    "aluminum": ("material", "metal"), "aluminium": ("material", "metal"), "iron": ("material", "metal"),
    "porcelain": ("material", "ceramic"), "stoneware": ("material", "ceramic"), "cardboard": ("material", "paper"),
    "silicone": ("material", "rubber"), "cloth": ("material", "fabric"), "textile": ("material", "fabric"),
    "cylinder": ("shape", "cylindrical"), "circular": ("shape", "round"), "spherical": ("shape", "round"),
    "rectangle": ("shape", "rectangular"), "cubic": ("shape", "square"), "elliptical": ("shape", "oval"),
    "conical": ("shape", "tapered"), "little": ("size_bucket", "small"), "big": ("size_bucket", "large"),
}  # fmt: skip

VOCABULARY: Mapping[str, tuple[str, str]] = MappingProxyType(
    {word: ("color", word) for word in COLORS}
    | {word: ("shape", word) for word in SHAPES}
    | {word: ("material", word) for word, kind in MATERIALS.items() if kind.speakable}
    | {word: ("size_bucket", word) for word in ("small", "medium", "large")}
    | _FORMS
)
"""Field and controlled word that each spoken word stands for."""

_NOUNS: dict[str, str] = {noun: name for name, found in CATEGORIES.items() for noun in found.nouns}


def controlled(words: tuple[str, ...], field: str) -> tuple[str, ...]:
    """The words of a list that say something of a field, in our vocabulary; all others are left out."""
    known = {**VOCABULARY, **({word: ("material", word) for word in MATERIALS} if field == "material" else {})}
    return tuple(dict.fromkeys(known[word][1] for word in words if known.get(word, ("", ""))[0] == field))


def find_category(word: str, mapping: Mapping[str, str]) -> Category:
    """The category of the taxonomy that a source's word means.

    Args:
        word: Such as "Coffee Cup".
        mapping: The user's: patterns (`*` matches anything) of source words, to names of categories.

    Raises:
        AssetError: The word is neither a category nor mapped; the message lists near names.
    """
    plain = "_".join(re.findall(r"[a-z0-9]+", word.lower()))
    for pattern, name in mapping.items():
        if fnmatch.fnmatchcase(plain, "_".join(re.findall(r"[a-z0-9*?]+", pattern.lower()))):
            return CATEGORIES[name]
    spoken = plain.replace("_", " ")
    name = plain if plain in CATEGORIES else _NOUNS.get(spoken, "")
    if name:
        return CATEGORIES[name]
    if not plain:
        raise AssetError("it says nothing of its category; give one in the sheet or with --category")
    parts = [part for part in plain.split("_") if len(part) > 2]
    close = [*difflib.get_close_matches(plain, CATEGORIES, n=3, cutoff=0.6)]
    close += [name for name in CATEGORIES if any(part in name.split("_") for part in parts)]
    near = ", ".join(list(dict.fromkeys(close))[:5]) or "see `imove assets list`"
    raise AssetError(f"its category {word!r} is none of the taxonomy's; near ones: {near}; map it with --category")


def claims(phrase: str, category: Category) -> tuple[tuple[str, str], ...] | None:
    """What a phrase says of an object, in controlled words.

    Args:
        phrase: Such as "a red wooden mug".
        category: Of the object; only its own nouns count as naming it.

    Returns:
        Sorted (field, word) pairs; None where it does not name the category, names another one, or says two things
        of one field.
    """
    text = plain_phrase(phrase)
    named = {name for noun, name in _NOUNS.items() if _contains(text, noun)}
    own = max((noun for noun in category.nouns if _contains(text, noun)), key=len, default="")
    # "coffee cup" also says "cup": a noun inside the own one names nothing else.
    rest = f" {text} ".replace(f" {own} ", " ") if own else text
    if not own or any(_contains(rest, noun) for noun, name in _NOUNS.items() if name in named - {category.name}):
        return None
    said: dict[str, str] = {"category": category.name}
    for word in rest.split():
        field, value = VOCABULARY.get(word, ("", ""))
        if field and said.setdefault(field, value) != value:
            return None
    return tuple(sorted(said.items()))


def plain_phrase(phrase: str) -> str:
    """The phrase in lower case without article, punctuation and doubled blanks; "grey" as the vocabulary spells it."""
    text = " ".join(re.sub(r"[^a-z0-9' -]+", " ", phrase.lower()).split())
    return re.sub(r"\bgrey\b", "gray", re.sub(r"^(a|an|the) ", "", text))


def _contains(text: str, words: str) -> bool:
    return f" {words} " in f" {text} "
