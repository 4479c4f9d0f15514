"""`imove bag info`, `verify` and `recover`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from imove_bringup.cli import app
from imove_core.bag import messages
from imove_core.bag.errors import BagError
from imove_core.bag.reader import EpisodeBag
from imove_core.bag.topics import BagTopic
from imove_core.bag.types import message_types
from imove_core.bag.writer import BagWriter, WriterSettings
from imove_core.contract import LATCHED, STEPS

LABELS = {
    "instruction": "lift the mug",
    "target": "mug_0",
    "phases": [
        {"phase": "approach", "first_step": 0, "last_step": 9},
        {"phase": "grasp", "first_step": 10, "last_step": 20},
    ],
}


@pytest.fixture
def bag(tmp_path: Path) -> Path:
    """A small bag of clock and instruction, readable and not complete."""
    types, folder = message_types(), tmp_path / "pick" / "episode_000001"
    topics = [BagTopic("/clock", messages.CLOCK, STEPS), BagTopic("/imove/instruction", messages.STRING, LATCHED)]
    facts = {"episode_id": "7", "note": "two\nlines\x1b[31m"}
    with BagWriter(folder, topics, WriterSettings(reserve_bytes=0), facts, "lift the mug", types) as writer:
        text = messages.string(types, "lift the mug").message
        writer.write("/imove/instruction", types.serialize(text, messages.STRING), 0, 0)
        for step in range(31):
            stamp = step * 100_000_000
            writer.write("/clock", types.serialize(messages.clock(types, stamp).message, messages.CLOCK), stamp, stamp)
        writer.attach("labels.json", json.dumps(LABELS).encode(), "application/json")
        writer.finish({})
    return folder


def run(*words: str | Path):
    return CliRunner().invoke(app, ["bag", *map(str, words)])


def test_info_shows_facts_topics_and_labels(bag: Path) -> None:
    shown = run("info", bag).stdout
    assert "32 messages" in shown
    assert "3.00 s" in shown
    assert "episode_id: 7" in shown
    assert r"note: two\nlines\x1b[31m" in shown
    assert [line.split() for line in shown.splitlines() if "/clock" in line] == [
        ["/clock", "31", "10.0", "Hz", "rosgraph_msgs/msg/Clock"]
    ]
    assert any("/imove/instruction" in line and line.endswith("latched") for line in shown.splitlines())
    assert "phases: approach 0-9, grasp 10-20" in shown


def test_info_as_json(bag: Path) -> None:
    described = json.loads(run("info", bag, "--json").stdout)
    assert described["task"] == "lift the mug"
    assert described["labels"] == LABELS
    assert {topic["topic"]: topic["messages"] for topic in described["topics"]} == {
        "/clock": 31,
        "/imove/instruction": 1,
    }
    assert described["attachments"] == {"labels.json": len(json.dumps(LABELS))}


def test_verify_looks_below_folders_and_fails_on_faults(bag: Path, tmp_path: Path) -> None:
    result = run("verify", tmp_path)
    assert result.exit_code == 1
    assert f"{bag}: attachment rig.json is missing" in result.stdout
    assert result.stdout.splitlines()[-1] == "1 bags, 1 with faults"
    (row,) = json.loads(run("verify", bag, "--json").stdout)
    assert row["bag"] == str(bag)
    assert "attachment spec.json is missing" in row["faults"]


def test_recover_saves_a_cut_bag(bag: Path, tmp_path: Path) -> None:
    file = bag / "episode_000001_0.mcap"
    content = file.read_bytes()
    cut = tmp_path / "cut.mcap"
    cut.write_bytes(content[:-200])
    result = run("recover", cut, "--out", tmp_path / "saved")
    assert result.exit_code == 0, result.output
    assert f"32 messages in {tmp_path / 'saved'}" in result.stdout
    assert "missing attachments: spec.json, rig.json, provenance.json" in result.stdout
    assert EpisodeBag(tmp_path / "saved").message_counts == EpisodeBag(bag).message_counts


@pytest.mark.parametrize("verb", ["info", "verify", "recover"])
def test_what_is_no_bag_is_refused(tmp_path: Path, verb: str) -> None:
    result = run(verb, tmp_path / "nothing")
    assert isinstance(result.exception, BagError)
    assert str(result.exception) == f"bag {tmp_path / 'nothing'} does not exist"
