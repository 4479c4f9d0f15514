"""Bags that were cut, killed or damaged: what is whole comes back, and the source stays as it is."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter

import numpy as np
import pytest
from rosbags.highlevel import AnyReader

from imove_core.bag.errors import BagError
from imove_core.bag.mcap_index import read_index
from imove_core.bag.reader import EpisodeBag
from imove_core.bag.recover import recover
from imove_core.bag.verify import verify
from imove_core.bag.writer import WriterSettings

from .bag_episode import write_episode

CHILD = """
import os, sys, time
from pathlib import Path
from imove_core.bag.queue import QueuedWriter
from imove_core.bag.topics import BagTopic
from imove_core.bag.types import message_types
from imove_core.bag.writer import BagWriter, WriterSettings
from imove_core.contract import Qos

types, text, period = message_types(), "std_msgs/msg/String", 1 / 30
cdr = {"/slow": types.serialize(types.make(text, data="s"), text),
       "/fast": types.serialize(types.make(text, data="f" * 300_000), text)}
topics = [BagTopic(name, text, Qos(5)) for name in sys.argv[3:]]
settings = WriterSettings(sys.argv[2], reserve_bytes=0)
facts = {"episode_id": "7", "instruction": "lift it"}
queued = QueuedWriter(BagWriter(Path(sys.argv[1]), topics, settings, facts, "lift it", types))
queued.attach("spec.json", b"{}", "application/json")
while True:
    now = time.time_ns()
    for name in sys.argv[3:]:
        queued.put(name, cdr[name], now, now)
    os.write(1, b"%d\\n" % now)
    time.sleep(period)
