"""Noun phrases for objects: drawn from an asset's own expressions, or made of words for what is not there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from imove_core.errors import ImoveError
from imove_core.meaning import LABEL_FIELDS, Description, Related
from imove_tasks.assets.model import Asset, Partition
from imove_tasks.language.lexicon import CONNECTORS, SIZES
from imove_tasks.language.noun_grammar import ADJECTIVES, read_caption
from imove_tasks.language.nouns import ANYTHING, Noun, nouns_of


@dataclass(frozen=True)
class Relation:
    """Where an object is, as a part of its noun phrase.

    Attributes:
        name: Of `imove_core.meaning.SPATIAL_RELATIONS`.
        words: Such as "to the left of".
        reference: The object that it is seen from.
    """

    name: str
    words: str
    reference: NounPhrase


@dataclass(frozen=True)
class NounPhrase:
    """Words for an object.

    Attributes:
        text: Without article and relation, such as "red ceramic mug"; with article where it names nothing in
            particular, such as "any object".
        description: What the text says; the relation is not in it.
        plural: Whether "them" stands for it.
        definite: Whether it takes the article "the".
        relation: Where the object is; None where that is not said.
    """

    text: str
    description: Description
    plural: bool = False
    definite: bool = True
    relation: Relation | None = None

    @property
    def meaning(self) -> Description:
        """What text and relation say together."""
        if self.relation is None:
            return self.description
        related = Related.model_validate({"relation": self.relation.name, "reference": self.relation.reference.meaning})
        return self.description.model_copy(update={"relation": related})

    def at(self, relation: Relation) -> NounPhrase:
        """The same phrase with where the object is."""
        return replace(self, relation=relation)

    def spoken(self, connector: str = "") -> str:
        """With article and relation, and with a key of `CONNECTORS` between the two."""
        noun = f"the {self.text}" if self.definite else self.text
        if self.relation is None:
            return noun
        return " ".join([noun, *self._linked(connector), self.relation.words, self.relation.reference.spoken()])

    def raw(self, connector: str = "") -> str:
        """As spoken, but without articles and with the drawn captions in braces."""
        noun = f"{{{self.text}}}"
        if self.relation is None:
            return noun
        return " ".join([noun, *self._linked(connector), self.relation.words, self.relation.reference.raw()])

    def _linked(self, connector: str) -> list[str]:
        return [CONNECTORS[connector] if self.plural else connector] if connector else []


def labels_of(asset: Asset) -> dict[str, str]:
    """Words of an asset for all fields that descriptions can demand."""
    return {name: getattr(asset, name) for name in LABEL_FIELDS}


def fits(description: Description, asset: Asset) -> bool:
    """Whether an asset has all words that a description demands; where it is and how large does not count."""
    return all(getattr(asset, name) == word for name, word in description.fields.items())


def expression_phrases(asset: Asset, partition: Partition) -> tuple[NounPhrase, ...]:
    """The asset's expressions of a partition that the grammar reads as what they mean.

    An expression of an imported asset may use other words than ours ("steel mug"), or speak of absolute size: no text
    is made of it.
    """
    found = []
    for expression in asset.expressions:
        said = read_caption(expression.text) if expression.partition == partition else None
        if said is not None and said.description == _described(dict(expression.meaning)):
            found.append(NounPhrase(expression.text, said.description, said.plural))
    return tuple(found)


def phrase_for(
    asset: Asset,
    description: Description,
    among: Mapping[str, Asset],
    partition: Partition,
    exact: bool,
    rng: np.random.Generator,
) -> NounPhrase:
    """Draws a phrase for an object of a scene.

    Args:
        asset: The object.
        description: What must be said of it; its relation is left to the caller.
        among: All objects of the scene by id, the asset among them.
        partition: Of the expressions.
        exact: Whether nothing else may be said; a phrase with size or relation never says anything else.
        rng: Draws the expression.

    Raises:
        ImoveError: No expression of the asset says this of it, or none is true of it alone.
    """
    demanded = description.fields
    exact = exact or description.size is not None or description.relation is not None
    alone = description.size is None and description.relation is None
    usable = [
        phrase
        for phrase in expression_phrases(asset, partition)
        if demanded.items() <= phrase.description.fields.items()
        and (not exact or phrase.description.fields == demanded)
        and (not alone or sum(fits(phrase.description, other) for other in among.values()) == 1)
    ]
    if not usable:
        raise ImoveError(
            f"no {partition} expression of '{asset.name}' says {dict(demanded) or 'what it is'}"
            f"{' and nothing else' if exact else ''}{' and is true of it alone' if alone else ''}; "
            f"it has {len(asset.expressions)} expressions in all"
        )
    chosen = usable[int(rng.integers(len(usable)))]
    return _sized(chosen, description, partition)


def phrase_of(description: Description, partition: Partition, rng: np.random.Generator) -> NounPhrase:
    """A phrase for what is no object of a scene: adjectives and a noun.

    Args:
        description: Of it; its relation is left to the caller.
        partition: Of the noun.
        rng: Draws the noun where there are several.

    Raises:
        ImoveError: Its category is unknown, or a word is none that the grammar has for its field.
    """
    nouns: tuple[Noun, ...] = tuple(Noun((word,), None, False) for word in ANYTHING[:1])
    if "category" in description.fields:
        nouns = nouns_of(description.fields["category"], partition)
    noun = nouns[int(rng.integers(len(nouns)))]
    for field, word in description.fields.items():
        if field in ADJECTIVES and word not in ADJECTIVES[field]:
            raise ImoveError(f"{field} {word!r} cannot be said; words for it: {', '.join(ADJECTIVES[field])}")
    adjectives = [description.fields[field] for field in ADJECTIVES if field in description.fields]
    said = Description(fields=description.fields)
    return _sized(NounPhrase(" ".join([*adjectives, noun.text]), said, noun.plural), description, partition)


def _sized(phrase: NounPhrase, description: Description, partition: Partition) -> NounPhrase:
    if description.size is None:
        return phrase
    word = SIZES[description.size].choose(partition, 0)
    said = Description(fields=phrase.description.fields, size=description.size)
    return NounPhrase(f"{word} {phrase.text}", said, phrase.plural)


def _described(meaning: Mapping[str, str]) -> Description | None:
    """The description of an expression's meaning; None where it speaks of more than descriptions can."""
    return Description(fields=dict(meaning)) if set(meaning) <= set(LABEL_FIELDS) else None
