"""An arm's bus while it is open: what arrives on it, made into readings and health."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from imove_core.errors import ImoveError
from imove_hardware.piper.bus import WANTED_FRAMES, BusAddress, PiperBus
from imove_hardware.piper.health import ArmHealth, HealthReader
from imove_hardware.piper.reading import Reading, feedback_reader, leader_reader

POLL_S = 0.005
HEARD_S = 0.5
"""An arm that is on the bus is heard within this time."""
RETRY_S = 0.5
"""How long to wait before a bus is opened again."""

OnReading = Callable[[Reading], None]
"""Told of each reading in the thread that reads the bus; it must return soon."""


class Connection:
    """One open bus; closed for good when it falls silent.

    Attributes:
        arrived: Frames that have come, by identifier.
        readings: Readings of the arm that have come.
        leader_readings: Readings of a leader that have come.
        reading: The newest of the arm.
        leader_reading: The newest of a leader.
        effort_scale: By which the SDK's efforts of joints 1 to 3 are multiplied, once the firmware is known.
    """

    def __init__(
        self,
        address: BusAddress,
        on_reading: OnReading = lambda reading: None,
        on_leader: OnReading = lambda reading: None,
    ) -> None:
        """Opens the bus and reads it.

        Args:
            address: Of the bus.
            on_reading: Told of each reading of the arm.
            on_leader: Told of each reading of a leader.

        Raises:
            ImoveError: There is no such bus, or nothing answers where it should be.
        """
        self.arrived: Counter[int] = Counter()
        self.readings = self.leader_readings = 0
        self.reading: Reading | None = None
        self.leader_reading: Reading | None = None
        self.effort_scale = 1.0
        self._on_reading, self._on_leader = on_reading, on_leader
        self._bus = PiperBus(address)
        self._arm = feedback_reader(self.sdk, lambda: self.effort_scale)
        self._leader = leader_reader(self.sdk)
        self._health = HealthReader(self.sdk)
        self._bus.start(self._frame)

    @property
    def sdk(self) -> Any:
        """The SDK; only one thread may send through it."""
        return self._bus.sdk

    @property
    def health(self) -> ArmHealth:
        """How the arm said last that it is."""
        return self._health.health

    @property
    def frames(self) -> int:
        """Frames that have come."""
        return self.arrived.total()

    @property
    def mixed(self) -> int:
        """Cycles of joint frames that were refused, since one of them was lost or late."""
        return self._arm.mixed

    @classmethod
    def heard(
        cls,
        address: BusAddress,
        ending: threading.Event,
        on_reading: OnReading = lambda reading: None,
        on_leader: OnReading = lambda reading: None,
    ) -> Connection:
        """Opens a bus on which something comes; one where nothing does is closed again.

        Args:
            address: Of the bus.
            ending: Set where nobody waits any more.
            on_reading: Told of each reading of the arm.
            on_leader: Told of each reading of a leader.

        Raises:
            ImoveError: There is no such bus, nothing answers where it should be, or nothing comes.
        """
        connection = cls(address, on_reading, on_leader)
        if not connection.wait(lambda: connection.frames > 0, HEARD_S, ending):
            connection.close()
            raise ImoveError(f"nothing is heard on {address}: is its arm switched on?")
        return connection

    def narrow(self) -> None:
        """Lets through only what is read from now on."""
        self._bus.accept(WANTED_FRAMES)

    def wait(self, done: Callable[[], bool], timeout_s: float, ending: threading.Event) -> bool:
        """Waits until something has come; False at the deadline, or when all ends."""
        deadline_s = time.monotonic() + timeout_s
        while not done():
            if time.monotonic() >= deadline_s or ending.wait(POLL_S):
                return False
        return True

    def close(self) -> None:
        """Closes the bus; the arm stays as it is."""
        self._bus.close()

    def _frame(self, frame_id: int, stamp_s: float) -> None:
        self.arrived[frame_id] += 1
        self._health.frame(frame_id)
        reading = self._arm.frame(frame_id, stamp_s)
        if reading is not None:
            self.reading = reading
            self.readings += 1
            self._on_reading(reading)
        led = self._leader.frame(frame_id, stamp_s)
        if led is not None:
            self.leader_reading = led
            self.leader_readings += 1
            self._on_leader(led)
