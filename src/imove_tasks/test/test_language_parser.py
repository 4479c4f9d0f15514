"""From text to meaning: every expression of the library, every relation, what is refused and how it is told."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from imove_core.errors import ImoveError
from imove_core.meaning import RELATIVE_SIZES, SPATIAL_RELATIONS, Description, Destination, Meaning, Related
from imove_tasks.assets.expressions import expressions
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.assets.taxonomy import CATEGORIES
from imove_tasks.assets.vocabulary import COLORS, MATERIALS, SHAPES
from imove_tasks.language import lexicon, parse, readings
from imove_tasks.language.noun_grammar import read_caption
from imove_tasks.language.nouns import all_nouns

MUG = Description(fields={"category": "mug"})
BOWL = Description(fields={"category": "bowl"})
LEFT_OF_BOWL = Related(relation="left_of", reference=BOWL)
MUG_LEFT_OF_BOWL = Description(fields=MUG.fields, relation=LEFT_OF_BOWL)


def test_every_expression_of_the_library_reads_as_what_it_means() -> None:
    words = {(row.category, row.color, row.shape, row.material) for row in AssetLibrary.shipped().rows()}
    texts: dict[str, dict[str, str]] = {}
    for name, color, shape, material in words:
        for expression in expressions(name, CATEGORIES[name].nouns, color, shape, material):
            texts[expression.text] = dict(expression.meaning)
    assert len(texts) > 10_000
    for text, fields in texts.items():
        said = read_caption(text)
        assert said is not None and said.description == Description(fields=fields), text


def test_no_other_combination_of_words_is_misread() -> None:
    # Beyond the shipped objects: a rubber stamp of rubber is the one phrase that says less than it is made of.
    misread = set()
    for name, found in CATEGORIES.items():
        for material in (word for word, kind in MATERIALS.items() if kind.speakable):
            for expression in expressions(name, found.nouns, "orange", "square", material):
                said = read_caption(expression.text)
                if said is None or said.description != Description(fields=dict(expression.meaning)):
                    misread.add(expression.text)
    assert misread == {"rubber stamp", "square rubber stamp", "orange rubber stamp", "square orange rubber stamp"}


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("pick up the mug", Meaning(pick=MUG)),
        ("pick the mug up", Meaning(pick=MUG)),
        ("pick up the object", Meaning(pick=Description())),
        ("grab something", Meaning(pick=Description())),
        ("grab the red object", Meaning(pick=Description(fields={"color": "red"}))),
        ("take the biggest mug", Meaning(pick=Description(fields=MUG.fields, size="largest"))),
        ("take the mid-sized mug", Meaning(pick=Description(fields=MUG.fields, size="medium"))),
        ("lift the mug that is to the left of the bowl", Meaning(pick=MUG_LEFT_OF_BOWL)),
        ("put the mug on the bowl", Meaning(pick=MUG, place=Destination(relation="in", reference=BOWL))),
        ("put the mug left of the bowl", Meaning(pick=MUG, place=Destination(relation="left_of", reference=BOWL))),
        (
            "find the bowl and put the mug close to it",
            Meaning(pick=MUG, place=Destination(relation="near", reference=BOWL)),
        ),
        (
            "pick up the mug left of the bowl and put it in the tray",
            Meaning(
                pick=MUG_LEFT_OF_BOWL,
                place=Destination(relation="in", reference=Description(fields={"category": "tray"})),
            ),
        ),
        (
            "put the apple in the mug left of the bowl",
            Meaning(
                pick=Description(fields={"category": "apple"}),
                place=Destination(relation="in", reference=MUG_LEFT_OF_BOWL),
            ),
        ),
    ],
)  # fmt: skip
def test_what_texts_mean(text: str, meaning: Meaning) -> None:
    assert readings(text) == (meaning,)
    assert parse(text) == meaning


@pytest.mark.parametrize("text", ["Pick up the MUG.", "pick  up the mug !", " pick up, the mug...", "PICK UP THE MUG"])
def test_case_blanks_and_punctuation_do_not_matter(text: str) -> None:
    assert parse(text) == Meaning(pick=MUG)


@pytest.mark.parametrize(
    ("longer", "category"),
    [("potato chips", "potato_chips"), ("potato", "potato"), ("rubber stamp", "stamp"), ("juice box", "juice"),
     ("lotion bottle", "lotion"), ("soda can", "canned_coke"), ("can for watering", "watering_can"),
     ("small hammer", "mini_hammer"), ("wine glass", "wine_glass"), ("apple fruit", "apple")],
)  # fmt: skip
def test_a_noun_is_the_longest_that_fits(longer: str, category: str) -> None:
    assert parse(f"pick up the {longer}") == Meaning(pick=Description(fields={"category": category}))


def test_a_color_before_a_noun_is_no_noun() -> None:
    said = parse("pick up the orange juice box").pick.fields
    assert said == {"category": "juice", "color": "orange"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is no instruction: at its start it ends; expected "),
        ("pick up teh mug", "after 'pick up' came 'teh'; expected 'any', 'one', 'something', 'the'"),
        ("pick up mug", "after 'pick up' came 'mug'; expected .*'the'"),
        ("pick up the rug", "after 'pick up the' came 'rug'; expected .*a noun"),
        ("pick up the mug and", "after 'pick up the mug and' it ends; expected "),
        ("pick up the mug 2", "after 'pick up the mug' came '2'; expected .*, \\.\\.\\."),
        ("pick up the red round mug", "after 'pick up the red' came 'round'; expected a noun"),
        ("pick up the scissors and place it in the bowl", "and place' came 'it'; expected .*'them'"),
        ("lift the scissors that is left of the bowl", "after 'lift the scissors that' came 'is'; expected 'are'"),
        ("throw the mug", "at its start came 'throw'; expected "),
        ("put the mug far from the bowl", "after 'put the mug far from the bowl' it ends"),
        ("pick up object_2", "after 'pick up' came 'object_2'"),
    ],
)
def test_what_is_no_instruction_is_told_with_its_place(text: str, message: str) -> None:
    assert readings(text) == ()
    with pytest.raises(ImoveError, match=message):
        parse(text)


def test_a_text_with_two_meanings_is_refused_with_both() -> None:
    text = "put the mug left of the bowl near the plate"
    assert len(readings(text)) == 2
    with pytest.raises(ImoveError, match=r"has 2 meanings, .*'near'.* or .*; exactly 1 is allowed"):
        parse(text)


def test_every_relation_is_read_in_every_way_of_saying_it() -> None:
    for relation in SPATIAL_RELATIONS:
        for words in lexicon.RELATIONS[relation].all:
            related = Related.model_validate({"relation": relation, "reference": BOWL})
            assert readings(f"pick up the mug {words} the bowl") == (
                Meaning(pick=Description(fields=MUG.fields, relation=related)),
            )


def test_every_noun_is_read_on_either_side_of_every_relation() -> None:
    ways = [way for relation in SPATIAL_RELATIONS for way in lexicon.RELATIONS[relation].all]
    for number, noun in enumerate(all_nouns()):
        way, fields = ways[number % len(ways)], {} if noun.category is None else {"category": noun.category}
        (meaning,) = readings(f"pick up the {noun.text} {way} the {noun.text}")
        assert meaning.pick.fields == fields
        assert meaning.pick.relation is not None and meaning.pick.relation.reference.fields == fields


SIZES = [way for size in RELATIVE_SIZES for way in lexicon.SIZES[size].all]
NOUNS = [noun.text for noun in all_nouns()]
PIECES = st.sampled_from(
    ["pick", "up", "the", "and", "place", "put", "it", "them", "in", "on", "to", "left", "of", "near", "that", "is",
     "colored", "made", *COLORS[:3], *SHAPES[:3], *MATERIALS, *NOUNS, *SIZES]
)  # fmt: skip


@given(st.one_of(st.text(), st.lists(PIECES, max_size=12).map(" ".join)))
def test_any_text_has_a_meaning_or_an_error_of_one_sentence(text: str) -> None:
    found = readings(text)
    if len(found) == 1:
        assert parse(text) == found[0]
    else:
        with pytest.raises(ImoveError) as error:
            parse(text)
        assert re.search("is no instruction: .*; expected |meanings", str(error.value), re.DOTALL)


@given(
    size=st.sampled_from(["", *SIZES]),
    shape=st.sampled_from(["", *SHAPES]),
    color=st.sampled_from(["", *COLORS]),
    noun=st.sampled_from(NOUNS),
    way=st.sampled_from(["", *(way for ways in lexicon.RELATIONS.values() for way in ways.all)]),
)
def test_phrases_are_read_as_they_are_built(size: str, shape: str, color: str, noun: str, way: str) -> None:
    where = f"{way} the bowl" if way else ""
    (meaning,) = readings(f"pick up the {size} {shape} {color} {noun} {where}")
    said = meaning.pick
    assert said.fields.get("shape", "") == shape
    assert said.fields.get("color", "") == color
    assert (said.size is None) == (size == "") and (said.relation is None) == (way == "")
    if said.size is not None:
        assert size in lexicon.SIZES[said.size].all
