"""From meaning to text, for the objects of one scene."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from imove_core.errors import ImoveError
from imove_core.meaning import Description, Destination, Meaning
from imove_tasks.assets.model import Asset, Partition
from imove_tasks.language.lexicon import ANY_CONTAINER, ANY_OBJECT, ANY_REFERENCE, RELATIONS, Ways
from imove_tasks.language.parser import parse
from imove_tasks.language.phrases import NounPhrase, Relation, fits, phrase_for, phrase_of
from imove_tasks.language.supports import prepositions
from imove_tasks.language.wording import Parts, Wording, draw_wording


@dataclass(frozen=True)
class Text:
    """An instruction in words.

    Attributes:
        text: As it is sent: lower case, no final period.
        raw_text: Template with captions, before articles, pronouns and prepositions are chosen.
        meaning: What the text says, which may be more than it was asked to say.
    """

    text: str
    raw_text: str
    meaning: Meaning


def compose(
    meaning: Meaning,
    objects: Mapping[str, Asset],
    target: str | None,
    destination: str | None,
    pool: str,
    partition: Partition,
    rng: np.random.Generator,
) -> Text:
    """Says something in words that are drawn from a pool.

    Args:
        meaning: The least that must be said.
        objects: Assets of all objects of the scene, by id.
        target: Id of the object to pick, named by its own expressions; None where the scene has no such object.
        destination: The same for the container or reference object of the place.
        pool: Name of a family.
        partition: Of template, expressions and all other words.
        rng: Source of all draws.

    Raises:
        ImoveError: See `Speaker.say`; or there is no such pool.
    """
    return Speaker(objects, draw_wording(pool, partition, rng)).say(meaning, target, destination, rng)


@dataclass(frozen=True)
class Speaker:
    """Says what is meant on one scene, in one wording.

    Attributes:
        objects: Assets of all objects of the scene, by id.
        wording: Template, and the way to say things.
    """

    objects: Mapping[str, Asset]
    wording: Wording

    def say(self, meaning: Meaning, target: str | None, destination: str | None, rng: np.random.Generator) -> Text:
        """Puts a meaning in words; see `compose` for the arguments.

        Raises:
            ImoveError: The template does not suit the meaning, no expression of an object does, or the text does not
                read as what it was made to say.
        """
        exact = self.wording.only_what_is_asked
        pick = self._phrase(meaning.pick, target, ANY_OBJECT, exact, rng)
        said = Meaning(pick=pick.meaning)
        parts = Parts(pick, None, {})
        if meaning.place is not None:
            place, relation = meaning.place, meaning.place.relation
            phrase = self._phrase(
                place.reference, destination, ANY_CONTAINER if relation == "in" else ANY_REFERENCE, False, rng
            )
            said = Meaning(pick=pick.meaning, place=Destination(relation=relation, reference=phrase.meaning))
            parts = Parts(pick, phrase, self._where(place, destination))
        text = parts.spoken(self.wording.template)
        read = parse(text)
        if read != said:
            raise ImoveError(
                f"{text!r} reads as {read.model_dump(exclude_none=True)}; it was made to say "
                f"{said.model_dump(exclude_none=True)}"
            )
        return Text(text, parts.raw(self.wording.template), said)

    def _phrase(
        self,
        description: Description,
        object_id: str | None,
        anything: Ways,
        exact: bool,
        rng: np.random.Generator,
    ) -> NounPhrase:
        partition, number = self.wording.partition, self.wording.number
        if description.is_generic:
            return NounPhrase(anything.choose(partition, number), Description(), definite=False)
        if object_id is None:
            phrase = phrase_of(description, partition, rng)
        else:
            phrase = phrase_for(self.objects[object_id], description, self.objects, partition, exact, rng)
        if description.relation is None:
            return phrase
        name, seen_from = description.relation.relation, description.relation.reference
        reference = self._phrase(seen_from, self._only(seen_from), ANY_REFERENCE, False, rng)
        return phrase.at(Relation(name, RELATIONS[name].choose(partition, number), reference))

    def _only(self, description: Description) -> str | None:
        """Id of the only object that has the words of a description."""
        found = [key for key, asset in self.objects.items() if fits(description, asset)]
        return found[0] if len(found) == 1 else None

    def _where(self, place: Destination, destination: str | None) -> Mapping[str, str]:
        if place.relation != "in":
            return {"relation": RELATIONS[place.relation].choose(self.wording.partition, self.wording.number)}
        container = None if destination is None else self.objects[destination]
        category = place.reference.fields.get("category") if container is None else container.category
        return prepositions(category, container)
