"""A bag while it is written, when it is finished, and when it cannot be."""

import os
import subprocess
from pathlib import Path

import pytest
import yaml
from mcap.exceptions import McapError
from mcap.reader import make_reader
from mcap.stream_reader import StreamReader
from mcap_ros2.decoder import DecoderFactory
from rosbags.highlevel import AnyReader

from imove_core.bag.errors import BagError
from imove_core.bag.metadata import qos_from_profiles, qos_profile, yaml_text
from imove_core.bag.reader import EpisodeBag
from imove_core.bag.topics import BagTopic
from imove_core.bag.verify import verify
from imove_core.bag.writer import BagWriter, WriterSettings
from imove_core.contract import Qos

from .bag_episode import FACTS, INSTRUCTION, SETTINGS, attach_all, entries, open_writer, write_episode

TEXT = "std_msgs/msg/String"
TOPIC = BagTopic("/text", TEXT, Qos(depth=3))


def text_writer(folder, types, settings=SETTINGS, topic=TOPIC):
    return BagWriter(folder, [topic], settings, {}, "", types)


def text(types, content="x"):
    return types.serialize(types.make(TEXT, data=content), TEXT)


@pytest.fixture(params=["none", "zstd"])
def bag(request, tmp_path, rig, types):
    settings = WriterSettings(request.param, chunk_bytes=60_000, reserve_bytes=0)
    return write_episode(tmp_path / "task" / "episode_000123", rig, types, settings)


@pytest.mark.parametrize("file", ["", "episode_000123_0.mcap"])
def test_rosbags_reads_folder_and_file(bag, rig, types, file):
    with AnyReader([bag.folder / file]) as reader:
        assert reader.message_count == sum(bag.message_counts.values())
        decoded = [reader.deserialize(raw, connection.msgtype) for connection, _, raw in reader.messages()]
        assert len(decoded) == reader.message_count
        for topic in entries(rig, types, 1):
            (connection,) = [one for one in reader.connections if one.topic == topic[0]]
            assert connection.msgtype == topic[1].type
            assert connection.msgcount == bag.message_counts[topic[0]]
        static, joints = (
            next(one for one in reader.connections if one.topic == name)
            for name in ("/tf_static", "/left/joint_states")
        )
        (latched,) = static.ext.offered_qos_profiles
        (volatile,) = joints.ext.offered_qos_profiles
        assert (latched.depth, latched.durability.name, latched.reliability.name) == (1, "TRANSIENT_LOCAL", "RELIABLE")
        assert (volatile.depth, volatile.durability.name) == (512, "VOLATILE")


def test_hashes_are_in_folder_and_file(bag, types):
    with AnyReader([bag.folder]) as reader:
        assert {one.topic: one.digest for one in reader.connections} == {
            one.topic: types.type_hash(one.msgtype) for one in reader.connections
        }
    with (bag.folder / "episode_000123_0.mcap").open("rb") as file:
        summary = make_reader(file).get_summary()
        assert {one.topic: one.metadata["topic_type_hash"] for one in summary.channels.values()} == {
            one.topic: types.type_hash(summary.schemas[one.schema_id].name) for one in summary.channels.values()
        }


def test_mcap_decodes_everything_with_checksums_on(bag, types):
    with (bag.folder / "episode_000123_0.mcap").open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()], validate_crcs=True)
        assert (reader.get_header().profile, reader.get_summary().statistics.chunk_count > 3) == ("ros2", True)
        counted = dict.fromkeys(bag.message_counts, 0)
        for _, channel, message, _ in reader.iter_decoded_messages():
            assert message.sequence == counted[channel.topic]
            counted[channel.topic] += 1
        assert counted == bag.message_counts
        assert [one.name for one in reader.iter_metadata()] == ["rosbag2", "rosbag2"]
        assert [one.name for one in reader.iter_attachments()][1] == "rig.json"
        file.seek(0)
        assert any(StreamReader(file, validate_crcs=True).records)


