from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from imove_core.errors import ImoveError
from imove_datasets.mixing import make_plan
from imove_datasets.mixing_file import PARQUET_KEY, write_plan
from imove_datasets.mixing_sources import PARAPHRASES, read_source

TASKS = ["pick up the mug", "grasp the bowl"]


def write_v2(folder: Path, lengths: list[int]) -> Path:
    meta = folder / "meta"
    meta.mkdir(parents=True)
    (meta / "info.json").write_text(json.dumps({"codebase_version": "v2.1", "total_episodes": len(lengths)}))
    rows = [{"episode_index": n, "tasks": [TASKS[n % 2]], "length": length} for n, length in enumerate(lengths)]
    (meta / "episodes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def write_v3(folder: Path, lengths: list[int]) -> Path:
    chunk = folder / "meta" / "episodes" / "chunk-000"
    chunk.mkdir(parents=True)
    (folder / "meta" / "info.json").write_text(json.dumps({"codebase_version": "v3.0", "total_episodes": len(lengths)}))
    half = len(lengths) // 2
    for file, numbers in enumerate((range(half), range(half, len(lengths)))):
        table = pa.table(
            {
                "episode_index": list(numbers),
                "tasks": [[TASKS[n % 2]] for n in numbers],
                "length": [lengths[n] for n in numbers],
            }
        )
        pq.write_table(table, chunk / f"file-{file:03d}.parquet")
    return folder


@pytest.mark.parametrize("write", [write_v2, write_v3])
def test_both_layouts_say_the_same(tmp_path: Path, write) -> None:
    source = read_source(write(tmp_path / "data", [5, 3, 8]), 2)
    assert [episode.length for episode in source.episodes] == [5, 3, 8]
    assert [episode.texts for episode in source.episodes] == [(TASKS[0],), (TASKS[1],), (TASKS[0],)]
    assert (source.weight, source.frames) == (2, 16)


def test_paraphrases_of_an_export_are_offered(tmp_path: Path) -> None:
    folder = write_v2(tmp_path / "data", [5, 3])
    (folder / PARAPHRASES).write_text(json.dumps({"episode_index": 1, "texts": ["a", "b"]}) + "\n")
    assert [episode.texts for episode in read_source(folder, 1).episodes] == [(TASKS[0],), ("a", "b")]


def test_json_and_parquet_hold_the_same_plan(tmp_path: Path) -> None:
    sources = [read_source(write_v2(tmp_path / "sim", [6, 4]), 3), read_source(write_v3(tmp_path / "real", [2, 3]), 1)]
    plan = make_plan(sources, seed=5)
    write_plan(plan, tmp_path / "plan.json")
    write_plan(plan, tmp_path / "plan.parquet")
    record = json.loads((tmp_path / "plan.json").read_text())
    table = pq.read_table(tmp_path / "plan.parquet")
    draws = record.pop("draws")
    assert table.to_pydict() == draws
    assert json.loads(table.schema.metadata[PARQUET_KEY]) == record
    assert [source["draws"] for source in record["sources"]] == [15, 5]
    starts = ([0, 6], [0, 2])
    for source, episode, frame, index in zip(*draws.values(), strict=True):
        assert index == starts[source][episode] + frame
    assert sorted(path.name for path in tmp_path.iterdir()) == ["plan.json", "plan.parquet", "real", "sim"]


def test_another_ending_is_refused(tmp_path: Path) -> None:
    plan = make_plan([read_source(write_v2(tmp_path / "sim", [2]), 1)])
    with pytest.raises(ImoveError, match=r"\.json or \.parquet"):
        write_plan(plan, tmp_path / "plan.csv")


def damage(folder: Path, kind: str) -> None:
    meta = folder / "meta"
    match kind:
        case "lacks meta/info.json":
            (meta / "info.json").unlink()
        case "not readable JSON":
            (meta / "info.json").write_text("{")
        case "has layout v1.6":
            (meta / "info.json").write_text('{"codebase_version": "v1.6"}')
        case "lacks meta/episodes.jsonl":
            (meta / "episodes.jsonl").unlink()
        case "line 1 is not JSON":
            (meta / "episodes.jsonl").write_text("nonsense\n")
        case "lacks a readable episode_index":
            (meta / "episodes.jsonl").write_text('{"episode_index": 0}\n')
        case "counts 2 episodes, 1 are listed":
            lines = (meta / "episodes.jsonl").read_text().splitlines()
            (meta / "episodes.jsonl").write_text(lines[0] + "\n")
        case "lists an episode_index twice":
            lines = (meta / "episodes.jsonl").read_text().splitlines()
            (meta / "episodes.jsonl").write_text(f"{lines[0]}\n{lines[0]}\n")


@pytest.mark.parametrize(
    "kind",
    [
        "lacks meta/info.json",
        "not readable JSON",
        "has layout v1.6",
        "lacks meta/episodes.jsonl",
        "line 1 is not JSON",
        "lacks a readable episode_index",
        "counts 2 episodes, 1 are listed",
        "lists an episode_index twice",
    ],
)
def test_damaged_data_sets_are_named(tmp_path: Path, kind: str) -> None:
    folder = write_v2(tmp_path / "data", [5, 3])
    damage(folder, kind)
    with pytest.raises(ImoveError, match=kind.replace(".", r"\.")):
        read_source(folder, 1)


def test_a_cut_table_is_named(tmp_path: Path) -> None:
    folder = write_v3(tmp_path / "data", [5, 3])
    table = folder / "meta" / "episodes" / "chunk-000" / "file-001.parquet"
    table.write_bytes(table.read_bytes()[:40])
    with pytest.raises(ImoveError, match="not a readable table"):
        read_source(folder, 1)
