"""An emulated arm, the line that it is on, and a driver or listener that is connected to it."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from imove_core.hardware import ArmDevice
from imove_core.rig import load_rig
from imove_core.trajectory import JointCommand, make_command
from imove_hardware.emulation.piper.arm import EmulatedPiper
from imove_hardware.emulation.piper.faults import ArmFaults
from imove_hardware.emulation.piper.line import Line
from imove_hardware.emulation.piper.serving import LineServer
from imove_hardware.emulation.piper.socketcand import SocketcandServer
from imove_hardware.emulation.piper.virtual import VirtualTransport
from imove_hardware.piper.driver import PiperDriver
from imove_hardware.piper.report import ArmReport
from imove_hardware.piper.rounds import DriverOptions

NS = 1_000_000_000
ARM = load_rig("piperx_dual").arm("left")
PATIENT = DriverOptions(silence_s=2.0)
"""A busy machine may keep the emulator from running for longer than a real bus is ever silent."""
DEADLINE_S = 60.0

_numbers = itertools.count()


def wait_until(condition: Callable[[], Any]) -> None:
    """Waits until something is so."""
    end_s = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < end_s, "never came true"
        time.sleep(0.005)


def command(*rows: Sequence[float], seconds: float = 0.3, begin_s: float = 0.0) -> JointCommand:
    """Points `seconds` apart, from now on."""
    offsets = [round(seconds * NS * number) for number in range(1, len(rows) + 1)]
    return make_command(ARM, ARM.joint_names, time.time_ns() + round(begin_s * NS), offsets, rows)


class Table:
    """One arm, its line and its driver.

    Attributes:
        arm: The emulated arm.
        line: Its line.
        driver: Connected to it.
        readings: That have come.
        events: That were told.
        changes: Reports after each change.
    """

    def __init__(self, arm: EmulatedPiper, line: Line, device: ArmDevice, options: DriverOptions) -> None:
        """Starts the driver."""
        self.arm, self.line = arm, line
        self.readings: list[Any] = []
        self.events: list[Any] = []
        self.changes: list[ArmReport] = []
        self.driver = PiperDriver(
            ARM,
            device,
            options,
            self.readings.append,
            self.events.append,
            lambda: self.changes.append(self.driver.report()),
        )
        self.driver.start()

    @property
    def mode(self) -> str:
        """Of the driver."""
        return self.driver.report().mode

    def wait_for(self, mode: str) -> None:
        """Waits until the driver is in a mode."""
        wait_until(lambda: self.mode == mode)

    def fault(self, **faults: Any) -> None:
        """Puts faults of the arm in force, and ends all others."""
        self.arm.faults = ArmFaults(**faults)

    def there(self, row: Sequence[float], tolerance: float = 0.005) -> bool:
        """Whether the arm is where a row says."""
        state = self.arm.state
        return bool(np.allclose([*state.joints_rad, state.opening_m], row, atol=tolerance))


@contextmanager
def table(
    options: DriverOptions = PATIENT,
    arm: EmulatedPiper | None = None,
    others: Sequence[EmulatedPiper] = (),
    transport: str = "virtual",
    **device: Any,
) -> Iterator[Table]:
    """A running emulation with a driver; nothing of it is left at the end."""
    channel = f"piper_table{next(_numbers)}"
    arm = arm or EmulatedPiper("left")
    line = Line(channel, [arm, *others], np.random.default_rng(0))
    lines: VirtualTransport | SocketcandServer
    if transport == "virtual":
        lines, bus = VirtualTransport(channel), f"virtual:{channel}"
    else:
        lines = SocketcandServer([channel])
        bus = f"socketcand:127.0.0.1:{lines.port}/{channel}"
    with LineServer(lines, [line]):
        running = Table(arm, line, ArmDevice(bus=bus, **device), options)
        try:
            yield running
        finally:
            running.driver.close()
    assert not [thread for thread in threading.enumerate() if thread.name == f"{ARM.name}_driver"]