def test_metadata_are_those_of_rosbag2(bag):
    described = yaml.safe_load((bag.folder / "metadata.yaml").read_text(encoding="utf-8"))
    information = described["rosbag2_bagfile_information"]
    assert described["task"] == INSTRUCTION
    assert (information["version"], information["storage_identifier"]) == (9, "mcap")
    assert (information["compression_mode"], information["compression_format"]) == ("", "")
    assert information["relative_file_paths"] == ["episode_000123_0.mcap"]
    assert information["custom_data"] == FACTS
    assert information["starting_time"]["nanoseconds_since_epoch"] == bag.span.start_ns
    assert information["duration"]["nanoseconds"] == bag.span.end_ns - bag.span.start_ns
    assert information["files"][0]["message_count"] == information["message_count"]
    with AnyReader([bag.folder]) as reader:
        assert reader.duration == information["duration"]["nanoseconds"] + 1


@pytest.mark.parametrize(
    "value", ["1e5", "true", "12:30", "0o7", "~", "a\nb", 'q"\\', "é\u2028😀", "\x07", "- a", "#", "\x85", ""]
)
def test_texts_of_metadata_stay_texts(tmp_path, types, value):
    facts = {"key": value, value: "false", "instruction": value}
    with BagWriter(tmp_path / "bag", [TOPIC], SETTINGS, facts, value, types) as writer:
        writer.write("/text", text(types), 0, 0)
        writer.finish({})
    bag = EpisodeBag(tmp_path / "bag")
    assert (bag.custom_data, bag.task) == (facts, value)
    assert EpisodeBag(tmp_path / "bag" / "bag_0.mcap").custom_data == facts
    with AnyReader([tmp_path / "bag"]) as reader:
        assert reader.readers[0].storage.metadata.custom == facts


@pytest.mark.parametrize("qos", [Qos(1), Qos(512, latched=True), Qos(5, reliable=False)])
def test_qos_comes_back(qos):
    assert qos_from_profiles(yaml_text([qos_profile(qos)])) == qos


@pytest.mark.parametrize(
    ("profiles", "qos"),
    [
        ("", Qos(10)),
        ("[]", Qos(10)),
        ("{", Qos(10)),
        ("text", Qos(10)),
        ("- {depth: 7, reliability: 2, durability: 1}", Qos(7, latched=True, reliable=False)),
        ("- {depth: 7, reliability: reliable}\n- {depth: 9, reliability: best_effort}", Qos(9, reliable=False)),
    ],
)
def test_qos_of_other_recorders(profiles, qos):
    assert qos_from_profiles(profiles) == qos


def test_same_messages_make_the_same_bytes(tmp_path, rig, types):
    files = [
        write_episode(tmp_path / number / "episode_000123", rig, types).folder / "episode_000123_0.mcap"
        for number in ("1", "2")
    ]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_nothing_is_seen_before_the_bag_is_finished(tmp_path, rig, types):
    folder = tmp_path / "task" / "episode_000123"
    with open_writer(folder, rig, types) as writer:
        for topic, message, stamp in entries(rig, types):
            writer.write(topic, types.serialize(message.message, message.type), stamp, stamp)
        attach_all(writer, rig)
        assert [path.name for path in folder.parent.iterdir()] == [".partial"]
        summary = writer.finish({"success": "false", "stages": "reach"})
    assert [path.name for path in folder.parent.iterdir()] == ["episode_000123"]
    assert sorted(path.name for path in folder.iterdir()) == ["episode_000123_0.mcap", "metadata.yaml"]
    assert EpisodeBag(folder).custom_data == {**FACTS, "success": "false", "stages": "reach"}
    assert summary.file_bytes == (folder / "episode_000123_0.mcap").stat().st_size
    assert verify(folder) == []


def test_messages_larger_than_a_chunk_and_than_a_buffer(tmp_path, types):
    texts = ["", "s" * 20_000, "m" * 200_000, "t", "u" * 16_384]
    with text_writer(tmp_path / "bag", types) as writer:
        for number, content in enumerate(texts):
            writer.write("/text", text(types, content), number, number)
        writer.finish({})
    assert [content.data for _, content in EpisodeBag(tmp_path / "bag").decoded()] == texts


def test_many_large_messages_in_one_chunk(tmp_path, types):
    settings = WriterSettings("none", chunk_bytes=1 << 30, reserve_bytes=0)
    cdr = text(types, "y" * 16_384)
    with text_writer(tmp_path / "bag", types, settings) as writer:
        for number in range(1500):
            writer.write("/text", cdr, number, number)
        writer.finish({})
    assert sum(message.cdr == cdr for message in EpisodeBag(tmp_path / "bag").messages()) == 1500


