"""The lint of instruction texts, and proofs of absence."""

import dataclasses

import pytest

from imove_core.errors import ImoveError
from imove_core.meaning import Description
from imove_tasks.assets.expressions import expressions
from imove_tasks.assets.model import Asset, Expression
from imove_tasks.assets.taxonomy import CATEGORIES, DESTINATIONS, UNSEEN_CATEGORIES
from imove_tasks.language import confusable, lint, lint_disturbed
from imove_tasks.language.absence import check_absent, check_conflicting
from imove_tasks.language.lexicon import INSIDE, ON
from imove_tasks.language.phrases import expression_phrases
from imove_tasks.language.supports import ON_TOP, prepositions

from .language_cases import LIBRARY


def first_of(category: str) -> Asset:
    return LIBRARY.get(next(row.uuid for row in LIBRARY.rows() if row.category == category))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("pick up the mug 2", "holds a digit"),
        ("pick up the object_two", "holds an underscore, as ids have"),
        ("pick up  the mug", "has stray blanks"),
        ("pick up the mug ", "has stray blanks"),
        ("pick up the the mug", "repeats the word 'the'"),
        ("pick up the a mug", "has two articles, 'the a'"),
        ("pick up a object", "has 'a' before 'object'"),
        ("pick up an mug", "has 'an' before 'mug'"),
        ("pick up mug", "lacks the article"),
        ("pick up mug", "lacks an article before 'mug'"),
        ("pick up the apple and place it in red bowl", "lacks an article before 'bowl'"),
        ("Pick up the mug", "has other characters than lower-case letters"),
        ("pick up the mug.", "has other characters than lower-case letters"),
        ("pick up the mug #", "has characters that no instruction has"),
    ],
)
def test_lint_finds_each_fault(text: str, fault: str) -> None:
    assert fault in lint(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "pick up the ring-shaped coaster", "pick up any object", "take an item", "grab something",
        "place the apple left of another object", "pick up one of the objects", "take the other object",
        "lift the small hammer", "take the can for watering and put it in the largest round red eating bowl",
    ],
)  # fmt: skip
def test_lint_passes_good_texts(text: str) -> None:
    assert lint(text) == []


def test_disturbed_texts_may_have_marks_but_no_ids() -> None:
    assert lint_disturbed("Pick up the mug, and  lift it !") == lint_disturbed("mug the up pick") == []
    assert lint_disturbed("pick up the mug 2") == ["holds a digit"]
    assert lint_disturbed("mug the the") == ["repeats the word 'the'"]
    assert lint_disturbed("pick up object_a?") == [
        "holds an underscore, as ids have",
        "has characters that no instruction has",
    ]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("potato", "potato_chips", True), ("jewelry_box", "pill_organizer", True), ("tv_remote", "ac_remote", True),
        ("mug", "mug", True), ("apple", "pear", True), ("mug", "bowl", False), ("scissors", "pliers", False),
        ("glue_gun", "stapler", False),
    ],
)  # fmt: skip
def test_categories_are_confusable_by_their_nouns(first: str, second: str, expected: bool) -> None:
    assert confusable(first, second) is confusable(second, first) is expected


def test_held_out_categories_are_never_confusable() -> None:
    assert not [(a, b) for a in UNSEEN_CATEGORIES for b in UNSEEN_CATEGORIES if a != b and confusable(a, b)]


def test_most_categories_can_be_absent_beside_any_other() -> None:
    pairs = [(a, b) for a in CATEGORIES for b in CATEGORIES if a < b]
    assert sum(confusable(*pair) for pair in pairs) < 0.02 * len(pairs)


def test_absence_is_proved_over_labels_nouns_and_expressions() -> None:
    potato, mug = first_of("potato"), first_of("mug")
    scene = {"object_0": potato, "object_1": mug}
    check_absent(Description(fields={"category": "bowl"}), scene)
    missing = next(color for color in ("purple", "green", "pink") if color != mug.color)
    check_absent(Description(fields={"category": "mug", "color": missing}), scene)
    with pytest.raises(ImoveError, match=r"the absent description .* is true of object_1, '.*mug'"):
        check_absent(Description(fields={"category": "mug"}, size="largest"), scene)
    with pytest.raises(ImoveError, match=r"'potato_chips' is meant to be absent, but could be taken for \['potato'\]"):
        check_absent(Description(fields={"category": "potato_chips"}), scene)
    claimed = Expression("bowl", (("category", "bowl"),), "seen")
    mislabelled = dataclasses.replace(mug, expressions=(*mug.expressions, claimed))
    with pytest.raises(ImoveError, match="is what 'bowl' says of object_1"):
        check_absent(Description(fields={"category": "bowl"}), {**scene, "object_1": mislabelled})


def test_a_conflict_needs_a_category_that_is_there_with_an_attribute_that_is_not() -> None:
    mug = first_of("mug")
    scene = {"object_0": mug, "object_1": first_of("apple")}
    check_conflicting(Description(fields={"category": "mug", "shape": "ring-shaped"}), scene)
    for fields in ({"category": "bowl", "color": "red"}, {"category": "bowl"}, {"shape": "ring-shaped"}):
        with pytest.raises(ImoveError, match=r"a category of the scene \(apple, mug\) and an attribute are needed"):
            check_conflicting(Description(fields=fields), scene)
    with pytest.raises(ImoveError, match="the conflicting description .* is true of object_0"):
        check_conflicting(Description(fields={"category": "mug", "color": mug.color}), scene)


def test_expressions_in_words_of_others_are_not_spoken() -> None:
    mug = first_of("mug")
    own = expressions("mug", ("mug", "drinking mug"), mug.color, mug.shape, mug.material)
    foreign = (
        Expression("handy mug", (("category", "mug"),), "seen"),
        Expression("large mug", (("category", "mug"), ("size_bucket", "large")), "seen"),
    )
    spoken = expression_phrases(dataclasses.replace(mug, expressions=(*own, *foreign)), "seen")
    assert {phrase.text for phrase in spoken} == {e.text for e in own if e.partition == "seen"}


def test_prepositions_suit_the_container() -> None:
    assert ON_TOP < DESTINATIONS
    for category in DESTINATIONS:
        assert prepositions(category, None) == (ON if category in ON_TOP else INSIDE)
    assert prepositions(None, None) == INSIDE
    boxes = LIBRARY.in_category("staples_box")
    assert {prepositions("staples_box", box)["in"] for box in boxes} == {"in", "on"}
