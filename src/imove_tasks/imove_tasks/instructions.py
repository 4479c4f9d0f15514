"""Instructions: templates, referring expressions over scene metadata, and their evaluation.

A referent is a mapping of metadata fields to words, e.g. {"category": "mug"} or {"category": "mug", "color": "red"};
an object satisfies it when every field of its asset has that word. An instruction is sound when exactly one object of
the scene satisfies its referent.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from imove_core.errors import ImoveError
from imove_core.spec import Instruction
from imove_tasks.assets.model import Asset

REFERENT_FIELDS = ("category", "color", "shape", "material", "size_bucket")
PICK_TEMPLATES = (
    "pick up {object}",
    "grasp {object}",
    "grab {object}",
    "take {object}",
    "lift {object}",
    "pick {object} up",
    "get hold of {object}",
    "raise {object} off the table",
)
GENERIC_PHRASE = "object"


def satisfies(asset: Asset, referent: Mapping[str, str]) -> bool:
    """Whether an object is what a referent describes.

    Raises:
        ImoveError: The referent has a field that is no metadata field.
    """
    for field in referent:
        if field not in REFERENT_FIELDS:
            raise ImoveError(f"referent field {field!r} is unknown; allowed: {', '.join(REFERENT_FIELDS)}")
    return all(getattr(asset, field) == word for field, word in referent.items())


def find_referents(assets: Mapping[str, Asset], referent: Mapping[str, str]) -> list[str]:
    """Ids of the objects that satisfy a referent; an empty referent names nothing."""
    return [key for key, asset in assets.items() if satisfies(asset, referent)] if referent else []


def definite(phrase: str) -> str:
    """The noun phrase with the definite article, once."""
    return phrase if phrase.startswith("the ") else f"the {phrase}"


def render(template: str, phrase: str) -> tuple[str, str]:
    """Text and raw text of a template with one object phrase."""
    return template.format(object=definite(phrase)), template.replace("{object}", "{" + phrase + "}")


def pick_instruction(template: str, phrase: str, referent: Mapping[str, str], target: str | None) -> Instruction:
    """An instruction to pick what `phrase` names."""
    text, raw = render(template, phrase)
    return Instruction(text=text, raw_text=raw, referent=dict(referent), target=target)


def category_instructions(
    assets: Mapping[str, Asset], target: str, absent_category: tuple[str, str], rng: np.random.Generator
) -> dict[str, Instruction]:
    """Instructions of one pick_category scene under the five conditions.

    Args:
        assets: The objects' assets by object id; all of different categories.
        target: The object that the canonical instruction names.
        absent_category: Name and phrase of a category that is not in the scene.
        rng: Draws template, alternative target and captions.

    Raises:
        ImoveError: Two objects are of one category, or the absent category is in the scene.
    """
    template = str(rng.choice(PICK_TEMPLATES))
    others = [key for key in assets if key != target]
    alternative = str(rng.choice(others))

    def named(object_id: str) -> Instruction:
        asset = assets[object_id]
        referent = {"category": asset.category}
        return pick_instruction(template, asset.phrase, referent, unique_referent(assets, referent))

    name, phrase = absent_category
    absent = {"category": name}
    if find_referents(assets, absent):
        raise ImoveError(f"category {name!r} is meant to be absent, but an object of the scene has it")
    empty = Instruction(text="", raw_text="", referent={}, target=None)
    return {
        "normal": named(target),
        "alternative": named(alternative),
        "generic": pick_instruction(template, GENERIC_PHRASE, {}, None),
        "empty": empty,
        "absent": pick_instruction(template, phrase, absent, None),
    }


def unique_referent(assets: Mapping[str, Asset], referent: Mapping[str, str]) -> str:
    """Id of the only object that satisfies a referent; raises ImoveError when there is none or more than one."""
    found = find_referents(assets, referent)
    if len(found) != 1:
        raise ImoveError(f"referent {dict(referent)} is true of {len(found)} objects {found}; exactly 1 is needed")
    return found[0]


def lint(text: str) -> Sequence[str]:
    """Faults of an instruction text: digits, doubled words, stray blanks, missing article; empty text has none."""
    if not text:
        return []
    words = text.split(" ")
    faults = []
    if any(character.isdigit() for character in text):
        faults.append("holds a digit")
    if text != " ".join(text.split()):
        faults.append("has stray blanks")
    if any(first == second for first, second in zip(words, words[1:], strict=False)):
        faults.append("repeats a word")
    if "the" not in words:
        faults.append("lacks the article")
    if text != text.lower() or not text.replace(" ", "").replace("-", "").isalpha():
        faults.append("has other characters than lower-case letters")
    return faults
