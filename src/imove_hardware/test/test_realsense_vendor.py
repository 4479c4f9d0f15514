"""The vendor's own driver, started so that it keeps the contract."""

import pytest

from imove_core import contract
from imove_core.errors import ImoveError
from imove_core.hardware import CameraDevice, CameraProfile, RigHardware
from imove_core.rig import load_rig
from imove_hardware.realsense.vendor.driver import vendor_driver

STATIC, HAND = "static_camera", "left_hand_camera"
# What version 4.58 publishes of an aligned camera, below its node.
PUBLISHED = ("color/image_raw", "color/camera_info", "aligned_depth_to_color/image_raw")
PUBLISHED += ("aligned_depth_to_color/camera_info", "color/image_raw/compressed")


def rig_of(**devices):
    return load_rig("piperx_dual").model_copy(update={"hardware": RigHardware(cameras=devices)})


@pytest.fixture
def rig():
    return rig_of(
        static_camera=CameraDevice(serial="311322300001", exposure_us=8000),
        left_hand_camera=CameraDevice(
            serial="218622270002", exposure_us=8000, profile=CameraProfile(width=848, height=480, rate_hz=15)
        ),
        right_hand_camera=CameraDevice(serial="218622270003", playback="hand.db3"),
    )


@pytest.mark.parametrize("camera", [STATIC, HAND])
def test_topics_and_frames_are_those_of_the_contract(rig, camera):
    driver = vendor_driver(rig, camera)
    named = {topic.name: topic for topic in contract.topics(rig)}
    wanted = {name for name in named if name.startswith(f"/{camera}/")}
    assert {f"/{driver.name}/{name}" for name in PUBLISHED} == wanted
    # The driver makes its frames of the camera's name and the stream's.
    frame = f"{driver.parameters['camera_name']}_color_optical_frame"
    assert {named[name].frame for name in wanted} == {frame}
    assert driver.parameters["publish_tf"] is False


def test_older_names_become_those_of_the_contract(rig):
    outer = {name.replace("~", f"/{HAND}") for _, name in vendor_driver(rig, HAND).remappings}
    assert outer == {contract.color_topic(HAND), contract.compressed_topic(HAND)}


def test_colour_of_a_d405_is_set_on_the_depth_module(rig):
    static, hand = (vendor_driver(rig, camera).parameters for camera in (STATIC, HAND))
    assert static["rgb_camera.color_profile"] == static["depth_module.depth_profile"] == "640x480x30"
    assert hand["depth_module.color_profile"] == hand["depth_module.depth_profile"] == "848x480x15"
    assert not any(name.startswith("rgb_camera") for name in hand)
    assert (static["rgb_camera.exposure"], hand["depth_module.exposure"]) == (80, 8000)
    assert (static["rgb_camera.enable_auto_exposure"], hand["depth_module.enable_auto_exposure"]) == (False, False)
    assert (static["serial_no"], hand["serial_no"]) == ("_311322300001", "_218622270002")


def test_recording_is_played_again_and_again_with_automatic_exposure(rig):
    parameters = vendor_driver(rig, "right_hand_camera").parameters
    assert (parameters["rosbag_filename"], parameters["rosbag_loop"]) == ("hand.db3", True)
    assert parameters["depth_module.enable_auto_exposure"] is True
    assert "depth_module.exposure" not in parameters


def test_what_the_vendors_driver_cannot_open_is_refused(rig):
    emulated = rig_of(static_camera=CameraDevice(serial="1", feed="tcp://127.0.0.1:5000"))
    with pytest.raises(ImoveError, match="'static_camera' is an emulated one, which realsense2_camera cannot open"):
        vendor_driver(emulated, STATIC)
    cameras = tuple(camera.model_copy(update={"model": "ZED"}) for camera in rig.cameras)
    with pytest.raises(ImoveError, match="unknown model of camera 'static_camera' 'ZED'; allowed: D405, D455"):
        vendor_driver(rig.model_copy(update={"cameras": cameras}), STATIC)
