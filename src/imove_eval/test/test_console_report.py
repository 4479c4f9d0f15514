"""What a person sees of a run."""

import io

import pytest
from rich.console import Console

from imove_analysis.chance import chance_level
from imove_analysis.records import POLICY_LOST, Execution, make_record
from imove_analysis.summary import summarise
from imove_analysis.testing import make_execution, make_score, make_spec
from imove_eval.console_report import ConsoleReporter
from imove_tasks.stages import PICK_STAGES, PLACE_STAGES, EpisodeScore, StageEvent

NAMES = {"asset_0": "red mug", "asset_1": "banana [ripe]", "asset_2": "tape"}


@pytest.fixture
def console():
    """A console that keeps what is printed."""
    return Console(record=True, width=160, file=io.StringIO())


@pytest.fixture
def reporter(console):
    """A reporter on that console."""
    return ConsoleReporter(console, NAMES.__getitem__, "pick [all], normal", "runs/[1]")


def test_episode_line(reporter, console):
    events = [("strict", "reach", "object_1"), ("strict", "reach", "object_0"), ("reference", "reach", "object_0")]
    record = make_record(make_spec(), "normal", 0, make_execution(make_score(*events)))
    reporter.episode(7, 100, make_spec(), record)
    line = console.export_text().splitlines()
    assert line == [
        '  7/100  "pick up the mug"  reached first: banana [ripe]  strict reach yes lift no   '
        "reference reach yes lift no "
    ]


def test_nothing_reached(reporter, console):
    reporter.episode(1, 1, make_spec(), make_record(make_spec(), "normal", 0, make_execution()))
    assert "reached first: nothing  strict reach no " in console.export_text()


def test_brackets_in_texts_are_shown_as_they_are(reporter, console):
    spec = make_spec(text="pick [bold]the mug[/]")
    reporter.episode(
        1, 1, spec, make_record(spec, "normal", 0, make_execution(prompt=spec.instructions["normal"].text))
    )
    reporter.episode(1, 1, spec, make_record(spec, "normal", 0, Execution("aborted: row [0, 1]", None)))
    text = console.export_text()
    assert '"pick [bold]the mug[/]"' in text
    assert "aborted: row [0, 1]" in text


def test_other_text_received_is_said(reporter, console):
    reporter.episode(1, 1, make_spec(), make_record(make_spec(), "normal", 0, make_execution(prompt="")))
    assert "the policy received another text" in console.export_text()


def test_aborted_episode(reporter, console):
    reporter.episode(1, 2, make_spec(), make_record(make_spec(), "normal", 0, Execution(POLICY_LOST, None)))
    assert console.export_text() == '1/2  "pick up the mug"  aborted: policy lost\n'


def test_start(reporter, console):
    reporter.started(100, 0)
    reporter.started(100, 40)
    assert (
        console.export_text()
        == "pick [all], normal: 100 episodes\npick [all], normal: 100 episodes, 40 finished before\n"
    )


def test_table(reporter, console, rig):
    specs = [make_spec(index) for index in range(4)]
    score = make_score(("strict", "reach", "object_0"), ("reference", "reach", "object_0"), first_contact="object_0")
    records = [make_record(spec, "normal", 0, make_execution(score)) for spec in specs]
    reporter.summary(summarise(records, chance_level(rig, specs, "normal")))
    lines = console.export_text().splitlines()
    rows = {}
    for line in lines:
        if line.startswith("│"):
            name, *cells = (cell.strip() for cell in line.strip("│").split("│"))
            rows[name] = cells
    assert rows["Reach (strict)"] == ["4/4", "1.000", "0.510 - 1.000", "0.333"]
    assert rows["Lift (strict)"] == ["0/4", "0.000", "0.000 - 0.490", "0.333"]
    assert rows["S_pick (strict)"] == ["", "0.500", "0.150 - 0.850", "0.333"]
    assert set(rows) == {
        *(f"{name} ({rubric})" for name in ("Reach", "Lift", "S_pick") for rubric in ("strict", "reference")),
        "First contact is the target",
        "Prompt received as sent",
    }
    assert lines[0].strip() == "pick [all], normal"
    assert lines[-2:] == ["written: runs/[1]", "as a page: ./imove report 'runs/[1]'"]


def test_places_have_their_own_rows(reporter, console):
    events = tuple(
        StageEvent("strict", stage, "object_0", True, 1, 0.03, "" if stage in PICK_STAGES else "object_1")
        for stage in PLACE_STAGES[:3]
    )
    score = EpisodeScore("object_0", events, None, 300, "object_1", PLACE_STAGES)
    record = make_record(make_spec(), "normal", 0, make_execution(score))
    reporter.episode(1, 1, make_spec(), record)
    reporter.summary(summarise([record], {"strict": {"place": 0.25, "s_pnp": 0.3}}))
    text = console.export_text()
    assert "strict reach yes lift yes reach_place yes place no" in text
    rows = {line.split("│")[1].strip(): line.split("│")[2:-1] for line in text.splitlines() if line.startswith("│")}
    cells = {name: [cell.strip() for cell in row] for name, row in rows.items()}
    assert cells["ReachPlace (strict)"][:2] == ["1/1", "1.000"]
    assert cells["Place (strict)"] == ["0/1", "0.000", "0.000 - 0.793", "0.250"]
    assert cells["S_pnp (strict)"][1::2] == ["0.750", "0.300"]
    assert "then to one random destination" in text
