"""Cues that mislead: which speak for what, and how often against chance."""

import pytest

from imove_analysis.failures import CUES, failures
from imove_analysis.failures.cues import CueScene, cues_of, estimated_salience, tools_of
from imove_analysis.failures.overlap import WrongChoice, overlaps
from imove_core.rig import load_rig

from .failure_cases import PICK, PLACE, episode_of, run_of, scene_of


def test_cues_of_a_scene():
    """The first scene of the suite, looked at by a person: bread is named."""
    spec, target, _, _ = scene_of(PICK)
    rig = load_rig(spec.rig)
    bread = spec.object(target)
    salience = estimated_salience(spec)
    found = {
        spec.object(key).phrase: cues
        for key, cues in cues_of(CueScene(spec, spec.instruction("normal"), bread, tools_of(rig), salience)).items()
    }
    assert set(found) == {"carrot", "mini hammer", "milk carton", "magnifier", "phone stand"}
    assert "material" in found["carrot"]
    assert "color" in found["milk carton"]
    assert "color_or_shape" in found["milk carton"]
    assert "nearest_to_target" in found["mini hammer"]
    assert "same_side" not in found["magnifier"]
    # A wide bowl of another colour, or whatever it is: one of all candidates, or the named one itself.
    assert sum("most_salient" in cues for cues in found.values()) == (max(salience, key=salience.get) != target)
    assert sum("nearest_to_tool" in cues for cues in found.values()) <= 1
    assert not any("named_word" in cues for cues in found.values())
    blind = CueScene(spec, spec.instruction("normal"), bread, None, salience)
    assert not any("nearest_to_tool" in cues for cues in cues_of(blind).values())


def test_words_of_the_text_are_cues():
    spec, target, _, _ = scene_of(PICK)
    text = spec.instruction("alternative")
    assert text.text == "get the rectangular paper milk carton for me"
    found = cues_of(CueScene(spec, text, spec.object(text.target), None, {}))
    assert {spec.object(key).phrase for key, cues in found.items() if "named_word" in cues} == {"phone stand"}


def choices(rng, prefers, n=60, share=0.0):
    """Wrong choices among five others, of which one or two have the colour, with probability `share` preferred."""
    made = []
    for number in range(n):
        cues = {f"object_{k}": frozenset({"color"} if k < 1 + number % 2 else ()) for k in range(5)}
        taken = f"object_{rng.integers(5)}"
        if prefers and rng.random() < share:
            taken = "object_0"
        made.append(WrongChoice(f"scene_{number % 30}", taken, cues))
    return made


def test_overlap_with_a_cue_that_draws_and_with_none(rng):
    (drawn,) = overlaps(choices(rng, True, share=0.6), ["color"], rng)
    assert drawn.base == pytest.approx(0.3)
    assert drawn.rate == drawn.k / 60
    assert drawn.difference == pytest.approx(drawn.rate - drawn.base)
    assert drawn.difference_ci95[0] > 0.1
    assert drawn.sentence.startswith("More often than by chance: color speaks for")
    missed = sum(
        not low <= 0 <= high
        for low, high in (overlaps(choices(rng, False), ["color"], rng)[0].difference_ci95 for _ in range(100))
    )
    assert missed <= 12


def test_cues_that_cannot_be_told(rng):
    cues = {"object_0": frozenset({"category"}), "object_1": frozenset({"category"})}
    found = overlaps([WrongChoice("a", "object_0", cues)], ["category", "color"], rng)
    assert [one.difference for one in found] == [0.0, 0.0]
    assert all(one.sentence.startswith("Cannot be told") for one in found)
    assert overlaps([], ["color"], rng) == ()


def test_wrong_choices_have_their_cues_and_containers_are_none():
    spec, target, destination, other = scene_of(PLACE)
    bowl = episode_of(spec, ("reach", destination), condition="paraphrase")
    table = failures(run_of(PLACE, episode_of(spec, ("reach", other)), bowl))
    assert [episode.name for episode in table.episodes] == ["reached_wrong_object"] * 2
    assert [cue.n for cue in table.cues] == [1] * len(CUES)
    assert table.episodes[1].cues == ()
    shared = {cue.cue for cue in table.cues if cue.k}
    assert set(table.episodes[0].cues) == shared
