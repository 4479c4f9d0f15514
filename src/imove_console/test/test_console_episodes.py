"""The list of recordings, and their images: nothing outside of the folder, whatever is asked for."""

import http.client
import io
import json
import os

import numpy as np
import pytest
from PIL import Image

from imove_console.episodes import FRAME_HEADER, EpisodeShelf, dataset_folder
from imove_core import contract
from imove_core.bag import messages as make
from imove_core.bag.topics import BagTopic
from imove_core.bag.types import message_types
from imove_core.bag.writer import BagWriter, WriterSettings
from imove_core.contract import IMAGES
from imove_core.errors import ImoveError

from .console_helpers import DEADLINE_S, quoted, serving

CAMERA = "static_camera"
START_NS, PERIOD_NS = 5_000_000_000, 33_333_333
FACTS = {
    "instruction": "get the bread",
    "success": "true",
    "dropped_messages": "2",
    "lost_messages": "1",
    "policy": "expert",
}


def write_bag(folder, frames=31, facts=FACTS):
    """A bag with one camera, whose images grow lighter."""
    types, topic = message_types(), contract.color_topic(CAMERA)
    settings = WriterSettings(chunk_bytes=60_000, reserve_bytes=0)
    with BagWriter(folder, [BagTopic(topic, "sensor_msgs/msg/Image", IMAGES)], settings, facts, "", types) as writer:
        for step in range(frames):
            pixels = np.full((48, 64, 3), 4 * step, np.uint8)
            stamp = START_NS + step * PERIOD_NS
            image = make.image(types, stamp, "optical", pixels)
            writer.write(topic, types.serialize(image.message, image.type), stamp, stamp)
        writer.finish(facts)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    root = tmp_path_factory.mktemp("data") / "bags"
    for number in range(3):
        bag = root / "pick_category" / f"episode_{number:06}"
        write_bag(bag)
        os.utime(bag / "metadata.yaml", (1000 + number, 1000 + number))
    write_bag(root.parent / "outside" / "episode_000000")
    (root / "link").symlink_to(root.parent / "outside")
    damaged = root / "pick_category" / "episode_000009"
    damaged.mkdir()
    (damaged / "metadata.yaml").write_text("rosbag2_bagfile_information: {storage_identifier: mcap}")
    os.utime(damaged / "metadata.yaml", (2000, 2000))
    return root


def frames_in(body):
    found = []
    while body:
        at_s, length = FRAME_HEADER.unpack_from(body)
        found.append((at_s, body[FRAME_HEADER.size : FRAME_HEADER.size + length]))
        body = body[FRAME_HEADER.size + length :]
    return found


def test_the_newest_come_first_with_what_they_say_of_themselves(dataset):
    listing = EpisodeShelf(dataset).listing(0, 3)
    assert listing.total == 4
    assert [entry.name for entry in listing.entries] == [
        f"pick_category/episode_{number:06}" for number in (9, 2, 1)
    ]  # fmt: skip
    damaged, newest = listing.entries[:2]
    assert damaged.fault and not damaged.cameras
    assert (newest.dropped, newest.messages, newest.cameras) == (3, 31, (CAMERA,))
    assert newest.duration_s == pytest.approx(1.0, abs=0.01)
    assert (newest.facts["instruction"], newest.facts["success"]) == ("get the bread", "true")
    assert EpisodeShelf(dataset).listing(3, 3).entries[0].name.endswith("0")


def test_a_folder_that_is_not_there_is_an_empty_list(tmp_path):
    assert EpisodeShelf(tmp_path / "none").listing(0, 10).total == 0
    assert dataset_folder("") is None


def test_a_bag_that_is_written_anew_is_read_anew(tmp_path):
    shelf, bag = EpisodeShelf(tmp_path), tmp_path / "task" / "episode_000000"
    write_bag(bag, frames=5)
    assert shelf.listing(0, 1).entries[0].messages == 5
    for file in bag.iterdir():
        file.unlink()
    bag.rmdir()
    write_bag(bag, frames=9, facts={})
    entry = shelf.listing(0, 1).entries[0]
    assert (entry.messages, entry.dropped) == (9, None)


def test_images_come_ten_a_second_from_where_they_are_asked_for(dataset):
    frames = frames_in(b"".join(EpisodeShelf(dataset).frames("pick_category/episode_000001", CAMERA, 0.5)))
    times = [at_s for at_s, _ in frames]
    assert times == pytest.approx([0.533 + 0.1 * number for number in range(5)], abs=0.01)
    shades = [np.asarray(Image.open(io.BytesIO(jpeg)))[20, 20, 0] for _, jpeg in frames]
    assert shades == pytest.approx([4 * (16 + 3 * number) for number in range(5)], abs=3)


@pytest.mark.parametrize(
    "name",
    [
        "", ".", "..", "../outside/episode_000000", "pick_category/../../outside/episode_000000", "/etc",
        "link/episode_000000", "pick_category/./episode_000001", "pick_category", "no/such",
        "pick_category/episode_000001\0",
    ],
)  # fmt: skip
def test_nothing_outside_of_the_folder_is_read(dataset, name):
    with pytest.raises(ImoveError, match="there is no episode"):
        EpisodeShelf(dataset).frames(name, CAMERA, 0.0)
    absolute = str(dataset.parent / "outside" / "episode_000000")
    with pytest.raises(ImoveError, match="there is no episode"):
        EpisodeShelf(dataset).frames(absolute, CAMERA, 0.0)


def test_a_camera_that_was_not_recorded_is_said(dataset):
    with pytest.raises(ImoveError, match="no images of camera '../x'"):
        EpisodeShelf(dataset).frames("pick_category/episode_000001", "../x", 0.0)


def test_the_page_gets_the_list_and_the_images(dataset):
    def get(path):
        connection = http.client.HTTPConnection("127.0.0.1", console.server.port, timeout=DEADLINE_S)
        connection.request("GET", path)
        answer = connection.getresponse()
        found = answer.status, answer.read()
        connection.close()
        return found

    with serving(shelf=EpisodeShelf(dataset)) as console:
        status, body = get("/api/episodes")
        listing = json.loads(body)
        assert (status, listing["total"], listing["dataset"]) == (200, 4, "bags")
        assert str(dataset) not in body.decode()
        name = listing["entries"][1]["name"]
        status, body = get("/api/replay?" + quoted(episode=name, camera=CAMERA))
        assert (status, len(frames_in(body))) == (200, 11)
        for bad in ({"episode": "../outside/episode_000000", "camera": CAMERA}, {"episode": name, "camera": "x"}):
            status, body = get("/api/replay?" + quoted(**bad))
            assert status == 404
            assert str(dataset) not in body.decode()
        assert get("/api/replay?" + quoted(episode=name, camera=CAMERA, from_s="nan"))[0] == 422
        with console.socket() as page:
            disk = page.state(lambda state: state["disk"])["disk"]
            assert disk["episodes_left"] > 0
    with serving() as console:
        assert json.loads(get("/api/episodes")[1])["dataset"] is None
