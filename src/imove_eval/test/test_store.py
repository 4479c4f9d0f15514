"""The output folder: resuming, damage, other runs, full disks, two runs at once."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from imove_analysis.records import POLICY_LOST, Execution, make_record
from imove_analysis.runs import EPISODES, PROVENANCE, SUITE
from imove_analysis.testing import make_execution, make_spec
from imove_core.canonical import canonical_json
from imove_core.errors import ImoveError
from imove_eval.output_folder import check_free_space, lock_folder
from imove_eval.store import ABORTED, RunStore, check_resumable
from imove_tasks.suites import Suite, open_suite


@pytest.fixture
def record():
    """Makes the record of episode `index`."""

    def make(index, text="pick up the mug", **changes):
        return make_record(make_spec(index, text=text), "normal", 0, make_execution(prompt=text, **changes))

    return make


@pytest.fixture
def aborted():
    """The record of an aborted episode 0."""
    return make_record(make_spec(0), "normal", 0, Execution(POLICY_LOST, None, message="the policy node was lost"))


def lines(folder, name=EPISODES):
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def test_resuming_keeps_what_is_finished(tmp_path, settings, record):
    store = RunStore(tmp_path / "run", settings, {"revision": "abc"})
    store.append(record(0))
    store.append(record(1))
    again = RunStore(tmp_path / "run", settings, {"revision": "def"})
    assert again.records == [record(0), record(1)]
    assert again.done == {"test/scene/000/normal", "test/scene/001/normal"}
    provenance = json.loads((tmp_path / "run" / PROVENANCE).read_text())
    assert provenance == {"settings": settings.to_record(), "revision": "abc"}


@pytest.mark.parametrize("text", ["pick up the mug", "prends la tasse de café"])
def test_writer_killed_in_the_middle_of_a_line(tmp_path, settings, record, text):
    RunStore(tmp_path, settings, {}).append(record(0))
    whole = (tmp_path / EPISODES).read_bytes()
    line = (canonical_json(record(1, text)) + "\n").encode()
    for cut in range(len(line)):
        (tmp_path / EPISODES).write_bytes(whole + line[:cut])
        store = RunStore(tmp_path, settings, {})
        assert store.records == [record(0)]
        assert (tmp_path / EPISODES).read_bytes() == whole
    store.append(record(1, text))
    assert lines(tmp_path) == [record(0), record(1, text)]


def test_aborted_episodes_are_set_aside(tmp_path, settings, record, aborted):
    store = RunStore(tmp_path, settings, {})
    store.append(record(1))
    store.append(aborted)
    assert store.done == {record(1)["episode_id"]}
    assert lines(tmp_path) == [record(1), aborted]
    again = RunStore(tmp_path, settings, {})
    assert again.done == {record(1)["episode_id"]}
    assert lines(tmp_path) == [record(1)]
    assert lines(tmp_path, ABORTED) == [aborted]


def test_damaged_line_is_named(tmp_path, settings, record):
    RunStore(tmp_path, settings, {}).append(record(0))
    for damaged in (b"\x00\xff\n", b"[1]\n", b'{"episode_id":"a"}\n'):
        path = tmp_path / EPISODES
        whole = path.read_bytes()
        path.write_bytes(whole + damaged)
        with pytest.raises(ImoveError, match=rf"{EPISODES} line 2 is damaged; remove the line"):
            RunStore(tmp_path, settings, {})
        path.write_bytes(whole)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"seed": 1}, "its seed is 0, this run's is 1"),
        ({"policy": "hold"}, "its policy is 'expert', this run's is 'hold'"),
        ({"image_size": (640, 480)}, r"its image_size is \[224, 224\], this run's is \[640, 480\]"),
    ],
)
def test_folder_of_another_run_is_refused(tmp_path, settings, change, said):
    RunStore(tmp_path, settings, {})
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(ImoveError, match=f"holds another run: {said}; give another folder"):
        RunStore(tmp_path, replace(settings, **change), {})
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"settings": 3}', "null"])
def test_damaged_provenance_is_named(tmp_path, settings, damage):
    (tmp_path / PROVENANCE).write_text(damage)
    with pytest.raises(ImoveError, match=f"{PROVENANCE} is damaged; give another folder"):
        check_resumable(tmp_path, settings)


def test_what_is_no_run_is_refused(tmp_path, settings):
    (tmp_path / "file").write_text("")
    with pytest.raises(ImoveError, match="file is a file; a folder is needed"):
        check_resumable(tmp_path / "file", settings)
    (tmp_path / EPISODES).write_text("")
    with pytest.raises(ImoveError, match=f"has {EPISODES} without {PROVENANCE}"):
        check_resumable(tmp_path, settings)


def test_folders_that_do_not_exist_yet_can_be_used(tmp_path, settings):
    check_resumable(tmp_path / "a" / "b", settings)
    assert not (tmp_path / "a").exists()


def test_sorting_keeps_everything(tmp_path, settings, record):
    store = RunStore(tmp_path, settings, {})
    for index in (3, 1, 0, 2):
        store.append(record(index))
    # Episode 3 was asked for by an earlier call only.
    store.sort([record(index)["episode_id"] for index in (0, 1, 2)])
    assert lines(tmp_path) == store.records == [record(index) for index in (0, 1, 2, 3)]


def test_simulator_is_noted_once(tmp_path, settings):
    store = RunStore(tmp_path, settings, {"runtime": "ros"})
    store.note_simulator({})
    assert "simulator" not in json.loads((tmp_path / PROVENANCE).read_text())
    store.note_simulator({"engine": "first"})
    store.note_simulator({"engine": "first", "renderer": "later"})
    noted = json.loads((tmp_path / PROVENANCE).read_text())
    assert (noted["simulator"], noted["runtime"]) == ({"engine": "first"}, "ros")
    check_resumable(tmp_path, settings)


FILLS_THE_DISK = """
import json, resource, sys
from pathlib import Path
from imove_core.errors import ImoveError
from imove_eval.settings import RunSettings
from imove_eval.store import RunStore

