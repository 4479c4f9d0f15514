"""RealSense drivers in a graph: the topics of the contract from a recorded and from a live emulated camera."""

import threading
import time
from io import BytesIO

import numpy as np
import pytest
import yaml
from diagnostic_msgs.msg import DiagnosticArray
from PIL import Image as Picture
from sensor_msgs.msg import CameraInfo, CompressedImage, Image

from imove_core import contract
from imove_core.rig import Intrinsics, load_rig
from imove_hardware.emulation.realsense.feed import FeedCamera, FramePublisher
from imove_hardware.emulation.realsense.recording import RecordedImage, record
from imove_ros.conversions import depth_mm_from, ns_from_time, rgb_from

from .graph_helpers import listener, node_processes, wait_until

pytestmark = pytest.mark.graph
WIDTH, HEIGHT, SIDE = 160, 120, 64
STATIC, HAND = "static_camera", "left_hand_camera"
PINHOLE = Intrinsics(width=WIDTH, height=HEIGHT, fx=100, fy=100, cx=79.5, cy=59.5)
RECORDED = FeedCamera(serial="311322300001", model="D455", intrinsics=PINHOLE)
LIVE = FeedCamera(serial="218622270002", model="D405", intrinsics=PINHOLE)


def picture():
    rgb = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    rgb[..., 0] = np.arange(WIDTH)
    rgb[HEIGHT // 2 :, :, 1] = 150
    depth_mm = np.full((HEIGHT, WIDTH), 800, np.uint16)
    depth_mm[:, WIDTH // 2 :] = 300
    return rgb, depth_mm


class Table:
    """Shows a still scene to the live camera."""

    def __init__(self):
        self.publisher = FramePublisher("tcp://127.0.0.1:0", [LIVE])
        self.plugged = True
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self):
        number = 0
        while not self._ending.wait(1 / 30):
            number += 1
            (self.publisher.plug if self.plugged else self.publisher.unplug)(LIVE.serial)
            self.publisher.publish(LIVE.serial, time.time_ns(), *picture(), number)

    def close(self):
        self._ending.set()
        self._thread.join()
        self.publisher.close()


@pytest.fixture(scope="module")
def table():
    table = Table()
    yield table
    table.close()


@pytest.fixture(scope="module")
def rig(table, tmp_path_factory):
    """A lab's rig file with two cameras."""
    folder = tmp_path_factory.mktemp("rig")
    rgb, depth_mm = picture()
    record(folder / "static.db3", RECORDED, [RecordedImage(k, 1e6 + 33.3 * k, rgb, depth_mm) for k in range(1, 61)])
    profile = {"width": WIDTH, "height": HEIGHT, "rate_hz": 30}
    devices = {
        STATIC: {"serial": RECORDED.serial, "profile": profile, "playback": str(folder / "static.db3")},
        HAND: {"serial": LIVE.serial, "profile": profile, "feed": table.publisher.address},
    }
    content = load_rig("piperx_dual").model_dump(mode="json") | {"hardware": {"cameras": devices}}
    (folder / "lab.yaml").write_text(yaml.safe_dump(content))
    return folder / "lab.yaml"


@pytest.fixture(scope="module")
def nodes(rig, tmp_path_factory):
    with node_processes(tmp_path_factory.mktemp("graph")) as nodes:
        yield nodes


@pytest.fixture(scope="module")
def drivers(nodes, rig):
    common = {"rig": str(rig), "use_sim_time": False}
    whole = nodes.start("imove_hardware", "realsense_driver", camera=STATIC, **common)
    square = nodes.start(
        "imove_hardware", "realsense_driver", camera=HAND, image_width=SIDE, image_height=SIDE, **common
    )
    return whole, square


@pytest.fixture
def ear(nodes, drivers):
    with listener(nodes.domain) as ear:
        yield ear


def hear_camera(ear, camera):
    """What comes on the topics of a camera, once each has something."""
    heard = [
        ear.hear(kind, topic(camera))
        for kind, topic in (
            (Image, contract.color_topic),
            (CompressedImage, contract.compressed_topic),
            (CameraInfo, contract.color_info_topic),
            (Image, contract.depth_topic),
            (CameraInfo, contract.depth_info_topic),
        )
    ]
    wait_until(lambda: all(len(messages) > 2 for messages in heard), lambda: f"{[len(m) for m in heard]} came")
    return [messages[-1] for messages in heard]


@pytest.mark.parametrize(("camera", "size"), [(STATIC, (WIDTH, HEIGHT)), (HAND, (SIDE, SIDE))])
def test_camera_is_on_its_topics_as_the_contract_says(ear, camera, size):
    color, jpeg, color_info, depth, depth_info = hear_camera(ear, camera)
    optics = PINHOLE.resized(*size)
    for message in (color, jpeg, color_info, depth, depth_info):
        assert message.header.frame_id == ear.rig.camera(camera).optical_frame
        assert abs(ns_from_time(message.header.stamp) - time.time_ns()) < 60e9
    for info in (color_info, depth_info):
        assert (info.width, info.height) == size
        assert info.k.reshape(3, 3) == pytest.approx(optics.matrix, abs=1e-4)
    pixels, distances = rgb_from(color), depth_mm_from(depth)
    assert (pixels.shape, distances.shape) == ((size[1], size[0], 3), (size[1], size[0]))
    # The middle of the scene is in the middle of the image, whatever its size.
    middle = pixels[size[1] // 2 + 4, size[0] // 2]
    assert middle == pytest.approx([WIDTH // 2, 150, 0], abs=3)
    assert set(distances[5, : size[0] // 2 - 2]) == {800}
    assert set(distances[5, size[0] // 2 + 2 :]) == {300}
    decoded = np.asarray(Picture.open(BytesIO(bytes(jpeg.data)), formats=("JPEG",)))
    assert jpeg.format == "rgb8; jpeg compressed bgr8"
    assert np.abs(decoded.astype(int) - pixels).mean() < 4


def test_unplugged_camera_is_told_and_comes_back(ear, table):
    health = ear.hear(DiagnosticArray, contract.DIAGNOSTICS_TOPIC)

    def values():
        statuses = [status for array in health for status in array.status if status.name == f"camera/{HAND}"]
        return {item.key: item.value for item in statuses[-1].values} if statuses else {}

    wait_until(lambda: values().get("connected") == "true", lambda: f"the camera is {values()}")
    assert values()["serial"] == LIVE.serial
    table.plugged = False
    wait_until(lambda: values().get("connected") == "false", lambda: f"the camera is {values()}")
    table.plugged = True
    wait_until(lambda: values().get("connected") == "true", lambda: f"the camera is {values()}")
    assert int(values()["restarts"]) >= 1
    images = ear.hear(Image, contract.color_topic(HAND))
    wait_until(lambda: images, lambda: "no image came")


def test_a_camera_that_is_not_there_is_waited_for_and_a_wrong_mode_is_not(nodes, rig, tmp_path):
    content = yaml.safe_load(rig.read_text())
    devices = content["hardware"]["cameras"]
    devices[STATIC]["profile"]["rate_hz"], devices[HAND]["serial"] = 90, "999"
    (tmp_path / "wrong.yaml").write_text(yaml.safe_dump(content))
    common = {"rig": str(tmp_path / "wrong.yaml"), "use_sim_time": False}
    wrong = nodes.start("imove_hardware", "realsense_driver", camera=STATIC, **common)
    missing = nodes.start("imove_hardware", "realsense_driver", camera=HAND, **common)
    assert wrong.wait() == 2
    assert "camera 311322300001 does not offer colour at 160x120 at 90 Hz; it offers 160x120 at 30 Hz" in wrong.err
    missing.wait_for("shows no images of camera 999; the driver waits for it")
    assert missing.interrupt() == 0


def test_drivers_end_quietly(drivers):
    assert [driver.interrupt() for driver in drivers] == [0, 0]
    assert all("Traceback" not in driver.err for driver in drivers)
