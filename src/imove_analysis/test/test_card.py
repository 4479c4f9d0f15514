"""Result cards: what is in them, and that another execution of an episode gives the same hash or not."""

import json

import numpy as np
import pytest

from imove_analysis.card import SAMPLE, Sample, depends_on_machine, events_hash, read_card, result_card, write_card
from imove_analysis.episodes import episode_from
from imove_analysis.records import make_record
from imove_analysis.runs import open_run
from imove_analysis.testing import make_execution, make_score, make_spec
from imove_core.errors import ImoveError

SETTINGS = {
    "suite": "test/scene", "suite_hash": "a" * 64, "policy": "pi05", "policy_config": "/home/me/map.yaml",
    "rig": "piperx_dual", "seed": 0, "clock": "lockstep", "latency": "0", "safety": "default",
}  # fmt: skip


@pytest.fixture
def episode():
    def make(index=0, *stages, condition="normal", **wall):
        spec = make_spec(index)
        target = spec.instruction(condition).target
        score = make_score(*(("strict", stage, "object_0") for stage in stages), target=target)
        execution = make_execution(score, spec.instruction(condition).text, wall=wall)
        return make_record(spec, condition, 0, execution)

    return make


@pytest.fixture
def run(tmp_path, episode):
    def write(name="run", count=4, **settings):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "provenance.json").write_text(json.dumps({"settings": SETTINGS | settings, "revision": "abc"}))
        lines = [
            json.dumps(episode(index, *(["reach"] if index % 2 else []), condition=condition))
            for index in range(count)
            for condition in ("normal", "empty")
        ]
        (folder / "episodes.jsonl").write_text("\n".join(lines) + "\n")
        return open_run(folder)

    return write


def test_the_hash_is_of_what_happened_alone(episode):
    def hash_of(record):
        return events_hash(episode_from(record))

    one = hash_of(episode(0, "reach"))
    assert hash_of(episode(0, "reach", duration_s=9.0)) == one
    others = [episode(1, "reach"), episode(0, "reach", "lift"), episode(0, condition="paraphrase")]
    changed = episode(0, "reach")
    changed["score"]["rubrics"]["strict"]["events"][0]["step"] += 1
    unsettled = episode(0, "reach") | {"settled_pose_hash": "0" * 64}
    assert len({one, *(hash_of(other) for other in (*others, changed, unsettled))}) == 6


def test_a_card_has_rates_settings_and_a_sample(run, rng):
    card = result_card([run()], rng)
    assert card["policy"] == {"name": "pi05", "config": "map.yaml"}
    (entry,) = card["runs"]
    assert entry["settings"]["suite_hash"] == "a" * 64
    assert entry["settings"]["policy_config"] == "map.yaml"
    assert (entry["episodes"], entry["prompts_verified"], entry["tolerance"]) == (8, 8, 0.0)
    normal = entry["rates"]["normal"]
    assert (normal["counts"], normal["n"], normal["strict"]["Reach"]["value"]) == ("target", 4, 0.5)
    assert normal["strict"]["Reach"]["ci95"] == pytest.approx([0.1500, 0.8500], abs=1e-4)
    assert entry["rates"]["empty"]["counts"] == "any_object"
    assert len(entry["sample"]) == 8
    assert entry["sample"][2]["reached"] == ["strict reach"]


def test_the_sample_is_drawn_and_bounded(run):
    made = run(count=SAMPLE)
    cards = [result_card([made], np.random.default_rng(seed))["runs"][0] for seed in (0, 0, 1)]
    assert [len(card["sample"]) for card in cards] == [SAMPLE] * 3
    assert cards[0]["sample"] == cards[1]["sample"] != cards[2]["sample"]
    assert cards[0]["events_sha256"] == cards[2]["events_sha256"]


@pytest.mark.parametrize(
    ("settings", "expected"), [({}, False), ({"clock": "realtime"}, True), ({"latency": "measured"}, True)]
)
def test_what_depends_on_the_machine_is_stated(run, rng, settings, expected):
    made = run(**settings)
    assert depends_on_machine(made.settings) is expected
    assert (result_card([made], rng)["runs"][0]["tolerance"] > 0) is expected


def test_files_can_be_read_again(run, tmp_path, rng):
    made = run()
    written, page = write_card([made], tmp_path / "out", rng)
    card = read_card(written)
    assert Sample(**card["runs"][0]["sample"][0] | {"reached": ()}).spec_id == "test/scene/000"
    text = page.read_text()
    for words in ("# Results of pi05 map.yaml", "| normal | target | Reach | 0.50 \\[0.15, 0.85\\]", "source: abc"):
        assert words in text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda card: card.update(runs=[]), "it has no run"),
        (lambda card: card["runs"][0].update(sample=[]), "it has no sample"),
        (lambda card: card["runs"][0].update(tolerance=0.2), "at most 0 can be allowed"),
        (lambda card: card["runs"][0].update(tolerance=1, settings=SETTINGS | {"latency": "measured"}), "at most 0.2"),
        (lambda card: card["runs"][0].update(origin=None), "is no card"),
    ],
)
def test_a_card_that_nothing_could_contradict_is_refused(run, tmp_path, rng, change, message):
    card = result_card([run()], rng)
    change(card)
    path = tmp_path / "card.json"
    path.write_text(json.dumps(card))
    with pytest.raises(ImoveError, match=message):
        read_card(path)


def test_what_is_no_card_is_refused(run, tmp_path, rng):
    with pytest.raises(ImoveError, match="at least one run"):
        result_card([], rng)
    with pytest.raises(ImoveError, match=r"about one policy; the runs are of hold map\.yaml and pi05 map\.yaml"):
        result_card([run("a", policy_config="map.yaml"), run("b", policy="hold", policy_config="map.yaml")], rng)
    path = tmp_path / "card.json"
    with pytest.raises(ImoveError, match="cannot be read"):
        read_card(path)
    for content, message in (("[", "is no card"), ('{"format": 9}', "of format 9"), ('{"format": 1}', "is no card")):
        path.write_text(content)
        with pytest.raises(ImoveError, match=message):
            read_card(path)