folder, settings, record, limit = Path(sys.argv[1]), json.loads(sys.argv[2]), json.loads(sys.argv[3]), int(sys.argv[4])
store = RunStore(folder, RunSettings(**settings | {"image_size": tuple(settings["image_size"])}), {})
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    for index in range(1000):
        store.append(record | {"episode_id": str(index)})
except ImoveError as error:
    print(len(store.records), error)
"""


def test_full_disk_leaves_whole_lines(tmp_path, settings, record):
    limit = 10_000
    arguments = [str(tmp_path), json.dumps(settings.to_record()), json.dumps(record(0)), str(limit)]
    child = subprocess.run(
        [sys.executable, "-c", FILLS_THE_DISK, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=True,
        timeout=60,
    )
    count, _, message = child.stdout.strip().partition(" ")
    assert message == f"output {tmp_path} cannot be written: file too large"
    written = lines(tmp_path)
    assert [item["episode_id"] for item in written] == [str(index) for index in range(int(count))]
    size = (tmp_path / EPISODES).stat().st_size
    assert limit - 2 * size // len(written) < size <= limit
    assert RunStore(tmp_path, settings, {}).records == written


def test_folder_that_cannot_be_made(tmp_path, settings):
    (tmp_path / "file").write_text("")
    with pytest.raises(ImoveError, match="cannot be written: not a directory"):
        RunStore(tmp_path / "file" / "run", settings, {})


def test_one_run_at_a_time(tmp_path):
    folder = tmp_path / "run"
    with lock_folder(folder):
        with pytest.raises(ImoveError, match="is in use by another run; wait for it or give another folder"):
            with lock_folder(folder):
                pass
    with lock_folder(folder):
        assert folder.is_dir()


def test_free_space_is_that_of_the_folder_above(tmp_path):
    check_free_space(tmp_path / "a" / "b", needed_bytes=1)
    with pytest.raises(ImoveError, match=r"its disk has \d+ MB free; a run needs 1000000000000 MB"):
        check_free_space(tmp_path / "a" / "b", needed_bytes=10**18)


@pytest.fixture
def traced():
    """Makes the record of episode `index` whose control steps are kept."""
    return lambda index: make_record(make_spec(index), "normal", 0, make_execution(trace=b"steps"))


def files_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_control_steps_are_written_where_the_record_says(tmp_path, settings, traced, record):
    store = RunStore(tmp_path, settings, {})
    store.append(traced(0), b"steps of 0")
    store.append(record(1))
    assert [found["trace"] for found in lines(tmp_path)] == ["traces/test/scene/000/normal.npz", None]
    assert (tmp_path / "traces/test/scene/000/normal.npz").read_bytes() == b"steps of 0"
    assert files_in(tmp_path / "traces") == ["test/scene/000/normal.npz"]
    RunStore(tmp_path, settings, {})
    assert files_in(tmp_path / "traces") == ["test/scene/000/normal.npz"]


def test_control_steps_of_aborted_episodes_are_not_kept(tmp_path, settings):
    lost = make_record(make_spec(0), "normal", 0, Execution(POLICY_LOST, None, trace=b"steps"))
    RunStore(tmp_path, settings, {}).append(lost, b"steps")
    assert not (tmp_path / "traces").exists()


def test_traces_that_a_kill_left_without_a_record_are_removed(tmp_path, settings, traced):
    RunStore(tmp_path, settings, {}).append(traced(0), b"steps of 0")
    folder = tmp_path / "traces/test/scene/001"
    folder.mkdir()
    (folder / "normal.npz").write_bytes(b"steps of 1")
    (folder / ".alternative.npz.partial").write_bytes(b"ste")
    RunStore(tmp_path, settings, {})
    assert files_in(tmp_path / "traces") == ["test/scene/000/normal.npz"]


def test_copy_of_the_suite(tmp_path, settings):
    suite = Suite("test/scene", 0, "snapshot", (make_spec(0), make_spec(1)))
    store = RunStore(tmp_path, settings, {})
    store.keep_suite(suite)
    assert open_suite(str(tmp_path / SUITE)) == suite
    written = (tmp_path / SUITE).stat().st_mtime_ns
    store.keep_suite(suite)
    assert (tmp_path / SUITE).stat().st_mtime_ns == written


def test_details_must_be_those_of_the_run(tmp_path, settings):
    RunStore(tmp_path, settings, {"details": {"safety_hash": "a", "control_rate_hz": 30}})
    RunStore(tmp_path, settings, {"details": {"safety_hash": "a", "said_by_a_newer_version": 1}})
    with pytest.raises(ImoveError, match="its safety_hash was 'a', now it is 'b'"):
        RunStore(tmp_path, settings, {"details": {"safety_hash": "b"}})


def test_a_run_without_details_goes_on(tmp_path, settings, record):
    RunStore(tmp_path, settings, {}).append(record(0))
    assert len(RunStore(tmp_path, settings, {"details": {"safety_hash": "a"}}).records) == 1


@pytest.mark.parametrize(("key", "value"), [("engine", "mujoco 5"), ("renderer", "another")])
def test_a_run_does_not_go_on_with_another_simulator(tmp_path, settings, key, value):
    facts = {"engine": "mujoco 4", "renderer": "this"}
    RunStore(tmp_path, settings, {}).note_simulator(facts)
    store = RunStore(tmp_path, settings, {})
    store.note_simulator(facts | {"renderer": None})
    with pytest.raises(ImoveError, match=f"its {key} is '{facts[key]}', this run's is '{value}'"):
        store.note_simulator(facts | {key: value})
