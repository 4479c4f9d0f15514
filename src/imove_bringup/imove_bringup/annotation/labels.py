"""The words that an asset is given, by agreement of two models or by a person."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field, ValidationError, field_validator

from imove_bringup.annotation.answer import MAX_EXPRESSIONS, MAX_SENTENCE_LENGTH, Answer, Word
from imove_bringup.annotation.phrases import check_true, expressions_from, meaning_of
from imove_core.errors import ImoveError, unknown_name
from imove_core.values import FrozenValue, first_fault
from imove_tasks.assets import taxonomy
from imove_tasks.assets.expressions import expressions
from imove_tasks.assets.looks import VisualMesh
from imove_tasks.assets.model import Asset, Expression
from imove_tasks.assets.vocabulary import COLORS, MATERIALS, SHAPES

VOCABULARIES: dict[str, Collection[str]] = {
    "category": taxonomy.CATEGORIES, "color": COLORS, "shape": SHAPES, "material": MATERIALS,
}  # fmt: skip
"""The allowed words of each field of `Labels` that has a controlled vocabulary."""


class Labels(FrozenValue):
    """Words from the controlled vocabularies, one sentence, and extra phrases, each of them well formed.

    Attributes:
        category: Key of ``taxonomy.CATEGORIES``; domain and super-category follow from it.
        color: Word of ``vocabulary.COLORS``.
        shape: Word of ``vocabulary.SHAPES``.
        material: Word of ``vocabulary.MATERIALS``.
        description: One printable sentence.
        expressions: Phrases beside those that follow from the words above; `check_phrases` tells whether they are
            true, `relabelled` takes those that are.
    """

    category: str
    color: str
    shape: str
    material: str
    description: Annotated[str, Field(min_length=1, max_length=MAX_SENTENCE_LENGTH)]
    expressions: Annotated[tuple[Word, ...], Field(max_length=MAX_EXPRESSIONS)] = ()

    @field_validator("category", "color", "shape", "material")
    @classmethod
    def _check_word(cls, word: str, info: Any) -> str:
        allowed = VOCABULARIES[info.field_name]
        if word not in allowed:
            raise ValueError(str(unknown_name(info.field_name, word, allowed)))
        return word

    @field_validator("description")
    @classmethod
    def _check_printable(cls, text: str) -> str:
        if not text.isprintable():
            raise ValueError("the description has a line break or a control character")
        return text

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> Labels:
        """Checks words that came from outside.

        Raises:
            ImoveError: A word is not in its vocabulary or a field is missing; the message names the field.
        """
        try:
            return cls.model_validate(dict(data))
        except ValidationError as error:
            raise ImoveError(first_fault(error, "the labels")) from error

    @classmethod
    def of_answer(cls, answer: Answer, size_bucket: str) -> tuple[Labels | None, tuple[str, ...]]:
        """What a model says, with those of its phrases that have a meaning and are true of what it says.

        Args:
            answer: The model's.
            size_bucket: Of the asset.

        Returns:
            The labels, None when a word is not in its vocabulary; and what is wrong with each phrase left out.
        """
        words = answer.model_dump(include=set(cls.model_fields) - {"expressions"})
        try:
            bare = cls.model_validate(words)
        except ValidationError:
            return None, ()
        true, faults = expressions_from(answer.expressions, bare.facts(size_bucket))
        return bare.model_copy(update={"expressions": tuple(expression.text for expression in true)}), faults

    @classmethod
    def of_asset(cls, asset: Asset) -> Labels:
        """What the corpus says now."""
        fields = {name: getattr(asset, name) for name in cls.model_fields if name != "expressions"}
        return cls.parse(fields)

    def check_phrases(self, size_bucket: str) -> None:
        """Checks every phrase against the words.

        Raises:
            ImoveError: One is not well formed, has no meaning, or claims something else.
        """
        for text in self.expressions:
            check_true(text, meaning_of(text), self.facts(size_bucket))

    def facts(self, size_bucket: str) -> dict[str, str]:
        """The word for each field that a phrase can speak of."""
        words = {name: getattr(self, name) for name in VOCABULARIES}
        return {**words, "size_bucket": size_bucket}


def relabelled(asset: Asset, labels: Labels) -> Asset:
    """The asset with other words; geometry, mass and grips stay, phrases stay where they are true.

    The meshes that carried the old dominant material carry the new one, in its usual finish; friction changes with
    it where it was the usual one of the old material.
    """
    kind = taxonomy.category(labels.category)
    old, new = MATERIALS[asset.material], MATERIALS[labels.material]
    extra, _ = expressions_from(labels.expressions, labels.facts(asset.size_bucket))
    usual = expressions(kind.name, kind.nouns, labels.color, labels.shape, labels.material)
    phrases = {phrase.text: phrase for phrase in (*extra, *_still_true(asset, labels), *usual)}
    spoken = [labels.material] if new.speakable else []
    return replace(
        asset,
        name=" ".join([labels.color, *spoken, kind.nouns[0]]),
        domain=kind.domain,
        super_category=kind.super_category,
        category=kind.name,
        color=labels.color,
        shape=labels.shape,
        material=labels.material,
        friction=new.friction if asset.friction == old.friction else asset.friction,
        visuals=tuple(_with_material(mesh, asset.material, labels.material) for mesh in asset.visuals),
        expressions=_in_order(usual[0], phrases.values()),
        description=labels.description,
    )


def _still_true(asset: Asset, labels: Labels) -> tuple[Expression, ...]:
    """Phrases that an asset has already and may keep: all where no word changes, else those that prove true."""
    if all(getattr(asset, field) == getattr(labels, field) for field in VOCABULARIES):
        return asset.expressions
    true, _ = expressions_from([phrase.text for phrase in asset.expressions], labels.facts(asset.size_bucket))
    texts = {phrase.text for phrase in true}
    return tuple(phrase for phrase in asset.expressions if phrase.text in texts)


def _in_order(plain: Expression, phrases: Iterable[Expression]) -> tuple[Expression, ...]:
    """The plain phrase of the category, then the seen phrases, then the unseen ones."""
    return (plain, *sorted((p for p in phrases if p.text != plain.text), key=lambda p: p.partition == "unseen"))


def _with_material(mesh: VisualMesh, old: str, new: str) -> VisualMesh:
    if old == new or mesh.material.name != old:
        return mesh
    return replace(mesh, material=replace(mesh.material, name=new, finish=""))
