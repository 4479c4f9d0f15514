"""Runs beside each other: which scenes, in which order, what is told, and what is refused."""

import pytest

from imove_analysis.alignment import align_runs
from imove_analysis.runs import open_run
from imove_core.errors import ImoveError

from .comparison_runs import write_run


@pytest.fixture
def align(tmp_path):
    """Aligns runs of given outcomes; settings by run."""

    def make(*outcomes, settings=(), **options):
        given = [*settings, *[{}] * (len(outcomes) - len(settings))]
        folders = [
            write_run(tmp_path / f"run{index}", letters, **own)
            for index, (letters, own) in enumerate(zip(outcomes, given, strict=True))
        ]
        return align_runs([open_run(folder) for folder in folders], "strict", "normal", **options)

    return make


def test_scenes_are_paired_in_the_order_of_the_suite(align):
    found = align("rl-" * 4, "l-r" * 4)
    assert found.scores() == [[0.5, 1.0, 0.0] * 4, [1.0, 0.0, 0.5] * 4]
    assert found.reached("lift") == [[False, True, False] * 4, [True, False, False] * 4]
    assert (found.stages, found.score_name, found.scenes, found.notes) == (("reach", "lift"), "s_pick", 12, ())


def test_scenes_that_not_all_have_are_left_out_and_told(align):
    found = align("rlx-", "l -r", "llll")
    assert found.scores() == [[0.5, 0.0], [1.0, 0.5], [1.0, 1.0]]
    told = "\n".join(found.notes)
    assert "run0: 1 scenes were aborted" in told
    assert "1 scenes of" in told and "2 scenes of" in told


def test_scenes_that_began_otherwise_are_told(align, tmp_path):
    align("rr", "rr")
    path = tmp_path / "run1" / "episodes.jsonl"
    path.write_text(path.read_text().replace("f" * 64, "e" * 64, 1))
    runs = [open_run(tmp_path / name) for name in ("run0", "run1")]
    assert "1 of 2 scenes did not start from the same settled poses" in align_runs(runs, "strict", "normal").notes[0]


def test_other_suites_are_refused_unless_unpaired(align, tmp_path):
    other = ({}, {"suite_hash": "b" * 64})
    with pytest.raises(
        ImoveError, match="test/scene aaaaaaaaaaaa and .* on test/scene bbbbbbbbbbbb; pairs need one suite"
    ):
        align("rl", "rl-", settings=other)
    runs = [open_run(tmp_path / name) for name in ("run0", "run1")]
    found = align_runs(runs, "strict", "normal", paired=False)
    assert [len(scores) for scores in found.scores()] == [2, 3]
    assert "independent samples" in found.notes[0]


def test_untold_instructions_are_refused_unless_allowed(align, tmp_path):
    with pytest.raises(ImoveError, match="in 1 of 2 episodes the policy was not told the instruction"):
        align("ru", "rr")
    runs = [open_run(tmp_path / name) for name in ("run0", "run1")]
    assert "and they count all the same" in align_runs(runs, "strict", "normal", allow_invalid=True).notes[0]


def test_nothing_to_compare(align, tmp_path):
    with pytest.raises(ImoveError, match="share no finished scene; at least 1"):
        align("r ", " r")
    empty = open_run(write_run(tmp_path / "empty", ""))
    full = open_run(tmp_path / "run0")
    with pytest.raises(ImoveError, match="it has no finished episode at all"):
        align_runs([empty, full], "strict", "normal")
    with pytest.raises(ImoveError, match="no finished episode under condition 'generic'; it has normal"):
        align_runs([full, full], "strict", "generic")
    with pytest.raises(ImoveError, match="unknown rubric 'loose'; allowed: reference, strict"):
        align_runs([full, full], "loose", "normal")


def test_a_text_without_a_target_is_told(tmp_path):
    runs = [open_run(write_run(tmp_path / name, "r", condition="generic")) for name in "ab"]
    assert "a stage counts for any object" in align_runs(runs, "strict", "generic").notes[0]
