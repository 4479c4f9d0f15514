"""Templates: sentences with slots, of which the words around the slots are the same for every object.

Slots are written as `{name}`, with `{pick:connector}` where something stands between the noun and its relation:

    pick        the object to pick, with article and all that is said of it
    it          "it" or "them" for the object to pick
    place       the container or reference object, with article
    place_it    "it" or "them" for that
    in, into, inside    "in" or "on", "into" or "onto", "inside" or "on top of", as suits the container
    relation    where to put it, seen from the reference object: "to the left of"
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from string import Formatter

from imove_core.errors import ImoveError, unknown_name
from imove_tasks.assets.model import Partition
from imove_tasks.language.lexicon import CONNECTORS, INSIDE

PRONOUN_SLOTS = ("it", "place_it")
SLOTS = ("pick", "place", *PRONOUN_SLOTS, "relation", *INSIDE)


@dataclass(frozen=True)
class Slot:
    """A gap in a template.

    Attributes:
        name: One of `SLOTS`.
        connector: Key of `lexicon.CONNECTORS`; only slots named "pick" have one.
    """

    name: str
    connector: str = ""


@dataclass(frozen=True)
class Template:
    """A sentence with slots.

    Attributes:
        text: As it is written in a pool.
        pieces: Words and slots in order.
    """

    text: str
    pieces: tuple[str | Slot, ...]

    @classmethod
    def of(cls, text: str) -> Template:
        """Reads a template.

        Raises:
            ImoveError: A slot or a connector is unknown, or the slot "pick" does not stand in it exactly once.
        """
        pieces: list[str | Slot] = []
        for words, name, connector, _ in Formatter().parse(text):
            if words:
                pieces.append(words)
            if name is not None:
                pieces.append(_slot(text, name, connector or ""))
        names = [piece.name for piece in pieces if isinstance(piece, Slot)]
        if names.count("pick") != 1 or names.count("place") > 1:
            raise ImoveError(
                f"template {text!r} has the slots {names}; exactly one pick and at most one place are allowed"
            )
        return cls(text, tuple(pieces))

    def fill(self, words: Callable[[Slot], str]) -> str:
        """The sentence with words for every slot."""
        return "".join(piece if isinstance(piece, str) else words(piece) for piece in self.pieces)

    @property
    def slots(self) -> tuple[str, ...]:
        """Names of the slots in order."""
        return tuple(piece.name for piece in self.pieces if isinstance(piece, Slot))


def _slot(text: str, name: str, connector: str) -> Slot:
    if name not in SLOTS:
        raise unknown_name(f"slot of template {text!r}", name, SLOTS)
    if connector not in CONNECTORS or (connector and name != "pick"):
        raise unknown_name(f"connector in slot {name!r} of template {text!r}", connector, CONNECTORS)
    return Slot(name, connector)


@dataclass(frozen=True)
class Pool:
    """The templates of a task family, all of them with the same meaning.

    Attributes:
        family: Its name.
        seen: Templates that may be trained on, the canonical one first.
        unseen: Templates kept for tests of language.
        only_what_is_asked: Whether the object to pick is named by what its meaning demands and no more.
    """

    family: str
    seen: tuple[Template, ...]
    unseen: tuple[Template, ...]
    only_what_is_asked: bool

    @classmethod
    def of(cls, family: str, seen: str, unseen: str, only_what_is_asked: bool = False) -> Pool:
        """Reads a pool, one template a line.

        Raises:
            ImoveError: A line is no template.
        """
        first, second = (
            tuple(Template.of(line.strip()) for line in block.strip().splitlines()) for block in (seen, unseen)
        )
        return cls(family, first, second, only_what_is_asked)

    @property
    def templates(self) -> tuple[Template, ...]:
        """Those of both partitions."""
        return self.seen + self.unseen

    def of_partition(self, partition: Partition) -> tuple[Template, ...]:
        """Those of one partition."""
        return self.seen if partition == "seen" else self.unseen
