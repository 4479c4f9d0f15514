"""Folders of runs: whole ones, damaged ones, and what is no run."""

import json

import pytest

from imove_analysis.records import POLICY_LOST, Execution, make_record
from imove_analysis.runs import find_runs, open_run
from imove_analysis.testing import make_execution, make_score, make_spec
from imove_core.canonical import canonical_json
from imove_core.errors import ImoveError
from imove_tasks.suites import Suite

SETTINGS = {"policy": "expert", "suite": "test/scene", "suite_hash": "a" * 64, "seed": 0}


@pytest.fixture
def write_run(tmp_path):
    """Writes a run of scenes; those in `lost` are aborted."""

    def write(name="run", scenes=3, lost=(), settings=SETTINGS, tail=b""):
        folder = tmp_path / name
        folder.mkdir(parents=True)
        (folder / "provenance.json").write_text(json.dumps({"settings": settings, "revision": "x"}))
        score = make_score(("strict", "reach", "object_1"), ("strict", "reach", "object_0"))
        lines = []
        for index in range(scenes):
            execution = Execution(POLICY_LOST, None, message="gone") if index in lost else make_execution(score)
            lines.append(canonical_json(make_record(make_spec(index), "normal", 0, execution)) + "\n")
        (folder / "episodes.jsonl").write_bytes("".join(lines).encode() + tail)
        return folder

    return write


def test_what_a_record_says_is_what_an_episode_says(write_run):
    run = open_run(write_run())
    assert (run.policy, run.suite_name, run.conditions, run.problems) == ("expert", "test/scene", ("normal",), ())
    assert [episode.key for episode in run.episodes] == [f"test/scene/{index:03d}/normal" for index in range(3)]
    episode = run.episodes[0]
    assert (episode.target, episode.candidates, episode.steps, episode.prompt_verified) == ("object_0", 3, 300, True)
    strict = episode.rubrics["strict"]
    assert (strict.reached, strict.score, strict.success) == ({"reach"}, 0.5, False)
    assert (strict.first("reach"), strict.first("lift")) == ("object_1", None)
    assert (strict.any_object("reach"), strict.any_object("lift")) == (True, False)
    assert [event.is_target for event in strict.events] == [False, True]


def test_aborted_episodes_do_not_count(write_run):
    run = open_run(write_run(lost={1}))
    assert [episode.spec_id[-3:] for episode in run.episodes] == ["000", "002"]
    assert [(episode.spec_id[-3:], episode.message, episode.rubrics) for episode in run.aborted] == [
        ("001", "gone", {})
    ]


@pytest.mark.parametrize(
    ("tail", "said"),
    [
        (b'{"spec_id": "x", "cond', "line 4 is cut off"),
        (b"[]\n", "line 4 is no record of an episode"),
        (b'{"spec_id": "x"}\n', "line 4 is no record of an episode"),
        (b"\xff\xfe\n", "line 4 is no record of an episode"),
    ],
)
def test_damaged_lines_are_told_and_left_out(write_run, tail, said):
    run = open_run(write_run(tail=tail))
    assert len(run.episodes) == 3
    assert len(run.problems) == 1 and said in run.problems[0]


def test_an_episode_that_is_there_twice_counts_once(write_run):
    folder = write_run()
    path = folder / "episodes.jsonl"
    path.write_bytes(path.read_bytes() * 2)
    run = open_run(folder)
    assert len(run.episodes) == 3
    assert "3 episodes more than once" in run.problems[0]


def test_runs_are_found_in_folders_of_folders(write_run, tmp_path):
    folders = [write_run("b/two"), write_run("a"), write_run("b/one")]
    (tmp_path / "c").mkdir()
    assert find_runs(tmp_path) == sorted(folders)
    assert find_runs(folders[0]) == [folders[0]]
    with pytest.raises(ImoveError, match="is no folder"):
        find_runs(tmp_path / "none")


def test_what_is_no_run(write_run, tmp_path):
    with pytest.raises(ImoveError, match=r"is no run: provenance\.json"):
        open_run(tmp_path)
    damaged = write_run("damaged", settings={"policy": "expert"})
    with pytest.raises(ImoveError, match="damaged"):
        open_run(damaged)


def test_suite_of_a_run_is_its_copy_with_the_right_hash(write_run):
    suite = Suite("test/scene", 0, "", (make_spec(0), make_spec(1)))
    folder = write_run(settings={**SETTINGS, "suite_hash": suite.content_hash})
    with pytest.raises(ImoveError, match=r"has no suite\.jsonl, and no suite test/scene is shipped"):
        _ = open_run(folder).suite
    (folder / "suite.jsonl").write_text(suite.to_text())
    assert set(open_run(folder).specs) == {"test/scene/000", "test/scene/001"}
    other = write_run("other")
    (other / "suite.jsonl").write_text(suite.to_text())
    with pytest.raises(ImoveError, match="was run on suite test/scene aaaaaaaaaaaa; the one at hand is"):
        _ = open_run(other).suite
