"""Decides whether two models' answers can be taken without a person, and says why not."""

from __future__ import annotations

from collections.abc import Iterator

from imove_bringup.annotation.answer import SUPER_CATEGORIES, Answer
from imove_bringup.annotation.labels import VOCABULARIES
from imove_bringup.annotation.measured import Measured
from imove_tasks.assets.sizes import SIZE_RANGES
from imove_tasks.assets.taxonomy import CATEGORIES

CATEGORICAL = ("super_category", "category", "color", "shape", "material")
"""The fields in which two answers must agree."""


def reasons(model: str, answer: Answer, check_model: str, check: Answer, measured: Measured) -> tuple[str, ...]:
    """Everything that speaks against taking the first answer; empty when nothing does.

    Args:
        model: Name of the first model.
        answer: What it says.
        check_model: Name of the second model.
        check: What that says.
        measured: Facts about the object.
    """
    found = [
        f"{field}: {model} says {getattr(answer, field)!r}, {check_model} says {getattr(check, field)!r}"
        for field in CATEGORICAL
        if getattr(answer, field) != getattr(check, field)
    ]
    for name, said in ((model, answer), (check_model, check)):
        found += [f"{name}: {fault}" for fault in (*_wrong_words(said), *_wrong_claims(said, measured))]
    found += _implausible(answer.category, measured)
    return tuple(dict.fromkeys(found))


def _wrong_words(said: Answer) -> Iterator[str]:
    for field, allowed in VOCABULARIES.items():
        if getattr(said, field) not in allowed:
            yield f"{field} {getattr(said, field)!r} is not in the vocabulary"
    kind = CATEGORIES.get(said.category)
    if said.super_category not in SUPER_CATEGORIES:
        yield f"super_category {said.super_category!r} is not in the vocabulary"
    elif kind and kind.super_category != said.super_category:
        yield f"category {said.category!r} is of {kind.super_category!r}, not of {said.super_category!r}"
    if not said.description.isprintable():
        yield "description has a line break or a control character"


def _wrong_claims(said: Answer, measured: Measured) -> Iterator[str]:
    if said.color != measured.color:
        shares = ", ".join(f"{word} {share:.0%}" for word, share in measured.color_shares[:3])
        yield f"color {said.color!r}, but the pictures are {shares}"
    for what, claim, value, unit in (
        ("height", said.height_m, measured.extents_m[2], "m"),
        ("mass", said.mass_kg, measured.mass_kg, "kg"),
    ):
        if claim[0] > claim[1]:
            yield f"{what} range {claim[0]:g} to {claim[1]:g} {unit} is upside down"
        elif not claim[0] <= value <= claim[1]:
            yield f"{what} {claim[0]:g} to {claim[1]:g} {unit}, but it is {value:.3g} {unit}"


def _implausible(category: str, measured: Measured) -> Iterator[str]:
    plausible = SIZE_RANGES.get(category)
    if plausible is None:
        return
    for what, (low, high), value, unit in (
        ("longest side", plausible.longest_side_m, max(measured.extents_m), "m"),
        ("mass", plausible.mass_kg, measured.mass_kg, "kg"),
    ):
        if not low <= value <= high:
            yield f"scale: {what} is {value:.3g} {unit}, {low:g} to {high:g} {unit} is plausible for {category!r}"
