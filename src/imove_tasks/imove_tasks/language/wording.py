"""How something is said, whatever is said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from imove_core.errors import ImoveError
from imove_tasks.assets.model import Partition
from imove_tasks.language.lexicon import PLURAL, SINGULAR
from imove_tasks.language.phrases import NounPhrase
from imove_tasks.language.pools import get_pool
from imove_tasks.language.templates import Slot, Template


@dataclass(frozen=True)
class Wording:
    """A template and a way to say things; kept where two instructions shall differ in their objects alone.

    Attributes:
        template: The sentence.
        partition: Of the expressions and of all other words.
        number: Chooses among the ways to say a relation, or nothing in particular.
        only_what_is_asked: Whether the object to pick is named by what is asked and no more.
    """

    template: Template
    partition: Partition
    number: int
    only_what_is_asked: bool


def draw_wording(pool: str, partition: Partition, rng: np.random.Generator) -> Wording:
    """Draws a template of a pool's partition, and a way to say things.

    Raises:
        ImoveError: There is no such pool.
    """
    found = get_pool(pool)
    templates = found.of_partition(partition)
    template = templates[int(rng.integers(len(templates)))]
    return Wording(template, partition, int(rng.integers(1 << 16)), found.only_what_is_asked)


@dataclass(frozen=True)
class Parts:
    """What goes into the slots of a template.

    Attributes:
        pick: The object to pick.
        place: The container or reference object; None where nothing is put anywhere.
        where: Words by slot for where to put it from there: prepositions, or a relation.
    """

    pick: NounPhrase
    place: NounPhrase | None
    where: Mapping[str, str]

    def spoken(self, template: Template) -> str:
        """The sentence.

        Raises:
            ImoveError: The template says nothing of the place, or of one where there is none, or not in this way.
        """
        self._check(template)
        return template.fill(self._spoken)

    def raw(self, template: Template) -> str:
        """The sentence with captions in braces for the objects, and with the other slots as they are."""
        return template.fill(self._raw)

    def _spoken(self, slot: Slot) -> str:
        phrase = self._phrase(slot.name)
        if slot.name in self.where:
            return self.where[slot.name]
        if slot.name in ("it", "place_it"):
            return PLURAL if phrase.plural else SINGULAR
        return phrase.spoken(slot.connector)

    def _raw(self, slot: Slot) -> str:
        named = slot.name in ("pick", "place")
        return self._phrase(slot.name).raw(slot.connector) if named else f"{{{slot.name}}}"

    def _phrase(self, slot_name: str) -> NounPhrase:
        return self.pick if slot_name in ("pick", "it") or self.place is None else self.place

    def _check(self, template: Template) -> None:
        known = {"pick", "it", *self.where, *(() if self.place is None else ("place", "place_it"))}
        misfits = [slot for slot in template.slots if slot not in known]
        if misfits or (self.place is not None and "place" not in template.slots):
            raise ImoveError(
                f"template {template.text!r} has the slots {list(template.slots)}; the instruction has words for "
                f"{sorted(known)}"
            )
