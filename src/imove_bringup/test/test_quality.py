"""The quality gate of assets: what it says, how it goes on after a kill, and its page."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from imove_bringup.commands.assets import app
from imove_bringup.quality.gate import GATE, check_asset, check_entry
from imove_bringup.quality.report import write_report
from imove_bringup.quality.results import Grasps, Pose, Result, ResultsFile, latest
from imove_bringup.quality.running import GateRun, check_entries
from imove_bringup.quality.summary import BINS, summarise
from imove_core.errors import ImoveError
from imove_core.rig import Rig, load_rig
from imove_tasks.assets.composition import read_verdicts
from imove_tasks.assets.library import AssetLibrary, Entry
from imove_tasks.assets.model import Asset

TRIALS = 6
RUN = GateRun(rig="piperx_dual", trials=TRIALS, workers=1)


@pytest.fixture(scope="module")
def rig() -> Rig:
    return load_rig("piperx_dual")


@pytest.fixture(scope="module")
def library() -> AssetLibrary:
    return AssetLibrary.generate(instances_per_category=1)


@pytest.fixture(scope="module")
def candy(library: AssetLibrary) -> Asset:
    return library.in_category("candy")[0]


@pytest.fixture(scope="module")
def entries(library: AssetLibrary) -> list[Entry]:
    return [entry for entry in library.entries if entry.category in ("candy", "coaster")]


def made(name: str, held: int | None, *, passed: bool = True, holds: bool = True, **changes: object) -> Result:
    grasps = None if held is None else Grasps(trials=10, successes=held, failures={"slipped": 10 - held} if held < 10
                                              else {}, grips={"0": (10, held)}, slip_mm=0.1)  # fmt: skip
    values = {
        "uuid": f"id-{name}", "name": name, "category": "mug", "domain": "kitchen_supplies", "content_hash": "a" * 64,
        "gate": GATE, "rig": "piperx_dual", "passed": passed, "reason": "" if passed else "held too seldom",
        "grasps": grasps, "poses": (Pose(holds=holds, tilt_deg=0.1, drift_mm=0.2),), "checks": 5, "disagreements": (),
        "cpu_s": 1.5,
    }  # fmt: skip
    return Result(**(values | changes))


def test_a_sound_object_passes(candy: Asset, rig: Rig) -> None:
    result = check_asset(candy, rig, TRIALS)
    assert result.passed and result.reason == ""
    assert result.grasps is not None and result.grasps.successes == TRIALS
    assert len(result.poses) == len(candy.stable_poses)
    assert result.checks > 50 and not result.disagreements
    assert result.content_hash == candy.content_hash()


def test_the_same_asset_gets_the_same_word(candy: Asset, rig: Rig) -> None:
    first, second = (check_asset(candy, rig, 3).model_dump(exclude={"cpu_s"}) for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"friction": 0.001}, "held in 0 of 6 trials (not lifted 6)"),
        ({"mass_kg": 0.5}, "mass: 0.500 kg"),
        ({"color": "gray", "expressions": ()}, "color: "),
        ({"material": "fabric", "expressions": ()}, "material: "),
    ],
)
def test_a_false_label_or_a_bad_grasp_fails(candy: Asset, rig: Rig, changes: dict, reason: str) -> None:
    if "expressions" in changes:  # only the plain phrase, which is still true
        changes = changes | {"expressions": candy.expressions[:1]}
    assert candy.color != "gray" and candy.material != "fabric"
    result = check_asset(replace(candy, **changes), rig, TRIALS)
    assert not result.passed
    assert reason in result.reason


def test_a_resting_pose_that_does_not_hold_is_a_disagreement(candy: Asset, rig: Rig) -> None:
    on_edge = replace(candy.stable_poses[0], rotation=[[1, 0, 0], [0, 0.8, -0.6], [0, 0.6, 0.8]])
    result = check_asset(replace(candy, stable_poses=(candy.stable_poses[0], on_edge)), rig, 1)
    assert [pose.holds for pose in result.poses] == [True, False]
    assert [item.check for item in result.disagreements] == ["resting pose 1"]


def test_what_cannot_be_had_fails_and_is_asked_again(entries: list[Entry], rig: Rig) -> None:
    broken = replace(entries[0], origin="generated/unheard_of/0/0")
    result = check_entry(broken, rig, TRIALS)
    assert not result.passed and result.reason.startswith("cannot be had: ")
    assert not result.answers(GATE, rig.name, TRIALS)


def test_results_survive_a_kill(tmp_path: Path) -> None:
    file = ResultsFile(tmp_path)
    file.add(made("a", 10))
    file.add(made("b", 3, passed=False))
    with file.path.open("a") as torn:
        torn.write('{"uuid": "half')
    again = ResultsFile(tmp_path)
    assert again.results == file.results
    again.add(made("a", 9))
    assert latest(ResultsFile(tmp_path).results)["id-a"].grasps.successes == 9
    assert ("id-b", "a" * 64) in read_verdicts(file.path)


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    (tmp_path / "results.jsonl").write_text(made("a", 10).to_json() + '\n{"uuid": "x"}\n')
    with pytest.raises(ImoveError, match="line 2: .*checked again"):
        ResultsFile(tmp_path)


def test_a_run_repeats_nothing(entries: list[Entry], tmp_path: Path) -> None:
    assert len(entries) == 2
    first = list(check_entries(entries[:1], RUN, ResultsFile(tmp_path)))
    assert [checked.kept for checked in first] == [False]
    second = list(check_entries(entries, RUN, ResultsFile(tmp_path)))
    assert sorted(checked.kept for checked in second) == [False, True]
    assert first[0].result in [checked.result for checked in second]
    assert len(ResultsFile(tmp_path).results) == 2


def test_more_trials_are_a_new_question_for_what_is_grasped(entries: list[Entry], tmp_path: Path) -> None:
    list(check_entries(entries, RUN, ResultsFile(tmp_path)))
    more = replace(RUN, trials=TRIALS + 1)
    kept = {
        checked.result.grasps is None: checked.kept for checked in check_entries(entries, more, ResultsFile(tmp_path))
    }
    assert kept[False] is False


def test_a_changed_asset_is_checked_again(entries: list[Entry], tmp_path: Path) -> None:
    file = ResultsFile(tmp_path)
    for checked in check_entries(entries[:1], RUN, file):
        file.add(checked.result.model_copy(update={"content_hash": "b" * 64}))
    assert [checked.kept for checked in check_entries(entries[:1], RUN, file)] == [False]


def test_figures_add_up() -> None:
    results = [made("a", 10), made("b", 3, passed=False), made("c", None, holds=False, category="tray")]
    summary = summarise(results)
    assert (summary.assets, summary.passed, summary.graspable) == (3, 2, 2)
    assert (summary.trials, summary.held, summary.failures) == (20, 13, (("slipped", 7),))
    assert (summary.poses, summary.poses_holding) == (3, 2)
    assert [result.name for result in summary.unstable] == ["c"]
    assert [result.name for result in summary.worst] == ["b"]
    assert sum(summary.distribution) == 2
    assert (summary.distribution[-1], summary.distribution[3 * BINS // 10]) == (1, 1)
    mug, tray = summary.categories
    assert (mug.name, mug.assets, mug.passed, mug.mean_share, mug.worst_share) == ("mug", 2, 1, 0.65, 0.3)
    assert (tray.graspable, tray.passed) == (0, 1)


def test_the_page_needs_nothing_else_and_escapes_what_it_is_told(entries: list[Entry], tmp_path: Path) -> None:
    evil = made("<script>alert(1)</script>", 3, passed=False, uuid=entries[0].uuid)
    page = write_report([evil, made("a", 10)], {entries[0].uuid: entries[0]}, {"rig": "piperx_dual"}, tmp_path)
    text = page.read_text()
    assert "<script" not in text and "&lt;script&gt;" in text
    assert not re.search(r"""(src|href)=["'](?!data:)""", text)
    assert text.count("data:image/jpeg") == 1
    assert "1 / 2" in text and "held too seldom" in text


def test_the_command_tells_failures_and_is_strict_only_when_asked(tmp_path: Path) -> None:
    runner = CliRunner()
    arguments = ["check", "--generated", "1", "--category", "coaster", "--trials", "2", "--workers", "1"]
    first = runner.invoke(app, [*arguments, "--strict", "--out", str(tmp_path)])
    assert first.exit_code == 0, first.output
    assert "1 of 1 objects pass (0 known from before)" in first.output
    line = json.loads((tmp_path / "results.jsonl").read_text())
    (tmp_path / "results.jsonl").write_text(json.dumps(line | {"passed": False, "reason": "looks odd"}) + "\n")
    again = runner.invoke(app, [*arguments, "--out", str(tmp_path)])
    assert again.exit_code == 0, again.output
    assert "looks odd" in again.output and "0 of 1 objects pass (1 known from before)" in again.output
    assert runner.invoke(app, [*arguments, "--strict", "--out", str(tmp_path)]).exit_code == 1
    assert (tmp_path / "report" / "index.html").is_file()
