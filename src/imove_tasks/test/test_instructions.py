"""Instructions of drawn scenes: who they name, how they read, and what they give away."""

import re
from types import MappingProxyType

import numpy as np
import pytest

from imove_core.errors import ImoveError
from imove_core.spec import CONDITIONS, Instruction
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.assets.model import Asset
from imove_tasks.instructions import (
    PICK_TEMPLATES,
    category_instructions,
    definite,
    find_referents,
    lint,
    render,
    satisfies,
    unique_referent,
)

LIBRARY = AssetLibrary.generate(instances_per_category=1)
ASSETS = {asset.category: asset for asset in LIBRARY}


def scene(*categories: str) -> dict[str, Asset]:
    return {f"object_{number}": ASSETS[category] for number, category in enumerate(categories)}


@pytest.fixture(scope="module")
def drawn() -> list[tuple[dict[str, Asset], str, dict[str, Instruction]]]:
    """Scenes of six objects of different categories, as (assets, target, instructions)."""
    found = []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        names = [str(name) for name in rng.permutation(sorted(ASSETS))[:7]]
        assets = scene(*names[:6])
        target = f"object_{rng.integers(6)}"
        absent = ASSETS[names[6]]
        found.append((assets, target, category_instructions(assets, target, (absent.category, absent.phrase), rng)))
    return found


def test_there_is_one_instruction_for_each_condition(drawn: list) -> None:
    assert all(set(instructions) == set(CONDITIONS) for _, _, instructions in drawn)


def test_a_named_target_is_the_only_referent(drawn: list) -> None:
    for assets, target, instructions in drawn:
        assert instructions["normal"].target == target
        assert instructions["alternative"].target not in (target, None)
        for condition in ("normal", "alternative"):
            assert find_referents(assets, instructions[condition].referent) == [instructions[condition].target]


def test_what_is_absent_or_not_said_has_no_referent(drawn: list) -> None:
    for assets, _, instructions in drawn:
        for condition in ("generic", "empty", "absent"):
            assert instructions[condition].target is None
            assert find_referents(assets, instructions[condition].referent) == []
        assert instructions["absent"].referent
        assert instructions["generic"].referent == instructions["empty"].referent == {}


def test_texts_read_well(drawn: list) -> None:
    for _, _, instructions in drawn:
        for instruction in instructions.values():
            assert lint(instruction.text) == []
            assert " the the " not in f" {instruction.text} "
        assert instructions["empty"].text == instructions["empty"].raw_text == ""


def says(text: str, phrase: str) -> bool:
    return f" {phrase} " in f" {text} "


def test_each_text_names_its_own_object_and_no_other_of_the_scene(drawn: list) -> None:
    for assets, target, instructions in drawn:
        for condition in CONDITIONS:
            named = {key for key, asset in assets.items() if says(instructions[condition].text, asset.phrase)}
            expected = instructions[condition].target
            assert named == (set() if expected is None else {expected}), (condition, instructions[condition].text)
        assert target not in {instructions[c].target for c in ("alternative", "generic", "empty", "absent")}


def test_conditions_differ_in_the_named_object_alone(drawn: list) -> None:
    for assets, target, instructions in drawn:
        normal = instructions["normal"]
        phrase = assets[target].phrase
        assert normal.raw_text.count("{" + phrase + "}") == 1
        for condition in ("alternative", "generic", "absent"):
            raw = instructions[condition].raw_text
            assert re.sub(r"\{.*\}", "{}", raw) == normal.raw_text.replace("{" + phrase + "}", "{}")


def test_every_template_and_every_alternative_is_drawn(drawn: list) -> None:
    phrases = {re.sub(r"\{.*\}", "{object}", instructions["normal"].raw_text) for _, _, instructions in drawn}
    assert phrases == set(PICK_TEMPLATES)
    alternatives = {instructions["alternative"].target for _, _, instructions in drawn}
    assert alternatives == {f"object_{number}" for number in range(6)}


def test_the_same_draws_give_the_same_instructions() -> None:
    assets = scene("mug", "bowl", "apple")
    made = [
        category_instructions(assets, "object_1", ("egg", "egg"), np.random.default_rng(seed)) for seed in (5, 5, 6, 7)
    ]
    assert made[0] == made[1]
    assert made[0] != made[2] or made[0] != made[3]


def test_no_category_phrase_is_the_head_of_another() -> None:
    # "potato" is part of "potato chips", but nobody calls chips a potato: what a thing is stands last in English.
    phrases = {asset.category: asset.phrase for asset in LIBRARY}
    for first, phrase in phrases.items():
        assert not [
            second for second, other in phrases.items() if second != first and f" {other}".endswith(f" {phrase}")
        ]


def test_category_scenes_with_two_alike_or_with_the_absent_object_are_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(
        ImoveError, match=r"referent \{'category': 'mug'\} is true of 2 objects .*; exactly 1 is needed"
    ):
        category_instructions(scene("mug", "mug", "bowl"), "object_0", ("egg", "egg"), rng)
    with pytest.raises(ImoveError, match="category 'egg' is meant to be absent, but an object of the scene has it"):
        category_instructions(scene("mug", "egg"), "object_0", ("egg", "egg"), rng)


def test_referents_are_evaluated_over_all_their_fields() -> None:
    assets = scene("mug", "bowl")
    mug = assets["object_0"]
    assert satisfies(mug, {"category": "mug", "color": mug.color, "material": mug.material})
    assert not satisfies(mug, {"category": "mug", "color": "no colour"})
    assert satisfies(mug, {})
    assert find_referents(assets, {}) == []
    assert unique_referent(assets, MappingProxyType({"category": "bowl"})) == "object_1"
    with pytest.raises(ImoveError, match="is true of 0 objects"):
        unique_referent(assets, {"category": "egg"})


@pytest.mark.parametrize("field", ["mass_kg", "uuid", "colour"])
def test_a_field_that_instructions_cannot_use_is_refused(field: str) -> None:
    with pytest.raises(ImoveError, match=f"referent field '{field}' is unknown; allowed: category, color, shape, mat"):
        satisfies(ASSETS["mug"], {field: "x"})


def test_the_article_stands_once() -> None:
    assert definite("mug") == "the mug"
    assert definite("the mug") == "the mug"
    assert definite("thermos") == "the thermos"
    assert render("pick {object} up", "red mug") == ("pick the red mug up", "pick {red mug} up")
    assert render("pick {object} up", "the red mug")[0] == "pick the red mug up"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("pick up the mug 2", "holds a digit"),
        ("pick up  the mug", "has stray blanks"),
        ("pick up the mug ", "has stray blanks"),
        ("pick up the the mug", "repeats a word"),
        ("pick up mug", "lacks the article"),
        ("Pick up the mug", "has other characters than lower-case letters"),
        ("pick up the mug.", "has other characters than lower-case letters"),
        ("pick up the spice_jar", "has other characters than lower-case letters"),
    ],
)
def test_lint_finds_each_fault(text: str, fault: str) -> None:
    assert fault in lint(text)


def test_lint_passes_good_texts_and_no_text() -> None:
    assert lint("pick up the ring-shaped coaster") == lint("") == []
