"""Proofs that a description is true of nothing in a scene, and that nothing in it goes by that name."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from imove_core.errors import ImoveError
from imove_core.meaning import Description
from imove_tasks.assets.model import Asset
from imove_tasks.assets.taxonomy import category
from imove_tasks.language.phrases import fits


def confusable(first: str, second: str) -> bool:
    """Whether an object of one category could be taken for one of another by its nouns.

    So it is when a noun of one is a part of a noun of the other ("potato", "potato chips"), or when two of them end in
    the same word ("jewelry box", "pill box"). A category is confusable with itself.

    Args:
        first: Name of a category.
        second: Name of a category.

    Raises:
        ImoveError: No such category.
    """
    pairs = [(one.split(), other.split()) for one in category(first).nouns for other in category(second).nouns]
    return any(one[-1] == other[-1] or _within(one, other) or _within(other, one) for one, other in pairs)


def check_absent(description: Description, assets: Mapping[str, Asset]) -> None:
    """Proves that what is described is not in a scene, wherever it is said to be and however large.

    No object has the words that are demanded, no expression of an object says them, and where the category is not in
    the scene, none is confusable with one that is.

    Args:
        description: What is to be absent.
        assets: Of all objects of the scene, by id.

    Raises:
        ImoveError: It is there, or could be taken for something that is.
    """
    _check_true_of_nothing(description, assets, "absent")
    name = description.fields.get("category")
    there = {asset.category for asset in assets.values()}
    if name is None or name in there:
        return
    taken_for = _confusable_with(name, there)
    if taken_for:
        raise ImoveError(f"{name!r} is meant to be absent, but could be taken for {taken_for} of the scene")


def check_conflicting(description: Description, assets: Mapping[str, Asset]) -> None:
    """Proves that a description contradicts itself on a scene: its category is there, with other attributes.

    Args:
        description: What is to be contradictory.
        assets: Of all objects of the scene, by id.

    Raises:
        ImoveError: An object of the scene is so, the category is not there, or no attribute is demanded.
    """
    _check_true_of_nothing(description, assets, "conflicting")
    there = sorted({asset.category for asset in assets.values()})
    name = description.fields.get("category")
    if name not in there or len(description.fields) < 2:
        raise ImoveError(
            f"the conflicting description demands {description.fields}; a category of the scene ({', '.join(there)}) "
            "and an attribute are needed"
        )


def _check_true_of_nothing(description: Description, assets: Mapping[str, Asset], purpose: str) -> None:
    for object_id, asset in assets.items():
        if fits(description, asset):
            raise ImoveError(f"the {purpose} description {description.fields} is true of {object_id}, '{asset.name}'")
        for expression in asset.expressions:
            if description.fields.items() <= dict(expression.meaning).items():
                raise ImoveError(
                    f"the {purpose} description {description.fields} is what {expression.text!r} says of {object_id}"
                )


def _confusable_with(name: str, others: Collection[str]) -> list[str]:
    return sorted(other for other in others if confusable(name, other))


def _within(part: list[str], whole: list[str]) -> bool:
    return any(whole[start : start + len(part)] == part for start in range(len(whole) - len(part) + 1))
