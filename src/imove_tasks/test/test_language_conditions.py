"""The nine instructions of a scene: what they are about, how they read, and what they have in common."""

import dataclasses
import re

import numpy as np
import pytest

from imove_core.errors import ImoveError
from imove_core.meaning import Description, Meaning
from imove_core.spec import CONDITIONS, Instruction
from imove_tasks.assets.taxonomy import CATEGORIES
from imove_tasks.assets.vocabulary import COLORS, SHAPES
from imove_tasks.grounding import ground, referents
from imove_tasks.language import (
    POOL_NAMES,
    SceneWords,
    compose,
    condition_instructions,
    get_pool,
    lint,
    lint_disturbed,
    parse,
    readings,
)
from imove_tasks.language.noun_grammar import SPOKEN_MATERIALS
from imove_tasks.language.phrases import expression_phrases
from imove_tasks.language.templates import Template

from .language_cases import all_scenes, scene

Drawn = list[tuple[SceneWords, dict[str, Instruction]]]
PLAIN = tuple(condition for condition in CONDITIONS if condition not in ("scrambled", "punctuation"))


@pytest.fixture(scope="module")
def drawn() -> Drawn:
    """Every scene with its instructions, three draws each."""
    return [
        (words, condition_instructions(words, np.random.default_rng([seed, draw])))
        for seed, words in enumerate(all_scenes())
        for draw in range(3)
    ]


def test_there_is_one_instruction_for_each_condition(drawn: Drawn) -> None:
    assert all(tuple(instructions) == CONDITIONS for _, instructions in drawn)


def test_texts_read_well(drawn: Drawn) -> None:
    for _, instructions in drawn:
        assert [lint(instructions[name].text) for name in PLAIN] == [[]] * len(PLAIN)
        for name in ("scrambled", "punctuation"):
            assert lint_disturbed(instructions[name].text) == []


def test_every_text_has_one_meaning_and_it_is_the_stored_one(drawn: Drawn) -> None:
    for _, instructions in drawn:
        for condition in CONDITIONS:
            found = readings(instructions[condition].text)
            stored = instructions[condition].meaning
            assert found == (() if stored is None else (stored,)), condition


def test_stored_targets_are_what_the_meanings_are_about(drawn: Drawn) -> None:
    for words, instructions in drawn:
        for instruction in instructions.values():
            found = ground(instruction.meaning, words.things)
            assert (found.target, found.destination) == (instruction.target, instruction.destination)
        asked = words.goals[0]
        for condition in ("normal", "paraphrase", "punctuation"):
            assert (instructions[condition].target, instructions[condition].destination) == (
                asked.target,
                asked.destination,
            )
        assert instructions["alternative"].target not in (asked.target, None)
        for condition in ("generic", "empty", "absent", "scrambled", "conflicting"):
            assert instructions[condition].target is None


def test_what_is_absent_or_contradictory_is_true_of_nothing(drawn: Drawn) -> None:
    for words, instructions in drawn:
        for condition in ("absent", "conflicting"):
            meaning = instructions[condition].meaning
            assert meaning is not None
            assert referents(meaning.pick, words.things).nothing
            assert meaning.pick.fields
        conflict = instructions["conflicting"].meaning
        assert conflict is not None
        assert conflict.pick.fields["category"] in {thing.labels["category"] for thing in words.things}


def test_generic_texts_demand_nothing(drawn: Drawn) -> None:
    for words, instructions in drawn:
        meaning = instructions["generic"].meaning
        asked = words.goals[0].meaning
        assert meaning is not None
        assert meaning.pick.is_generic
        assert (meaning.place is None) == (asked.place is None)
        if meaning.place is not None and asked.place is not None:
            assert meaning.place.reference.is_generic
            assert meaning.place.relation == asked.place.relation
        assert instructions["generic"].destination is None


def pattern(template: Template) -> re.Pattern[str]:
    """What raw texts of a template look like."""
    gaps = {"pick": r"\{[^{}]+\}( .*\{[^{}]+\})?", "place": r"\{[^{}]+\}"}
    pieces = [
        re.escape(piece) if isinstance(piece, str) else gaps.get(piece.name, rf"\{{{piece.name}\}}")
        for piece in template.pieces
    ]
    return re.compile("".join(pieces))


def templates_of(instruction: Instruction, templates: tuple[Template, ...]) -> set[str]:
    return {template.text for template in templates if pattern(template).fullmatch(instruction.raw_text)}


def test_conditions_share_the_template_of_the_normal_text_and_a_paraphrase_has_a_held_out_one(drawn: Drawn) -> None:
    for words, instructions in drawn:
        pool = get_pool(words.family)
        shared = templates_of(instructions["normal"], pool.seen)
        for condition in ("alternative", "generic", "absent", "conflicting"):
            shared &= templates_of(instructions[condition], pool.seen)
        assert shared
        assert templates_of(instructions["paraphrase"], pool.unseen)
        assert instructions["paraphrase"].text != instructions["normal"].text


def captions(instruction: Instruction) -> list[str]:
    """The captions of a raw text."""
    return [text for text in re.findall(r"\{([^{}]+)\}", instruction.raw_text) if text not in ("it", "place_it")]


SIZE_WORDS = re.compile("^(smallest|medium-sized|largest|tiniest|mid-sized|biggest) ")


