"""The pools of templates: how many there are, that each can be said and read, and what the partitions keep apart."""

import subprocess
import sys
from pathlib import Path

import pytest

from imove_core.errors import ImoveError
from imove_core.meaning import RELATIVE_SIZES, SPATIAL_RELATIONS, Description, Destination, Meaning
from imove_tasks.assets.model import Partition
from imove_tasks.assets.taxonomy import CATEGORIES
from imove_tasks.language import POOL_NAMES, get_pool, lexicon, lint, nouns, parse, readings
from imove_tasks.language.__main__ import EXAMPLES, canonical_text, main
from imove_tasks.language.phrases import NounPhrase, Relation
from imove_tasks.language.templates import Slot, Template
from imove_tasks.language.wording import Parts

AT_LEAST = {
    "pick_category": 30, "pick_attribute": 30, "pick_spatial": 30, "pick_compositional": 30, "place_a2b": 60,
    "place_relational": 60,
}  # fmt: skip
DOCUMENTATION = Path(__file__).parents[3] / "docs" / "instructions.md"
PARTITIONS: tuple[Partition, ...] = ("seen", "unseen")
TEMPLATES = [(family, template) for family in POOL_NAMES for template in get_pool(family).templates]


def phrase(text: str, plural: bool = False, **fields: str) -> NounPhrase:
    return NounPhrase(text, Description(fields=fields), plural)


# Nouns that are plural, that begin or end with words of templates, adjectives or other nouns, and heavy phrases.
PHRASES = (
    phrase("mug", category="mug"),
    phrase("potato chips", plural=True, category="potato_chips"),
    phrase("can for watering", category="watering_can"),
    phrase("blue rubber stamp", category="stamp", color="blue"),
    phrase("round red wine goblet", category="wine_glass", color="red", shape="round"),
    phrase("orange scissors made of metal", plural=True, category="scissors", color="orange", material="metal"),
)
BOWL = phrase("bowl colored green", category="bowl", color="green")


def said_in(template: Template, first: NounPhrase, relation: str, words: str) -> tuple[str, Meaning]:
    """The text of a template about `first` and the bowl, and what it should mean."""
    if "place" not in template.slots:
        return Parts(first, None, {}).spoken(template), Meaning(pick=first.meaning)
    where = {"relation": words} if "relation" in template.slots else lexicon.INSIDE
    place = Destination.model_validate({"relation": relation if where is not lexicon.INSIDE else "in",
                                        "reference": BOWL.meaning})  # fmt: skip
    return Parts(first, BOWL, where).spoken(template), Meaning(pick=first.meaning, place=place)


def test_every_pool_is_large_enough_in_training_alone() -> None:
    assert tuple(AT_LEAST) == POOL_NAMES
    for family, count in AT_LEAST.items():
        pool = get_pool(family)
        assert len(pool.seen) >= count, family
        assert len(pool.unseen) >= 16, family


def test_no_template_comes_twice_in_a_pool_or_in_both_partitions_of_any_two() -> None:
    for family in POOL_NAMES:
        texts = [template.text for template in get_pool(family).templates]
        assert len(set(texts)) == len(texts)
    texts = {
        partition: {template.text for family in POOL_NAMES for template in get_pool(family).of_partition(partition)}
        for partition in PARTITIONS
    }
    assert not texts["seen"] & texts["unseen"]


@pytest.mark.parametrize("family", POOL_NAMES)
def test_the_canonical_template_comes_first(family: str) -> None:
    assert canonical_text(family).startswith("pick up the ")
    assert parse(canonical_text(family)) == EXAMPLES[family]


@pytest.mark.parametrize("family", POOL_NAMES)
def test_every_template_has_one_reading_whatever_is_named(family: str) -> None:
    for template in get_pool(family).templates:
        for number, first in enumerate(PHRASES):
            relation = lexicon.PLACE_RELATIONS[number % len(lexicon.PLACE_RELATIONS)]
            for words in lexicon.RELATIONS[relation].all:
                text, meaning = said_in(template, first, relation, words)
                assert readings(text) == (meaning,)
                assert lint(text) == []


@pytest.mark.parametrize("family", ["pick_spatial", "pick_compositional"])
def test_every_template_has_one_reading_whatever_the_relation(family: str) -> None:
    for template in get_pool(family).templates:
        for relation in SPATIAL_RELATIONS:
            for words in lexicon.RELATIONS[relation].all:
                for first in PHRASES[:2]:
                    text, meaning = said_in(template, first.at(Relation(relation, words, BOWL)), "left_of", "left of")
                    assert readings(text) == (meaning,)
                    assert lint(text) == []


def test_every_template_can_ask_for_nothing_in_particular() -> None:
    for _, template in TEMPLATES:
        for words in lexicon.ANY_OBJECT.all:
            anything = NounPhrase(words, Description(), definite=False)
            text, meaning = said_in(template, anything, "left_of", "left of")
            assert readings(text) == (meaning,)
            assert meaning.pick.is_generic
            assert lint(text) == []


