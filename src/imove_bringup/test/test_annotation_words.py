"""Phrases and what they mean, labels, judgement, journals."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imove_bringup.annotation.answer import Answer, response_format
from imove_bringup.annotation.journal import Journal
from imove_bringup.annotation.judging import reasons
from imove_bringup.annotation.labels import Labels, relabelled
from imove_bringup.annotation.measured import Measured, color_shares, look_at
from imove_bringup.annotation.phrases import expressions_from, meaning_of
from imove_core.errors import ImoveError
from imove_core.values import FrozenValue
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.assets.model import Expression
from imove_tasks.assets.taxonomy import CATEGORIES
from imove_tasks.assets.vocabulary import COLORS, MATERIALS, SHAPES

from .annotation_helpers import another_color, truth

LIBRARY = AssetLibrary.generate()


@pytest.fixture(scope="module")
def mug():
    return LIBRARY.in_category("mug")[0]


@pytest.fixture(scope="module")
def measured(mug):
    return look_at(mug)[0]


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("mug", {"category": "mug"}),
        ("red ceramic mug", {"category": "mug", "color": "red", "material": "ceramic"}),
        ("small ring-shaped candy", {"category": "candy", "size_bucket": "small", "shape": "ring-shaped"}),
        ("red rubber stamp", {"category": "stamp", "color": "red"}),
        ("rubber rubber stamp", {"category": "stamp", "material": "rubber"}),
        ("mug that is red", {"category": "mug", "color": "red"}),
        ("mug colored red", {"category": "mug", "color": "red"}),
        ("red mug made of metal", {"category": "mug", "color": "red", "material": "metal"}),
        ("large mug that is red made of metal", {
            "category": "mug", "size_bucket": "large", "color": "red", "material": "metal"}),
    ],
)  # fmt: skip
def test_a_phrase_has_its_meaning(text, meaning):
    assert meaning_of(text) == tuple(sorted(meaning.items()))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Red mug", "lower-case"), ("2 mugs", "lower-case"), ("red  mug", "lower-case"), (" mug", "lower-case"),
        ("mug.", "lower-case"), ("mug\n", "lower-case"), ("", "lower-case"), ("the red mug", "article 'the'"),
        ("a mug", "article 'a'"), ("shiny mug", "'shiny', which is no word"), ("red blue mug", "color twice"),
        ("red mug that is red", "color twice"), ("red thing", "does not end in a noun"), ("red", "does not end"),
        ("mug that is metal", "'metal', which is no word for a color"), ("mug made of red", "no word for a material"),
    ],
)  # fmt: skip
def test_a_phrase_without_a_meaning_is_refused(text, words):
    with pytest.raises(ImoveError, match=words):
        meaning_of(text)


@given(
    category=st.sampled_from(sorted(CATEGORIES)), color=st.sampled_from(COLORS), shape=st.sampled_from(SHAPES),
    material=st.sampled_from(sorted(MATERIALS)),
)  # fmt: skip
def test_every_phrase_that_we_make_means_what_it_says(category, color, shape, material):
    from imove_tasks.assets.expressions import expressions

    for expression in expressions(category, CATEGORIES[category].nouns, color, shape, material):
        assert set(meaning_of(expression.text)) == set(expression.meaning) | {("category", category)}


@settings(max_examples=300)
@given(st.text(max_size=40))
def test_no_text_breaks_the_reader(text):
    try:
        assert dict(meaning_of(text))["category"] in CATEGORIES
    except ImoveError as error:
        assert repr(text) in str(error)


def test_only_true_phrases_become_expressions():
    facts = {"category": "mug", "color": "red", "shape": "round", "material": "metal", "size_bucket": "small"}
    found, faults = expressions_from(["red mug", "blue mug", "red mug", "The mug", "metal mug"], facts)
    assert [(item.text, item.partition) for item in found] == [("red mug", "unseen"), ("metal mug", "unseen")]
    assert faults[0] == "'blue mug' claims color 'blue', but it is 'red'"
    assert len(faults) == 2


def test_the_schema_asks_for_what_an_answer_needs(mug):
    schema = response_format()["json_schema"]["schema"]
    assert set(schema["properties"]) == set(Answer.model_fields) == set(schema["required"])
    assert schema["properties"]["category"]["enum"] == list(CATEGORIES)
    assert schema["additionalProperties"] is False
    assert Answer.model_validate(truth(mug)).color == mug.color


def test_a_true_answer_has_nothing_against_it(mug, measured):
    answer = Answer.model_validate(truth(mug))
    assert reasons("a", answer, "b", answer, measured) == ()


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"category": "chalice"}, ["category: a says 'chalice', b says 'mug'", "a: category 'chalice' is not in"]),
        ({"category": "bowl"}, ["category: a says 'bowl'", "a: category 'bowl' is of 'tableware', not of 'ware'"]),
        ({"super_category": "cups"}, ["super_category: a says 'cups'", "a: super_category 'cups' is not in"]),
        ({"shape": "square"}, ["shape: a says 'square'"]),
        ({"material": "stone"}, ["material: a says 'stone'", "a: material 'stone' is not in the vocabulary"]),
        ({"height_m": [1.0, 2.0]}, ["a: height 1 to 2 m, but it is 0.0"]),
        ({"height_m": [0.2, 0.01]}, ["a: height range 0.2 to 0.01 m is upside down"]),
        ({"mass_kg": [5.0, 6.0]}, ["a: mass 5 to 6 kg, but it is 0."]),
        ({"description": "Two\nlines."}, ["a: description has a line break"]),
    ],
)
def test_each_kind_of_fault_is_a_reason(mug, measured, change, expected):
    good = Answer.model_validate(truth(mug))
    bad = Answer.model_validate({**truth(mug), **change})
    found = reasons("a", bad, "b", good, measured)
    assert len(found) == len(expected)
    for reason, start in zip(found, expected, strict=True):
        assert reason.startswith(start)


def test_a_color_that_the_pictures_deny_is_a_conflict_even_when_both_agree(mug, measured):
    wrong = next(word for word in COLORS if word != measured.color)
    answer = Answer.model_validate({**truth(mug), "color": wrong})
    found = reasons("a", answer, "b", answer, measured)
    assert [reason.split(",")[0] for reason in found] == [f"a: color {wrong!r}", f"b: color {wrong!r}"]


def test_a_size_that_no_such_thing_has_is_a_conflict(mug, measured):
    giant = measured.model_copy(update={"extents_m": (8.0, 8.0, 10.0), "mass_kg": 200.0})
    answer = Answer.model_validate({**truth(mug), "height_m": [9.0, 11.0], "mass_kg": [100.0, 300.0]})
    found = reasons("a", answer, "b", answer, giant)
    assert [reason.split(" is ")[0] for reason in found] == ["scale: longest side", "scale: mass"]


def test_colors_are_measured_on_the_object_alone():
    picture = np.zeros((4, 4, 3), np.uint8)
    picture[:, :2] = (200, 20, 20)
    picture[0, 2] = (20, 20, 200)
    mask = picture.any(-1)
    nothing = (picture, np.zeros((4, 4), bool))
    assert color_shares([(picture, mask), nothing]) == (("red", 0.8889), ("blue", 0.1111))


@pytest.mark.parametrize("category", ["mug", "banana", "plate", "stapler"])
def test_the_measured_color_is_the_label_of_generated_objects(category):
    for asset in LIBRARY.in_category(category)[:2]:
        found, _ = look_at(asset)
        assert found.color == asset.color
        assert found == Measured.model_validate_json(found.model_dump_json())


def test_new_words_reach_every_part_of_an_asset(mug):
    material = "wood" if mug.material != "wood" else "metal"
    labels = Labels(
        category="coffee_cup", color="purple", shape="oval", material=material, description="A cup.",
        expressions=("oval purple cup for coffee", "cup for coffee that is purple", "small thing"),
    )  # fmt: skip
    changed = relabelled(mug, labels)
    assert changed.name == f"purple {material} {changed.phrase}"
    assert (changed.category, changed.super_category, changed.domain) == ("coffee_cup", "ware", "kitchen_supplies")
    texts = [expression.text for expression in changed.expressions]
    assert len(set(texts)) == len(texts)
    assert "cup for coffee that is purple" in texts
    assert "small thing" not in texts
    for expression in changed.expressions:
        assert all(getattr(changed, field) == word for field, word in expression.meaning)
    old = [mesh for mesh in mug.visuals if mesh.material.name == mug.material]
    new = [mesh for mesh in changed.visuals if mesh.material.name == material]
    assert len(old) == len(new)
    assert changed.friction == MATERIALS[material].friction
    assert np.array_equal(changed.box_max, mug.box_max)
    own_friction = dataclasses.replace(mug, friction=0.123)
    assert relabelled(own_friction, labels).friction == 0.123


def test_phrases_of_the_source_stay_where_they_are_true(mug):
    own = (
        Expression(f"{mug.color} cup of mine", (("category", "mug"), ("color", mug.color)), "unseen"),
        Expression(f"{mug.size_bucket} mug", (("category", "mug"), ("size_bucket", mug.size_bucket)), "seen"),
        Expression("thing of mine", (("category", "mug"),), "seen"),
    )
    rich = dataclasses.replace(mug, expressions=(*mug.expressions, *own))
    same = relabelled(rich, Labels.of_asset(rich))
    assert set(same.expressions) == set(rich.expressions)
    assert same.phrase == mug.phrase
    partitions = [phrase.partition for phrase in same.expressions]
    assert partitions == sorted(partitions)
    other = relabelled(rich, Labels.of_asset(rich).model_copy(update={"color": another_color(mug)}))
    # What cannot be read cannot be told true of the new words.
    assert set(own) & set(other.expressions) == {own[1]}
    assert not any(f" {mug.color} " in f" {phrase.text} " for phrase in other.expressions)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"color": "mauve"}, "unknown color 'mauve'; allowed: beige, black"),
        ({"category": "chalice"}, "unknown category 'chalice'"),
        ({"mood": "fine"}, "unknown key 'mood'"),
        ({"description": "a\x00b"}, "control character"),
        ({"description": ""}, "description: String should have at least 1"),
        ({"expressions": ["mug"] * 13}, "expressions"),
    ],
)
def test_labels_from_outside_are_checked(change, words):
    good = {"category": "mug", "color": "red", "shape": "round", "material": "metal", "description": "A mug."}
    with pytest.raises(ImoveError, match=words):
        Labels.parse({**good, **change})


class Line(FrozenValue):
    number: int
    text: str


@settings(max_examples=50, deadline=None)
@given(texts=st.lists(st.text(), max_size=5), cut=st.integers(min_value=0, max_value=400))
def test_a_journal_loses_no_more_than_the_line_being_written(tmp_path_factory, texts, cut):
    path = tmp_path_factory.mktemp("journal") / "lines.jsonl"
    journal = Journal(path, Line)
    for number, text in enumerate(texts):
        journal.append(Line(number=number, text=text))
    content = path.read_bytes() if texts else b""
    path.write_bytes(content[:cut])
    reopened = Journal(path, Line)
    assert len(reopened.lines()) == content[:cut].count(b"\n")
    reopened.append(Line(number=99, text="next"))
    assert Journal(path, Line).lines() == (*journal.lines()[: content[:cut].count(b"\n")], Line(number=99, text="next"))


def test_a_broken_whole_line_is_named(tmp_path):
    path = tmp_path / "lines.jsonl"
    path.write_text('{"number": 1, "text": "a"}\n{"number": "x", "text": "a"}\n')
    with pytest.raises(ImoveError, match=r"lines.jsonl, line 2: number: Input should be a valid integer"):
        Journal(path, Line)
