"""The cameras of the emulated table: rendered in turn, sent on as the feed of live emulated devices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, cast

import numpy as np

from imove_core.errors import ImoveError, unknown_name
from imove_core.rig import Rig
from imove_core.state import StepState
from imove_hardware.emulation.realsense.feed import FeedCamera, FramePublisher
from imove_sim_bridge.backend import CameraFrame

#: Nothing has moved where no joint has turned and no object has gone farther than this, rad and m: arms that hold
#: tremble by less, and a tenth of a millimetre is a tenth of a pixel.
STILL = 2e-4
#: An image may be taken so much early: control periods are not all of one length.
EARLY_S = 0.005


def feed_cameras(rig: Rig) -> dict[str, FeedCamera]:
    """Every camera of a rig as its feed announces it, by name.

    Raises:
        ImoveError: A camera has no device, or one whose model cannot be emulated.
    """
    cameras: dict[str, FeedCamera] = {}
    for camera in rig.cameras:
        device = rig.camera_device(camera.name)
        if camera.model not in ("D455", "D405"):
            raise unknown_name(f"model of camera {camera.name}", camera.model, ("D455", "D405"))
        cameras[camera.name] = FeedCamera(
            serial=device.serial,
            model=cast(Literal["D455", "D405"], camera.model),
            intrinsics=camera.intrinsics.resized(device.profile.width, device.profile.height),
            rate_hz=device.profile.rate_hz,
        )
    return cameras


def feed_address(rig: Rig) -> str:
    """The one address of all feeds of a rig.

    Raises:
        ImoveError: Cameras have several addresses, or none.
    """
    addresses = {rig.camera_device(camera.name).feed for camera in rig.cameras}
    if len(addresses) != 1 or "" in addresses:
        raise ImoveError(f"feeds of rig {rig.name} are at {sorted(addresses)}; one address for all cameras is needed")
    return addresses.pop()


class TableCameras:
    """Decides which camera takes an image when; for one thread.

    At most one image is rendered in a control period, so that rendering never holds up the arms for long; an image of a
    scene that stands still is sent again.
    """

    def __init__(self, rig: Rig, publisher: FramePublisher, rate_hz: float) -> None:
        """Creates cameras that take their first images at once.

        Args:
            rig: Whose cameras they are.
            publisher: Of all of them; owned from now on.
            rate_hz: Images a second of each camera.
        """
        self._publisher = publisher
        self._serials = {name: camera.serial for name, camera in feed_cameras(rig).items()}
        self._period_s = 1.0 / rate_hz
        self._due_s = dict.fromkeys(self._serials, float("-inf"))
        self._numbers = dict.fromkeys(self._serials, 0)
        self._last: dict[str, tuple[StepState, CameraFrame]] = {}
        self._taken: list[tuple[str, int, CameraFrame]] = []

    def take(self, at_s: float, stamp_ns: int, state: StepState, render: Callable[[str], CameraFrame]) -> None:
        """Takes the images that are due, the longest awaited first; `send` sends them.

        Args:
            at_s: When the state is true, on a monotonic clock.
            stamp_ns: The same since the epoch.
            state: What is to be seen.
            render: Renders it for a camera.
        """
        rendered = False
        for name in sorted(self._due_s, key=self._due_s.__getitem__):
            if self._due_s[name] > at_s + EARLY_S:
                return
            last = self._last.get(name)
            if last is None or not _is_still(last[0], state):
                if rendered:
                    continue
                last, rendered = (state, render(name)), True
                self._last[name] = last
            self._due_s[name] = max(self._due_s[name] + self._period_s, at_s + 0.5 * self._period_s)
            self._taken.append((name, stamp_ns, last[1]))

    def send(self) -> None:
        """Sends the images that were taken last, once."""
        taken, self._taken = self._taken, []
        for name, stamp_ns, frame in taken:
            self._numbers[name] += 1
            assert frame.depth_mm is not None
            self._publisher.publish(self._serials[name], stamp_ns, frame.rgb, frame.depth_mm, self._numbers[name])

    def forget(self) -> None:
        """Renders everything anew: another scene is there."""
        self._last.clear()

    def set_plugged(self, camera: str, plugged: bool) -> None:
        """Unplugs a camera, or plugs it in again.

        Raises:
            ImoveError: No such camera.
        """
        if camera not in self._serials:
            raise unknown_name("camera", camera, self._serials)
        if plugged:
            self._publisher.plug(self._serials[camera])
        else:
            self._publisher.unplug(self._serials[camera])

    def close(self) -> None:
        """Closes the feed."""
        self._publisher.close()


def _is_still(before: StepState, now: StepState) -> bool:
    if np.abs(before.robot.positions - now.robot.positions).max() > STILL:
        return False
    return all(
        np.abs(old.position - new.position).max() <= STILL
        and np.abs(old.quaternion_xyzw - new.quaternion_xyzw).max() <= STILL
        for old, new in zip(before.objects, now.objects, strict=True)
    )
