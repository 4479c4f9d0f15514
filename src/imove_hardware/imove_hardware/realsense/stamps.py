"""Turns the times that a camera stamps its images with into ROS time."""

from __future__ import annotations

from enum import Enum
from typing import Any

from imove_hardware.realsense.library import realsense

_US, _MS = 1_000, 1_000_000
# The device's clock counts microseconds in 32 bits: it starts anew every 71.6 minutes.
_WRAP_NS = 2**32 * _US
# A stamp in host time is believed when its image is that old at most, and not from the future beyond the error of the
# library's estimate.
_OLDEST_NS, _FUTURE_NS = 2_000 * _MS, 20 * _MS
# Farther off, a device clock does not run on but has jumped: a new start, or a recording that begins again.
_JUMP_NS = 500 * _MS
# How fast the clocks of camera and host may drift apart: well above what crystals do (0.01 %).
_DRIFT = 200e-6


class Domain(Enum):
    """Whose clock a camera stamps its images by."""

    SYSTEM = "system_time"
    HARDWARE = "hardware_clock"
    GLOBAL = "global_time"


def domain_of(frame: Any) -> Domain:
    """The domain of a frame's time."""
    domain, domains = frame.get_frame_timestamp_domain(), realsense().timestamp_domain
    if domain == domains.hardware_clock:
        return Domain.HARDWARE
    return Domain.GLOBAL if domain == domains.global_time else Domain.SYSTEM


class StampClock:
    """Stamps of one camera's images, which never go back.

    Times by the host's clock (system and global time) are taken as they are while they are plausible. All others, those
    of the device's own clock and of recordings, are shifted by the smallest difference seen between arrival and device
    time: the image that was on its way for the shortest time tells most of the clocks. The difference may grow by what
    clocks drift.
    """

    def __init__(self) -> None:
        """Knows no image yet."""
        self.jumps = 0
        self._last_stamp_ns = -1
        self._last_arrival_ns = -1
        self._offset_ns: int | None = None
        self._anchored_at_ns = 0
        self._turns = 0
        self._last_device_ns = 0

    def restart(self) -> None:
        """Forgets the device's clock, which may have started anew; stamps still never go back."""
        self._offset_ns = None
        self._turns = 0
        self._last_device_ns = 0

    def stamp(self, device_ns: int, domain: Domain, arrival_ns: int) -> int | None:
        """The ROS time of an image, ns since the epoch.

        Args:
            device_ns: Time as the camera gave it.
            domain: Whose clock that is.
            arrival_ns: When the image came, by the host's clock.

        Returns:
            The time; None where it is not later than that of the image before.
        """
        host_time = domain is not Domain.HARDWARE and -_FUTURE_NS <= arrival_ns - device_ns <= _OLDEST_NS
        stamp_ns = min(device_ns if host_time else self._shifted(device_ns, domain, arrival_ns), arrival_ns)
        if arrival_ns < self._last_arrival_ns:
            # Somebody has set the host's clock back; everything else on this host follows it too.
            self.jumps += 1
        elif stamp_ns <= self._last_stamp_ns:
            return None
        self._last_stamp_ns, self._last_arrival_ns = stamp_ns, arrival_ns
        return stamp_ns

    def _shifted(self, device_ns: int, domain: Domain, arrival_ns: int) -> int:
        if domain is Domain.HARDWARE:
            if device_ns < self._last_device_ns - _WRAP_NS // 2:
                self._turns += 1
            self._last_device_ns = device_ns
            device_ns += self._turns * _WRAP_NS
        difference_ns = arrival_ns - device_ns
        if self._offset_ns is None:
            self._offset_ns = difference_ns
        elif abs(difference_ns - self._offset_ns) > _JUMP_NS:
            self.jumps += 1
            self._offset_ns = difference_ns
        else:
            drifted_ns = self._offset_ns + round(_DRIFT * max(0, arrival_ns - self._anchored_at_ns))
            self._offset_ns = min(difference_ns, drifted_ns)
        self._anchored_at_ns = arrival_ns
        return device_ns + self._offset_ns