def test_required_topic_without_a_message_is_refused(tmp_path, rig, types):
    folder = tmp_path / "task" / "episode_000123"
    with open_writer(folder, rig, types) as writer:
        for topic, message, stamp in entries(rig, types):
            if topic not in ("/static_camera/color/camera_info", "/tf_static"):
                writer.write(topic, types.serialize(message.message, message.type), stamp, stamp)
        wanted = "has no message on required topic /static_camera/color/camera_info, /tf_static; what was recorded is"
        with pytest.raises(BagError, match=wanted):
            writer.finish({})
        with pytest.raises(BagError, match=wanted):
            writer.write("/clock", b"", 0, 0)
    assert not folder.exists()
    partial = EpisodeBag(folder.parent / ".partial" / "episode_000123")
    assert partial.message_counts["/left/joint_states"] == 31
    assert "required topic" in partial.custom_data["incomplete"]


def test_an_exception_discards_the_bag(tmp_path, types):
    with pytest.raises(ZeroDivisionError), text_writer(tmp_path / "task" / "bag", types) as writer:
        writer.write("/text", text(types), 0, 0)
        raise ZeroDivisionError
    assert list((tmp_path / "task").iterdir()) == []


def test_leaving_unfinished_discards_the_bag(tmp_path, types):
    with text_writer(tmp_path / "task" / "bag", types):
        pass
    assert list((tmp_path / "task").iterdir()) == []


def test_discarding_leaves_other_unfinished_bags(tmp_path, types):
    one, other = (text_writer(tmp_path / name, types) for name in ("one", "other"))
    one.discard()
    assert [path.name for path in (tmp_path / ".partial").iterdir()] == ["other"]
    with pytest.raises(BagError, match="bag one is discarded; nothing can be added to it"):
        one.write("/text", text(types), 0, 0)
    other.finish({})
    with pytest.raises(BagError, match="bag other is finished"):
        other.attach("name", b"", "text/plain")
    other.discard()
    assert EpisodeBag(tmp_path / "other").message_counts == {"/text": 0}


def test_taken_names_are_refused(tmp_path, types):
    writer = text_writer(tmp_path / "bag", types)
    with pytest.raises(BagError, match=r"unfinished bag .*/\.partial/bag exists; `imove bag recover` saves its"):
        text_writer(tmp_path / "bag", types)
    writer.finish({})
    with pytest.raises(BagError, match="bag .*/bag exists already"):
        text_writer(tmp_path / "bag", types)


def test_name_that_was_taken_meanwhile_is_refused(tmp_path, types):
    writer = text_writer(tmp_path / "bag", types)
    writer.write("/text", text(types), 0, 0)
    (tmp_path / "bag").mkdir()
    (tmp_path / "bag" / "file").touch()
    with pytest.raises(BagError, match="cannot become .*/bag: Directory not empty"):
        writer.finish({})
    assert EpisodeBag(tmp_path / ".partial" / "bag").message_counts == {"/text": 1}


def test_unfinished_bag_is_replaced_on_wish(tmp_path, types):
    text_writer(tmp_path / "bag", types).write("/text", text(types), 0, 0)
    writer = text_writer(tmp_path / "bag", types, WriterSettings(reserve_bytes=0, replace_partial=True))
    writer.finish({})
    assert EpisodeBag(tmp_path / "bag").message_counts == {"/text": 0}


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_folder_that_cannot_be_written_is_named(tmp_path, types):
    tmp_path.chmod(0o500)
    with pytest.raises(BagError, match="cannot be made: Permission denied"):
        text_writer(tmp_path / "bag", types)


def test_parent_that_is_a_file_is_named(tmp_path, types):
    (tmp_path / "file").touch()
    with pytest.raises(BagError, match="cannot be made: "):
        text_writer(tmp_path / "file" / "bag", types)


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (("/other", b"", 0, 0), "bag bag has no topic '/other'; allowed: /text"),
        (("/text", b"", -1, 0), "log time of a message on /text is -1 ns"),
        (("/text", b"", 0, 1 << 63), "publish time of a message on /text is 9223372036854775808 ns"),
    ],
)
def test_messages_that_do_not_fit_are_refused(tmp_path, types, arguments, fault):
    with text_writer(tmp_path / "bag", types) as writer:
        with pytest.raises(BagError, match=fault):
            writer.write(*arguments)
        writer.finish({})
    assert EpisodeBag(tmp_path / "bag").message_counts == {"/text": 0}


