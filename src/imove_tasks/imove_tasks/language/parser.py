"""From text back to meaning: the grammar of instructions.

    instruction = [lead] body [tail]
    body = picking [putting] | find + put | put | seek + put | "after" taking + put | take "before" putting

Every reading of a text is followed; a text with two different meanings is refused, not guessed at. The grammar knows
verbs and joins, no finished sentences: it reads every instruction of the pools and many more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial

from imove_core.errors import ImoveError
from imove_core.meaning import Description, Destination, Meaning
from imove_tasks.language import lexicon
from imove_tasks.language.noun_grammar import Said, definite
from imove_tasks.language.reading import Reader, words_of

Phrase = Callable[[int], Iterator[tuple[Said, int]]]
"""Reads the words for an object at a place; yields what they say and where they end."""
Placed = tuple[Destination, int]
PREPOSITIONS = tuple(dict.fromkeys((*lexicon.INSIDE.values(), *lexicon.ON.values())))


@lru_cache(maxsize=4096)
def parse(text: str) -> Meaning:
    """Reads an instruction; capitals, punctuation and blanks do not matter.

    Raises:
        ImoveError: It is no instruction of the grammar, told with the place where reading stopped, or it has two
            meanings.
    """
    reader = Reader(words_of(text))
    found = _readings(reader)
    if not found:
        raise reader.error(text, "instruction")
    if len(found) > 1:
        told = " or ".join(str(meaning.model_dump(exclude_none=True)) for meaning in found)
        raise ImoveError(f"{text!r} has {len(found)} meanings, {told}; exactly 1 is allowed")
    return found[0]


def readings(text: str) -> tuple[Meaning, ...]:
    """Every meaning that the grammar finds in a text; none in what is no instruction."""
    return tuple(_readings(Reader(words_of(text))))


def _readings(reader: Reader) -> list[Meaning]:
    found: list[Meaning] = []
    for meaning in _Grammar(reader).instructions():
        if meaning not in found:
            found.append(meaning)
    return found


class _Grammar:
    """The rules, each of which yields what it reads and where that ends."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def instructions(self) -> Iterator[Meaning]:
        for start in self._reader.after_optional(lexicon.LEADS, 0):
            for meaning, end in self._body(start):
                for stop in self._reader.after_optional(lexicon.TAILS, end):
                    if self._reader.ends(stop):
                        yield meaning

    def _body(self, at: int) -> Iterator[tuple[Meaning, int]]:
        for pick, end in self._picking(at):
            yield Meaning(pick=pick.description), end
            for start in self._reader.after_any(lexicon.JOINS, end):
                yield from self._put_it(pick, start, lexicon.PUT_FRAMES)
        for pick, end in self._frames(lexicon.SEEK_FRAMES, at, self._object):
            for start in self._reader.after_any(lexicon.JOINS, end):
                yield from self._put_it(pick, start, lexicon.PUT_FRAMES)
        yield from self._put(at, lexicon.PUT_FRAMES, self._object, self._where)
        yield from self._seek_destination(at)
        yield from self._in_sequence(at)

    def _picking(self, at: int) -> Iterator[tuple[Said, int]]:
        yield from self._take(at, self._object)
        for pick, end in self._frames(lexicon.SEEK_FRAMES, at, self._object):
            for start in self._reader.after_any(lexicon.JOINS, end):
                yield from self._take(start, self._pronoun(pick))

    def _seek_destination(self, at: int) -> Iterator[tuple[Meaning, int]]:
        """Such as "find the bowl and put the apple in it"."""
        for place, end in self._frames(lexicon.SEEK_FRAMES, at, self._destination):
            for start in self._reader.after_any(lexicon.JOINS, end):
                yield from self._put(start, lexicon.PUT_FRAMES, self._object, partial(self._where_it, place))

    def _in_sequence(self, at: int) -> Iterator[tuple[Meaning, int]]:
        """Such as "after grasping the apple put it in the bowl"."""
        after = self._reader.after(lexicon.AFTER, at)
        if after is not None:
            for pick, end in self._frames(lexicon.TAKING_FRAMES, after, self._object):
                yield from self._put_it(pick, end, lexicon.PUT_FRAMES)
        for pick, end in self._take(at, self._object):
            before = self._reader.after(lexicon.BEFORE, end)
            if before is not None:
                yield from self._put_it(pick, before, lexicon.PUTTING_FRAMES)

    def _take(self, at: int, taken: Phrase) -> Iterator[tuple[Said, int]]:
        for pick, end in self._frames(lexicon.TAKE_FRAMES, at, taken):
            for stop in self._reader.after_optional(lexicon.TAKE_ENDINGS, end):
                yield pick, stop

    def _put_it(self, pick: Said, at: int, frames: tuple[str, ...]) -> Iterator[tuple[Meaning, int]]:
        yield from self._put(at, frames, self._pronoun(pick), self._where)

    def _put(
        self, at: int, frames: tuple[str, ...], taken: Phrase, where: Callable[[int], Iterator[Placed]]
    ) -> Iterator[tuple[Meaning, int]]:
        for pick, there in self._frames(tuple(frame.removesuffix(" @") for frame in frames), at, taken):
            for place, end in where(there):
                for stop in self._reader.after_optional(lexicon.PUT_ENDINGS, end):
                    yield Meaning(pick=pick.description, place=place), stop

    def _frames(self, frames: tuple[str, ...], at: int, phrase: Phrase) -> Iterator[tuple[Said, int]]:
        """Reads verbs around the words for an object."""
        for start in self._reader.after_optional(lexicon.ADVERBS, at):
            for frame in frames:
                before, after = frame.split("_")
                inside = self._reader.after(before, start)
                if inside is not None:
                    for said, end in phrase(inside):
                        stop = self._reader.after(after, end)
                        if stop is not None:
                            yield said, stop

    def _where(self, at: int) -> Iterator[Placed]:
        yield from self._where_by(at, self._container, self._reference)

    def _where_it(self, place: Said, at: int) -> Iterator[Placed]:
        yield from self._where_by(at, self._pronoun(place), self._pronoun(place))

    def _where_by(self, at: int, container: Phrase, reference: Phrase) -> Iterator[Placed]:
        for start in self._reader.after_any(PREPOSITIONS, at):
            for said, end in container(start):
                yield Destination(relation="in", reference=said.description), end
        for relation in lexicon.PLACE_RELATIONS:
            for start in self._reader.after_any(lexicon.RELATIONS[relation].all, at):
                for said, end in reference(start):
                    yield Destination.model_validate({"relation": relation, "reference": said.description}), end

    def _object(self, at: int) -> Iterator[tuple[Said, int]]:
        yield from self._named_or(lexicon.ANY_OBJECT, at)

    def _container(self, at: int) -> Iterator[tuple[Said, int]]:
        yield from self._named_or(lexicon.ANY_CONTAINER, at)

    def _reference(self, at: int) -> Iterator[tuple[Said, int]]:
        yield from self._named_or(lexicon.ANY_REFERENCE, at)

    def _destination(self, at: int) -> Iterator[tuple[Said, int]]:
        yield from self._container(at)
        yield from self._reference(at)

    def _named_or(self, anything: lexicon.Ways, at: int) -> Iterator[tuple[Said, int]]:
        yield from definite(self._reader, at, located=True)
        for end in self._reader.after_any(anything.all, at):
            yield Said(Description(), plural=False), end

    def _pronoun(self, said: Said) -> Phrase:
        def read(at: int) -> Iterator[tuple[Said, int]]:
            end = self._reader.after(lexicon.PLURAL if said.plural else lexicon.SINGULAR, at)
            if end is not None:
                yield said, end

        return read
