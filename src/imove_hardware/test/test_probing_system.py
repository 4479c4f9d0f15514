"""What the kernel says of CAN interfaces and USB ports, from folders and texts as it has them."""

from __future__ import annotations

import json

import pytest

from imove_core.hardware import CameraProfile
from imove_hardware.probing.interfaces import CanInterface, ask_ip, can_interfaces
from imove_hardware.probing.usb import UsbCamera, needed_mbps, usb_cameras, usb_problem, usb_summary

VGA = CameraProfile()


def _write(folder, **files):
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(f"{text}\n", encoding="ascii")


@pytest.fixture
def net(tmp_path):
    """A folder of interfaces: two of CAN, a virtual one, and Ethernet."""
    for name, kind, state in (
        ("can_left", "280", "up"),
        ("can_right", "280", "down"),
        ("eth0", "1", "up"),
        ("vcan0", "280", "unknown"),
    ):
        _write(tmp_path / name, type=kind, operstate=state)
    return tmp_path


def _link(**data):
    return json.dumps([{"ifname": "can", "linkinfo": {"info_kind": "can", "info_data": data}}])


def test_can_interfaces_are_found_with_rate_and_state(net):
    told = {
        "can_left": _link(state="ERROR-ACTIVE", bittiming={"bitrate": 1000000, "sample_point": "0.750"}),
        "can_right": _link(state="STOPPED"),
        "vcan0": json.dumps([{"ifname": "vcan0", "linkinfo": {"info_kind": "vcan"}}]),
    }
    found = can_interfaces(net, told.__getitem__)
    assert found == (
        CanInterface("can_left", True, 1_000_000, "ERROR-ACTIVE"),
        CanInterface("can_right", False, 0, "STOPPED"),
        CanInterface("vcan0", True),
    )
    assert [bool(interface.problem) for interface in found] == [False, True, False]


@pytest.mark.parametrize("text", ["", "[]", "[{}]", "not JSON", '[{"linkinfo": {"info_data": 3}}]'])
def test_interfaces_of_which_nothing_is_told_are_found_all_the_same(net, text):
    assert [interface.summary for interface in can_interfaces(net, lambda name: text)] == [
        "up, bit rate unknown",
        "down, bit rate unknown",
        "up, bit rate unknown",
    ]


@pytest.mark.parametrize(
    ("interface", "sentence"),
    [
        (CanInterface("c", False), "c is down; run `sudo ip link set c up type can bitrate 1000000`"),
        (CanInterface("c", True, 500_000), "c runs at 500000 bit/s; a PiPER needs 1000000"),
        (CanInterface("c", True, 1_000_000, "BUS-OFF"), "c is in state BUS-OFF: look at the cable"),
    ],
)
def test_what_is_wrong_with_an_interface_is_said_with_what_to_do(interface, sentence):
    assert sentence in interface.problem


def test_an_interface_that_is_not_there_has_no_details():
    assert ask_ip("imove_no_such_if") == ""


@pytest.fixture
def tree(tmp_path):
    """USB devices: two cameras behind one hub, one on its own port, a mouse, and an interface of a camera."""
    product = "Intel(R) RealSense(TM) Depth Camera 405"
    for name, what, speed in (
        ("2-1.1", product, 5000),
        ("2-1.3", product, 5000),
        ("2-2", "Intel(R) RealSense(TM) Depth Camera 455", 5000),
        ("1-4", "Optical Mouse", 1.5),
    ):
        _write(tmp_path / name, product=what, speed=speed)
    _write(tmp_path / "2-2:1.0", bInterfaceNumber="00")
    return tmp_path


def test_cameras_are_found_with_the_port_that_they_share(tree):
    cameras = usb_cameras(tree)
    assert [(camera.name, camera.root_port) for camera in cameras] == [
        ("2-1.1", "2-1"),
        ("2-1.3", "2-1"),
        ("2-2", "2-2"),
    ]
    assert usb_problem(cameras, VGA) == ""
    assert usb_summary(cameras) == "2 on port 2-1 (5000 Mbit/s), 1 on port 2-2 (5000 Mbit/s)"


def test_two_large_modes_on_one_port_are_too_much(tree):
    assert needed_mbps(VGA) == pytest.approx(294.912)
    sentence = usb_problem(usb_cameras(tree), CameraProfile(width=1280, height=720, rate_hz=90))
    assert sentence.startswith("2 cameras share USB port 2-1 and need 5308 Mbit/s there; 3200 pass")


def test_a_slow_link_is_told():
    sentence = usb_problem([UsbCamera("1-2", "RealSense 405", 480)], VGA)
    assert sentence.startswith("RealSense 405 at USB 1-2 is connected with 480 Mbit/s; 5000 are needed")