def test_attachment_twice_is_refused(tmp_path, types):
    with text_writer(tmp_path / "bag", types) as writer:
        writer.attach("spec.json", b"1", "application/json")
        with pytest.raises(BagError, match=r"bag bag has an attachment 'spec\.json' already"):
            writer.attach("spec.json", b"2", "application/json")
        writer.finish({})
    assert EpisodeBag(tmp_path / "bag").attachments == {"spec.json": b"1"}


def test_custom_data_are_texts(tmp_path, types):
    with pytest.raises(BagError, match="custom data 'seed' of a bag is 7; a text is allowed"):
        BagWriter(tmp_path / "bag", [TOPIC], SETTINGS, {"seed": 7}, "", types)
    with pytest.raises(BagError, match="custom data 'note' of a bag is .*, which is no Unicode text"):
        BagWriter(tmp_path / "bag", [TOPIC], SETTINGS, {"note": "\ud800"}, "", types)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"chunk_bytes": 0}, "chunk_bytes of a bag writer is 0; 1 or more is allowed"),
        ({"flush_s": float("nan")}, "flush_s of a bag writer is nan"),
        ({"reserve_bytes": -1}, "reserve_bytes of a bag writer is -1"),
        ({"compression": "lz4"}, "compression of a bag writer is 'lz4'; allowed: none, zstd"),
    ],
)
def test_settings_that_mean_nothing_are_refused(settings, fault):
    with pytest.raises(BagError, match=fault):
        WriterSettings(**settings)


def test_reserve_stops_the_recording_with_a_valid_bag(tmp_path, types):
    with text_writer(tmp_path / "bag", types, WriterSettings(reserve_bytes=1 << 60, flush_s=0)) as writer:
        assert writer.free_bytes == 0
        with pytest.raises(
            BagError, match=r"recording of bag stopped: the disk has \d+ MiB left and \d+ MiB are to stay"
        ):
            writer.write("/text", text(types, "the message is kept"), 0, 0)
    bag = EpisodeBag(tmp_path / ".partial" / "bag")
    assert [content.data for _, content in bag.decoded()] == ["the message is kept"]
    assert "MiB are to stay free" in bag.custom_data["incomplete"]


@pytest.fixture
def small_disk(tmp_path: Path):
    """A file system of 60 MB."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=60m", "tmpfs", str(place)], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"a file system of 60 MB cannot be mounted here: {mounted.stderr.strip()}")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.mark.parametrize("reserve_bytes", [20 << 20, 0])
def test_full_disk_stops_the_recording_with_a_valid_bag(small_disk, types, reserve_bytes):
    settings = WriterSettings("none", reserve_bytes=reserve_bytes, flush_s=float("inf"))
    cdr = text(types, "z" * 900_000)
    written = 0
    with text_writer(small_disk / "bag", types, settings) as writer:
        why = "MiB are to stay free" if reserve_bytes else "No space left on device"
        with pytest.raises(BagError, match=f"recording of bag stopped: .*{why}; what was recorded is whole in "):
            while written < 100:
                writer.write("/text", cdr, written, written)
                written += 1
    bag = EpisodeBag(small_disk / ".partial" / "bag")
    kept = [message.cdr for message in bag.messages()]
    assert set(kept) == {cdr}
    assert written - len(kept) < 12
    assert len(kept) * 900_000 > (60 << 20) - reserve_bytes - (12 << 20)
    assert bag.described_counts == bag.message_counts == {"/text": len(kept)}
    with AnyReader([bag.path]) as reader:
        assert reader.message_count == len(kept)


def test_unfinished_file_has_no_end(tmp_path, types):
    with text_writer(tmp_path / "bag", types) as writer:
        writer.write("/text", text(types), 0, 0)
        writer.flush()
        file = writer.partial_folder / "bag_0.mcap"
        with file.open("rb") as stream, pytest.raises(McapError):
            make_reader(stream).get_summary()
        with pytest.raises(BagError, match=r"has no metadata\.yaml: it is no bag, or one that was never finished"):
            EpisodeBag(writer.partial_folder)
        with pytest.raises(BagError, match="has no end: it was cut or never finished; `imove bag recover` saves"):
            EpisodeBag(file)