def uses(frame: str, text: str) -> bool:
    """Whether the words of a verb frame stand in a template, in order."""
    at = 0
    for part in (part.strip() for part in frame.replace("@", "_").split("_")):
        found = f" {text} ".find(f" {part} " if part else " ", at)
        if found < 0:
            return False
        at = found + len(part)
    return True


def test_the_grammar_has_no_word_that_no_template_uses() -> None:
    texts = [template.text for _, template in TEMPLATES]
    groups = (
        lexicon.LEADS, lexicon.ADVERBS, lexicon.TAKE_FRAMES, lexicon.TAKING_FRAMES, lexicon.TAKE_ENDINGS,
        lexicon.SEEK_FRAMES, lexicon.PUT_FRAMES, lexicon.PUTTING_FRAMES, lexicon.PUT_ENDINGS, lexicon.JOINS,
        lexicon.TAILS,
    )  # fmt: skip
    unused = [word for group in groups for word in group if not any(uses(word, text) for text in texts)]
    connectors = [name for name in lexicon.CONNECTORS if not any(f"{{pick:{name}}}" in text for text in texts)]
    assert (unused, connectors) == ([], [""])


def test_no_verb_asks_both_to_pick_and_to_put() -> None:
    # "get the mug left of the bowl" would else mean two things.
    puts = {frame.removesuffix(" @") for frame in lexicon.PUT_FRAMES}
    assert not puts & {*lexicon.TAKE_FRAMES, *lexicon.SEEK_FRAMES}


def test_each_way_to_say_something_means_one_thing() -> None:
    for table, allowed in ((lexicon.RELATIONS, SPATIAL_RELATIONS), (lexicon.SIZES, RELATIVE_SIZES)):
        assert tuple(table) == allowed
        ways = [way for entry in table.values() for way in entry.all]
        assert len(set(ways)) == len(ways)


def test_plural_nouns_are_nouns_and_the_rest_stands_for_one_thing() -> None:
    texts = {noun.text: noun for noun in nouns.all_nouns()}
    assert texts.keys() >= nouns.PLURAL_NOUNS
    assert {text for text, noun in texts.items() if noun.plural} == nouns.PLURAL_NOUNS
    assert len(texts) == len(nouns.all_nouns()) == 2 * len(CATEGORIES) + len(nouns.ANYTHING)


def test_no_noun_grows_into_another_by_a_word_that_can_follow_it() -> None:
    closed = {
        word
        for group in (lexicon.TAILS, lexicon.TAKE_ENDINGS, lexicon.JOINS, lexicon.CONNECTORS, lexicon.ON.values(),
                      lexicon.INSIDE.values(), ("up", "down", "off", "colored", "made", "before"),
                      *(ways.all for ways in lexicon.RELATIONS.values()))
        for phrase_words in group
        for word in phrase_words.split()[:1]
    }  # fmt: skip
    for noun in nouns.all_nouns():
        for word in closed:
            assert nouns.noun_at((*noun.words, word), 0) == noun


def test_templates_with_unknown_slots_are_refused() -> None:
    with pytest.raises(ImoveError, match="unknown slot of template .* 'object'; allowed: in, inside, into, it, pick"):
        Template.of("pick up {object}")
    with pytest.raises(ImoveError, match="unknown connector in slot 'pick' .* 'over'; allowed: "):
        Template.of("pick up {pick:over}")
    with pytest.raises(ImoveError, match="unknown connector in slot 'place'"):
        Template.of("put {pick} {in} {place:that is}")
    with pytest.raises(ImoveError, match="exactly one pick and at most one place are allowed"):
        Template.of("put {it} down")


def test_a_template_is_filled_in_order() -> None:
    template = Template.of("find {place} and put {pick:that is} {in} {place_it}")
    assert template.slots == ("place", "pick", "in", "place_it")
    assert template.fill(lambda slot: f"<{slot.name}>") == "find <place> and put <pick> <in> <place_it>"
    assert template.pieces[3] == Slot("pick", "that is")


def test_the_module_prints_pools(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    for family, line in zip(POOL_NAMES, lines[1:], strict=False):
        pool = get_pool(family)
        assert line.split()[:4] == [family, str(len(pool.seen)), str(len(pool.unseen)), str(len(pool.templates))]
    assert main(["pick_category"]) == 0
    assert [line.strip() for line in capsys.readouterr().out.splitlines()][1] == "pick up {pick}"
    assert main(["stack"]) == 2
    assert "unknown pool of templates 'stack'" in capsys.readouterr().err


def test_the_documentation_shows_what_the_module_prints(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert f"```text\n{capsys.readouterr().out}```" in DOCUMENTATION.read_text(encoding="utf-8")


def test_the_documentation_lists_the_ways_to_say_things() -> None:
    text = DOCUMENTATION.read_text(encoding="utf-8")
    for relation in ("left_of", "in_front_of", "behind", "near", "far_from"):
        ways = lexicon.RELATIONS[relation]
        assert f"| {', '.join(ways.seen)} | {', '.join(ways.unseen)} |" in text


def test_the_module_runs_as_a_command() -> None:
    done = subprocess.run([sys.executable, "-m", "imove_tasks.language"], capture_output=True, text=True, check=True)
    assert "pick up the mug left of the bowl" in done.stdout