def test_seen_texts_use_seen_expressions_and_paraphrases_unseen_ones(drawn: Drawn) -> None:
    for words, instructions in drawn:
        assets = words.assets.values()
        said = {
            partition: {phrase.text for asset in assets for phrase in expression_phrases(asset, partition)}
            for partition in ("seen", "unseen")
        }
        assert not said["seen"] & said["unseen"]
        slots = {"in", "into", "inside", "relation"}
        for condition, partition in (("normal", "seen"), ("alternative", "seen"), ("paraphrase", "unseen")):
            named = [SIZE_WORDS.sub("", text) for text in captions(instructions[condition]) if text not in slots]
            assert named
            assert set(named) <= said[partition], condition


def test_attribute_texts_say_the_attribute_and_no_other(drawn: Drawn) -> None:
    attributes = {*COLORS, *SHAPES, *SPOKEN_MATERIALS}
    for words, instructions in drawn:
        if words.family != "pick_attribute":
            continue
        for condition in ("normal", "paraphrase", "alternative"):
            meaning, asked = instructions[condition].meaning, words.goals[0].meaning
            assert meaning is not None
            assert set(meaning.pick.fields) == set(asked.pick.fields)
            assert (meaning.pick.size is None) == (asked.pick.size is None)
            text = instructions[condition].text
            for noun in CATEGORIES[meaning.pick.fields["category"]].nouns:
                text = text.replace(noun, "")
            assert attributes & set(text.split()) == attributes & set(meaning.pick.fields.values())


def test_spatial_texts_name_the_object_by_what_is_asked_alone(drawn: Drawn) -> None:
    for words, instructions in drawn:
        if words.family in ("pick_spatial", "pick_compositional"):
            meaning = instructions["normal"].meaning
            assert meaning is not None
            assert meaning.pick.relation is not None
            assert meaning.pick.fields == words.goals[0].meaning.pick.fields


def test_captions_say_more_than_is_asked_where_that_is_free(drawn: Drawn) -> None:
    richer = [
        instructions["normal"].meaning != words.goals[0].meaning
        for words, instructions in drawn
        if words.family == "pick_category"
    ]
    assert 0.3 < np.mean(richer) < 1.0


def test_scrambled_texts_have_the_words_of_the_normal_one(drawn: Drawn) -> None:
    for _, instructions in drawn:
        normal, scrambled = instructions["normal"].text, instructions["scrambled"].text
        assert sorted(normal.split()) == sorted(scrambled.split())
        assert normal != scrambled
        with pytest.raises(ImoveError, match="is no instruction"):
            parse(scrambled)


def test_punctuated_texts_differ_from_the_normal_one_in_no_word(drawn: Drawn) -> None:
    found = set()
    for _, instructions in drawn:
        normal, punctuated = instructions["normal"].text, instructions["punctuation"].text
        assert normal != punctuated
        assert re.sub(r"[.,!]", "", punctuated).lower().split() == normal.split()
        found |= {
            name
            for name, mark in {
                "capital": r"^[A-Z]", "stop": r"[a-z]\.$", "exclamation": "!$", "dots": r"\.\.\.$", "apart": r" \.$",
                "comma": ",", "blanks": "  ",
            }.items()
            if re.search(mark, punctuated)
        }  # fmt: skip
    assert found == {"capital", "stop", "exclamation", "dots", "apart", "comma", "blanks"}


def test_the_same_draws_give_the_same_texts() -> None:
    for family in POOL_NAMES:
        first, again, other = (
            condition_instructions(scene(family, 0), np.random.default_rng(seed)) for seed in (3, 3, 4)
        )
        assert first == again
        assert first != other


def refused(words: SceneWords, message: str, **changes: object) -> None:
    with pytest.raises(ImoveError, match=message):
        condition_instructions(dataclasses.replace(words, **changes), np.random.default_rng(0))


def test_scenes_that_cannot_be_spoken_of_without_doubt_are_refused() -> None:
    words = scene("pick_category", 1)
    there = words.goals[1].meaning
    refused(words, "the absent description .* is true of object_1", absent=there)
    refused(words, "the conflicting description .* is true of object_1", conflicting=there)
    refused(words, "all 1 goals of the scene have the target object_0", goals=words.goals[:1])
    refused(words, "and an attribute are needed", conflicting=words.absent)
    wrong = words.goals[0].model_copy(update={"target": "object_1"})
    refused(words, "no seen expression of .* says", goals=(wrong, *words.goals))


def test_a_place_where_the_relation_is_in_doubt_is_refused() -> None:
    words = scene("pick_spatial", 0)
    diagonal = dataclasses.replace(words.things[0], place=words.things[2].place + [0.1, 0.1])
    refused(words, "the goal is object_0", things=(diagonal, *words.things[1:]))


def test_a_pool_cannot_say_what_it_has_no_slots_for() -> None:
    words = scene("place_a2b", 0)
    asked = words.goals[0]
    rng = np.random.default_rng(0)
    with pytest.raises(ImoveError, match=r"has the slots .*; the instruction has words for"):
        compose(asked.meaning, words.assets, asked.target, asked.destination, "pick_category", "seen", rng)
    with pytest.raises(ImoveError, match=r"has the slots .*; the instruction has words for"):
        compose(Meaning(pick=asked.meaning.pick), words.assets, asked.target, None, "place_a2b", "seen", rng)
    with pytest.raises(ImoveError, match="unknown pool of templates 'stack'; allowed: pick_attribute"):
        compose(asked.meaning, words.assets, asked.target, asked.destination, "stack", "seen", rng)
    with pytest.raises(ImoveError, match="material 'food' cannot be said"):
        eatable = Description(fields={"category": "apple", "material": "food"})
        compose(Meaning(pick=eatable), words.assets, None, None, "pick_category", "seen", rng)
