"""`imove compare` and `imove repeatability`: words, JSON, and mistakes."""

import json

import pytest
from typer.testing import CliRunner

from imove_analysis.records import make_record
from imove_analysis.testing import make_execution, make_score, make_spec
from imove_bringup.cli import app
from imove_core.canonical import canonical_json
from imove_core.errors import ImoveError

LIFTED = (("strict", "reach", "object_0"), ("strict", "lift", "object_0"))


@pytest.fixture
def write_run(tmp_path):
    """Writes a run that lifts the target in given scenes of 20."""

    def write(name, lifted, **settings):
        folder = tmp_path / name
        folder.mkdir()
        facts = {"policy": name, "suite": "test/scene", "suite_hash": "a" * 64, "seed": 0, **settings}
        (folder / "provenance.json").write_text(json.dumps({"settings": facts}))
        scores = [make_score(*(LIFTED if index in lifted else ())) for index in range(20)]
        records = [make_record(make_spec(i), "normal", 0, make_execution(score)) for i, score in enumerate(scores)]
        (folder / "episodes.jsonl").write_text("".join(canonical_json(record) + "\n" for record in records))
        return str(folder)

    return write


def imove(*arguments):
    done = CliRunner().invoke(app, arguments)
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.output


def test_says_better_or_worse_and_why(write_run):
    poor, good = write_run("poor", range(2)), write_run("good", range(15))
    told = imove("compare", poor, good)
    assert "good is better than poor: s_pick 0.750 against 0.100" in told
    assert "2/20 0.10" in told and "Tests: McNemar exact, sign flip exact." in told
    assert "poor is worse than good" in imove("compare", good, poor)


def test_undecided_exits_with_0_too(write_run):
    told = imove("compare", write_run("a", {0, 1}), write_run("b", {1, 2, 3}), "--sequential")
    assert "Undecided whether b is better or worse than a" in told
    assert "a verdict falls at 20; if it stays like this, about" in told


def test_json_has_the_sentence_and_the_figures(write_run):
    runs = write_run("a", {0}), write_run("b", range(12))
    found = json.loads(imove("compare", *runs, "--sequential", "--alpha", "0.1", "--json"))
    assert (found["verdict"], found["alpha"], found["sequential"]) == ("better", 0.1, True)
    assert found["sentence"].startswith("b is better than a")
    assert found["score"]["interval"][0] > 0


def test_mistakes(write_run, tmp_path):
    one, other = write_run("a", {0}), write_run("b", {0}, suite_hash="b" * 64)
    with pytest.raises(ImoveError, match="pairs need one suite"):
        imove("compare", one, other)
    assert "independent samples" in imove("compare", one, other, "--unpaired")
    with pytest.raises(ImoveError, match="is no run"):
        imove("compare", one, str(tmp_path))
    with pytest.raises(ImoveError, match="--rubric loose must be one of strict, reference"):
        imove("compare", one, one, "--rubric", "loose")


def test_repeats_in_a_folder(write_run, tmp_path):
    for seed in range(3):
        write_run(f"seed_{seed}", {0, 1, 2, 3 + seed}, policy="a", seed=seed)
    told = imove("repeatability", str(tmp_path))
    assert "a on test/scene, normal, strict: 20 scenes under seeds 0, 1, 2" in told
    record = json.loads(imove("repeatability", str(tmp_path), "--json"))
    assert record["outcomes"]["s_pick"]["means"] == pytest.approx([0.2, 0.2, 0.2])
    assert record["outcomes"]["s_pick"]["seed"]["was_negative"]