"""


@pytest.mark.parametrize(
    ("compression", "topics"), [("none", ["/slow"]), ("none", ["/slow", "/fast"]), ("zstd", ["/slow", "/fast"])]
)
def test_killed_recording_loses_the_last_second_at_most(tmp_path, compression, topics):
    bag = tmp_path / "task" / "episode_000007"
    command = [sys.executable, "-c", CHILD, str(bag), compression, *topics]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        first_ns = int(child.stdout.readline())
        while time.time_ns() - first_ns < 2_500_000_000:
            child.stdout.readline()
        os.kill(child.pid, signal.SIGKILL)
        told = [first_ns, *map(int, child.stdout.read().split())]
    partial = tmp_path / "task" / ".partial" / "episode_000007"
    before = {path: path.read_bytes() for path in partial.iterdir()}

    recovery = recover(partial)

    assert {path: path.read_bytes() for path in partial.iterdir()} == before
    saved = EpisodeBag(tmp_path / "task" / "episode_000007_recovered")
    assert recovery.summary.folder == saved.path
    for name in topics:
        times = [message.log_time_ns for message in saved.messages([name])]
        assert times[0] == first_ns
        # Half a second between flushes, a quarter for an idle queue, and the time that a flush takes here.
        assert told[-1] - times[-1] < 1_000_000_000
        assert np.diff(times).min() > 0
    assert saved.custom_data["episode_id"] == "7"
    assert saved.task == "lift it"
    assert saved.attachments == {"spec.json": b"{}"}
    missing = json.loads(saved.custom_data["recovered_from"])
    assert missing["file"] == "episode_000007/episode_000007_0.mcap"
    assert missing["missing_attachments"] == ["rig.json", "labels.json", "provenance.json"]
    with AnyReader([saved.path]) as reader:
        assert reader.message_count == recovery.messages


def damaged(folder, content, name="episode_000123"):
    """A bag whose file has other bytes, beside its former metadata."""
    (folder / f"{name}_0.mcap").write_bytes(content)
    return folder


def must_answer(folder, file):
    """Reads, verifies and recovers; returns the messages that came back, or None, and the faults."""
    before = file.read_bytes()
    stamp = file.stat().st_mtime_ns
    for path in (folder, file):
        try:
            bag = EpisodeBag(path)
            sum(1 for _ in bag.decoded())
            assert isinstance(bag.attachments, dict)
        except BagError as error:
            assert str(path) in str(error) or str(file) in str(error)
    faults = verify(file)
    assert all("\n" not in fault for fault in faults)
    out = folder.parent / "out"
    shutil.rmtree(out, ignore_errors=True)
    try:
        recovery = recover(file, out)
    except BagError as error:
        assert "nothing can be recovered from" in str(error)
        assert not out.exists()
        back = None
    else:
        back = [(message.topic, message.log_time_ns, message.cdr) for message in EpisodeBag(out).messages_as_written()]
        assert len(back) == recovery.messages
    assert (file.read_bytes(), file.stat().st_mtime_ns) == (before, stamp)
    return back, faults


@pytest.fixture(scope="module", params=["none", "zstd"])
def small_bag(request, tmp_path_factory, rig, types):
    """A bag of few steps, its bytes and its messages."""
    folder = tmp_path_factory.mktemp(request.param) / "episode_000123"
    settings = WriterSettings(request.param, chunk_bytes=30_000, flush_s=float("inf"), reserve_bytes=0)
    write_episode(folder, rig, types, settings, steps=6)
    messages = [
        (message.topic, message.log_time_ns, message.cdr) for message in EpisodeBag(folder).messages_as_written()
    ]
    return folder, (folder / "episode_000123_0.mcap").read_bytes(), messages


def test_cut_anywhere_gives_all_messages_before_the_cut(tmp_path, small_bag):
    source, content, messages = small_bag
    folder = shutil.copytree(source, tmp_path / source.name)
    rng = np.random.default_rng(20)
    saved = []
    for cut in sorted(rng.integers(0, len(content), 100).tolist()):
        back, faults = must_answer(damaged(folder, content[:cut]), folder / "episode_000123_0.mcap")
        assert faults
        saved.append(len(back or ()))
        assert (back or []) == messages[: saved[-1]]
    assert saved == sorted(saved)
    assert (saved[0], saved[-1]) == (0, len(messages))


def test_flipped_bytes_cost_no_more_than_their_chunk(tmp_path, small_bag):
    source, content, messages = small_bag
    folder = shutil.copytree(source, tmp_path / source.name)
    rng = np.random.default_rng(21)
    index = read_index(source / "episode_000123_0.mcap")
    most = max(sum(1 for _ in index.read(block)) for block in index.blocks)
    for _ in range(60):
        changed = bytearray(content)
        at = int(rng.integers(8, len(content)))
        changed[at] ^= int(rng.integers(1, 256))
        back, _ = must_answer(damaged(folder, bytes(changed)), folder / "episode_000123_0.mcap")
        contents = Counter(cdr for _, _, cdr in back or ())
        # A name of a topic may be damaged outside chunks; what is in a message never is.
        assert contents <= Counter(cdr for _, _, cdr in messages)
        assert contents.total() >= len(messages) - most


def test_noise_is_answered(tmp_path, small_bag):
    source, content, _ = small_bag
    folder = shutil.copytree(source, tmp_path / source.name)
    rng = np.random.default_rng(22)
    for _ in range(20):
        changed = np.frombuffer(content, np.uint8).copy()
        places = rng.integers(0, len(content), int(rng.integers(2, 200)))
        changed[places] = rng.integers(0, 256, len(places))
        must_answer(damaged(folder, changed.tobytes()), folder / "episode_000123_0.mcap")
    assert must_answer(damaged(folder, rng.bytes(50_000)), folder / "episode_000123_0.mcap")[0] is None
    assert must_answer(damaged(folder, b""), folder / "episode_000123_0.mcap")[0] is None


def test_whole_bag_comes_back_whole(tmp_path, whole_bag):
    recovery = recover(whole_bag, tmp_path / "copy")
    assert (recovery.lost_bytes, recovery.lost_messages, recovery.missing_topics) == (0, 0, ())
    assert verify(tmp_path / "copy") == []
    assert list(EpisodeBag(tmp_path / "copy").messages()) == list(EpisodeBag(whole_bag).messages())
    assert EpisodeBag(tmp_path / "copy").topics == EpisodeBag(whole_bag).topics


def test_wrong_length_of_a_chunk_costs_nothing(tmp_path, small_bag):
    source, content, messages = small_bag
    folder = shutil.copytree(source, tmp_path / source.name)
    at = content.index(b"\x06", content.index(b"serialized_metadata"))
    while int.from_bytes(content[at + 1 : at + 9], "little") > len(content):
        at = content.index(b"\x06", at + 1)
    changed = bytearray(content)
    changed[at + 1] ^= 0x40
    back, _ = must_answer(damaged(folder, bytes(changed)), folder / "episode_000123_0.mcap")
    assert back == messages


def test_missing_topics_are_told(tmp_path, rig, types):
    write_episode(
        tmp_path / "bag", rig, types, change=lambda *entry: [] if entry[0] == "/tf_static" else [entry], steps=2
    )
    recovery = recover(tmp_path / "bag")
    assert recovery.missing_topics == ("/tf_static",)
    saved = EpisodeBag(tmp_path / "bag_recovered")
    assert json.loads(saved.custom_data["recovered_from"])["missing_topics"] == ["/tf_static"]


def test_what_cannot_be_recovered_is_named(tmp_path, whole_bag):
    with pytest.raises(BagError, match="bag .*/nothing does not exist"):
        recover(tmp_path / "nothing")
    with pytest.raises(BagError, match=r"has no \.mcap file; nothing can be recovered"):
        recover(tmp_path)
    with pytest.raises(BagError, match="cannot be written over its source"):
        recover(whole_bag, whole_bag)
    (tmp_path / "taken").mkdir()
    with pytest.raises(BagError, match="bag .*/taken exists already"):
        recover(whole_bag, tmp_path / "taken")


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("task/.partial/bag", "task/bag_recovered"),
        ("task/.partial/bag/bag_0.mcap", "task/bag_recovered"),
        ("task/bag", "task/bag_recovered"),
        ("task/bag/bag_0.mcap", "task/bag_recovered"),
        ("task/single.mcap", "task/single_recovered"),
    ],
)
def test_recovered_bag_lies_beside_its_source(tmp_path, rig, types, source, target):
    place = tmp_path / source
    written = write_episode(tmp_path / "first" / "bag", rig, types, steps=1).folder
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(written, place) if place.suffix != ".mcap" else shutil.copy(written / "bag_0.mcap", place)
    assert recover(place).summary.folder == tmp_path / target
