"""`imove report`: which page is made of which folders."""

import pytest

from imove_analysis.testing import listens, write_acted_run
from imove_bringup.cli import main


@pytest.fixture
def imove(monkeypatch, capsys, tmp_path):
    """Runs a command in an empty folder and gives its status and outputs."""
    monkeypatch.chdir(tmp_path)

    def run(*words):
        monkeypatch.setattr("sys.argv", ["imove", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return ended.value.code or 0, captured.out, captured.err

    return run


@pytest.fixture
def runs(tmp_path):
    """Two runs in a folder."""
    for name, acts in (("a", lambda spec, condition: None), ("b", listens)):
        write_acted_run(tmp_path / "runs" / name, acts, scenes=8, settings={"policy": name})
    return tmp_path / "runs"


def test_one_run_has_a_report_and_a_card(imove, runs):
    status, out, err = imove("report", runs / "b", "--card", "--videos", "all")
    assert status == 0, err
    folder = runs / "b" / "report"
    assert out.split() == [
        word for name in ("card.json", "card.md", "index.html") for word in ("written:", str(folder / name))
    ]
    assert 'href="card.json"' in (folder / "index.html").read_text()


def test_two_runs_are_compared_and_more_or_a_folder_are_not(imove, runs, tmp_path):
    assert imove("report", runs / "a", runs / "b")[1] == "written: reports/b-against-a/index.html\n"
    assert "b is better than a" in (tmp_path / "reports" / "b-against-a" / "index.html").read_text()
    assert imove("report", runs)[1] == f"written: {runs / 'report' / 'index.html'}\n"
    assert imove("report", runs, "--together", "--out", "both")[1] == "written: both/index.html\n"
    assert "a, b on test/scene" in (tmp_path / "both" / "index.html").read_text()


def test_what_cannot_be_shown_is_said_in_one_line(imove, runs, tmp_path):
    (tmp_path / "empty").mkdir()
    assert imove("report", "empty")[::2] == (2, "imove: there is no run in empty\n")
    status, _, err = imove("report", runs, "--card")
    assert (status, err.strip()) == (
        2, f"imove: {runs} holds 2 runs; --card and --videos are for reports of runs"
    )  # fmt: skip
    status, _, err = imove("report", runs / "a", "--videos", "some")
    assert status == 2
    assert "--videos some must be failed, all, none, or how many of the failed ones" in err
    write_acted_run(runs / "c", listens, scenes=8, settings={"policy": "c", "scheduler": "sync_hold"})
    write_acted_run(runs / "d", listens, scenes=8, settings={"policy": "d", "scheduler": "receding"})
    assert "only with --mixed" in imove("report", runs / "c", runs / "d")[2]
    assert imove("report", runs / "c", runs / "d", "--mixed")[0] == 0
