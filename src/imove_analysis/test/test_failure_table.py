"""The failures of a run as a table: confusions, counts, and which to look at first."""

import json
from collections import Counter

import numpy as np
import pytest

from imove_analysis.failures import CLASSES, CUES, choose, failures, rank
from imove_analysis.failures.browsing import surprise_bits
from imove_analysis.failures.tables import failure_tables
from imove_core.errors import ImoveError

from .failure_cases import PICK, episode_of, run_of, scene_of, stages, suite_of


def test_confusions():
    spec, target, _, other = scene_of(PICK)
    run = run_of(
        PICK,
        episode_of(spec, ("reach", other), ("lift", other)),
        episode_of(spec, ("reach", other), condition="paraphrase"),
        episode_of(spec, *stages(target, "reach", "lift"), condition="punctuation"),
        episode_of(spec, condition="alternative"),
    )
    confusions = failures(run).confusions
    named = {key: spec.object(key).labels["category"] for key in (target, other)}
    cells = {(cell.named, cell.acted_on): (cell.k, cell.n) for cell in confusions["category"]}
    alternative = spec.object(spec.instruction("alternative").target).labels["category"]
    assert cells[named[target], named[other]] == (2, 3)
    assert cells[named[target], named[target]] == (1, 3)
    assert cells[alternative, "nothing"] == (1, 1)
    assert confusions["category"][0].k == 2
    roles = {(cell.named, cell.acted_on): cell.k for cell in confusions["role"]}
    assert roles == {("target", "distractor"): 2, ("target", "target"): 1, ("distractor", "nothing"): 1}
    assert {cell.named for cell in confusions["asset"]} == {
        spec.object(key).asset for key in (target, spec.instruction("alternative").target)
    }


@pytest.fixture
def mixed():
    """A run in which most scenes fail by a missed grasp, one by a wrong lift."""
    episodes = []
    for index, spec in enumerate(suite_of(PICK).specs[:6]):
        target = spec.instruction("normal").target
        other = next(key for key in spec.candidates if key != target)
        wrong = index == 3
        episodes += [
            episode_of(spec, ("reach", other), ("lift", other)) if wrong else episode_of(spec, ("reach", target)),
            episode_of(spec, *stages(target, "reach", "lift"), condition="paraphrase"),
        ]
    return failures(run_of(PICK, *episodes))


def test_failures_are_chosen(mixed):
    assert Counter(episode.name for episode in mixed.failed) == {"missed_grasp": 5, "wrong_object_lifted": 1}
    (wrong,) = choose(mixed.episodes, classes=["wrong_object_lifted"])
    assert choose(mixed.episodes, objects=[wrong.called[0]], classes=["wrong_object_lifted"]) == (wrong,)
    assert wrong in choose(mixed.episodes, objects=wrong.acted_on_called)
    assert choose(mixed.failed, conditions=["paraphrase"]) == ()
    assert len(choose(mixed.episodes, scenes=[wrong.spec_id])) == 2
    assert choose(mixed.episodes) == mixed.episodes


def test_the_rare_failure_comes_first(mixed):
    ranked = rank(mixed.failed, mixed.episodes)
    assert ranked[0].name == "wrong_object_lifted"
    assert sorted(ranked, key=lambda episode: episode.key) == list(mixed.failed)
    bits = [surprise_bits(episode, mixed.episodes) for episode in ranked]
    assert bits == sorted(bits, reverse=True)
    assert bits[0] == pytest.approx(-np.log2(2 / 8) - np.log2(2 / 4))
    assert rank(mixed.failed, mixed.episodes, "scene") == mixed.failed
    assert rank(mixed.failed, mixed.episodes, "cues")[0].name == "wrong_object_lifted"
    with pytest.raises(ImoveError, match="surprise"):
        rank(mixed.failed, mixed.episodes, "beauty")


def test_counts_and_record(mixed):
    counts = mixed.counts()
    assert list(counts) == list(CLASSES)
    assert sum(found["k"] for found in counts.values()) == 12
    assert (counts["missed_grasp"]["k"], counts["missed_grasp"]["certain"]) == (5, 0)
    record = json.loads(json.dumps(mixed.to_record()))
    assert [found["success"]["k"] for found in record["by_condition"].values()] == [0, 6]
    assert {found["success"]["n"] for found in record["by_condition"].values()} == {6}
    assert (len(record["episodes"]), len(record["cues"])) == (12, len(CUES))
    assert record["episodes"][0]["called"] == list(mixed.episodes[0].called)


def test_tables(mixed):
    titles = [str(table.title).partition(",")[0] for table in failure_tables(mixed, mixed.failed)]
    assert titles[:3] == ["pick_category/seen", "Named against acted on", "Named against acted on"]
    assert titles[3:] == ["Cues in 1 wrong choices", "6 episodes"]


def test_the_order_of_a_file_decides_nothing():
    episodes = [
        episode_of(spec, ("reach", spec.candidates[index % 3]), condition=condition)
        for index, spec in enumerate(suite_of(PICK).specs[:5])
        for condition in ("normal", "alternative")
    ]
    first, second = (failures(run_of(PICK, *order)).to_record() for order in (episodes, reversed(episodes)))
    assert first == second
