"""Labels and order of a comparison: balanced, reproducible, frozen."""

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from imove_core.errors import ImoveError
from imove_eval.blinded.folder import KEY, ORDER, check_comparison, freeze, labelled, read_key
from imove_eval.blinded.order import draw_order
from imove_eval.blinded.policies import (
    PolicyChoice,
    assign_labels,
    in_label_order,
    parse_policies,
    policies_text,
)

EXPERT, HOLD = PolicyChoice("expert"), PolicyChoice("hold")


@given(
    scenes=st.integers(1, 12), conditions=st.integers(1, 2), labels=st.integers(2, 5), seed=st.integers(0, 2**63 - 1)
)
def test_every_block_is_one_scene_with_every_policy_and_positions_are_balanced(scenes, conditions, labels, seed):
    names = "ABCDE"[:labels]
    spec_ids, told = [f"scene/{index}" for index in range(scenes)], ["normal", "empty"][:conditions]
    order = draw_order(spec_ids, told, names, seed)
    assert order == draw_order(spec_ids, told, names, seed)
    blocks = [order.trials[first : first + labels] for first in range(0, len(order.trials), labels)]
    assert all(len({(trial.spec_id, trial.condition) for trial in block}) == 1 for block in blocks)
    assert all(sorted(trial.label for trial in block) == list(names) for block in blocks)
    assert len({(block[0].spec_id, block[0].condition) for block in blocks}) == scenes * conditions == len(blocks)
    for place in range(labels):
        counts = Counter(block[place].label for block in blocks)
        # Whole Latin squares are balanced; what is left of the last one differs by one at most.
        assert max(counts.values()) - min(counts.get(name, 0) for name in names) <= 1


def test_seed_decides_the_order():
    spec_ids = [f"scene/{index}" for index in range(10)]
    orders = {draw_order(spec_ids, ["normal"], "AB", seed).trials for seed in range(20)}
    assert len(orders) == 20


def test_hash_covers_everything():
    spec_ids = ["scene/0", "scene/1"]
    first, second = (draw_order(spec_ids, ["normal"], "AB", seed).to_record() for seed in (0, 1))
    assert first["sha256"] != second["sha256"]
    assert len(first["trials"]) == 4


def test_labels_fall_at_random():
    firsts = Counter(assign_labels([EXPERT, HOLD], np.random.default_rng(seed))["A"].name for seed in range(200))
    assert 60 < firsts["expert"] < 140


def test_policies_are_read_as_they_are_written():
    text = "expert,openpi=pi.yaml@ws://127.0.0.1:8000,openpi@ws://127.0.0.1:8001"
    choices = parse_policies(text)
    assert choices[1] == PolicyChoice("openpi", "pi.yaml", "ws://127.0.0.1:8000")
    assert choices[2] == PolicyChoice("openpi", "", "ws://127.0.0.1:8001")
    assert policies_text(choices) == text
    key = assign_labels(choices, np.random.default_rng(3))
    assert [key[label] for label in "ABC"] == list(in_label_order(key))


@pytest.mark.parametrize("text", ["", "expert", "expert,=mine", ",".join(["hold"] * 27)])
def test_what_names_no_policies_is_refused(text):
    with pytest.raises(ImoveError, match="two to 26 policies separated by commas"):
        parse_policies(text)


@pytest.fixture
def order():
    """Four trials."""
    return draw_order(["scene/0", "scene/1"], ["normal"], "AB", 0)


def test_what_was_frozen_is_found_again(tmp_path, order):
    folder = tmp_path / "run"
    key = labelled(folder, [EXPERT, HOLD], np.random.default_rng(0))
    assert not folder.exists()
    freeze(folder, key, order)
    texts = {name: (folder / name).read_text() for name in (ORDER, KEY)}
    assert read_key(folder) == key
    for seed in range(10):
        assert labelled(folder, [HOLD, EXPERT], np.random.default_rng(seed)) == key
    freeze(folder, key, order)
    assert {name: (folder / name).read_text() for name in texts} == texts
    assert json.loads(texts[ORDER])["sha256"] == order.to_record()["sha256"]
    assert "expert" not in texts[ORDER]


def test_another_comparison_is_refused(tmp_path, order):
    freeze(tmp_path, {"A": EXPERT, "B": HOLD}, order)
    with pytest.raises(ImoveError, match="compares other policies than the 2 that were given"):
        labelled(tmp_path, [EXPERT, EXPERT], np.random.default_rng(0))
    with pytest.raises(ImoveError, match="other labels"):
        freeze(tmp_path, {"A": HOLD, "B": EXPERT}, order)
    other = draw_order(["scene/0"], ["normal"], "AB", 0)
    for check in (lambda: freeze(tmp_path, {"A": EXPERT, "B": HOLD}, other), lambda: check_comparison(tmp_path, other)):
        with pytest.raises(ImoveError, match="another order of trials"):
            check()


@pytest.mark.parametrize("name", [ORDER, KEY])
def test_damaged_files_are_told(tmp_path, order, name):
    freeze(tmp_path, {"A": EXPERT, "B": HOLD}, order)
    (tmp_path / name).write_text("{")
    with pytest.raises(ImoveError, match=f"{name} is damaged"):
        freeze(tmp_path, {"A": EXPERT, "B": HOLD}, order)
